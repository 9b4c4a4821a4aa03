"""The evidence-gated oracle: a reference agent that needs no LLM.

It knows the gold actions, but performs one only when the evidence of its needs has reached it. Its
success rate, `oracle_success`, is a reference and no upper bound: better queries, a larger k,
passages that nobody annotated, or luck can beat it.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Mapping

from ragbench.config import QuestionStyle
from ragbench.errors import UsageError
from ragbench.evidence import LocatedItem, Seen
from ragbench.records import GoldAction, InlinedSpan, LLMCall, Need, Task, ToolCall
from ragbench.simulate._gold import GoldPlay, dependencies
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
        style: QuestionStyle = "desk",
    ) -> None:
        self._task, self._gold, self._items = task, gold, tuple(items)
        self._search_tool, self._style = search_tool, style
        self._seen = Seen(texts)
        self._seen.add((span.doc_id, span.start, span.end) for span in inlined)
        self._asked: set[str] = set()
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
        skipped: list[str] = []
        for action in criteria.actions:
            informed = yield from self._inform(action.action_id)
            if not informed or dependencies(self._task, action) & set(skipped):
                skipped.append(action.action_id)
            else:
                yield from self._act(action)
        said: list[str] = []
        unsaid: list[str] = []
        for index, statement in enumerate(criteria.statements):
            informed = yield from self._inform(f"communicate:{index}")
            (said if informed else unsaid).append(statement.shown)
        closing = Reply(text=self._closing(said, len(skipped) + len(unsaid)), closing=True)
        yield closing
        while True:
            yield Reply(text="Goodbye.", closing=True)

    def _inform(self, consumer: str) -> Generator[Reply, Observation, bool]:
        """Search for what the consumer needs; whether all of it has been seen."""
        needs = self._task.needs_of(consumer)
        for need in needs:
            if not self._covered(need):
                yield from self._search(need)
        return all(self._covered(need) for need in needs)

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
            if self._covered(need):
                return

    def _covered(self, need: Need) -> bool:
        mine = [item for item in self._items if item.need_id == need.id]
        return all(self._seen.covers(item.any_of) for item in mine)

    def _act(self, action: GoldAction) -> _Turns:
        turns = self._task.user_scenario.script
        if action.requestor == "user":
            done = [turn.do for turn in turns if turn.do is not None]
            if any(turn.do == action.action_id and turn.after in done for turn in turns):
                return  # the customer goes on to this after an action of their own
            yield Reply(text="Please do your part of this now, as we discussed.")
            return
        yield Reply(calls=(_call(action.name, self._gold.arguments[action.action_id]),))
        if action.action_id in [turn.after for turn in turns]:
            yield Reply(text="That is done.")

    def _closing(self, said: list[str], n_unsettled: int) -> str:
        parts = ["I have done what I could establish."]
        parts += [f"For your information: {info}" for info in said]
        if n_unsettled:
            parts.append("Part of your request I could not settle from the documents I found.")
        return "\n".join(parts)


def _call(name: str, arguments: Mapping[str, object]) -> ToolCall:
    return ToolCall(id="", name=name, arguments=dict(arguments))
