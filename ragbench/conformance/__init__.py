"""Does a component of the user's own keep to what its kind promises? Tried on hard inputs.

Each kind has a module that lists what is tried; `check_component` finds the kind by the methods
that the code offers. A finding is a fact with the input that showed it; nothing is corrected.
"""

from ragbench.conformance._check import check_component, kind_of
from ragbench.conformance._findings import Finding

__all__ = ["Finding", "check_component", "kind_of"]
