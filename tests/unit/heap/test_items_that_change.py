"""A list that a loop puts into another one, and changes: every place of it sees the change."""

from itertools import product

import pytest

from tests.corpus.state.small_programs import MODES
from tests.random.state_verdict import verdict
from tests.support.amount import sample

STARTS = ("list(range(b + 2))", "[1, 2, 3, 4]", "[k for k in range(b + 2)]")
CHANGES = ("if r: r.pop(0)", "r.append(i)", "if r: r[0] = i * 5", "r.clear()", "r.reverse()")
PUTS = ("held.append(r)", "held = held + [r]", "held.append((i, r))", "held.append([r])",
        "held.insert(0, r)", "for _ in range(b): held.append(r)", "if i % 2: held.append(r)")
READS = ("[len(x) for x in held]", "(sum(len(x) for x in held), r)", "held", "(held, r)",
         "len(held[0]) if held else 0", "[x is r for x in held]")
ORDERS = ("{change}\n        {put}", "{put}\n        {change}")

PROGRAMS = list(product(STARTS, CHANGES, PUTS, READS, ORDERS))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", sample(PROGRAMS, 42, "items that change"))
def test_they_are_those_of_python(program: tuple[str, ...], mode: str) -> None:
    start, change, put, read, order = program
    body = order.format(change=change, put=put)
    text = ("def make(): return ()\n\ndef kept(): return ()\n\ndef f(a, b):\n"
            f"    r, held = {start}, []\n    for i in range(b + 2):\n        {body}\n"
            f"    return {read}\n")
    found = verdict(text, f"<{program} {mode}>", mode)
    assert found == "right", found
