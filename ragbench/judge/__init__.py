"""A judging model's review of trajectories: assertions, the simulated customer, groundedness.

Its verdicts stand beside the scores and the diagnosis, which need no model; only the component
NL_ASSERTION of a reward is made of them. `calibrate` holds the judge against a person's labels.
"""

from ragbench.judge._calibrate import Calibration, calibrate
from ragbench.judge._labels import JudgedItem, blank_labels, judged_items, read_labels
from ragbench.judge._review import SCRIPTED, groundedness, judge_identity, review_trial

__all__ = [
    "SCRIPTED",
    "Calibration",
    "JudgedItem",
    "blank_labels",
    "calibrate",
    "groundedness",
    "judge_identity",
    "judged_items",
    "read_labels",
    "review_trial",
]
