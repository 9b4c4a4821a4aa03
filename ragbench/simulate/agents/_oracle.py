"""The evidence-gated oracle: a reference agent that needs no LLM.

It knows the gold actions, but performs one only when the evidence of its needs has reached it: in
the order of the task, or later, when evidence comes late and the order does not matter to the end
state. At the end it states what its evidence covers by then. So a trial that has all evidence does
not fail. Its success rate, `oracle_success`, is a reference and no upper bound: better queries, a
larger k, passages that nobody annotated, or luck can beat it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping, Sequence

from ragbench.config import QuestionStyle
from ragbench.errors import UsageError
from ragbench.evidence import LocatedItem, Seen
from ragbench.records import GoldAction, InlinedSpan, LLMCall, Need, Task, ToolCall
from ragbench.simulate._gold import GoldOrder, GoldPlay, dependencies
from ragbench.simulate._roles import Observation, Reply
from ragbench.toolkit import folded_query

__all__ = ["OracleAgent"]

_Turns = Generator[Reply, Observation, None]


class OracleAgent:
    """Asks the written questions, acts on annotated evidence, never guesses.

    Args:
        task: the task.
        gold: its gold actions, played.
        items: its evidence, located in the loaded documents.
        texts: loaded text by document id.
        inlined: what stands in the prompt.
        search_tool: name of the retrieval tool, None when the setup offers none.
        order: tells in which other orders the gold actions may be done.
        style: in which words it asks before it takes to the paraphrases.

    Raises:
        UsageError: a need has no question to ask.
    """

    name = "oracle"
    llm_calls: tuple[LLMCall, ...] = ()

    def __init__(
        self,
        task: Task,
        gold: GoldPlay,
        items: Iterable[LocatedItem],
        texts: Mapping[str, str],
        inlined: Iterable[InlinedSpan],
        search_tool: str | None,
        order: GoldOrder,
        style: QuestionStyle = "desk",
    ) -> None:
        self._task, self._gold, self._items = task, gold, tuple(items)
        self._search_tool, self._style = search_tool, style
        self._seen = Seen(texts)
        self._seen.add((span.doc_id, span.start, span.end) for span in inlined)
        self._order = order
        self._asked: set[str] = set()
        self._pending: list[GoldAction] = []
        self._done: list[str] = []
        self._ahead: Sequence[GoldAction] = ()
        self._tried: dict[str, int] = {}
        self._turns = self._play()
        self._started = False
        self.check(task, style)

    @staticmethod
    def check(task: Task, style: QuestionStyle = "desk") -> None:
        """Raise UsageError when the oracle cannot play the task in that style."""
        for need in task.needs:
            if need.asked(style) is None and style == "natural":
                raise UsageError(
                    f"Need {need.id!r} of task {task.id!r} has no natural question, so the oracle "
                    "cannot ask in that style. Write 'natural', the question of somebody who names "
                    "the product, or evaluate with --style desk."
                )
            if need.asked(style) is None:
                raise UsageError(
                    f"Need {need.id!r} of task {task.id!r} has no question, so the oracle cannot "
                    "ask it. Write one, in the words of somebody who does not know the documents."
                )

    @staticmethod
    def check_setup(name: str, *, search: bool, grep: bool) -> None:
        """Raise UsageError when the setup's only retrieval tool takes patterns.

        Args:
            name: the setup's, for the message.
            search: whether it has a search tool.
            grep: whether it has a tool for patterns.
        """
        if grep and not search:
            raise UsageError(
                f"The oracle cannot play the setup {name!r}: it asks the questions that are "
                "written in the tasks, and the only retrieval tool there takes regular "
                "expressions. Take bm25+grep, whose search tool it uses, or run another agent."
            )

    async def step(self, observation: Observation) -> Reply:
        """Answer the observation."""
        for event in observation.events:
            self._seen.add((hit.doc_id, hit.start, hit.end) for hit in event.delivered)
        if not self._started:
            self._started = True
            return next(self._turns)
        return self._turns.send(observation)

    def _play(self) -> _Turns:
        criteria = self._task.evaluation_criteria
        for number, action in enumerate(criteria.actions):
            self._ahead = criteria.actions[number:]
            yield from self._inform(action.action_id)
            self._ahead = criteria.actions[number + 1 :]
            self._pending.append(action)
            yield from self._catch_up()
        statements = {
            f"communicate:{index}": statement.shown
            for index, statement in enumerate(criteria.statements)
        }
        for name in statements:
            yield from self._inform(name)
        said = [info for name, info in statements.items() if self._is_informed(name)]
        n_unsettled = len(self._pending) + len(statements) - len(said)
        yield Reply(text=self._closing(said, n_unsettled), closing=True)
        while True:
            yield Reply(text="Goodbye.", closing=True)

    def _catch_up(self) -> _Turns:
        """Do every action that waits and can be done now, the earliest first."""
        while (action := self._doable()) is not None:
            self._tried[action.action_id] = len(self._done)
            if (yield from self._act(action)):
                self._pending.remove(action)
                self._done.append(action.action_id)

    def _doable(self) -> GoldAction | None:
        """The earliest waiting action that has its evidence, its results, and its place."""
        waiting = {action.action_id for action in self._pending}
        ahead = [action.action_id for action in self._ahead]
        for action in self._pending:
            name = action.action_id
            if (
                self._tried.get(name) != len(self._done)  # else nothing changed since it failed
                and self._is_informed(name)
                and not dependencies(self._task, action) & waiting
                and self._order.is_free((*self._done, name, *ahead))
            ):
                return action
        return None

    def _is_informed(self, consumer: str) -> bool:
        """Whether everything that the consumer needs has been seen."""
        return all(self._covered(need) for need in self._task.needs_of(consumer))

    def _inform(self, consumer: str) -> _Turns:
        """Search for what the consumer needs and has not been seen."""
        for need in self._task.needs_of(consumer):
            if not self._covered(need):
                yield from self._search(need)

    def _search(self, need: Need) -> _Turns:
        """Ask until the need is covered or exhausted: all of its queries have been asked.

        A query equal to an earlier one, of whatever need, returns what has been seen already.
        """
        if self._search_tool is None:
            return
        for query in need.queries(self._style):
            if folded_query(query) in self._asked:
                continue
            self._asked.add(folded_query(query))
            yield Reply(calls=(_call(self._search_tool, {"query": query}),))
            yield from self._catch_up()
            if self._covered(need):
                return

    def _covered(self, need: Need) -> bool:
        mine = [item for item in self._items if item.need_id == need.id]
        return all(self._seen.covers(item.any_of) for item in mine)

    def _act(self, action: GoldAction) -> Generator[Reply, Observation, bool]:
        """Do it, or ask the customer to; False when the tool refused."""
        turns = self._task.user_scenario.script
        if action.requestor == "user":
            done = [turn.do for turn in turns if turn.do is not None]
            if not any(turn.do == action.action_id and turn.after in done for turn in turns):
                yield Reply(text="Please do your part of this now, as we discussed.")
            return True  # else the customer goes on to this after an action of their own
        answer = yield Reply(calls=(_call(action.name, self._gold.arguments[action.action_id]),))
        if any(message.role == "tool" and message.error for message in answer.messages):
            return False
        if action.action_id in [turn.after for turn in turns]:
            yield Reply(text="That is done.")
        return True

    def _closing(self, said: list[str], n_unsettled: int) -> str:
        parts = ["I have done what I could establish."]
        parts += [f"For your information: {info}" for info in said]
        if n_unsettled:
            parts.append("Part of your request I could not settle from the documents I found.")
        return "\n".join(parts)


def _call(name: str, arguments: Mapping[str, object]) -> ToolCall:
    return ToolCall(id="", name=name, arguments=dict(arguments))
