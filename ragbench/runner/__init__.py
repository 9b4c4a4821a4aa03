"""Running many simulations into a run folder that survives interruption."""

from ragbench.runner._folder import RunFolder, configuration_hash
from ragbench.runner._play import grade, play_trial, reference_rewards
from ragbench.runner._prepare import IndexProbe, Prepared, prepare
from ragbench.runner._run import RunResult, run
from ragbench.runner._summary import summarise

__all__ = [
    "IndexProbe",
    "Prepared",
    "RunFolder",
    "RunResult",
    "configuration_hash",
    "grade",
    "play_trial",
    "prepare",
    "reference_rewards",
    "run",
    "summarise",
]
