"""Copies of a small clean domain, each broken in one place: exactly that is found, and no more.

A fault is a function that breaks the copy. Its decorator says which rule finds it, in which tasks
(None is the domain as a whole), and a part of the message.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ragbench.config import ValidateConfig
from ragbench.validate import RULES, Report, report_text, validate

FERRY = Path(__file__).parent / "ferry"
LEXICAL = ("no_knowledge", "bm25", "golden_retrieval")
FAULTS: list[Any] = []


@dataclass(frozen=True)
class Fault:
    rule: str
    says: str
    tasks: tuple[str | None, ...]
    break_it: Callable[[Copy], None]

    @property
    def name(self) -> str:
        return f"{self.rule}-{self.break_it.__name__}"


@dataclass(frozen=True)
class Copy:
    """A copy of the domain, and how to change it."""

    folder: Path

    def task(self, name: str, change: Callable[[Any], None]) -> None:
        """Change a task's JSON."""
        path = self.folder / "tasks" / f"{name}.json"
        content = json.loads(path.read_text(encoding="utf-8"))
        change(content)
        path.write_text(json.dumps(content), encoding="utf-8")

    def text(self, name: str, old: str, new: str) -> None:
        """Replace a text that stands once in a file."""
        path = self.folder / name
        before = path.read_text(encoding="utf-8")
        assert before.count(old) == 1, (name, old)
        path.write_text(before.replace(old, new), encoding="utf-8")

    def add(self, name: str, text: str) -> None:
        """Write at the end of a file, or a new one."""
        with (self.folder / name).open("a", encoding="utf-8") as file:
            file.write(text)


def fault(rule: str, says: str, *tasks: str | None) -> Callable[[Any], Any]:
    def add(break_it: Callable[[Copy], None]) -> Callable[[Copy], None]:
        FAULTS.append(Fault(rule, says, tasks or (None,), break_it))
        return break_it

    return add


def criteria(task: Any) -> Any:
    return task["evaluation_criteria"]


def action(task: Any, action_id: str) -> Any:
    (found,) = [one for one in criteria(task)["actions"] if one["action_id"] == action_id]
    return found


def need(task: Any, need_id: str) -> Any:
    (found,) = [one for one in task["needs"] if one["id"] == need_id]
    return found


def a_need(task: Any, doc_id: str, quote: str, *needed_by: str) -> None:
    """Add a need with evidence of its own."""
    evidence = [{"any_of": [{"doc_id": doc_id, "quote": quote}]}]
    added = {"id": "added", "question": "What about it?", "evidence": evidence}
    task["needs"].append(added | {"needed_by": list(needed_by)})


def set_basis(*basis: str) -> Callable[[Any], None]:
    return lambda task: criteria(task).update(reward_basis=list(basis))


def check(folder: Path, store: Path, **options: Any) -> Report:
    return validate(ValidateConfig(str(folder), store=store, setups=LEXICAL, **options))


# form ----------------------------------------------------------------------------------------


@fault("form.domain", "policy.md is empty")
def empty_policy(copy: Copy) -> None:
    (copy.folder / "policy.md").write_text("\n", encoding="utf-8")


@fault("form.money", "the field Booking.refunded is a float")
def a_refund_as_a_float(copy: Copy) -> None:
    copy.text("schema.py", "refunded: Money = Decimal(0)", "refunded: float = 0.0")


@fault("form.money", "the parameter 'amount' of refund_fare_5512 is a float")
def a_parameter_as_a_float(copy: Copy) -> None:
    copy.text("tools/desk.py", "amount: Money", "amount: float")


@fault("form.domain", "does not load")
def tool_with_a_syntax_error(copy: Copy) -> None:
    copy.add("tools/desk.py", "def broken(:\n")


@fault("form.task", "no field is called 'evidnce'; did you mean 'evidence'?", "storm")
def misspelled_field(copy: Copy) -> None:
    copy.task("storm", lambda task: need(task, "how").update(evidnce=[]))


