"""pip, with one line that says how far it is: what `make` installs with.

    python scripts/install.py WHAT... -- PIP-ARGUMENTS...

On a terminal the line is written over; elsewhere a new one is written every ten seconds. What pip
says is shown when it fails.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time

_EVERY_S = 10.0
_SIZE = re.compile(r"\(([\d.]+) ([kMG]B)")
_MEGABYTES = {"kB": 1e-3, "MB": 1.0, "GB": 1e3}


def main(what: str, arguments: list[str]) -> int:
    """Run pip; its exit code."""
    command = [sys.executable, "-m", "pip", "install", "--progress-bar", "off"]
    command += ["--disable-pip-version-check", *arguments]
    said: list[str] = []
    shown = _Line(what)
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as pip:
        assert pip.stdout is not None
        for line in pip.stdout:
            said.append(line)
            shown.tell(line.strip())
    shown.end(pip.returncode)
    if pip.returncode:
        sys.stderr.write("".join(said[-40:]))
    return pip.returncode


class _Line:
    """How far it is: packages and megabytes taken so far."""

    def __init__(self, what: str) -> None:
        self._what, self._started, self._last = what, time.monotonic(), -_EVERY_S
        self._n, self._megabytes, self._step = 0, 0.0, "looking up packages"
        self._over = sys.stdout.isatty()

    def tell(self, line: str) -> None:
        """Take note of what pip said."""
        self._n += line.startswith("Collecting ")
        if line.startswith(("Downloading ", "Using cached ", "Processing ")):
            self._step = "fetching"
            size = _SIZE.search(line)
            self._megabytes += float(size[1]) * _MEGABYTES[size[2]] if size else 0
        elif line.startswith("Installing collected packages"):
            self._step = "unpacking, which takes the longest"
        else:
            return
        if self._over or time.monotonic() - self._last >= _EVERY_S:
            self._last = time.monotonic()
            self._write()

    def end(self, code: int) -> None:
        """The last line."""
        self._step = "done" if code == 0 else f"pip failed with exit code {code}:"
        self._write()
        if self._over:
            print()

    def _write(self) -> None:
        seconds = time.monotonic() - self._started
        text = (
            f"{self._what}: {self._n} packages, {self._megabytes:,.0f} MB, {seconds:.0f} s: "
            f"{self._step}"
        )
        if self._over:
            print(f"\r{text:<78}"[:80], end="", flush=True)
        else:
            print(text, flush=True)


if __name__ == "__main__":
    at = sys.argv.index("--")
    sys.exit(main(" ".join(sys.argv[1:at]), sys.argv[at + 1 :]))
