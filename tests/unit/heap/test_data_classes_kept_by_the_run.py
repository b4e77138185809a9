"""Objects of data classes among the arguments, which the run puts where only it knows."""

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.state_verdict import verdict

TEXT = """
from dataclasses import dataclass, field

@dataclass
class Data:
    v: float
    items: list = field(default_factory=list)

def make():
    e = Data(1.0)
    return [3, 4], {"k": e}, e

def kept():
    return None

def f(a, b, m, d, e):
    LINE
    e.v += 1
    return m, d["k"] is e, e in m
"""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("line", [
    "m[int(a) % 2] = e", "m[int(a) % 2:] = [e]", "m.insert(int(a) % 2, e)", "d[int(a)] = e",
    "(m if a > 1 else [5]).append(e)", "m[int(a) % 2] = (e, [e])", "m[int(a) % 2:] = [e] * int(b)"])
def test_the_run_keeps_the_callers_own(line: str, mode: str) -> None:
    assert verdict(TEXT.replace("LINE", line), f"<data class {line} {mode}>", mode) == "right"
