"""Symbolic values that are given to Python's library, and objects of it that the program derives
from, in both modes.

A third of the programs runs each time; all of them with AUTOGRAPH_TESTS=1000.
"""

import configparser
import csv
import io
import itertools
import math
import operator
import random
import sys
import warnings
import xml.etree.ElementTree as ElementTree
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.replacements.closed_libraries import closed
from tests.corpus.library.test_packages import Fn
from tests.corpus.state.small_programs import MODES
from tests.support.amount import sample
from tests.support.beside_plain import verdict


class Shuffled(random.Random):
    def both(self, n):
        y = self.some(n)
        return y / (y + self.some(n)) if y else 0.0

    def some(self, n):
        draw = self.random
        while True:
            u = draw()
            if u > 0.9 or u * n > 0.5:
                return u


class Text(io.StringIO):
    pass


class Counting(itertools.count):
    pass


class Ratio:
    def __init__(self, n):
        self.n = n

    def __hash__(self):
        return hash(pow(self.n, -1, sys.hash_info.modulus))


class TooLarge(Exception):
    pass


def texts_of(x):
    return [str(int(v)) for v in x.tolist()]


def read_by_c(x):
    return list(csv.reader([",".join(texts_of(x)), "a,b"]))


def read_as_dicts(x):
    return list(csv.DictReader(["a,b", ",".join(texts_of(x)[:2])]))


def asked_for_its_class(x):
    made = configparser.ConfigParser()
    made.read_dict({"a": {"b": 1}})
    made.set("a", "b", texts_of(x)[0])
    return made["a"]["b"]


def encoded(x):
    return bytes(texts_of(x)[0], "ascii"), bytearray(texts_of(x)[1], "utf-8")


def compiled(x):
    return compile(texts_of(x)[0] + " + a", "<text>", "eval").co_names


def hinted(x):
    return operator.length_hint(iter(x.tolist()))


def shown_as_an_object(x):
    return object.__repr__(x.tolist()[0]).partition(" object")[0]


def hashed(x):
    return hash(Ratio(int(x[1]) + 1))


def text_in_a_variable(x):
    if x[0] > 1:
        message = "%d is over %s"
        raise TooLarge(message % (x[0], 1))
    return x % (1, 2, 3, 4, 5)


def classes_of_the_run(x):
    t = type(x.tolist()[0])
    return issubclass(t, float), issubclass(t, (int, str)), issubclass(int, object)


def bound_for_itself(x):
    values, mean = x.tolist(), x.mean()
    return (math.fsum((d := v - mean) * d for v in values),
            sum(y for v in values if v > 1 and (y := v * v) > 2),
            any((d := v) > 3 and d < 4 for v in values))


def five_parts(x):
    rows = [(v, 1, 2, 3, 4) for v in x.tolist() if v > 0.6]
    return any(v > 2 for v, _, _, _, _ in rows), [a + e for a, b, c, d, e in rows]


def drawn_in_a_branch(x):
    made = Shuffled(5)
    y = [made.choice([1, 2, 3]) for _ in range(3)]
    if x[0] > 0.5:
        made.shuffle(y)
        made.gauss(0, 1)
    return y, made.random()


def drawn_in_loops(x):
    return Shuffled(5).both(x[0] + 0.75), Shuffled(5).some(x[1])


def written_in_a_branch(x):
    made = Text()
    made.write("a")
    if x[0] > 0.5:
        made.write("b")
    return made.getvalue()


def counted_in_a_branch(x):
    made = Counting(3)
    if x[0] > 0.5:
        next(made)
    return next(made)


def given_to_c_in_a_branch(x):
    made = ElementTree.Element("a")
    if x[0] > 0.5:
        ElementTree.SubElement(made, "b")
    return ElementTree.tostring(made)


PROGRAMS = [f for f in list(vars().values()) if getattr(f, "__module__", "") == __name__
            and not isinstance(f, type) and f is not texts_of]
SETS = [((np.arange(5.0) + k / 2,), {}) for k in range(3)]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("f", sample(PROGRAMS, 3))
def test_agrees(f: Fn, mode: str) -> None:
    found = verdict(f, SETS, mode)
    assert (found.kind, found.calls) == ("same", len(SETS) + 1), found


class Answering:
    """As `polars.col`: there is no attribute that it does not have."""

    def __getattr__(self, name):
        return [name]

    def __call__(self, name):
        return name


def test_an_object_that_has_every_attribute_can_be_called_by_the_run() -> None:
    assert closed(Answering())("a") == "a"


def test_a_method_of_another_class_says_nothing_of_one_of_the_library() -> None:
    """`random.shuffle` is a method, too: the run draws, and not the trace."""
    def shuffled(x: np.ndarray) -> list[Any]:
        items = list(x)
        random.shuffle(items)
        return items

    def draws(f: Fn) -> list[Any]:
        random.seed(3)
        return [(f(np.arange(6.0)), random.random()) for _ in range(3)]

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ag.FallbackWarning)
        ag.function(drawn_in_a_branch)(np.array([1.0, 2.0]))
    assert draws(ag.function(shuffled)) == draws(shuffled)
