"""Statistics of agent runs: means over tasks with intervals, pass^k, parts of the variance.

A task is the independent unit, never a trial: trials of one task resemble each other.
"""

from ragbench.statistics._bounded import Z95, score_interval
from ragbench.statistics._components import Components, variance_components
from ragbench.statistics._estimate import Estimate, mean_of_counts, mean_of_shares, wilson
from ragbench.statistics._pass import pass_hat_k, pass_hat_k_estimate

__all__ = [
    "Z95",
    "Components",
    "Estimate",
    "mean_of_counts",
    "mean_of_shares",
    "pass_hat_k",
    "pass_hat_k_estimate",
    "score_interval",
    "variance_components",
    "wilson",
]
