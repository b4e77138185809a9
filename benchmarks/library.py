"""Converts the functions of the standard library: what fails, what it costs, beside the peer.

The modules are imported, and each function and method that they define and that is neither a
generator nor a lambda is printed by `ag.to_code`; the text must compile and print again the same.
Time is that of the processor, so that other programs count for little.

    python -m benchmarks.library [--peer-every N]
"""

from __future__ import annotations

import argparse
import ast
import gc
import importlib
import pkgutil
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, redirect_stdout, suppress
from io import StringIO
from types import FunctionType, ModuleType

import autograph as ag
from autograph.printer.statements import to_text
from benchmarks import harness
from benchmarks.conversion import functions, lines

LEFT_OUT = {"antigravity", "this", "idlelib", "lib2to3", "test", "turtledemo", "tkinter", "turtle",
            "ensurepip", "venv", "__main__", "__phello__", "pty", "msilib", "nturl2path"}
"""Modules that do something when they are imported, or need a screen."""


def modules() -> Iterator[ModuleType]:
    """The modules of the standard library that can be imported here and are written in Python."""
    names = [name for name in sys.stdlib_module_names if name not in LEFT_OUT]
    for name in sorted(names):
        yield from imported(name)


def imported(name: str) -> Iterator[ModuleType]:
    """A module, and those of its package."""
    if name.rpartition(".")[2] in {"__main__", "tests", "test"}:
        return
    with suppress(Exception), redirect_stdout(StringIO()), redirect_stderr(StringIO()):
        module = importlib.import_module(name)
        if getattr(module, "__file__", None) and str(module.__file__).endswith(".py"):
            yield module
        for found in pkgutil.iter_modules(getattr(module, "__path__", ())):
            yield from imported(f"{name}.{found.name}")


def timed(convert: Callable[[FunctionType], str], f: FunctionType) -> tuple[float, str | Exception]:
    """Seconds of the processor, and the text or what was raised."""
    start = time.process_time()
    try:
        made: str | Exception = convert(f)
    except Exception as error:  # a peer raises what it likes
        made = error
    return time.process_time() - start, made


def is_read_back(text: str) -> bool:
    """Returns True if a text compiles, and is printed the same once it was read."""
    compile(text, "<text>", "exec")
    plain = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    again = to_text(ast.parse(plain))
    return ast.dump(ast.parse(again)) == ast.dump(ast.parse(plain))


def report(name: str, convert: Callable[[FunctionType], str], found: list[FunctionType]) -> None:
    """Converts all; prints the failures by kind, and the mean cost of a line of what went well."""
    failures: Counter[str] = Counter()
    seconds, count = 0.0, 0
    for f in found:
        spent, made = timed(convert, f)
        if isinstance(made, str):
            with suppress(SyntaxError):
                made = made if name != "ours" or is_read_back(made) else ValueError("round trip")
        if isinstance(made, Exception):
            failures[type(made).__name__] += 1
        else:
            seconds, count = seconds + spent, count + lines(f)
    kinds = ", ".join(f"{n} {kind}" for kind, n in failures.most_common()) or "none"
    print(f"{name:<13}{len(found)} functions, {sum(failures.values())} failures: {kinds}; "
          f"{1e3 * seconds / max(count, 1):.3f} ms of processor time for each of {count} lines")


def main() -> None:
    """Ours on all functions; both on those of every n-th module."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--peer-every", type=int, default=20, metavar="N")
    every = parser.parse_args().peer_every
    warnings.simplefilter("ignore")
    tf = harness.tensorflow()
    all_modules = list(modules())
    found = [f for module in all_modules for f in functions(module)]
    print(f"{len(all_modules)} modules, {len(found)} functions")
    gc.freeze()
    report("ours", ag.to_code, found)
    if tf is not None:
        sample = [f for module in all_modules[::every] for f in functions(module)]
        report("ours", ag.to_code, sample)
        report("tf.autograph", tf.autograph.to_code, sample)


if __name__ == "__main__":
    main()