@fault("form.task", "not valid JSON at line 1", None)
def no_json(copy: Copy) -> None:
    copy.add("tasks/torn.json", '{"id": "torn", ')


@fault("form.unique_id", "a second task is called 'storm'", "storm")
def doubled_id(copy: Copy) -> None:
    shutil.copy(copy.folder / "tasks" / "storm.json", copy.folder / "tasks" / "storm_2.json")


@fault("form.unique_id", "a second task is called 'cabin'", "cabin")
def one_file_with_a_known_id(copy: Copy) -> None:
    copy.task("which_day", lambda task: task.update(id="cabin"))


@fault("form.consumer", "needs[0].needed_by", "too_late")
def need_without_consumer(copy: Copy) -> None:
    copy.task("too_late", lambda task: need(task, "missed").update(needed_by=[]))


@fault("form.consumer", "'letter' is needed by 'sleep', which is not among", "cabin")
def unknown_consumer(copy: Copy) -> None:
    copy.task("cabin", lambda task: need(task, "letter").update(needed_by=["sleep"]))


@fault("form.split", "the splits 'test' and 'train'", "early")
def two_splits(copy: Copy) -> None:
    copy.task("early", lambda task: task.update(splits=["base", "train", "test"]))


@fault("form.split", "in no split", "early")
def no_split(copy: Copy) -> None:
    copy.task("early", lambda task: task.update(splits=[]))


@fault("form.unread", "timetable.pdf: mislabelled")
def unreadable_document(copy: Copy) -> None:
    copy.add("docs/timetable.pdf", "no PDF at all, only some words in a file")


@fault("form.unread", "prices.json")
def document_without_text(copy: Copy) -> None:
    copy.add("docs/prices.json", '{"title": "Prices"}')


@fault("form.quote", "does not stand in the loaded text", "storm")
def quote_that_is_not_there(copy: Copy) -> None:
    copy.text("tasks/storm.json", "off | RF-10", "off | RF-11")


@fault("form.quote", "stands 2 times in the loaded text", "two_bicycles")
def ambiguous_quote(copy: Copy) -> None:
    evidence = [{"any_of": [{"doc_id": "bicycles.md", "quote": "line costs"}]}]
    copy.task("two_bicycles", lambda task: need(task, "price").update(evidence=evidence))


@fault("form.document", "there is no document 'cabin.md'", "cabin")
def unknown_document(copy: Copy) -> None:
    passage = {"doc_id": "cabin.md", "quote": "letter D"}
    evidence = [{"any_of": [passage]}]
    copy.task("cabin", lambda task: need(task, "letter").update(evidence=evidence))


@fault("form.document", "required_documents: there is no document 'fares.md'", "cabin")
def unknown_required_document(copy: Copy) -> None:
    copy.task("cabin", lambda task: task.update(required_documents=["fares.md", "cabins.md"]))


@fault("form.task", "required_documents names documents, but no need says what", "cabin")
def required_documents_without_needs(copy: Copy) -> None:
    copy.task("cabin", lambda task: task.update(required_documents=["cabins.md"], needs=[]))


@fault("form.document", "there is no distractor 'dog.md'", "cabin")
def unknown_distractor(copy: Copy) -> None:
    marks = [{"doc_id": "dog.md"}]
    copy.task("cabin", lambda task: need(task, "letter").update(distractors=marks))


@fault("form.script", "no script", "which_day")
def no_script(copy: Copy) -> None:
    copy.task("which_day", lambda task: task["user_scenario"].pop("script"))


@fault("form.question", "'missed' has no question", "too_late")
def no_question(copy: Copy) -> None:
    copy.task("too_late", lambda task: need(task, "missed").pop("question"))


def natural(*need_ids: str) -> Callable[[Any], None]:
    """Word needs of a task a second time, with names that stand in no evidence."""

    def word(task: Any) -> None:
        for need_id in need_ids:
            asked = f"Tern Line, Harbour Saver: {need(task, need_id)['question']}"
            need(task, need_id)["natural"] = asked

    return word


