"""Scoring: matching of calls to gold actions, and rewards."""

from ragbench.score._context import Replay, TrialContext, ordered_calls, replay
from ragbench.score._match import best_assignment, match_actions
from ragbench.score._reward import check_communication, contested_assertion, score_trial
from ragbench.score._searches import made_searches, unmade_searches, unrecorded_searches
from ragbench.score.statements import (
    Conventions,
    Facts,
    Verdict,
    facts_in,
    in_figures,
    says,
)

__all__ = [
    "Conventions",
    "Facts",
    "Replay",
    "TrialContext",
    "Verdict",
    "best_assignment",
    "check_communication",
    "contested_assertion",
    "facts_in",
    "in_figures",
    "made_searches",
    "match_actions",
    "ordered_calls",
    "replay",
    "says",
    "score_trial",
    "unmade_searches",
    "unrecorded_searches",
]
