"""Programs of many branches and loops: as plain Python, or refused for the true reason."""

import itertools
import linecache
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.codegen.emitted import compiled


def function(lines: list[str]) -> Callable[..., Any]:
    text = "def f(x):\n" + "".join(f"    {line}\n" for line in lines)
    name = f"<{hash(text)}>"
    linecache.cache[name] = len(text), None, text.splitlines(keepends=True), name
    scope: dict[str, Any] = {"np": np}
    exec(compile(text, name, "exec"), scope)
    found: Callable[..., Any] = scope["f"]
    return found


def early_returns(count: int) -> list[str]:
    return [f"if x < {k}: return {k}.0" for k in range(count)] + ["return -1.0"]


def early_results(count: int) -> list[str]:
    """Each is computed in several lines."""
    found = []
    for k in range(count):
        found += [f"if x < {k}:", f"    y = np.sin(x) * {k}", "    return y * y"]
    return [*found, "return -x"]


def nested_whiles(count: int) -> list[str]:
    lines = ["total = 0.0"]
    for k in range(count):
        indent = "    " * k
        lines += [f"{indent}a{k} = x", f"{indent}while a{k} > 0:", f"{indent}    a{k} = a{k} - 1"]
    return [*lines, "    " * count + "total = total + 1", "return total"]


def nested_fors_with_break(count: int) -> list[str]:
    lines = ["total = 0.0"]
    for k in range(count):
        indent = "    " * k
        lines += [f"{indent}for a{k} in np.arange(2.0):", f"{indent}    if a{k} > x: break"]
    return [*lines, "    " * count + "total = total + 1", "return total"]


def operands(count: int, word: str = "and") -> list[str]:
    sign = -1 if word == "and" else 1
    return [f"return {f' {word} '.join(f'x > {sign * k}' for k in range(count))}"]


@pytest.mark.parametrize("lines", [
    early_returns(99), early_results(300), nested_whiles(7), nested_whiles(10),
    nested_fors_with_break(8), operands(99), operands(200), operands(200, "or"),
    [f"x = x + {k}" for k in range(500)] + ["return x"],
], ids=["early returns", "early results", "7 whiles", "10 whiles", "for and break", "and",
        "200 and", "200 or", "lines"])
def test_as_plain(lines: list[str]) -> None:
    f = function(lines)
    traced = ag.function(f)
    for x in (np.float64(1.0), np.float64(2.0), np.float64(-1.0)):
        assert repr(traced(x)) == repr(f(x))


def test_refused_for_the_true_reason() -> None:
    with pytest.raises(ag.errors.TracingError, match="nested more than 500 deep"):
        ag.function(function(early_returns(600)))(np.float64(2.0))


def test_a_long_chain_asks_for_the_truth_of_an_object_once() -> None:
    def lines(count: int) -> list[str]:
        return ["l = x.tolist()", "return " + " and ".join(f"l[{k % 3}]" for k in range(count))]

    x = np.array([1.0, 2.0, 3.0])
    assert ag.function(function(lines(130)))(x) == 1.0
    with pytest.raises(ag.errors.TracingError, match="a chain of 200 operands"):
        ag.function(function(lines(200)))(x)


def test_code_that_python_cannot_nest_is_refused() -> None:
    source = "def f(x):\n" + "".join(f"{' ' * k}while x:\n" for k in range(1, 31)) + " " * 31 + "0"
    with pytest.raises(ag.errors.TracingError, match="nests too deeply to be run as Python"):
        compiled(source, "<graph of f>", "f")


def calls_while_traced(lines: list[str]) -> int:
    f, count = function(lines), itertools.count()

    def note(frame: Any, event: str, argument: Any) -> None:
        if event in ("call", "c_call"):
            next(count)

    sys.setprofile(note)
    try:
        ag.function(f).get_concrete_function(np.float64(1.0))
    finally:
        sys.setprofile(None)
    return next(count)


@pytest.mark.parametrize("lines", [early_returns, early_results])
def test_early_returns_cost_the_same_each(lines: Callable[[int], list[str]]) -> None:
    calls_while_traced(lines(5))
    assert calls_while_traced(lines(200)) < 2.2 * calls_while_traced(lines(100))


def variable_bound_by_another_function(x: Any) -> Any:
    y = x * 2

    def get() -> Any:
        return y

    def put(value: Any) -> None:
        nonlocal y
        y = value

    if x[0] > 0:
        if x[1] > 0:
            put(x + 1)
        result = get() + y
    else:
        y = x - 1
        result = get()
    return result, get()


def array_written_in_a_chain(x: Any) -> Any:
    total = np.zeros(2)
    views = (total[1:],)

    def add(value: Any) -> None:
        views[0][:] += value

    if x[0] > 3:
        add(1)
    elif x[0] > 2:
        total[0] = 2
    elif x[0] > 1:
        return total + x
    elif x[1] > 1:
        add(4)
        total[0] += total[1]
    elif x[1] > 0:
        add(5)
    return total


@pytest.mark.parametrize("f", [variable_bound_by_another_function, array_written_in_a_chain])
def test_what_functions_share_in_chains_of_branches(f: Any) -> None:
    g = ag.function(f)
    for x in itertools.product((-1.0, 0.5, 1.5, 2.5, 3.5), repeat=2):
        assert repr(g(np.array(x))) == repr(f(np.array(x)))
