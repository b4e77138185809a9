"""Records, tuples and objects that are compared: sorted, looked for, counted, taken out."""

from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

import numpy as np

from tests.corpus.case import Case


@dataclass
class Job:
    cost: object
    name: object


@dataclass(order=True)
class Version:
    major: object
    minor: object


@dataclass(frozen=True, order=True)
class Weight:
    grams: object
    count: object


class Point(NamedTuple):
    x: object
    y: object


class Vector:
    __slots__ = ("x", "y")

    def __init__(self, x, y):
        self.x, self.y = x, y

    @classmethod
    def of(cls, pair):
        return cls(pair[0], pair[1])

    @property
    def length(self):
        return (self.x ** 2 + self.y ** 2) ** 0.5

    def __eq__(self, other):
        return self.x == other.x and self.y == other.y

    def __hash__(self):
        return hash((self.x, self.y))

    def __lt__(self, other):
        return self.length < other.length

    def __len__(self):
        return 2

    def __getitem__(self, axis):
        return self.x if axis == 0 else self.y

    def __iter__(self):
        yield self.x
        yield self.y

    def __contains__(self, value):
        return value == self.x or value == self.y


def tuples_in_a_list(x):
    pairs = [(v, i) for i, v in enumerate(x)]
    seen = (x[1], 1) in pairs, (x[1], 2) in pairs, (1.0, 0) not in pairs
    return seen, pairs.index((x[2], 2)), pairs.count((x[0], 0))


def taken_out_of_a_list(x):
    pairs = [(v, 1) for v in x]
    pairs.remove((x[1], 1))
    return pairs, pairs.index((x[2], 1))


def lists_of_records(x):
    ours, theirs = [Job(v, v) for v in x], [Job(v, 1.0) for v in x]
    return ours == theirs, ours[0] == theirs[0], ours[0] != theirs[0], ours != ours[::-1]


def records_in_a_list(x):
    jobs = [Job(v, v) for v in x]
    return Job(x[0], 1.0) in jobs, jobs.index(Job(x[1], x[1])), jobs.count(Job(x[0], x[0]))


def records_in_order(x):
    versions = [Version(v, i) for i, v in enumerate(x)]
    first, last = min(versions), max(versions)
    return [v.minor for v in sorted(versions)], first.minor, last.minor, versions[0] < versions[1]


def larger_of_two_records(x):
    first, second = Version(x[0], 1), Version(x[1], 2)
    return max(first, second).minor, first <= second


def a_sorted_record_is_the_record(x):
    versions = [Version(v, 0) for v in x]
    sorted(versions)[0].minor = 7
    return [v.minor for v in versions]


def frozen_records_in_order(x):
    weights = [Weight(v, i) for i, v in enumerate(x)]
    return [w.count for w in sorted(weights, reverse=True)], max(weights).count


def named_tuples_in_order(x):
    points = [Point(v, -v) for v in x]
    return [p.y for p in sorted(points)], min(points).x, Point(x[0], -x[0]) in points


def sorted_pairs(keys, x):
    total = 0.0
    for key, value in sorted(zip(keys, x)):
        total = total * 2 + key * value
    return total, [v for _, v in sorted(zip(keys, x), reverse=True)]


def sorted_in_place(x):
    jobs = [Job(v, i) for i, v in enumerate(x)]
    jobs.sort(key=lambda job: (job.cost, -job.name))
    return [job.name for job in jobs], max(jobs, key=lambda job: job.cost).name


def vectors_compared(x):
    a, b = Vector(x[0], x[1]), Vector.of(x[1:])
    return a == b, a != b, a < b, a > b, x[1] in a, len(a), list(a), max(a)


def vectors_in_order(x):
    vectors = [Vector(v, 2.0) for v in x]
    vectors.sort()
    return [v.x for v in vectors], min(vectors).x, Vector(x[0], 3.0) in vectors


def part_of_a_vector(x):
    vector = Vector(x[0], x[1])
    return vector[int(x[0] > 1)], vector[0] + vector[1]


class Color(Enum):
    RED = 1
    GREEN = 2


def members_as_keys(x):
    counts = {Color.RED: 0, Color.GREEN: 0}
    for v in x:
        color = Color.RED if v > 1 else Color.GREEN
        counts[color] += 1
    return counts[Color.RED], counts[Color.GREEN]


class Account:
    def __init__(self, balance):
        self.balance = balance

    def withdraw(self, amount):
        if amount > self.balance:
            raise ValueError("insufficient funds")
        self.balance = self.balance - amount

    def deposit(self, amount):
        if amount <= 0:
            raise ValueError("not an amount")
        self.balance += amount


def bank(who, amounts):
    accounts, failed = [Account(50.0), Account(100.0)], 0
    for k in range(len(who)):
        try:
            accounts[who[k]].withdraw(amounts[k])
        except ValueError:
            failed += 1
    return [account.balance for account in accounts], failed


def transfers(who, amounts):
    accounts, log = {0: Account(50.0), 1: Account(100.0)}, []
    for k in range(len(who)):
        account = accounts[int(who[k])]
        try:
            account.withdraw(amounts[k])
            accounts[1 - int(who[k])].deposit(amounts[k])
        except ValueError as error:
            log.append(str(error))
        else:
            log.append("done")
    return [account.balance for account in accounts.values()], log


def flags_in_bytes(x):
    flags = bytearray(len(x) + 1)
    for k, v in enumerate(x):
        if v > 1:
            flags[k] = 1
        flags[-1] += int(v)
    return flags, flags.count(1), bytes(flags)


A, B = np.array([3.0, 1.0, 2.0]), np.array([1.0, 1.0, 1.0])
WHO, OTHERS = np.array([0, 1, 0]), np.array([1, 1, 0])

CASES = [
    *[Case(f, (A,), (B,)) for f in (
        tuples_in_a_list, taken_out_of_a_list, lists_of_records, records_in_a_list,
        records_in_order, larger_of_two_records, a_sorted_record_is_the_record,
        frozen_records_in_order, named_tuples_in_order, sorted_in_place, vectors_compared,
        vectors_in_order, part_of_a_vector, members_as_keys, flags_in_bytes)],
    Case(sorted_pairs, (WHO, A), (OTHERS, B)),
    *[Case(f, (WHO, np.array([10.0, 200.0, 60.0])), (OTHERS, np.array([10.0, 20.0, -6.0])))
      for f in (bank, transfers)],
]