@fault("form.natural", "'whole' has no natural question", "cabin", "early", "storm", "two_bicycles")
def one_natural_question(copy: Copy) -> None:
    copy.task("too_late", natural("missed"))


@fault("form.natural", "'how' has no natural question", "storm")
def all_natural_questions_but_one(copy: Copy) -> None:
    copy.task("cabin", natural("letter", "switch"))
    copy.task("early", natural("share", "how"))
    copy.task("storm", natural("whole"))
    copy.task("too_late", natural("missed"))
    copy.task("two_bicycles", natural("price"))


@fault("form.tool_documented", "no document names the discoverable tool 'sink_ship_9'")
def undocumented_tool(copy: Copy) -> None:
    tool = '@tool("write", discoverable=True)\ndef sink_ship_9(db: Database) -> str:\n'
    copy.add("tools/desk.py", f'\n\n{tool}    """Sink it."""\n    return "sunk"\n')


@fault("form.tool_documented", "'hidden_kennel_4'")
def tool_documented_under_another_name(copy: Copy) -> None:
    copy.add("docs/dogs.md", "\nStaff open the kennel with hidden_kennel_44.\n")
    tool = '@tool("read", discoverable=True)\ndef hidden_kennel_4(db: Database) -> str:\n'
    copy.add("tools/desk.py", f'\n\n{tool}    """Open it."""\n    return "open"\n')


@fault("form.tool_leaked", "policy.md names the discoverable tool 'refund_fare_5512'")
def tool_in_the_policy(copy: Copy) -> None:
    copy.add("policy.md", "- Pay back with refund_fare_5512.\n")


@fault("form.tool_leaked", "the user names the discoverable tool 'confirm_cabin_31'", "cabin")
def tool_in_the_script(copy: Copy) -> None:
    copy.text("tasks/cabin.json", "Siri Foss. I travel", "Siri Foss, confirm_cabin_31. I travel")


@fault("form.tool_leaked", "the tool 'find_booking' names")
def tool_in_a_description(copy: Copy) -> None:
    copy.text("tools/desk.py", "by full name.", "by full name. See refund_fare_5512.")


@fault("form.value_leaked", "policy.md states 'RF-10' of refund.code", "storm")
def code_in_the_policy(copy: Copy) -> None:
    copy.add("policy.md", "- When the line called a ship off, the code is RF-10.\n")


@fault("form.value_leaked", "the user says 'NO-7' of refuse.code", "too_late")
def code_in_the_script(copy: Copy) -> None:
    copy.text("tasks/too_late.json", "for it?", "for it? My brother was told NO-7.")


# replay --------------------------------------------------------------------------------------


@fault("replay.fails", "There is no booking 'B-999'", "two_bicycles")
def unknown_booking(copy: Copy) -> None:
    copy.task("two_bicycles", lambda t: action(t, "move")["arguments"].update(booking_id="B-999"))


@fault("replay.fails", "does not exist until an earlier gold action calls unlock_tool", "storm")
def tool_never_unlocked(copy: Copy) -> None:
    def change(task: Any) -> None:
        criteria(task)["actions"].remove(action(task, "unlock"))
        need(task, "how").update(needed_by=["refund"])

    copy.task("storm", change)


@fault("replay.raises", "raised RuntimeError: the printer is out of paper (desk.py, line", "cabin")
def tool_that_raises(copy: Copy) -> None:
    broken = 'raise RuntimeError("the printer is out of paper")'
    copy.text("tools/desk.py", "booking.cabin = cabin", broken)


@fault("replay.raises", "raised AssertionError:  (desk.py, line", "cabin")
def tool_that_asserts(copy: Copy) -> None:
    copy.text(
        "tools/desk.py", "booking.cabin = cabin", 'assert cabin == "D"\n    booking.cabin = cabin'
    )


