"""Running many simulations into a run folder that survives interruption."""

from ragbench.runner._folder import AppendFolder, RunFolder, configuration_hash
from ragbench.runner._play import grade, play_trial, reference_rewards
from ragbench.runner._prepare import IndexProbe, Prepared, collection_for, prepare
from ragbench.runner._run import RunResult, run
from ragbench.runner._summary import summarise

__all__ = [
    "AppendFolder",
    "IndexProbe",
    "Prepared",
    "RunFolder",
    "RunResult",
    "collection_for",
    "configuration_hash",
    "grade",
    "play_trial",
    "prepare",
    "reference_rewards",
    "run",
    "summarise",
]
