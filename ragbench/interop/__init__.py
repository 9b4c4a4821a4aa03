"""Files of other projects, read as records. Building a domain from them is `ragbench.domains`'s."""

from ragbench.interop._tau import ForeignTasks, read_tau_tasks, task_from_tau

__all__ = ["ForeignTasks", "read_tau_tasks", "task_from_tau"]
