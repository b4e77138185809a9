"""Plain loops that bind a variable for the first time run as they were written, and a variable
that nothing has bound stays unbound."""

from typing import Any

import pytest

import autograph as ag
from tests.support.functions_of_text import function_of

BODIES = (
    "e, g = step(r, i)\n        r = r * 0.9 + g",
    "e = step(r, i)[0]\n        if e > 3: g = e\n        r = r + 1",
    "if i > 1: e = step(r, i)\n        r += 1",
    "r += 1\n        if r > 1e9: e = g = 1",
    "if i > 2: r += e\n        e = step(r, i)[0]",
    "if i > 0 and e > 2: r += e\n        e = step(r, i)[0]",
    "e = (r and (g := step(r, i)[0]))\n        r += e",
    "e = r > 100 and (g := step(r, i)[0])\n        r += 1",
    "e = [g for g in step(r, i)]\n        r += e[0]",
    "e = [e for e in step(r, i)]\n        r += e[0]",
    "e = (lambda: r)()\n        g = e; r += g",
    "e = 1\n        e += r\n        r = e",
    "if i == 3: continue\n        e = step(r, i)[0]\n        r += e",
    "if i == 3: break\n        e = step(r, i)[0]\n        r += e",
    "e = step(r, i)\n        if e[0] > 3: return e\n        r += 1",
    "for e in step(r, i): g = e\n        r += g",
    "for k in range(i): e = k\n        r += 1",
    "try: e = 1 / (i - 2)\n        except ZeroDivisionError: g = 1\n        r += 1",
    "e = g = step(r, i)[1]\n        r += g",
    "g, *e = step(r, i)\n        r += g",
)
ENDS = "return r", "return e", "return e, g, r", "return i, r", "return (lambda: e)(), r"


def step(r: float, i: int) -> tuple[float, float]:
    return r + i, r - i


def program(body: str, end: str) -> Any:
    text = f"def f(n):\n    r = 1.0\n    for i in range(n):\n        {body}\n    {end}\n"
    return function_of(text, f"<{body}; {end}>", {"step": step})


def outcome(f: Any, n: int) -> str:
    try:
        return repr(f(n))
    except (NameError, TypeError) as error:
        return f"{type(error).__name__}: {error}".partition("\n")[0]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("end", ENDS)
def test_agrees_with_plain(body: str, end: str) -> None:
    f = program(body, end)
    for n in (0, 1, 6, 30):
        assert outcome(ag.function(f), n) == outcome(f, n)


def test_it_is_run_as_it_was_written() -> None:
    traced: Any = ag.function(program("e, g = step(r, i)\n        r = r * 0.9", "return e, r"))
    concrete = traced.get_concrete_function(20_000)
    assert [d.kind for d in concrete.program.decisions] == ["run while tracing"]
