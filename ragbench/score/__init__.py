"""Scoring: matching of calls to gold actions, and rewards."""

from ragbench.score._communicate import Facts, facts_in, says
from ragbench.score._context import Replay, TrialContext, ordered_calls, replay
from ragbench.score._match import best_assignment, match_actions
from ragbench.score._reward import check_communication, score_trial
from ragbench.score._spoken import in_figures

__all__ = [
    "Facts",
    "Replay",
    "TrialContext",
    "best_assignment",
    "check_communication",
    "facts_in",
    "in_figures",
    "match_actions",
    "ordered_calls",
    "replay",
    "says",
    "score_trial",
]
