"""Running many simulations into a run folder that survives interruption."""

from ragbench.runner._append_folder import AppendFolder
from ragbench.runner._folder import RunFolder, configuration_hash
from ragbench.runner._grade import grade
from ragbench.runner._models import models_for
from ragbench.runner._play import play_trial
from ragbench.runner._prepare import Prepared, collection_for, prepare, with_setup
from ragbench.runner._probe import IndexProbe, nearness
from ragbench.runner._provenance import provenance
from ragbench.runner._references import References, reference_rewards, references
from ragbench.runner._rescore import Rescoring, rescore, rescoring
from ragbench.runner._resolved import config_of
from ragbench.runner._roles import ORACLE, Roles, Seat, roles_for
from ragbench.runner._run import Interrupted, RunResult, run
from ragbench.runner._summary import summarise
from ragbench.runner._watch import Watcher

__all__ = [
    "ORACLE",
    "AppendFolder",
    "IndexProbe",
    "Interrupted",
    "Prepared",
    "References",
    "Rescoring",
    "Roles",
    "RunFolder",
    "RunResult",
    "Seat",
    "Watcher",
    "collection_for",
    "config_of",
    "configuration_hash",
    "grade",
    "models_for",
    "nearness",
    "play_trial",
    "prepare",
    "provenance",
    "reference_rewards",
    "references",
    "rescore",
    "rescoring",
    "roles_for",
    "run",
    "summarise",
    "with_setup",
]
