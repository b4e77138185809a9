"""What an import costs through `ag.convert_imports`, beside the plain one.

    python -m benchmarks.converted_imports [package ...]

Time is that of the processor, of a process that imports the package and nothing else. Python keeps
what it compiled: `first` is the time without, `later` with it.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile

PACKAGES = ("toolz", "networkx", "mpmath", "sympy")

PLAIN = "import sys, importlib; importlib.import_module(sys.argv[1])"

CONVERTED = f"import sys, autograph as ag; ag.convert_imports(sys.argv[1]); {PLAIN}"


def seconds(program: str, package: str, kept_in: str) -> float:
    """Seconds of the processor for a process."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": kept_in}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    before = os.times()
    subprocess.run([sys.executable, "-c", program, package], env=environment, check=True)
    after = os.times()
    return after.children_user + after.children_system - (
        before.children_user + before.children_system)


def row(package: str) -> str:
    """A line of the table."""
    with tempfile.TemporaryDirectory() as folder:
        seconds(CONVERTED, "colorsys", folder)  # compiles this package
        times = [seconds(program, package, folder)
                 for program in (PLAIN, PLAIN, CONVERTED, CONVERTED)]
    return f"{package:12}" + "".join(f"{1e3 * s:10.0f}" for s in times)


if __name__ == "__main__":
    print("".join(f"{title:>{width}}" for title, width in (
        ("package, ms", 12), ("first", 10), ("later", 10), ("converted", 10), ("later", 10))))
    for name in sys.argv[1:] or PACKAGES:
        if importlib.util.find_spec(name) is not None:
            print(row(name), flush=True)
