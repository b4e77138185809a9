"""Programs over data classes and containers that contain themselves and hold plain values."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

import autograph as ag


@dataclass
class Node:
    data: Any
    after: Node | None = field(default=None, compare=False)


@dataclass
class Ring:
    head: Node | None = None

    def __iter__(self) -> Iterator[Any]:
        node = self.head
        while node:
            yield node.data
            node = node.after
            if node is self.head:
                break

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def insert(self, data: Any) -> None:
        new = Node(data)
        if self.head is None:
            new.after = self.head = new
        else:
            new.after, self.head.after = self.head.after, new


def filled() -> Ring:
    ring = Ring()
    for i in range(4):
        ring.insert(i)
    return ring


def counted(x: Any) -> Any:
    return len(filled()) + x


def read_by_a_generator(x: Any) -> Any:
    return sum(item * 2 for item in filled()) * x


def in_a_branch(x: Any) -> Any:
    ring = filled()
    if x > 1:
        x = x + len(ring)
    return x


def given_to_a_library(x: Any) -> Any:
    return functools.reduce(lambda a, b: a + b, filled()) + x + max(filled(), key=lambda n: -n)


def of_a_list(x: Any) -> Any:
    ring: list[Any] = [1, 2]
    ring.append(ring)
    return len(ring[2][2]) + x


@pytest.mark.parametrize("program", [
    counted, read_by_a_generator, in_a_branch, given_to_a_library, of_a_list])
@pytest.mark.parametrize("options", [{}, {"effects": "runtime", "captures": "guard"}], ids=str)
def test_as_in_python(program: Callable[..., Any], options: dict[str, Any]) -> None:
    f = ag.function(program, **options)
    for value in (0.0, 3.0, 4.0):
        assert f(np.float64(value)) == program(np.float64(value))


def test_after_a_tape() -> None:
    """Once a process has used a tape, calls look for its arrays in their arguments."""
    with ag.GradientTape() as tape:
        x = np.ones(2)
        tape.watch(x)
    ring: list[Any] = [1, 2]
    ring.append(ring)
    assert ag.function(lambda items, x: items[2][0] + x)(ring, np.float64(3)) == 4
