"""Cached calls of the corpus's programs on their tiny inputs, as a ratio to the plain function.

    python -m benchmarks.corpus_calls [part of a name ...]
"""

from __future__ import annotations

import copy
import math
import statistics
import sys
import time
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np

import autograph as ag
from tests.corpus.case import Case
from tests.corpus.cases import PROGRAMS

CALLS, TURNS = 20, 7
WORST = 40
"""So many of the worst are listed."""


def seconds(function: Callable[..., Any], arguments: tuple[Any, ...]) -> float:
    """Processor time of some calls, each on a copy of the arguments."""
    given = [copy.deepcopy(arguments) for _ in range(CALLS)]
    start = time.thread_time()
    for each in given:
        with suppress(Exception):  # programs that raise do so in both
            function(*each)
    return time.thread_time() - start


def ratio(case: Case) -> float | None:
    """The least time of ours to the least of plain, in turns; None if it is refused."""
    ours, arguments = ag.function(case.function), case.arguments[0]
    try:
        seconds(ours, arguments)
        pairs = [(seconds(ours, arguments), seconds(case.function, arguments))
                 for _ in range(TURNS)]
    except Exception:  # it takes no deep copies
        return None
    return min(a for a, _ in pairs) / min(b for _, b in pairs)


def main() -> None:
    """Prints the mean, the median, and the worst programs."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    found = {case.name: ratio(case) for case in PROGRAMS
             if all(word in case.name for word in sys.argv[1:])}
    known = {name: x for name, x in found.items() if x is not None}
    logarithms = map(math.log, known.values())
    print(f"{len(known)} programs: mean {statistics.mean(known.values()):.2f}, median "
          f"{statistics.median(known.values()):.2f}, geometric mean "
          f"{math.exp(statistics.mean(logarithms)):.2f}")
    for name, x in sorted(known.items(), key=lambda pair: -pair[1])[:WORST]:
        print(f"   {x:8.2f} {name}")


if __name__ == "__main__":
    main()
