"""Items that code in C keeps, and attributes of a library's modules: a store into one where the run
decides if it happens is refused. No location of the heap holds it."""

import pytest

from tests.corpus.state.small_programs import MODES, Small, verdict

PROGRAM = """
import ctypes, mmap, string
C, M, A = (ctypes.c_int * 3)(1, 2, 3), mmap.mmap(-1, 8), np.arange(4.0)
F = A.flat
def kept(): return list(C), M[:], A.tolist()
def f(x):
{body}
"""

BODIES = (
    "if x > 1: C[0] = 5\nreturn C[0]", "if x > 1: C[0] += 5\nreturn C[0]",
    "if x > 1: C[0:2] = [4, 5]\nreturn C[0]", "for i in range(int(x)): C[i % 3] = 9\nreturn C[0]",
    "C[int(x) % 3] = 9\nreturn C[0]", "C[0] = int(x)\nreturn C[0]", "if x > 1: M[0] = 65\nreturn x",
    "d = (ctypes.c_int * 3)(1, 2, 3)\nif x > 1: d[0] = 5\nreturn d[0]",
    "if x > 1: F[0] = 9.0\nreturn A[0]", "if x > 1: A.flat[0] = 9.0\nreturn A[0]",
    "n = string.digits\nif x > 1: string.digits = '12'\nm = string.digits\nstring.digits = n\n"
    "return m")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("body", BODIES)
def test_a_store_into_what_no_location_holds_is_not_done_while_tracing(
        body: str, mode: str) -> None:
    lines = "\n".join("    " + line for line in body.splitlines())
    found = verdict(Small(f"{body}, {mode}", PROGRAM.format(body=lines)), **MODES[mode])
    assert found == "right" or found.startswith(("plain: ", "refused: ")), found
