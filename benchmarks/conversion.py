"""How long conversion takes, per source line: the examples, and parts of the standard library."""

import argparse
import ast
import collections
import fractions
import heapq
import importlib.util
import inspect
import itertools
import random
import statistics
import textwrap
from pathlib import Path
from types import FunctionType, ModuleType

import autograph as ag
from benchmarks import harness

EXAMPLES = sorted((Path(__file__).resolve().parents[1] / "examples").glob("*.py"))
COPIES = itertools.count()
LIBRARY = (argparse, ast, collections, fractions, heapq, inspect, random, statistics, textwrap)


def load(path: Path) -> ModuleType:
    """Imports an example from its file."""
    spec = importlib.util.spec_from_file_location(f"example_{path.stem}", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def functions(module: ModuleType) -> list[FunctionType]:
    """The functions and methods that a module defines, in order, as they were written."""
    owners = [module, *(c for c in vars(module).values()
                        if isinstance(c, type) and c.__module__ == module.__name__)]
    found = [plain(value) for owner in owners for value in vars(owner).values()]
    return [f for f in found if isinstance(f, FunctionType) and convertible(f, module)]


def plain(value: object) -> object:
    """The function in what `ag.function` made of it."""
    return getattr(value, "__dict__", {}).get("python_function", value)


def convertible(function: FunctionType, module: ModuleType) -> bool:
    """Returns True if the function is written in the module's file and is neither generator nor
    lambda."""
    return (function.__code__.co_filename == module.__file__ and function.__name__ != "<lambda>"
            and not inspect.isgeneratorfunction(function))


def lines(function: FunctionType) -> int:
    """How many lines a function's source has."""
    return len(inspect.getsourcelines(function.__code__)[0])


def time_of(convert, found: list[FunctionType]) -> float:
    """The total of the medians of some conversions each."""
    return sum(statistics.median(harness.chunk(lambda f=f: convert(f), 1) for _ in range(5))
               for f in found)


def unseen(f: FunctionType) -> FunctionType:
    """A copy whose code equals no other: the peer keeps its conversions by code, ours does not."""
    code = f.__code__.replace(co_consts=(*f.__code__.co_consts, f"copy {next(COPIES)}"))
    return FunctionType(code, f.__globals__, f.__name__, f.__defaults__, f.__closure__)


def accepts(convert, function: FunctionType) -> bool:
    """Returns True if a compiler converts the function at all."""
    try:
        convert(function)
    except Exception:  # a peer raises what it likes
        return False
    return True


def report(title: str, found: list[FunctionType]) -> None:
    """Lines, and milliseconds per line of ours and of the peer, on what both convert."""
    tf = harness.tensorflow()
    everything = len(found)
    if tf is not None:
        found = [f for f in found if accepts(tf.autograph.to_code, f)]
    total = sum(map(lines, found))
    cells = [f"ours {1e3 * time_of(ag.to_code, found) / total:.3f} ms/line"]
    if tf is not None:
        peer = time_of(lambda f: tf.autograph.to_code(unseen(f)), found)
        cells.append(f"tf.autograph {1e3 * peer / total:.3f}"
                     f" (refuses {everything - len(found)})")
    print(f"{title:<18}{len(found):>4} functions {total:>6} lines   {'   '.join(cells)}")


if __name__ == "__main__":
    report("examples", [f for path in EXAMPLES for f in functions(load(path))])
    for module in LIBRARY:
        report(module.__name__, functions(module))