@fault("replay.differs", "twice leads to different results", "too_late")
def ids_from_a_counter(copy: Copy) -> None:
    copy.text("tools/desk.py", "import datetime as dt", "import datetime as dt\nimport itertools")
    copy.text("tools/desk.py", 'context.new_id("R")', 'f"R-{next(_COUNTER)}"')
    copy.add("tools/desk.py", "\n\n_COUNTER = itertools.count()\n")


@fault("replay.differs", "twice leads to different results", "cabin")
def random_value(copy: Copy) -> None:
    copy.text("tools/desk.py", "import datetime as dt", "import datetime as dt\nimport random")
    copy.text("tools/desk.py", "booking.cabin = cabin", "booking.cabin = str(random.random())")


@fault("replay.free_text", "refuse.note is compared, and 'Missed the ship.'", "too_late")
def undeclared_free_text(copy: Copy) -> None:
    copy.text(
        "tools/desk.py",
        "code: str, context: CallContext, note: FreeText",
        "code: str, context: CallContext, note: str",
    )
    copy.text("schema.py", "    code: str\n    note: FreeText", "    code: str\n    note: str")


@fault("replay.free_text", "book.wish is compared, and 'Close to the stairs.'", "cabin")
def wording_as_an_argument(copy: Copy) -> None:
    copy.text("tools/desk.py", "cabin: str) -> dict", "cabin: str, wish: str = '') -> dict")
    copy.text("tools/desk.py", "booking.cabin = cabin", "booking.cabin = cabin + wish")
    copy.task(
        "cabin", lambda task: action(task, "book")["arguments"].update(wish="Close to the stairs.")
    )


@fault("replay.nothing_to_do", "an agent that does nothing and says nothing", "which_day")
def nothing_to_do(copy: Copy) -> None:
    copy.task("which_day", lambda task: criteria(task).update(communicate_info=[]))


@fault("replay.nothing_to_do", "end in the state in which they began", "which_day")
def statement_that_does_not_count(copy: Copy) -> None:
    copy.task("which_day", set_basis("DB"))


@fault("replay.script", "the user never says 'And two bicycles", "two_bicycles")
def user_leaves_too_early(copy: Copy) -> None:
    leave = {"stop": True, "when": "on_reply"}
    copy.task("two_bicycles", lambda task: task["user_scenario"]["script"].insert(1, leave))


@fault("replay.script", "the user never does 'confirm'", "cabin")
def user_leaves_before_the_deed(copy: Copy) -> None:
    leave = {"stop": True, "when": "on_reply"}
    copy.task("cabin", lambda task: task["user_scenario"]["script"].insert(1, leave))


@fault("replay.policy", "the soft rule 'no_refund_in_full' is broken", "storm")
def soft_rule_broken(copy: Copy) -> None:
    copy.add(
        "rules.py",
        "\n\n@rule(hard=False)\ndef no_refund_in_full(context: RuleContext) -> str | None:\n"
        '    """Something is kept."""\n'
        "    full = context.call.arguments.get('amount') == 85\n"
        "    return 'a whole fare was paid back' if full else None\n",
    )


@fault("replay.policy", "the hard rule 'no_moves' is broken", "two_bicycles")
def hard_rule_broken(copy: Copy) -> None:
    copy.add(
        "rules.py",
        "\n\n@rule(hard=True)\ndef no_moves(context: RuleContext) -> str | None:\n"
        '    """Nothing is moved."""\n'
        "    return 'moved' if context.call.name == 'move_booking' else None\n",
    )


@fault("replay.oracle", "ENV_ASSERTION is 0", "which_day")
def assertion_that_does_not_hold(copy: Copy) -> None:
    asked = {"name": "find_booking", "arguments": {"name": "Tor Gran"}, "assert_value": "gone"}
    copy.task("which_day", lambda task: criteria(task).update(env_assertions=[asked]))
    copy.task("which_day", set_basis("DB", "COMMUNICATE", "ENV_ASSERTION"))


@fault("replay.oracle", "DB is 0", "cabin")
def user_without_the_deed(copy: Copy) -> None:
    copy.task("cabin", lambda task: task["user_scenario"]["script"].pop())


