"""Attributes that a class has or computes: as plain Python does it, or refused."""

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.computed_attributes import PROGRAMS, source
from tests.random.state_verdict import verdict
from tests.support.amount import sample

SHOWN = ("hasb", "try")
"""Uses that may run as plain Python: names are looked up, or a handler sees what was changed."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", sample(PROGRAMS, 24, "attributes"))
def test_attributes_are_those_of_python(program: tuple[str, str], mode: str) -> None:
    kind, use = program
    found = verdict(source(kind, use), f"<{kind} {use} {mode}>", mode)
    assert found == "right" or (use in SHOWN and found.startswith("plain")), found


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["cachedlog", "descr"])
def test_what_the_run_computes_is_in_its_place(kind: str, mode: str) -> None:
    """The trace computes one of the attributes, the run the other; both append to one list."""
    assert verdict(source(kind, "setb"), f"<{kind} {mode}>", mode) == "right"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("member", [
    "@cached_property\n    def v(self):", "def __getattr__(self, name):", "def __len__(self):"])
def test_a_method_of_what_only_the_run_looks_into(member: str, mode: str) -> None:
    asked = "len(X)" if "len" in member else "X.v"
    text = f"""
from functools import cached_property
LOG = []
class C:
    def __init__(self, k): self.k = k
    {member}
        LOG.append(self.k)
        return int(self.k)
def make(): return C(1.0), [C(2.0), C(3.0)]
def kept(): return list(LOG)
def f(a, b, p, qs):
    o = qs[int(b > 0)]
    return {asked.replace("X", "p")}, {asked.replace("X", "o")}
"""
    assert verdict(text, f"<{member} {mode}>", mode) == "right"
