"""A container in a value of unknown length is still the one that a variable leads to."""

from itertools import product
from textwrap import indent

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.picture import Picture
from tests.corpus.state.small_programs import MODES
from tests.corpus.state.verdict import load
from tests.support.amount import sample

HEAD = """
class One:
    def __init__(self, v): self.v = [v]
"""

KINDS = ("[{}]", "{{1: {}}}", "One({})", "[[{}]]")
"""How the container is made that is put into the list and bound to a variable."""

PUTS = (
    "r = r + [w]", "r = [*r, w]", "r.append(w)", "r.insert(0, w)", "r += [w]", "r[:0] = [w]",
    "r = [w] + r[:2]", "r = r + [(w, 1)]", "r = r + [[w, 1]]", "r = [*r[-2:], w]",
    "r.extend([w, w])")
STARTS = ("r = [x]", "r = list(range(int(x)))", "r = p", "r = p[:int(x)]")
REGIONS = (
    "if x > 3:\n    BOTH\nelse:\n    r = [w]\n",
    "if x > 3:\n    BOTH\n",
    "while x > 3:\n    BOTH\n    x -= 1\n",
    "for i in range(int(x)):\n    if i > 1:\n        BOTH\n",
)
ENDS = ("return r, w", "w_ = w\nreturn p, r, [w_]", "return any(w is v for v in r), w",
        "r.append(w)\nreturn r")

TABLE = sample(list(product(KINDS, PUTS, STARTS, REGIONS, ENDS)), 120)


def source(kind: str, put: str, start: str, region: str, end: str) -> str:
    both = f"w = {kind.format('x')}\n{put}"
    lines = [line for one in region.split("\n") for line in (
        indent(both, one[:one.index("BOTH")]).split("\n") if "BOTH" in one else [one])]
    body = "\n".join([f"w = {kind.format('0')}", start, *lines, end])
    return f"{HEAD}\ndef f(p, x):\n{indent(body, '    ')}\n"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("row", TABLE, ids=str)
def test_a_container_in_a_value_is_the_one_of_the_variable(row, mode):
    text = source(*row)
    plain, other = load(text, "<container>")["f"], load(text, "<container>")["f"]
    traced = ag.function(other, **MODES[mode])
    for x in map(np.int64, (1, 5, 2)):
        expected, found = [1, 2], [1, 2]
        result = traced(found, x)
        assert Picture().of((result, found)) == Picture().of((plain(expected, x), expected)), text
