"""A `match` statement whose patterns ask for the class of an object that the run chooses, at any
depth, is refused: Python would take the object for one that does not match."""

import pytest

from tests.corpus.state.small_programs import MODES, Small, verdict

PROGRAM = """
class Num:
    def __init__(self, v): self.v = v
def make(): return Num(1), Num(2.5)
def f(a, n, m):
    n.w = m
    match {subject}:
        case {pattern}:
            return v
        case _:
            return 9
"""

MATCHES = (
    ("(a, n if a > 1 else m)", "(x, Num(v=v))"), ("[n if a > 1 else m, 3]", "[Num(v=v), 3]"),
    ("n if a > 1 else m", "Num(v=v)"), ("{'k': n if a > 1 else m}", "{'k': Num(v=v)}"),
    ("(a, (0, m if a > 1 else n))", "(x, (0, Num(v=v)))"))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(("subject", "pattern"), MATCHES)
def test_a_chosen_object_matches_as_in_python(subject: str, pattern: str, mode: str) -> None:
    text = PROGRAM.format(subject=subject, pattern=pattern)
    found = verdict(Small(f"{subject}, {pattern}, {mode}", text), **MODES[mode])
    assert found == "right" or found.startswith(("plain: ", "refused: ")), found
