"""Times eager NumPy against ours: `python -m benchmarks.workloads [SIZE] [NAME …]`."""

import math
import sys

import numpy as np

import autograph as ag
from benchmarks import harness
from benchmarks.programs import programs


def main() -> None:
    """A line for each workload, then the geometric mean of the ratios."""
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    ratios = []
    for name, (function, arguments) in programs(size).items():
        if len(sys.argv) > 2 and name not in sys.argv[2:]:
            continue
        graph = ag.function(function)
        np.testing.assert_equal(graph(*arguments), function(*arguments))
        medians = harness.measure({"eager": lambda f=function, a=arguments: f(*a),
                                   "ours": lambda f=graph, a=arguments: f(*a)})
        ratios.append(medians["eager"] / medians["ours"])
        print(harness.show(name, medians), flush=True)
    print(f"geometric mean {math.exp(sum(map(math.log, ratios)) / len(ratios)):.2f}x")


if __name__ == "__main__":
    main()
