"""What follows a statement that may raise, as the run decides, is done by the run alone."""

import itertools

import pytest

from tests.corpus.state.small_programs import MODES, Small, verdict
from tests.support.amount import sample

RAISES = {
    "raise": "if x > 1: raise ValueError", "assert": "assert x <= 1", "call": "check(x)",
    "index": "[1, 2, 3][int(x)]", "key": "{0: 1, 1: 2}[int(x)]",
    "loop": "for i in range(3):\n if x > i + 1: raise ValueError",
    "next": "next(iter([1][int(x > 1):]))"}

EFFECTS = ["H.append(3)", "D['a'] = D.get('a', 0) + 1", "o.v += 1", "N += 1", "D.clear()",
           "o.w = [1]", "H[:] = [len(H)]", "A.append(1)", "H.append(Box())"]

FORMS = {
    "except": "try:\n {0}\n {1}\nexcept Exception: pass",
    "else": "try:\n {0}\nexcept Exception: pass\nelse:\n {1}",
    "finally": "try:\n try:\n  {0}\n  {1}\n finally:\n  H.append(7)\nexcept Exception: pass",
    "with": "with contextlib.suppress(Exception):\n {0}\n {1}",
    "returns": "try:\n {0}\n {1}\nexcept Exception: return -1",
    "before": "try:\n {1}\n {0}\n {1}\nexcept Exception: pass",
    "uncaught": "{0}\n{1}", "twice": "{0}\n{1}\n{0}\n{1}"}

PROGRAM = """
CALLS = {calls}
class Box: v = 0
H, D, o, N = [], {{}}, Box(), 0
def kept(): return H, D, o, N
def make(): return ([],)
def check(x):
    if x > 1: raise ValueError
def f(x, A):
    global N
{form}
    return len(H), N
"""


@pytest.mark.parametrize(("raises", "effect", "form", "calls", "mode"), sample(itertools.product(
    RAISES, EFFECTS, FORMS, ["(5.0, 0.0, 5.0, 1.0)", "(0.0, 5.0, 1.0)"], MODES), 24))
def test_an_effect_after_it_is_done_if_python_gets_there(
        raises: str, effect: str, form: str, calls: str, mode: str) -> None:
    if form in ("uncaught", "twice", "before") and raises in ("index", "key", "next"):
        raises = "raise"  # what an operation raises by itself is no condition, if nobody sees it
    parts = [part.replace("\n", "\n ") if form not in ("uncaught", "twice") else part
             for part in (RAISES[raises], effect)]
    if form == "finally":
        parts[0] = parts[0].replace("\n", "\n ")
    lines = "\n".join("    " + line for line in FORMS[form].format(*parts).splitlines())
    found = verdict(Small(f"{raises}, {effect}, {form}, {calls}, {mode}", PROGRAM.format(
        calls=calls, form=lines)), **MODES[mode])
    assert found == "right" or found.startswith(("plain: ", "refused: ")), found
