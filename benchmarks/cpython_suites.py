"""How many of CPython's own tests fail only because the module under test was converted."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.compatibility.cpython.known import reason_for
from tests.compatibility.cpython.suites import SUITES

ROOT = Path(__file__).resolve().parents[1]
SECONDS = 300
"""How long one suite may take, if the command line says nothing else."""


@dataclass(frozen=True)
class Comparison:
    """One suite, run plainly and converted."""

    name: str
    plain: dict[str, Any]
    converted: dict[str, Any]

    @property
    def new(self) -> dict[str, str]:
        """The tests that fail only when converted, with their tracebacks."""
        return {test: text for test, text in self.converted["failed"].items()
                if test not in self.plain["failed"]}

    @property
    def unexplained(self) -> dict[str, str]:
        """Those that the table of known differences does not list."""
        return {test: text for test, text in self.new.items() if not reason_for(test)}

    def line(self) -> str:
        """A row of the report."""
        return (f"{self.name:<22}{self.converted['converted'] or 0:>6} functions"
                f"{self.plain['ran']:>6} tests{len(self.plain['failed']):>5} failed plainly"
                f"{len(self.new):>5} new{len(self.unexplained):>5} unexplained"
                f"{len(self.converted['refused'] or ()):>4} refused")


def outcome(name: str, convert: bool, seconds: int = SECONDS) -> dict[str, Any]:
    """Returns the outcome of one run of a suite in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.json")
        command = [sys.executable, "-X", "frozen_modules=off",
                   "-m", "tests.compatibility.cpython.worker", name,
                   str(out)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT), "TMPDIR": folder}
        try:
            done = subprocess.run([*command, *["--convert"][:convert]], cwd=ROOT, check=False,
                                  env=environment, stdin=subprocess.DEVNULL, timeout=seconds,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  start_new_session=True)
            ended, said = f"exit code {done.returncode}", done.stdout
        except subprocess.TimeoutExpired as error:
            ended, said = f"not done after {seconds} s", error.stdout or b""
        if out.exists():
            return json.loads(out.read_text(encoding="utf-8"))
    return {"ran": 0, "failed": {f"{name}: {ended}": said.decode(errors="replace")[-5000:]},
            "converted": 0, "refused": {}}


def compare(name: str, seconds: int = SECONDS) -> Comparison:
    """Runs a suite both ways."""
    return Comparison(name, outcome(name, False, seconds), outcome(name, True, seconds))


def main() -> None:
    """All suites, or those named on the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("suite", nargs="*", metavar="suite")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=SECONDS, help="how long a suite may take")
    parser.add_argument("--show", action="store_true", help="print the unexplained tracebacks")
    options = parser.parse_args()
    done = []
    with ThreadPoolExecutor(options.workers) as pool:
        for comparison in pool.map(
                partial(compare, seconds=options.seconds), options.suite or SUITES):
            print(comparison.line(), flush=True)
            for test, text in comparison.unexplained.items():
                print(f"    {test}\n{text if options.show else ''}", flush=True)
            done.append(comparison)
    print(f"{len(done)} suites, {sum(c.plain['ran'] for c in done)} tests, "
          f"{sum(len(c.new) for c in done)} new failures, "
          f"{sum(len(c.unexplained) for c in done)} of them unexplained")


if __name__ == "__main__":
    main()
