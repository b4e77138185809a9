"""How long large functions take to convert: the shapes that compilers easily take too long for.

Each is converted in a process of its own, ours and the peer's, with a limit of time.

    python -m benchmarks.scaling
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import FunctionType

import autograph as ag
from benchmarks import harness

SECONDS = 120
"""What a conversion may take."""


def nested(loops: int) -> str:
    """Loops in loops, each with a test of its own."""
    head = "".join(f"{'    ' * (i + 1)}while x < {i}:\n" for i in range(loops))
    tail = "".join(f"{'    ' * (i + 1)}x += {i}\n" for i in range(loops, 0, -1))
    return f"def f(x):\n{head}{tail}    return x\n"


SHAPES = {
    "1,000 straight lines": "def f(x):\n" + "".join(
        f"    x = x + {i}\n" for i in range(1000)) + "    return x\n",
    "80 elif arms": "def f(x):\n    if x == 0:\n        y = 0\n" + "".join(
        f"    elif x == {i}:\n        y = {i}\n" for i in range(1, 81)) + "    return y\n",
    "80 times if: return": "def f(x):\n" + "".join(
        f"    if x == {i}:\n        return {i}\n" for i in range(80)) + "    return x\n",
    "18 nested loops": nested(18),
}


def function_of(source: str, folder: Path) -> FunctionType:
    """The function `f` of a source, from a file."""
    path = folder / "program.py"
    path.write_text(source, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("program", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["program"] = module
    spec.loader.exec_module(module)
    return module.f  # type: ignore[no-any-return]


def seconds(shape: str, peer: bool) -> float:
    """Processor time of one conversion to a function, after one of another function."""
    convert = harness.tensorflow().autograph.to_graph if peer else ag.convert
    with tempfile.TemporaryDirectory() as folder:
        convert(function_of("def f(x):\n    while x > 1:\n        x = x - 1\n    return x\n",
                            Path(folder)))
    with tempfile.TemporaryDirectory() as folder:
        f = function_of(SHAPES[shape], Path(folder))
        start = time.process_time()
        converted = convert(f)
        taken = time.process_time() - start
        assert peer or converted(5) == f(5)
    return taken


def told(shape: str, peer: bool) -> str:
    """The time that a process of its own reports, or why there is none."""
    command = [sys.executable, "-m", "benchmarks.scaling", shape, *["peer"] * peer]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return f"not done after {SECONDS} s"
    if done.returncode:
        return f"fails: {done.stderr.strip().splitlines()[-1][:60]}"
    return harness.pretty(float(done.stdout.split()[-1]))


def main() -> None:
    """All shapes; with arguments, one in this process."""
    if len(sys.argv) > 1:
        print(seconds(sys.argv[1], "peer" in sys.argv))
        return
    peers = {"ours": False, **({"tf.autograph": True} if harness.tensorflow() else {})}
    for shape in SHAPES:
        print(f"{shape:<24}" + "".join(f"{name}: {told(shape, peer):<24}"
                                       for name, peer in peers.items()), flush=True)


if __name__ == "__main__":
    main()
