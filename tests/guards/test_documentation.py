"""The documentation is tested: commands, examples, names, labels, and words that do not belong."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import clerk
import pytest

from ragbench.cli._main import COMMANDS
from ragbench.cli.list import KINDS
from ragbench.diagnose import ATTRIBUTIONS, CAUSES, LABELS
from ragbench.records import CallClass

RAGBENCH = [sys.executable, "-c", "from ragbench.cli import main; main()"]


def write_parts(repository: Path, folder: Path) -> None:
    """The files of the examples about parts of one's own."""
    page = (repository / "docs" / "own-parts.md").read_text(encoding="utf-8")
    for block, name in re.findall(r"```python\n(# (\S+)\n.*?)```", page, re.S):
        (folder / name).write_text(block, encoding="utf-8")


def examples(text: str) -> list[str]:
    """The commands of all console blocks."""
    blocks = re.findall(r"```console\n(.*?)```", text, re.S)
    return [line[2:] for block in blocks for line in block.splitlines() if line.startswith("$ ")]


def ragbench(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words, target = shlex.split(command), None
    if ">" in words:
        words, target = words[: words.index(">")], words[-1]
    assert words[0] == "ragbench", command
    done = subprocess.run(
        [*RAGBENCH, *words[1:]], cwd=folder, env=dict(os.environ), capture_output=True, text=True
    )
    if target is not None:
        (folder / target).write_text(done.stdout, encoding="utf-8")
    return done


def filled_in(labels: Path) -> None:
    """A blank file of labels as a person leaves it: everything holds."""
    head, *rows = labels.read_text(encoding="utf-8").splitlines()
    column = head.split(",").index("label")
    assert rows
    lines = [row.split(",") for row in rows]
    assert {line[column] for line in lines} == {""}
    for line in lines:
        line[column] = "true"
    text = "\n".join([head, *(",".join(line) for line in lines)])
    labels.write_text(text + "\n", encoding="utf-8")


@pytest.fixture
def a_model() -> Iterator[None]:
    """What the examples' ``gpt-4.1`` is here: a server on loopback that does as it is told."""

    def answer(body: Any) -> Any:
        return clerk.answer(body) if clerk.role_of(body) == "judge" else clerk.server.obedient(body)

    with clerk.server.ModelServer(answer) as server, pytest.MonkeyPatch.context() as environment:
        environment.setenv("OPENAI_API_KEY", "none")
        environment.setenv("OPENAI_BASE_URL", server.url)
        yield


@pytest.mark.slow
@pytest.mark.timeout(900)  # some fifty commands, each a process
@pytest.mark.usefixtures("a_model")
def test_every_example_of_the_command_page_runs(repository, tmp_path) -> None:
    shutil.copytree(repository / "corpora" / "mock", tmp_path / "docs")
    write_parts(repository, tmp_path)
    commands = examples((repository / "docs" / "cli.md").read_text(encoding="utf-8"))
    assert len(commands) >= 12
    for command in commands:
        done = ragbench(command, tmp_path)
        assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
        if command.endswith("> labels.csv"):
            filled_in(tmp_path / "labels.csv")
    run = tmp_path / "runs" / "two" / "scores.jsonl"
    assert len(run.read_text(encoding="utf-8").splitlines()) == 18  # 9 tasks, 2 trials


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_is_documented_and_its_help_ends_with_an_example(name, repository) -> None:
    page = (repository / "docs" / "cli.md").read_text(encoding="utf-8")
    assert f"## ragbench {name}\n" in page
    done = ragbench(f"ragbench {name} --help", repository)
    assert done.returncode == 0
    last = done.stdout.strip().splitlines()[-1].strip()
    assert last.startswith(f"Example: ragbench {name}"), last
    assert any(example.startswith(f"ragbench {name} ") for example in examples(page))


@pytest.mark.usefixtures("a_model")
def test_every_help_example_runs(repository, tmp_path) -> None:
    """The example under each --help, in an order in which they need one another."""
    shutil.copytree(repository / "corpora" / "mock", tmp_path / "docs")
    shutil.copy(repository / "domains" / "mock" / "recorded" / "labels.jsonl", tmp_path)
    write_parts(repository, tmp_path)
    names = ["list", "ingest", "search", "index", "eval", "score", "plan", "calibrate", "compare"]
    names += ["diff", "diagnose", "validate", "doctor", "check-component"]
    for name in names:
        if name == "score":
            (run,) = (tmp_path / "runs").glob("mock-*")
            shutil.copytree(run, tmp_path / "runs" / "demo")
        if name == "calibrate":
            met = {"assertion": "It is said.", "met": True, "reason": "It was."}
            review = {"task_id": "due_date", "assertions": [met]}
            (tmp_path / "runs" / "demo" / "reviews.jsonl").write_text(json.dumps(review) + "\n")
            (tmp_path / "labels.csv").write_text(
                "task_id,trial,kind,number,label\ndue_date,0,assertion,1,true\n"
            )
        if name == "diff":
            (run,) = (tmp_path / "runs").glob("compare-*")
            for copy in ("before", "after"):
                shutil.copytree(run, tmp_path / "runs" / copy)
        help_text = ragbench(f"ragbench {name} --help", tmp_path).stdout
        example = help_text.strip().splitlines()[-1].strip().removeprefix("Example: ")
        words = shlex.split(example)
        for path in [word for word in words if word.endswith(".jsonl")]:
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            if not (tmp_path / path).exists():
                shutil.copy(tmp_path / "labels.jsonl", tmp_path / path)
        done = ragbench(example, tmp_path)
        assert done.returncode == 0, f"{example}\n{done.stderr}"
    assert set(COMMANDS) == set(names)


@pytest.mark.parametrize("kind", KINDS)
def test_registered_names_equal_documented_names(kind, repository) -> None:
    page = (repository / "docs" / "components.md").read_text(encoding="utf-8")
    title = "Retrieval setups" if kind == "setups" else kind.capitalize()
    section = re.search(rf"^## {title}\n(.*?)(?=^## |\Z)", page, re.S | re.M)
    assert section is not None, f"docs/components.md has no section {title!r}"
    documented = set(re.findall(r"^\| `([\w+-]+)` \|", section.group(1), re.M))
    registered = {re.split(r"\(", name)[0] for name, _ in KINDS[kind]()}
    assert documented == registered


@pytest.mark.parametrize(
    ("title", "names"),
    [
        ("Labels", set(LABELS)),
        ("Causes", set(CAUSES)),
        ("What a search was good for", {kind.value for kind in CallClass}),
    ],
)
def test_diagnosis_page_explains_every_name(title, names, repository) -> None:
    page = (repository / "docs" / "diagnosis.md").read_text(encoding="utf-8")
    section = page.split(f"\n## {title}\n")[1].split("\n## ")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", section, re.M)) == names


def test_diagnosis_page_names_every_attribution(repository) -> None:
    page = (repository / "docs" / "diagnosis.md").read_text(encoding="utf-8")
    section = page.split("\n## What lost a failed trial\n")[1].split("\n## ")[0]
    assert [name for name in ATTRIBUTIONS if f"`{name}`" not in section] == []


def test_the_domain_page_shows_a_task_that_loads(repository) -> None:
    from ragbench.records import Task

    page = (repository / "docs" / "domains.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```json\n(.*?)```", page, re.S)
    assert Task.model_validate(json.loads(block)).needs[0].needed_by == ("extend",)


def test_links_between_pages_lead_somewhere(repository) -> None:
    broken = []
    for page in [repository / "README.md", *(repository / "docs").glob("*.md")]:
        for target in re.findall(r"\]\((?!https?:|#)([^)#]+)", page.read_text(encoding="utf-8")):
            if not (page.parent / target).exists():
                broken.append(f"{page.name}: {target}")
    assert broken == []


def test_the_project_speaks_of_itself_alone(repository) -> None:
    """No machine paths and no words about how the project was written."""
    words = (
        "/wo" + "rk/",
        "/ro" + "ot/",
        "sub" + "agent",
        "Cla" + "ude",
        "Chat" + "GPT",
        "py" + "pi.org",
    )
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=repository, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    found = []
    for name in listed:
        path = repository / name
        if path.suffix in {".pdf", ".docx"} or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        found += [f"{name}: {word}" for word in words if word in text]
    assert found == []
