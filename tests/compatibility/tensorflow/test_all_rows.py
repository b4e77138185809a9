"""Counts the rows that have a test against the numbering of the rows."""

import re
from pathlib import Path

SECTIONS = {
    "1.1 arguments": range(1, 17),
    "1.2 the decorated object": range(17, 34),
    "1.3 ConcreteFunction": range(34, 48),
    "1.4 graphs, FunctionType, TensorSpec": range(48, 58),
    "1.5 cache key": range(58, 79),
    "1.6 retracing": range(79, 82),
    "1.7 captures": range(82, 89),
    "1.8 variables": range(89, 100),
    "1.9 execution": range(100, 119),
    "1.10 statements": range(119, 161),
    "1.11 control-flow operations": range(161, 171),
    "1.13 nesting, switches, debugging, random numbers": range(179, 189),
}
"""Gradients (171 to 178), export (189 to 193) and speed (194 to 200) have tests of their own."""

CASES = set(range(1, 15)) - {10, 11}
"""What is silently wrong elsewhere; 10 and 11 are about gradients."""

TEXT = "\n".join(path.read_text() for path in sorted(Path(__file__).parent.glob("test_*.py")))


def numbers(word):
    return {int(n) for n in re.findall(rf"^def test_{word}_(\d+)_\w", TEXT, re.MULTILINE)}


def test_every_row_has_a_test():
    wanted = {n for rows in SECTIONS.values() for n in rows}
    assert sorted(wanted - numbers("row")) == [] == sorted(numbers("row") - wanted)
    assert len(wanted) == 180


def test_every_silent_mistake_has_a_test():
    assert numbers("case") == CASES
