"""Plain code that calls `re`, `json`, `fractions` and their like gives what plain Python gives."""

import fractions
import json
import re
import shlex
import string
import textwrap
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.staging import plain_loops

PAIRS = re.compile(r"(\w)(\d+)")
match = PAIRS.match
OPTIONS: list[dict[str, Any]] = [{}, {"effects": "runtime", "captures": "guard"}]


class Counter:
    def __init__(self):
        self.n = 0
        self.seen = []

    def up(self, m):
        self.n += 1
        self.seen.append(m.group())
        return f"<{m.group(2)}>"

    def replaced(self, text):
        return PAIRS.sub(self.up, text)


class Encoder(json.JSONEncoder):
    def default(self, x):
        x.n += 1
        return {"n": x.n}


class Counted(Fraction):
    added = 0

    def __add__(self, other):
        Counted.added += 1
        return Counted(Fraction.__add__(self, other))


def method(c):
    return c.replaced("a1b2c3")


def nonlocal_of_a_callback(c):
    n = 0

    def numbered(m):
        nonlocal n
        n += 1
        return str(n)

    return PAIRS.sub(numbered, "a1b2"), n


def found_one_by_one(c):
    for m in PAIRS.finditer("a1b2"):
        c.n += int(m.group(2))
    return c.n


def kept_matches(c):
    found = list(PAIRS.finditer("a1b2"))
    c.seen.append(found[0].group())
    return [m.span() for m in found], match("a1").groups()


def read_in_part(c):
    found = PAIRS.finditer("a1b2c3")
    next(found)
    return found


def default_of_json(c):
    seen = []

    def default(x):
        seen.append(type(x).__name__)
        return vars(x)

    return json.dumps({"c": c}, default=default), seen


def encoder_of_json(c):
    return json.dumps([c], cls=Encoder), c.n


def hook_of_json(c):
    made = []
    json.loads('{"a": {"b": 1}}', object_hook=made.append)
    return made


def rational(c):
    total, parts = Fraction(0), []
    for i in range(1, 9):
        total += Fraction(1, i)
        parts.append(total)
    return total, parts, fractions.Fraction("1/3")


def derived_rational(c):
    total = Counted(1, 2)
    for _ in range(4):
        total = total + 1
    return total, Counted.added


def template(c):
    made = string.Template("$a-$b")
    made.extra = c.n
    return made.extra, made.substitute(a=1, b=2)


def texts(c):
    return textwrap.wrap("abc def ghi", 6), shlex.split("a 'b c'"), [*shlex.shlex("a b")]


def not_a_pattern(c):
    c.n += 1
    return re.compile("(")


HELPERS = [method, nonlocal_of_a_callback, found_one_by_one, kept_matches, read_in_part,
           default_of_json, encoder_of_json, hook_of_json, rational, derived_rational, template,
           texts, not_a_pattern]
"""Each takes an object of which it may change the attributes."""


def at_once(helper, x, c):
    return helper(c), x


def in_a_branch(helper, x, c):
    found = []
    if x[0] > 1:
        found.append(helper(c))
    return len(found), x


def in_a_loop(helper, x, c):
    i = 0
    while i < x[0]:
        helper(c)
        i += 1
    return i


def seen(nest):
    if hasattr(nest, "__next__"):
        nest = [*nest]
    if isinstance(nest, (list, tuple)):
        return [seen(x) for x in nest]
    return re.sub(" at 0x[0-9a-f]+", "", f"{type(nest).__name__} {nest!r}")


def calls(function, helper):
    """What four calls return or raise, and what they leave in the object that they are given."""
    counter, found, Counted.added = Counter(), [], 0
    for first in (1.0, 3.0, 0.0, 3.0):
        try:
            found.append(seen(function(helper, np.array([first, 2.0]), counter)))
        except Exception as error:
            found.append(f"{type(error).__name__}: {str(error).splitlines()[0]}")
        found.append((counter.n, [*counter.seen]))
    return found


@pytest.mark.parametrize("options", OPTIONS, ids=["default", "runtime"])
@pytest.mark.parametrize("use", [at_once, in_a_branch, in_a_loop])
@pytest.mark.parametrize("helper", HELPERS)
@pytest.mark.filterwarnings("ignore")
def test_as_in_plain_python(helper, use, options):
    found, wanted = calls(ag.function(use, **options), helper), calls(use, helper)
    if (helper, use, options) == (derived_rational, at_once, {}):
        assert found[0] == wanted[0]  # such an effect outside the arguments happens while tracing
    else:
        assert found == wanted


@pytest.mark.parametrize("helper", [rational, found_one_by_one, default_of_json])
def test_they_run_as_written(helper, monkeypatch):
    ran = []
    as_written = plain_loops._as_written

    def noted(function, *rest):
        made = as_written(function, *rest)
        ran.append(made is not NotImplemented)
        return made

    monkeypatch.setattr(plain_loops, "_as_written", noted)
    ag.function(lambda x: (helper(Counter()), x))(1.0)
    assert ran[0]
