"""Random programs on Python's state: as plain Python does it, or refused; none is wrong in silence.

A sample runs by default; thousands, in blocks of fifty, with

    AUTOGRAPH_TESTS=100 python -m pytest -n 2 tests/random/test_state_programs.py
"""

from random import Random

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.component_programs import ALL, ComponentProgram
from tests.random.held_programs import HeldProgram
from tests.random.identity_kinds import KINDS
from tests.random.identity_programs import IdentityProgram
from tests.random.plain_programs import PlainProgram
from tests.random.protocol_programs import ProtocolProgram
from tests.random.shrink import shrunk
from tests.random.special_programs import SpecialProgram
from tests.random.state_programs import StateProgram
from tests.random.state_verdict import kind, verdict
from tests.random.wider_state_programs import WiderStateProgram
from tests.support.amount import TIMES, count

SAMPLE = 5
WIDER = 1_000_000
"""The programs of each class below begin at a multiple of this seed."""
CLASSES = (StateProgram, WiderStateProgram, ComponentProgram, ProtocolProgram, IdentityProgram,
           HeldProgram, SpecialProgram, PlainProgram)
COUNT = count(50) if TIMES > 1 else 0
BLOCK = 50

KNOWN_GAPS: dict[tuple[str, int], str] = {}
"""Programs that go wrong; one that does not any more fails the test."""


def program(mode: str, seed: int) -> str:
    return CLASSES[seed // WIDER](Random(seed), free=mode == "runtime").source()


def check(mode: str, seed: int) -> str:
    """"right", "plain", "refused" or "invalid"; else a failure that shows a smaller program."""
    text = program(mode, seed)
    found = verdict(text, f"<state program {seed}, {mode}>", mode)
    if kind(found) in ("wrong", "no end"):
        pytest.fail(f"{smaller(text, found, mode)}\n\n{found}")
    return found.split(":")[0]


def smaller(text: str, found: str, mode: str) -> str:
    """A program that goes wrong as this one does, from which little can be left out."""
    left = iter(range(200))

    def shows(part: str) -> bool:
        return next(left, None) is not None and kind(
            verdict(part, f"<smaller {hash(part)}>", mode)) == kind(found)

    return shrunk(text, shows)


@pytest.mark.parametrize("seed", [k * WIDER + n for k in range(len(CLASSES))
                                  for n in range(SAMPLE)])
@pytest.mark.parametrize("mode", MODES)
def test_a_sample(mode: str, seed: int, request: pytest.FixtureRequest) -> None:
    if (mode, seed) in KNOWN_GAPS:
        request.applymarker(pytest.mark.xfail(reason=KNOWN_GAPS[mode, seed], strict=True))
    check(mode, seed)


@pytest.mark.slow
@pytest.mark.skipif(not COUNT, reason="thousands of programs take hours")
@pytest.mark.parametrize("block", range(max(COUNT // BLOCK, 1)))
@pytest.mark.parametrize("mode", MODES)
def test_many(mode: str, block: int) -> None:
    first = block * BLOCK + WIDER * (block % len(CLASSES))
    for seed in range(first, first + BLOCK):
        if (mode, seed) not in KNOWN_GAPS:
            check(mode, seed)


def test_programs_do_something() -> None:
    sources = [program("runtime", seed).partition("def f(")[2] for seed in range(200)]
    for word in ("break", "continue", "else:", "finally:", "raise ", "except ", "nonlocal", "yield",
                 "reversed(", "zip(", "enumerate(", "sort(", "vectorize", "apply_along_axis", "GL",
                 ".items", ".add(", " is ", "while ", "for ", "remember(", "deque", " if "):
        assert sum(word in source for source in sources) >= 4, word
    sources = [program("runtime", WIDER + seed).partition("def f(")[2] for seed in range(200)]
    for word in ("lambda k, at=", "defaultdict(", "scaled,", "key=scaled", "del ",
                 "bytearray(", ".keys()", "for row in", "(v for v in"):
        assert sum(word in source for source in sources) >= 4, word
    sources = [program("runtime", 3 * WIDER + seed).partition("def f(")[2] for seed in range(200)]
    for word in ("with scope(", "with Manager(", ".send(", ".close()", "ow.d", "ck.other", "sl.b",
                 "memo(", "p.v =", "l, al = al, l", "heapq.", "move_to_end", "setattr("):
        assert sum(word in source for source in sources) >= 4, word
    sources = [program("runtime", 2 * WIDER + seed) for seed in range(200)]
    for name, component in ALL.items():
        assert sum(component.make in source for source in sources) >= 4, name
    sources = [program("runtime", 4 * WIDER + seed).partition("def f(")[2] for seed in range(300)]
    for word in (" is not ", "id(", " |= ", " += ", " *= ", "nonlocal", "for ", "while ", "else:",
                 "W[0], W[1] = ", "rebound(", "swapped(", "chosen(", "Holder.shared", "break"):
        assert sum(word in source for source in sources) >= 4, word
    for made in KINDS.values():
        assert sum(f"one, two, k = {made.make}," in source for source in sources) >= 4, made.make


def test_a_program_is_made_smaller() -> None:
    text = """
def f(x, p):
    if x:
        for k in p:
            x += k
            p.append(k)
    else:
        x = 1
    return x, p
"""
    assert shrunk(text, lambda part: "append" in part and "def f" in part) == """\
def f(x, p):
    p.append(k)"""
