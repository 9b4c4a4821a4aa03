"""Statistics of agent runs: intervals over tasks, pass^k, parts of the variance, power, judges.

A task is the independent unit, never a trial: trials of one task resemble each other.
"""

from ragbench.statistics._bounded import Z95, score_interval, score_statistics
from ragbench.statistics._calibration import Corrected, Rate, corrected_rate, rate_of
from ragbench.statistics._components import Components, variance_components
from ragbench.statistics._estimate import Estimate, mean_of_counts, mean_of_shares, wilson
from ragbench.statistics._pass import pass_hat_k, pass_hat_k_estimate
from ragbench.statistics._power import Population, detectable, needed_tasks, power_of

__all__ = [
    "Z95",
    "Components",
    "Corrected",
    "Estimate",
    "Population",
    "Rate",
    "corrected_rate",
    "detectable",
    "mean_of_counts",
    "mean_of_shares",
    "needed_tasks",
    "pass_hat_k",
    "pass_hat_k_estimate",
    "power_of",
    "rate_of",
    "score_interval",
    "score_statistics",
    "variance_components",
    "wilson",
]