@fault("replay.max_steps", "steps, and max_steps is 200", "early")
def too_many_paraphrases(copy: Copy) -> None:
    many = [f"returned {n}" for n in range(200)]
    copy.task("early", lambda task: need(task, "share").update(paraphrases=many))


@fault("replay.max_steps", "steps, and max_steps is 200", "storm")
def too_many_over_two_needs(copy: Copy) -> None:
    def change(task: Any) -> None:
        for name in ("whole", "how"):
            need(task, name).update(paraphrases=[f"{name} {n}" for n in range(100)])

    copy.task("storm", change)


@fault("replay.ungraded", "the reward is COMMUNICATE alone", "early")
def writes_that_nobody_looks_at(copy: Copy) -> None:
    copy.task("early", set_basis("COMMUNICATE"))


@fault("replay.ungraded", "change the database", "two_bicycles")
def other_writes_that_nobody_looks_at(copy: Copy) -> None:
    copy.task("two_bicycles", set_basis("COMMUNICATE"))


# mutation of the grader ----------------------------------------------------------------------


@fault("mutation.idle", "without stay (move_booking) everything ends as with it", "storm")
def move_to_the_same_day(copy: Copy) -> None:
    arguments = {"booking_id": "B-201", "day": "2026-05-02"}
    stay = {"action_id": "stay", "name": "move_booking", "arguments": arguments}
    copy.task("storm", lambda task: criteria(task)["actions"].append(stay))


@fault("mutation.idle", "without spare (unlock_tool) everything ends as with it", "early")
def tool_unlocked_twice(copy: Copy) -> None:
    def change(task: Any) -> None:
        arguments = {"tool_name": "refund_fare_5512"}
        spare = {"action_id": "spare", "name": "unlock_tool", "arguments": arguments}
        criteria(task)["actions"].append(spare)
        need(task, "how")["needed_by"].append("spare")

    copy.task("early", change)


TRUE_ANYWAY = {
    "name": "find_booking",
    "arguments": {"name": "Tor Gran"},
    "assert_value": {
        "booking_id": "B-206", "name": "Tor Gran", "route": "river", "day": "2026-05-30",
        "fare": 44, "bicycles": 0, "bicycle_fee": 0, "cabin": None, "cabin_confirmed": False,
        "refunded": 0, "refund_code": None,
    },
}  # fmt: skip
"""What a look at a booking that nobody touches gives, before and after."""


@fault("mutation.drop", "a trial without refund (refund_fare_5512) has reward 1", "early")
def assertion_that_holds_anyway(copy: Copy) -> None:
    copy.task("early", lambda task: criteria(task).update(env_assertions=[TRUE_ANYWAY]))
    copy.task("early", set_basis("ENV_ASSERTION", "COMMUNICATE"))


@fault("mutation.drop", "a trial without bicycles (add_bicycles) has reward 1", "two_bicycles")
def assertion_about_another_booking(copy: Copy) -> None:
    copy.task("two_bicycles", lambda task: criteria(task).update(env_assertions=[TRUE_ANYWAY]))
    copy.task("two_bicycles", set_basis("ENV_ASSERTION", "COMMUNICATE"))


@fault("mutation.statement", "a trial that does not say '£48.00'", "early")
def statements_that_do_not_count(copy: Copy) -> None:
    copy.task("early", set_basis("DB"))


@fault("mutation.statement", "a trial that does not say '14.5'", "two_bicycles")
def statement_contained_in_another(copy: Copy) -> None:
    copy.task("two_bicycles", lambda task: criteria(task)["communicate_info"].append("14.5"))
    copy.task("two_bicycles", lambda task: need(task, "price")["needed_by"].append("communicate:1"))


@fault("mutation.argument", "book has cabin = 'D-other' instead of 'D'", "cabin")
def argument_that_is_not_stored(copy: Copy) -> None:
    copy.text("tools/desk.py", "booking.cabin = cabin", 'booking.cabin = "some"')


