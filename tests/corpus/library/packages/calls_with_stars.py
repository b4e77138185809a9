"""Calls with stars where only the run knows how many arguments there are, by what is called."""

import functools
import operator
from collections import Counter, OrderedDict
from dataclasses import dataclass
from typing import NamedTuple


class Row(NamedTuple):
    a: float = 0
    b: float = 0
    c: float = 0


@dataclass
class Record:
    a: float = 0
    b: float = 0
    c: float = 0


class Inherited(Record):
    pass


class Table(dict):
    pass


class Scaled:
    def __init__(self, by):
        self.by = by

    def __call__(self, *values, **named):
        return len(values) * self.by, named

    @classmethod
    def made(cls, *values, **named):
        return values, named


def _named(x):
    return {name: v for name, v in zip("abc", x) if v > 0}


def _some(x):
    return [v for v in x[:3] if v > 0]


def partial_function(x):
    def pick(v, **more):
        return more.get("a") if v > 0 else (v, sorted(more))
    return functools.partial(pick, **_named(x))(x[2]), functools.partial(max, *_some(x))(0.5, 0.25)


def partial_class(x):
    return functools.partial(dict, **_named(x))(z=1)


def named_tuple(x):
    rows = []
    for v in x:
        given = (v,) if v > 0 else ()
        rows.append(Row(*given))
    return Row(**_named(x)), rows


def data_class(x):
    return Record(**_named(x)), Inherited(*_some(x)), Record(*_some(x)[:2], c=5)


def class_of_a_dict(x):
    return Table(**_named(x)), OrderedDict(**_named(x)), Counter(**_named(x)).total()


def error(x):
    return ValueError(*_some(x)).args


def object_that_is_called(x):
    return Scaled(x[0])(*_some(x), **_named(x)), Scaled.made(*_some(x), **_named(x))


def items_by_some_numbers(x):
    return operator.itemgetter(0, *[int(v) for v in x if v > 0])(list(range(99)))


SETS: dict[str, list[tuple[object, ...]]] = {}
