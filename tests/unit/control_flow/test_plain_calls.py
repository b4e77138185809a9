"""Functions that call themselves run as they were written where nothing symbolic is reachable."""

import functools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.function.dispatcher import Dispatcher
from autograph.staging import plain_loops

MEMO = {0: 0, 1: 1}
CALLS = [0]
SEEN: list[int] = []
CALL = Dispatcher.call


def lucas(n):
    if n == 0:
        return 2
    return 1 if n == 1 else lucas(n - 1) + lucas(n - 2)


def is_even(n):
    return n == 0 or is_odd(n - 1)


def is_odd(n):
    return n != 0 and is_even(n - 1)


def fibonacci(n):
    if n not in MEMO:
        MEMO[n] = fibonacci(n - 1) + fibonacci(n - 2)
    return MEMO[n]


def permutations(a, k, found):
    CALLS[0] = CALLS[0] + 1
    if k == len(a):
        found.append(a[:])
    for i in range(k, len(a)):
        a[k], a[i] = a[i], a[k]
        permutations(a, k + 1, found)
        a[k], a[i] = a[i], a[k]


def sorted_list(a):
    if len(a) < 2:
        return a
    first = a[0]
    return [*sorted_list([v for v in a[1:] if v < first]), first,
            *sorted_list([v for v in a[1:] if v >= first])]


def walk(n, out, *, by=1):
    if n > 0:
        walk(n - 1, out, by=by)
        out.append(n * by)
    return out


def sum_of_nest(nest):
    return sum(sum_of_nest(x) if isinstance(x, list) else x for x in nest)


def falls(n):
    if n == 0:
        raise ValueError("at the bottom")
    return falls(n - 1)


def endless(n):
    return endless(n + 1)


def numbers(x):
    return x * lucas(12), is_even(9), is_odd(9)


def a_table_in_a_branch(x):
    return x + fibonacci(9) if x > 1 else x


def lists_are_staged_afterwards(x):
    found = []
    permutations([1, 2, 3], 0, found)
    if x > 1:
        found.append(x)
        found[0].append(7)
    return found, found[-1] is found[0]


def arguments_grow(x):
    out, again = [], []
    if x > 1:
        walk(4, out)
    for i in range(3):
        if x > i:
            walk(2, SEEN, by=3)
    out.append(7)
    return out, walk(2, out) is out, walk(3, again, by=2), len(SEEN)


def plain_and_symbolic(x):
    return sorted_list([3, 1, 2]), sorted_list([3, 1, x, 2]), walk(2, [x]), sum_of_nest([1, [x, 2]])


def an_exception(x):
    try:
        falls(5)
    except ValueError as error:
        return x, str(error)
    return x, ""


def a_list_of_run_known_length(x):
    found = []
    while len(found) < x:
        found.append(1)
    total = sum_of_nest(found)
    for _ in range(9):
        total += len(found)
    return total, len(walk(2, found))


def a_loop_with_calls(x):
    found = []
    for i in range(9):
        found += [lucas(i) + len(walk(i, []))]
    if x > 1:
        found.append(x)
    return found


def functions_in_a_list(x):
    return x, [f(6) for f in (lucas, is_even, is_odd)], chosen([lucas, fibonacci], 6)


def chosen(functions, n):
    return functions[n % 2](n) if n < 1 else chosen(functions, n - 1) + functions[n % 2](n)


PROGRAMS = [numbers, a_table_in_a_branch, lists_are_staged_afterwards, arguments_grow,
            plain_and_symbolic, an_exception, a_list_of_run_known_length,
            a_loop_with_calls, functions_in_a_list]
HELPERS = [lucas, is_even, is_odd, fibonacci, permutations, sorted_list, walk, sum_of_nest, falls,
           chosen]
RUNTIME = {"effects": "runtime", "captures": "guard"}


def outcome(f: Callable[..., Any], x: float) -> str:
    result = f(np.float64(x))
    return repr((result, MEMO, SEEN))


@pytest.mark.parametrize("options", [{}, RUNTIME], ids=["default", "runtime"])
@pytest.mark.parametrize("decorated", [False, True], ids=["plain", "decorated"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_in_python(program: Callable[..., Any], decorated: bool, options: dict[str, Any],
                      monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    for f in (program, ag.function(program, **options)):
        if decorated and f is not program:
            for helper in HELPERS:
                monkeypatch.setitem(globals(), helper.__name__, ag.function(helper, **options))
        SEEN.clear()
        for n in [n for n in MEMO if n > 1]:
            del MEMO[n]
        found.append([outcome(f, x) for x in (2.5, 0.5, 3.5, 2.5)])
    assert found[0] == found[1]


def test_the_graph_makes_the_calls_if_effects_are_for_the_run() -> None:
    f = ag.function(lists_are_staged_afterwards, **RUNTIME)  # type: ignore[arg-type]
    for x in (2.5, 0.5, 2.5):
        CALLS[0] = 0
        f(np.float64(x))
        assert CALLS == [16]


def test_the_call_runs_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    looks = []
    reachable = plain_loops.Reachable
    monkeypatch.setattr(plain_loops, "Reachable", lambda most, take: (
        looks.append(most), reachable(most, take))[1])
    ag.function(numbers)(np.float64(1.0))
    assert len(looks) == 3


def test_calls_of_a_decorated_function_run_as_written(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(globals(), "lucas", ag.function(lucas))
    calls = []
    monkeypatch.setattr(Dispatcher, "call", lambda self, *args: (
        calls.append(args), CALL(self, *args))[1])
    f = ag.function(lambda x: x + lucas(14))
    assert f(1.0) == 844.0
    assert len(calls) == 1


def test_a_copy_of_the_attributes_of_a_decorated_function_does_not_count(
        monkeypatch: pytest.MonkeyPatch) -> None:
    inner = ag.function(lucas)
    monkeypatch.setitem(globals(), "lucas", functools.wraps(inner)(ag.function(sum_of_nest)))
    assert ag.function(lambda x: x + globals_of_lucas([1, [2]]))(1.0) == 4.0


def globals_of_lucas(nest):
    return lucas(nest) if nest else globals_of_lucas(nest)


def test_recursion_without_an_end() -> None:
    with pytest.raises(RecursionError):
        ag.function(lambda x: x + endless(0))(math.pi)


def rest(items, n):
    if n == 0:
        return items
    made = []
    for x in items:
        made += [-x]
    made = rest(made, n - 1)
    made.extend([n])
    return made


def test_lists_that_a_run_makes_are_pythons_own() -> None:
    """The names of the arguments are known when the graph runs: it calls the converted function."""
    def called(x):
        more = {}
        return rest([int(x[0]), int(x[1])], int(x[2]), **more), more

    result, _ = ag.function(called)(np.array([4, 5, 2]))
    assert type(result) is list
    assert result == [4, 5, 1, 2]