@fault("mutation.argument", "bicycles has fee = 15.5 instead of 14.5", "two_bicycles")
def argument_in_a_field_that_is_not_compared(copy: Copy) -> None:
    copy.text("tools/desk.py", "booking.bicycles, booking.bicycle_fee = number, fee",
              "booking.bicycles, booking.note = number, str(fee)")  # fmt: skip


@fault("mutation.duplicate", "move (move_booking) twice has reward 1", "two_bicycles")
def idempotent_and_not_declared(copy: Copy) -> None:
    copy.text(
        "tools/desk.py", '@tool("write", idempotent=True)\ndef move', '@tool("write")\ndef move'
    )


@fault("mutation.duplicate", "record_refusal is declared idempotent", "too_late")
def declared_idempotent_and_not(copy: Copy) -> None:
    copy.text("tools/desk.py", '@tool("write")\ndef record',
              '@tool("write", idempotent=True)\ndef record')  # fmt: skip


@fault(
    "mutation.swap", "move and bicycles in the other order changes the end state", "two_bicycles"
)
def order_that_is_not_graded(copy: Copy) -> None:
    copy.text("schema.py", "    cabin: str | None", '    last: str = ""\n    cabin: str | None')
    copy.text(
        "tools/desk.py",
        "_booking(db, booking_id).day = day",
        '_booking(db, booking_id).day = day\n    _booking(db, booking_id).last = "move"',
    )
    copy.text("tools/desk.py", "number, fee\n", 'number, fee\n    booking.last = "bicycles"\n')
    copy.task("two_bicycles", set_basis("ACTION", "COMMUNICATE"))  # fmt: skip


@fault("mutation.swap", "in the other order changes the end state and passes", "two_bicycles")
def fee_by_the_day_of_the_booking(copy: Copy) -> None:
    copy.text("schema.py", "    cabin: str | None", "    paid_for: str = ''\n    cabin: str | None")
    copy.text(
        "tools/desk.py",
        "number, fee\n",
        "number, fee\n    booking.paid_for = booking.day.isoformat()\n",
    )
    copy.task("two_bicycles", set_basis("ACTION", "COMMUNICATE"))  # fmt: skip


@fault("mutation.harmless", "25 for 25.0", "two_bicycles")
def number_kept_as_it_was_spelled(copy: Copy) -> None:
    copy.text("schema.py", "bicycles: int = 0", 'bicycles: str = ""')
    copy.text("tools/desk.py", "number: int, fee", "number: int | float, fee")
    copy.text("tools/desk.py", "booking.bicycle_fee = number, fee",
              'booking.bicycle_fee = f"{number} bicycles", fee')  # fmt: skip


@fault("mutation.harmless", "other wording of free text fails", "too_late")
def free_text_in_a_compared_field(copy: Copy) -> None:
    copy.text("schema.py", "    code: str\n    note: FreeText", "    code: str\n    note: str")


# sufficiency ---------------------------------------------------------------------------------


@fault("sufficiency.argument", "refuse.code = 'NO-8' can be known from nowhere", "too_late")
def wrong_code(copy: Copy) -> None:
    copy.task("too_late", lambda task: action(task, "refuse")["arguments"].update(code="NO-8"))


@fault("sufficiency.argument", "the need 'letter' has it, and is not needed by book", "cabin")
def need_of_the_wrong_action(copy: Copy) -> None:
    copy.task("cabin", lambda task: need(task, "letter").update(needed_by=["give"]))


@fault("sufficiency.argument", "refund.amount = 48.0 can be known from nowhere", "early")
def formula_not_declared(copy: Copy) -> None:
    copy.task("early", lambda task: task.pop("derivations"))


@fault(
    "sufficiency.statement", "communicate:0 = '£15.50' can be known from nowhere", "two_bicycles"
)
def wrong_statement(copy: Copy) -> None:
    copy.task("two_bicycles", lambda task: criteria(task).update(communicate_info=["£15.50"]))


