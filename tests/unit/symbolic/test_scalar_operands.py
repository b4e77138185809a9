"""An operator with a NumPy scalar on its left warns in the words of the operator, not the ufunc's.

NumPy's scalars call the ufunc for an operand that they do not know: a ufunc called by name is told
from an operator by the instruction that Python is at.
"""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.random.test_numeric_programs import load
from tests.support.outcome import run

SOURCE = "import numpy as np\nc = {c}\ndef f(x, i):\n    return c {sign} x[i], c {sign} x\n"
OPERATORS = ["+", "-", "*", "/", "//", "%", "**", "&", "|", "^", "<<", ">>", "<", "=="]
SCALARS = (np.int8(1), np.int64(2 ** 62), np.float64(1e300), np.float64(0), np.bool_(True))
ARRAYS = (np.array([2 ** 31 - 1, 3], np.int32), np.array([2 ** 62, 0]), np.array([1e300, 0.0]),
          np.array([3e38, -1], np.float32), np.array([True, False]))


@pytest.mark.parametrize("sign", OPERATORS)
def test_same_warnings(sign: str) -> None:
    for c in SCALARS:
        f = load(SOURCE.format(c=repr(c), sign=sign), f"<{sign} {c!r}>")
        compiled = ag.function(f)
        for x in ARRAYS:
            for i in (0, 1):
                found, expected = (run(g, (x, np.int64(i))) for g in (compiled, f))
                assert (found.describe(), found.told) == (expected.describe(), expected.told)


def test_a_ufunc_is_a_ufunc() -> None:
    def f(x: Any) -> Any:
        return np.add(np.int8(1), x[0])

    x = np.array([2 ** 31 - 1], np.int32)
    assert run(ag.function(f), (x,)).describe() == run(f, (x,)).describe()
    assert not run(f, (x,)).warned
