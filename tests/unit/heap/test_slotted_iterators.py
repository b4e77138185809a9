"""An iterator of a user's class with `__slots__` is an object as others are."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES


class Count:
    __slots__ = ("given", "n")

    def __init__(self) -> None:
        self.n, self.given = 0, list[int]()

    def __iter__(self) -> Iterator[int]:
        return self

    def __next__(self) -> int:
        if self.n > 3:
            raise StopIteration
        self.n += 1
        self.given.append(self.n)
        return self.n


class Derived(Count):
    __slots__ = ()


def read_in_a_branch(x: Any, it: Any) -> Any:
    total = 0.0
    if x > 1:
        total += next(it)
    for v in it:
        total += v
        if total > x:
            break
    return total, it


def made_and_read(x: Any, it: Any) -> Any:
    made = type(it)()
    if x > 1:
        next(made)
    return made.n, list(made), made.given, it


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("cls", [Count, Derived])
@pytest.mark.parametrize("function", [read_in_a_branch, made_and_read])
def test_it_is_the_same_object_with_the_same_state(
        function: Callable[..., Any], cls: type[Count], mode: str) -> None:
    traced = ag.function(function, **MODES[mode])
    one, other = cls(), cls()
    for x in map(np.float64, (2.0, 0.0, 9.0)):
        *expected, _ = function(x, one)
        *found, returned = traced(x, other)
        assert found == expected
        assert returned is other
        assert (other.n, other.given) == (one.n, one.given)
