"""Objects that the run selects, or that hold its values, are compared by Python's builtins."""

import collections
import dataclasses
import enum
import functools
import math


class Grade(enum.IntEnum):
    LOW = 0
    MID = 1
    HIGH = 3

    @classmethod
    def of(cls, v):
        for g in sorted(cls, reverse=True):
            if v >= g:
                return g
        return cls.LOW


class Value:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return self.v < other.v

    def __gt__(self, other):
        return self.v > other.v

    def __eq__(self, other):
        return self.v == other.v


@functools.total_ordering
class Ordered:
    def __init__(self, v):
        self.v = v

    def __lt__(self, other):
        return self.v < other.v

    def __eq__(self, other):
        return self.v == other.v


@dataclasses.dataclass(order=True)
class Record:
    v: float
    n: int = 0


def greatest(x):
    return max([Grade.HIGH if v > 1 else Grade.LOW for v in x])


def in_order(x):
    return sorted([Grade.HIGH if v > 1 else Grade.LOW for v in x])


def least_of_two(x):
    return min(Grade.HIGH if x[0] > 1 else Grade.LOW, Grade.MID)


def contained_and_summed(x):
    made = [Grade.HIGH if v > 1 else Grade.LOW for v in x]
    return Grade.HIGH in made, sum(made)


def counted(x):
    made = [Grade.of(v) for v in x]
    return made, [g.name for g in made], collections.Counter(made)[Grade.HIGH], max(made)


def found_in_an_iterator(x):
    for g in reversed([Grade.LOW, Grade.MID]):
        if x[0] >= g.value:
            m = g
            break
    else:
        m = Grade.HIGH
    return m, collections.Counter([m])


def greatest_value(x):
    return max([Value(v) for v in x]).v


def values_in_order(x):
    return [q.v for q in sorted([Value(v) for v in x])]


def totally_ordered(x):
    return min([Ordered(v) for v in x]).v, max(Ordered(x[0]), Ordered(x[1])).v


def records_in_order(x):
    return [q.v for q in sorted([Record(v, 1) for v in x], reverse=True)]


def greatest_record(x):
    return max([Record(v, 1) for v in x]).v


def records_sorted(x):
    made = [Record(v) for v in x]
    made.sort()
    return made


def selected_value(x):
    p, q = Value(1.0), Value(2.0)
    m = p if x[0] > 0 else q
    return max(m, q).v, min([q, m]).v


def reduced(x):
    return functools.reduce(math.gcd, [int(abs(v)) * 6 for v in x])


SETS: dict = {}
