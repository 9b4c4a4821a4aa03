"""The suite itself: what it does on a machine without a browser, or started in the background."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys

PAGE = "tests/browser/test_compare_page.py"


def pytest_in(repository, *words: str, **options) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *words]
    return subprocess.run(command, cwd=repository, capture_output=True, text=True, **options)


def test_without_a_browser_its_tests_are_one_counted_line(repository, tmp_path) -> None:
    environment = {**os.environ, "PATH": str(tmp_path)}
    environment.pop("RAGBENCH_REQUIRE_BROWSER", None)
    done = pytest_in(repository, PAGE, env=environment)
    assert done.returncode == 0, done.stdout
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("SKIPPED")]
    (n,) = re.findall(r"SKIPPED \[(\d+)\] .*no Chromium is installed", line)
    assert f"{n} skipped" in done.stdout.splitlines()[-1]
    assert int(n) >= 5


def test_where_one_is_required_its_absence_fails(repository, tmp_path) -> None:
    environment = {**os.environ, "PATH": str(tmp_path), "RAGBENCH_REQUIRE_BROWSER": "1"}
    done = pytest_in(repository, PAGE, "-x", env=environment)
    assert done.returncode == 1
    assert "RAGBENCH_REQUIRE_BROWSER is 1, but no Chromium is installed" in done.stdout


def test_interrupts_arrive_though_the_suite_was_started_in_the_background(
    repository, tmp_path
) -> None:
    """A child of the suite takes SIGINT as a process on a terminal does."""
    path = tmp_path / "test_child.py"
    path.write_text(
        "import signal, subprocess, sys\n"
        "def test_child():\n"
        "    show = 'import signal; print(signal.getsignal(signal.SIGINT) is signal.SIG_IGN)'\n"
        "    done = subprocess.run([sys.executable, '-c', show], capture_output=True, text=True)\n"
        "    assert done.stdout == 'False\\n'\n",
        encoding="utf-8",
    )
    conftest = str(repository / "tests" / "conftest.py")
    (tmp_path / "conftest.py").write_text(
        f"import runpy\nrunpy.run_path({conftest!r})\n", encoding="utf-8"
    )
    ignore = {"preexec_fn": lambda: signal.signal(signal.SIGINT, signal.SIG_IGN)}
    done = pytest_in(repository, str(path), f"--rootdir={tmp_path}", **ignore)
    assert done.returncode == 0, done.stdout
