"""What an agent has stated: values read from its messages, each said, contested or not said.

One module per kind of value: `amounts`, `numbers`, `dates`, `times`, `codes`, `texts`. A value that
is denied in its clause, offered among others, or taken back later is contested, which is not said.
"""

from ragbench.score.statements._conventions import NO_CONVENTIONS, Conventions
from ragbench.score.statements._reading import Facts, Reading, facts_in
from ragbench.score.statements._spoken import in_figures
from ragbench.score.statements._verdict import Told, Verdict, judge_statement, says

__all__ = [
    "NO_CONVENTIONS",
    "Conventions",
    "Facts",
    "Reading",
    "Told",
    "Verdict",
    "facts_in",
    "in_figures",
    "judge_statement",
    "says",
]
