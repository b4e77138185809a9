"""Objects whose operators compare lists, and data classes in lists that the run makes."""

import dataclasses

import numpy as np

from tests.corpus.case import titled


class Rows:
    def __init__(self, rows):
        self.rows = [list(row) for row in rows]

    def __matmul__(self, other):
        return Rows([[sum(a * b for a, b in zip(row, column)) for column in zip(*other.rows)]
                     for row in self.rows])

    def __eq__(self, other):
        return self.rows == other.rows

    def __lt__(self, other):
        return self.rows < other.rows


def lists_compared_in_operators(x):
    a, b = Rows([x, x + 1]), Rows([x, x[::-1]])
    return (a @ Rows([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])).rows, a == b, a != b, a < b, b == b


@dataclasses.dataclass
class Mass:
    x: float
    v: float = 1.0
    alive: bool = True

    def step(self):
        self.x += self.v
        if self.x > 3:
            self.alive = False


def data_classes_that_the_run_selects(x):
    masses = [Mass(v) for v in x]
    for _ in range(2):
        for mass in masses:
            if mass.alive:
                mass.step()
        masses = [mass for mass in masses if mass.x > 0]
    return ([dataclasses.astuple(m) for m in masses], [dataclasses.asdict(m) for m in masses],
            [dataclasses.replace(m, v=0.0).v for m in masses if m.alive])


VECTORS = [(np.array([1.0, -2.0, 3.0]),), (np.array([1.0, 0.5, 8.0]),)]

CASES = [
    titled("lists compared in operators", lists_compared_in_operators, *VECTORS),
    titled("data classes that the run selects", data_classes_that_the_run_selects, *VECTORS),
]
