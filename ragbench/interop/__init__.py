"""Files of other projects, read as records. Building a domain from them is `ragbench.domains`'s."""

from ragbench.interop._beir import read_beir, read_beir_documents
from ragbench.interop._chunking_eval import read_chunking_eval
from ragbench.interop._questions_file import read_questions
from ragbench.interop._tau import ForeignTasks, read_tau_tasks, task_from_tau
from ragbench.interop._tau_folder import read_tau_documents, read_tau_questions

__all__ = [
    "ForeignTasks",
    "read_beir",
    "read_beir_documents",
    "read_chunking_eval",
    "read_questions",
    "read_tau_documents",
    "read_tau_questions",
    "read_tau_tasks",
    "task_from_tau",
]
