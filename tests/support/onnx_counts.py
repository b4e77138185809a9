"""What becomes of every op in every dtype as an ONNX model: run by onnxruntime, and compared.

    python -m tests.support.onnx_counts > docs/onnx-counts.md
"""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np

import autograph as ag
from autograph.runtime.export.onnx.coverage import exported
from autograph.runtime.export.samples import DTYPES, samples_in
from autograph.runtime.ops.op import OPS, Op
from tests.unit.export import test_onnx

FATES = "equal", "part", "refused", "wrong"
HEAD = """# ONNX, op by op and dtype by dtype

Made by `python -m tests.support.onnx_counts`: each op of [the table](onnx-coverage.md) on the
samples of its record and, if it is a ufunc, on the ends of the range, zeros, NaN and infinities;
exported, run by onnxruntime, and compared with NumPy. *part*: some of the calls are refused, the
others equal. 0.0 and -0.0 count as equal: onnxruntime's `Where` gives 0.0 for either.
`np.empty` and its like, whose contents nobody knows, and `list_pop` are left out.
"""


def told(op: Op, dtype: str) -> str:
    """Returns what becomes of an op in a dtype; a wrong one is named."""
    found = fate(set(fates(op, dtype)))
    if found == "wrong":
        print(f"wrong: {op.name} of {dtype}", file=sys.stderr)
    return found


def fates(op: Op, dtype: str) -> Iterator[str]:
    """Yields what becomes of the calls of an op in a dtype."""
    if op in test_onnx.OPS_TRIED:
        yield run(test_onnx.test_op_gives_what_numpy_gives_or_is_refused, op, dtype)
    if op in test_onnx.UFUNCS:
        yield run(test_onnx.test_ufunc_of_special_values, op, dtype)
    for args, kwargs, wanted in samples_in(op, dtype):
        try:
            exported(op, args, kwargs, wanted)
            yield "equal"
        except ag.errors.ExportError:
            yield "refused"


def run(test: Any, op: Op, dtype: str) -> str:
    """Returns what a test finds of an op in a dtype."""
    try:
        test(op, dtype)
    except AssertionError:
        return "wrong"
    return "equal"


def fate(found: set[str]) -> str:
    """Returns what becomes of an op whose calls have these fates; "" if there are none."""
    if len(found) < 2:
        return "".join(found)
    return "wrong" if "wrong" in found else "part"


def main() -> None:
    """Prints the page."""
    warnings.simplefilter("ignore")
    np.seterr(all="ignore")
    print(HEAD)
    print(f"| dtype | {' | '.join(FATES)} |\n{'|---' * (len(FATES) + 1)}|")
    for dtype in DTYPES:
        count = Counter(told(op, dtype) for op in OPS.values()
                        if "empty" not in op.name and op.name != "list_pop")
        print(f"| {dtype} | {' | '.join(str(count[f]) for f in FATES)} |")


if __name__ == "__main__":
    main()
