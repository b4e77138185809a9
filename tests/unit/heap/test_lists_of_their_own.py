"""A list that takes all its items from one value that only the run knows is a list of its own."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.state.small_programs import MODES


def of_a_range(x: Any) -> Any:
    out: list[Any] = []
    out.extend(range(int(x)))
    return out


def of_a_text(x: Any) -> Any:
    out: list[Any] = []
    out += str(x)
    out.append(1)
    return out, out[0]


def of_an_array(x: Any) -> Any:
    out: list[Any] = []
    array = np.arange(3) * x
    out.extend(array)
    array[0] = 7.0
    return out, array


def of_a_dict(x: Any) -> Any:
    out: list[Any] = []
    out.extend({i: i + 1 for i in range(int(x))})
    return out


def in_a_branch(x: Any) -> Any:
    out: list[Any] = []
    if x > 1:
        out.extend(range(int(x)))
    else:
        out += "ab"
    return out


def of_no_items(x: Any) -> Any:
    try:
        out: list[Any] = []
        out.extend(int(x))
    except TypeError as error:
        return str(error)
    return out


def copies(x: Any) -> Any:
    first = []
    for i in range(int(x)):
        first.append(i)  # noqa: PERF402
    second: list[Any] = []
    second.extend(first)
    return first, second, first.copy(), [] + first, first + [], [*first], first[:]  # noqa: RUF005


def sums(x: Any) -> Any:
    try:
        return [1] + (2,) * int(x)
    except TypeError as error:
        return str(error)


def sums_of_lists(x: Any) -> Any:
    first = [1] + ("a " * int(x)).split()  # noqa: RUF005
    return first, first + [2], [*first]  # noqa: RUF005


def extended_in_a_loop(x: Any) -> Any:
    out: list[Any] = []
    for i in range(int(x)):
        out.extend(range(i))
        out = out + [i]  # noqa: RUF005
    return out


def copies_that_change(x: Any) -> Any:
    first = list(range(int(x)))
    made = (list(first), list(list(first)), list.__add__(first, []), list(iter(first)))  # noqa: C414
    for k, copy in enumerate(made):
        copy.append(k)
    first.append(7)
    return first, *made


def chosen_copy(x: Any) -> Any:
    first = list(range(int(x)))
    second = list(first) if x > 2 else first
    second.append(7)
    return first, second


def asked_by_operators(x: Any) -> Any:
    first = list(range(int(x)))
    return list.__mul__(first, 2), list.__eq__(first, [0, 1]), list.__add__(first, first)


PROGRAMS = [of_a_range, of_a_text, of_an_array, of_a_dict, in_a_branch, of_no_items, copies, sums,
            sums_of_lists, extended_in_a_loop, copies_that_change, chosen_copy, asked_by_operators]


def outcome(f: Callable[[Any], Any], x: Any) -> str:
    result = f(x)
    different = {id(part) for part in result} if type(result) is tuple else ()
    return f"{result!r}, {len(different)} objects"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_as_plain(program: Callable[[Any], Any], mode: str) -> None:
    traced = ag.function(program, **MODES[mode])
    for x in map(np.float64, (2.0, 0.0, 3.0)):
        assert outcome(traced, x) == outcome(program, x)
