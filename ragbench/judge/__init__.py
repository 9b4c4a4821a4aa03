"""A judging model's review of trajectories: assertions, the simulated customer, groundedness.

Its verdicts stand beside the scores and the diagnosis, which need no model; only the component
NL_ASSERTION of a reward is made of them.
"""

from ragbench.judge._review import SCRIPTED, groundedness, judge_identity, review_trial

__all__ = ["SCRIPTED", "groundedness", "judge_identity", "review_trial"]