@fault("sufficiency.statement", "communicate:0 = '2026-05-31'", "which_day")
def wrong_day(copy: Copy) -> None:
    copy.task("which_day", lambda task: criteria(task).update(communicate_info=["2026-05-31"]))


@fault("sufficiency.derivation", "its formula gives 36, and the gold value is 48.0", "early")
def wrong_formula(copy: Copy) -> None:
    derived = {
        "refund.amount": {"formula": "fare - 0.2 * fare - 0.2 * fare", "names": {"fare": 60}}
    }
    copy.task("early", lambda task: task.update(derivations=derived))


@fault("sufficiency.derivation", "its formula uses 3.625", "two_bicycles")
def formula_from_a_number_of_nobody(copy: Copy) -> None:
    derived = {"bicycles.fee": {"formula": "2 * 2 * 3.625"}}
    copy.task("two_bicycles", lambda task: task.update(derivations=derived))


@fault("sufficiency.derivation", "refuse.code: the user does not say it unasked", "too_late")
def declared_to_come_from_the_user(copy: Copy) -> None:
    derived = {"refuse.code": {"from": "user"}}
    copy.task("too_late", lambda task: task.update(derivations=derived))


@fault("sufficiency.derivation", "'fee ** 2' is not allowed", "two_bicycles")
def formula_with_a_power(copy: Copy) -> None:
    derived = {"bicycles.fee": {"formula": "fee ** 2", "names": {"fee": 7.25}}}
    copy.task("two_bicycles", lambda task: task.update(derivations=derived))


# necessity -----------------------------------------------------------------------------------


@fault("necessity.value", "need 'price': leaflet.md states 7.25", "two_bicycles")
def price_in_a_leaflet(copy: Copy) -> None:
    copy.add(
        "docs/leaflet.md",
        "# Summer\n\nBy sea your bicycle has its place at the rail: it costs £7.25.\n",
    )


@fault("necessity.value", "need 'missed': leaflet.md states 'no-7'", "too_late")
def code_in_a_leaflet(copy: Copy) -> None:
    copy.add("docs/leaflet.md", "# Desk\n\nRefusals on record under NO-7 are read every month.\n")


@fault("necessity.passage", "need 'whole': leaflet.md has a passage at least 80%", "storm")
def sentence_in_a_leaflet(copy: Copy) -> None:
    copy.add(
        "docs/leaflet.md",
        "# Summer\n\nWhen the line itself calls a crossing off, the whole fare goes back to a "
        "passenger, whatever a ticket says.\n",
    )


@fault("necessity.passage", "need 'missed': leaflet.md has a passage", "too_late")
def rule_in_a_leaflet(copy: Copy) -> None:
    copy.add(
        "docs/leaflet.md", "# Rail\n\nA ticket whose ship has sailed is not paid back or moved.\n"
    )


# contradiction -------------------------------------------------------------------------------


@fault("contradiction.value", "leaflet.md says")
def other_weight_of_dogs(copy: Copy) -> None:
    copy.add(
        "docs/leaflet.md",
        "# Pets\n\nOther dogs below a weight of 12 kg sit on the lap of their owner, and heavier "
        "dogs stay on the car deck.\n",
    )


@fault("contradiction.value", "45 minutes")
def other_hour_of_the_kennel(copy: Copy) -> None:
    copy.add(
        "docs/leaflet.md",
        "# Pets\n\nThe kennel beside the car deck opens 45 minutes before the ship casts off.\n",
    )


@fault("contradiction.value", "refunds.md says")
def old_version_without_its_version(copy: Copy) -> None:
    copy.text(
        "docs/refunds-2025.md",
        "version: 1\neffective_date: 2025-01-01\neffective_until: 2025-12-31\n"
        "superseded_by: refunds.md\n",
        "",
    )
    copy.text("docs/refunds-2025.md", "title: Refunds, version 1", "title: Money back")
    copy.text("docs/refunds.md", "version: 2\neffective_date: 2026-01-01\n", "")


