"""What is compared on: a corpus, how it is read, and the questions that are asked of it.

Everything about the question set that can be wrong without the documents is found here; finding its
evidence in them is `ragbench.compare.resolve`'s.
"""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

from ragbench.compare._sets import domain_questions, in_windows, tau_questions
from ragbench.config import DEFAULT_LOADER, CompareConfig, QuestionStyle
from ragbench.domains import Domain, load_domain
from ragbench.errors import QuestionSetError, UnknownName, UsageError
from ragbench.interop import read_beir, read_chunking_eval, read_questions
from ragbench.records import QuestionSet

__all__ = ["FORMATS", "Subject", "find_subject"]

FORMATS = ("auto", "file", "beir", "chunking-eval")
"""What ``--questions-format`` takes."""
_TAU = "tau3:"
_BEIR_LOADER = 'files(id_fields=_id, text_fields="title+text")'
"""Titles are searched, as BEIR does."""
_SPAN_COLUMNS = {"question", "references", "corpus_id"}


@dataclass(frozen=True, slots=True)
class Subject:
    """A corpus with its questions.

    Attributes:
        name: for the run's name.
        prefix: what the names of its collections begin with.
        loader: spec of the loader.
        domain: the domain, None for documents and questions of one's own.
    """

    name: str
    prefix: str
    corpus: Path
    loader: str
    questions: QuestionSet
    domain: Domain | None = None


def find_subject(config: CompareConfig) -> Subject:
    """The corpus and the questions that the configuration names.

    Raises:
        UsageError: options that exclude or need each other; a path that does not exist.
        UnknownName: an unknown domain, format or split.
        DomainError, QuestionSetError: a file is malformed; its line is named.
    """
    if config.style not in get_args(QuestionStyle):
        raise UnknownName("style of questions", config.style, get_args(QuestionStyle))
    if config.domain is not None:
        if config.corpus is not None or config.questions is not None:
            raise UsageError(
                "--domain brings its corpus and its questions; it excludes --corpus and "
                "--questions. Give the one or the others."
            )
        subject = _of_domain(config, config.domain)
    else:
        subject = _of_files(config)
    if config.style != "desk" and subject.domain is None:
        raise UsageError(
            f"--style {config.style} is for the needs of a domain of ragbench, which may be worded "
            "twice; these questions have one wording. Leave it out."
        )
    if config.end_to_end and (subject.domain is None or subject.loader != subject.domain.loader):
        raise UsageError(
            "--end-to-end runs a domain's tasks with the domain's own loader: it needs --domain "
            "with a domain of ragbench, and no other --loader."
        )
    if config.windows is None:
        return subject
    windowed = in_windows(subject.questions, config.windows)
    return Subject(
        subject.name, subject.prefix, subject.corpus, subject.loader, windowed, subject.domain
    )


def _of_domain(config: CompareConfig, name: str) -> Subject:
    if name.startswith(_TAU):
        folder = Path(name.removeprefix(_TAU))
        if not folder.is_dir():
            raise UsageError(
                f"--domain {name!r}: {str(folder)!r} is no folder. Name one that holds documents/ "
                "and tasks/."
            )
        loader = config.loader or DEFAULT_LOADER
        slug = _slug(folder)
        return Subject(slug, slug, folder / "documents", loader, tau_questions(folder))
    domain = load_domain(name)
    loader = config.loader or domain.loader
    prefix = f"domain-{domain.path.name}"
    questions = domain_questions(domain, config.style)
    return Subject(domain.path.name, prefix, domain.corpus, loader, questions, domain)


def _of_files(config: CompareConfig) -> Subject:
    if config.questions is None or config.corpus is None:
        missing = "--questions" if config.corpus is not None else "--corpus"
        raise UsageError(
            f"{missing} is missing. Give --domain NAME, or --corpus DIR with --questions FILE."
        )
    for option, path in (("--corpus", config.corpus), ("--questions", config.questions)):
        if not path.exists():
            raise UsageError(f"{option} {str(path)!r} does not exist.")
    form = _format(config.questions_format, config.questions)
    corpus, loader = config.corpus, config.loader or DEFAULT_LOADER
    if form == "beir":
        questions = read_beir(config.questions, config.split)
        corpus = corpus / "corpus.jsonl" if (corpus / "corpus.jsonl").is_file() else corpus
        loader = config.loader or _BEIR_LOADER
    elif form == "chunking-eval":
        questions = read_chunking_eval(config.questions, corpus, loader)
    else:
        questions = read_questions(config.questions)
    return Subject(_slug(config.questions), _slug(corpus), corpus, loader, questions)


def _format(given: str, path: Path) -> str:
    if given not in FORMATS:
        raise UnknownName("format of questions", given, FORMATS)
    if given != "auto":
        return given
    if path.is_dir():
        return "beir"
    if path.suffix == ".csv" and set(_header(path)) >= _SPAN_COLUMNS:
        return "chunking-eval"
    return "file"


def _header(path: Path) -> list[str]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            return next(csv.reader(file), [])
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise QuestionSetError(f"{path}:1 cannot be read as a table: {error}.") from error


def _slug(path: Path) -> str:
    name = path.absolute().stem if path.suffix else path.absolute().name
    return re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-._")[:60] or "documents"
