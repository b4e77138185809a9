"""Runs random programs on arrays beside closed pages; prints what differs, and who is running.

    python -m tests.random.guarded_programs stored 0 20
"""

from __future__ import annotations

import copy
import faulthandler
import sys
from collections.abc import Callable, Iterator
from functools import partial
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np

import autograph as ag
from autograph.runtime.native import work
from autograph.staging import loops
from tests.random import array_loops, vector_loops
from tests.random.arrays import Arrays
from tests.random.open_lengths import FIRST, Lengths, Matrices
from tests.random.open_planes import Planes
from tests.random.open_steps import Steps
from tests.random.stored_arrays import StoredArrays
from tests.random.test_numeric_programs import load
from tests.support.guarded import guarded
from tests.support.outcome import seen

Arguments = tuple[Any, ...]


def _stored(seed: int) -> tuple[str, list[Arguments]]:
    program = StoredArrays(Random(seed))
    return program.source(), [program.arguments] * 2


def _arrays(seed: int) -> tuple[str, list[Arguments]]:
    program = Arrays(Random(seed))
    return "import numpy as np\n" + program.source(), [tuple(program.arguments.values())] * 2


def _loops(seed: int) -> tuple[str, list[Arguments]]:
    source = "import numpy as np\n" + array_loops.ArrayLoops(Random(seed)).source()
    return source, [array_loops.arguments(4 * seed + k) for k in range(4)]


def _vectors(seed: int) -> tuple[str, list[Arguments]]:
    source = vector_loops.VectorLoops(Random(seed)).source()
    return source, [vector_loops.arguments(4 * seed + k, "f8", k == 0) for k in range(4)]


def _open(seed: int) -> tuple[str, list[Arguments]]:
    random = Random(seed)
    program = Arrays(random)
    lengths = Lengths(program, random)
    return "import numpy as np\n" + program.source(), [
        lengths.given(7 if k < FIRST else 10 ** (k // 3)) for k in range(14)]


def _matrices(seed: int) -> tuple[str, list[Arguments]]:
    program = Matrices(Random(seed))
    return program.source(), [program.given(k) for k in range(12)]


def _steps(seed: int) -> tuple[str, list[Arguments]]:
    program = Steps(Random(seed))
    return program.source(), [program.given(k) for k in range(12)]


def _planes(seed: int) -> tuple[str, list[Arguments]]:
    program = Planes(Random(seed))
    return program.source(), [program.given(k) for k in range(12)]


KINDS: dict[str, Callable[[int], tuple[str, list[Arguments]]]] = {
    "stored": _stored, "arrays": _arrays, "loops": _loops, "vectors": _vectors, "open": _open,
    "matrices": _matrices, "steps": _steps, "planes": _planes}


OPEN = ("open", "matrices", "steps", "planes")


def beside_closed_pages(given: Arguments, at_end: bool) -> Arguments:
    """Returns copies of arguments; what is one array, or two views of one, is not taken apart."""
    arrays = [x for x in given if isinstance(x, np.ndarray)]
    shared = any(np.may_share_memory(a, b) for k, a in enumerate(arrays) for b in arrays[:k])
    return copy.deepcopy(given) if shared else tuple(guarded(x, at_end) for x in given)


def differing(kind: str, seed: int) -> Iterator[str]:
    """Yields the calls that differ from all of plain Python, the interpreter and NumPy's form."""
    source, calls = KINDS[kind](seed)
    plain = load(source, f"<{kind} {seed}>")
    made: Any = partial(ag.function, plain, reduce_retracing=kind in OPEN)
    native, *judges = [made(jit_compile=True), plain, made(), made(executor="interpreter")]
    for k, given in enumerate(calls):
        at_end = bool((seed + k) % 3)
        found, *expected = (
            seen(f, beside_closed_pages(given, at_end)).describe() for f in (native, *judges))
        if found not in expected:
            yield f"{source}\n{found}\n{expected[0]}"


def main() -> None:
    kind, first, count = sys.argv[1], *map(int, sys.argv[2:])
    faulthandler.enable()
    with patch.object(work, "PER_CALL", 0), patch.object(loops, "UNROLL", 0):
        for seed in range(first, first + count):
            print(f"seed {seed}", flush=True)
            for told in differing(kind, seed):
                print(told)


if __name__ == "__main__":
    main()