@fault("contradiction.version", "counts until 2026-01-31, and refunds.md, which supersedes it")
def versions_that_overlap(copy: Copy) -> None:
    copy.text("docs/refunds-2025.md", "effective_until: 2025-12-31", "effective_until: 2026-01-31")


@fault("contradiction.version", "superseded by 'refunds-2026.md', which is no document")
def superseded_by_nothing(copy: Copy) -> None:
    copy.text("docs/refunds-2025.md", "superseded_by: refunds.md", "superseded_by: refunds-2026.md")


# difficulty ----------------------------------------------------------------------------------


@fault("difficulty.copied", "100% of the words of", "too_late")
def question_from_the_document(copy: Copy) -> None:
    question = "Is a ticket moved or paid back whose ship has sailed?"
    copy.task("too_late", lambda task: need(task, "missed").update(question=question))


@fault("difficulty.copied", "of the words of 'whole fare goes back to the passenger'", "storm")
def paraphrase_from_the_document(copy: Copy) -> None:
    copied = ["whole fare goes back to the passenger"]
    copy.task("storm", lambda task: need(task, "whole").update(paraphrases=copied))


@fault("difficulty.ungated", "solves the task under no_knowledge, though it needs", "which_day")
def need_of_a_read(copy: Copy) -> None:
    copy.task(
        "which_day", lambda task: a_need(task, "dogs.md", "Guide dogs travel free", "look_up")
    )


@fault("difficulty.ungated", "though it needs 'added'", "which_day")
def two_evidences_that_decide_nothing(copy: Copy) -> None:
    def change(task: Any) -> None:
        a_need(task, "cabins.md", "families get letter F", "look_up")
        task["needs"][0]["paraphrases"] = ["Room for a family?"]

    copy.task("which_day", change)


# ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    return tmp_path_factory.mktemp("store")


@pytest.fixture
def copied(tmp_path):
    return Copy(Path(shutil.copytree(FERRY, tmp_path / "ferry")))


def test_the_clean_copy_has_no_finding(copied, store) -> None:
    report = check(copied.folder, store)
    assert report.findings == ()
    assert report.not_checked == ()
    assert report.n_tasks == len(report.difficulties) == 6


@pytest.mark.parametrize("broken", FAULTS, ids=lambda broken: broken.name)
def test_a_fault_is_found_and_nothing_else(broken, copied, store) -> None:
    broken.break_it(copied)
    findings = check(copied.folder, store).findings
    assert {(finding.rule, finding.task) for finding in findings} == {
        (broken.rule, task) for task in broken.tasks
    }, findings
    assert any(broken.says in finding.message for finding in findings), findings
    for finding in findings:
        assert finding.severity is RULES[finding.rule].severity
        assert finding.remedy == RULES[finding.rule].remedy
        assert Path(finding.file).exists()


def test_a_marked_near_hit_is_listed_and_no_finding(copied, store) -> None:
    price_in_a_leaflet(copied)
    mark = {"doc_id": "leaflet.md", "why": "Last year's price list."}
    copied.task("two_bicycles", lambda task: need(task, "price").update(distractors=[mark]))
    report = check(copied.folder, store)
    assert report.findings == ()
    ((task_id, hit),) = [entry for entry in report.near_hits if entry[1].doc_id == "leaflet.md"]
    assert (task_id, hit.need_id) == ("two_bicycles", "price")
    assert hit.found.startswith("states 7.25 ")
    assert hit.mark == "distractor of the need: Last year's price list."
    listed = "  two_bicycles, price: leaflet.md, distractor of the need: Last year's price list."
    assert listed in report_text(report).splitlines()


def test_every_rule_but_that_on_runs_has_two_faults() -> None:
    per_rule = [broken.rule for broken in FAULTS]
    once = {"form.script", "form.question"}
    few = {rule for rule in RULES if per_rule.count(rule) < 2 and not rule.startswith("runs.")}
    assert few == once
    assert len(FAULTS) >= 30
