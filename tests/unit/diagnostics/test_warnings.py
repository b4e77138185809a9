"""NumPy's warnings name the user's line, count as the module's, and obey errstate in each call."""

import traceback
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.program_files import program

EXECUTORS = ("python", "interpreter")
Told = list[tuple[str, int, str]]


def one_line(x):
    return np.log(x)


def several_lines(x):
    y = x + 1
    return (y *
            (1 / x)
            - np.sqrt(x - 1))


def branches(x):
    if x[0] > 0:
        return x / 0
    return np.log(x)


def loop(x):
    for _ in range(20):
        x = np.exp(x * 50)
    return x


def helper(x):
    return 1 / x


def with_helper(x):
    y = x * 2
    z = helper(y)
    return z - helper(x)


def numbers(x):
    total = x[0] * 0
    for v in x:
        total += v / 0
    return total


def integers(x):
    return x.astype(int) // 0


def in_numpy(x):
    return np.mean(x[:0]), np.std(x[:0])


def written(x):
    x /= 0
    return x


def large(x):
    y = np.repeat(x, 100_000)
    return np.sum(np.sqrt(y * 0 - 1) / y)


PROGRAMS = [one_line, several_lines, branches, loop, with_helper, numbers, integers, in_numpy,
            written, large]
CALLS = [np.array([1.0, 2.0])] * 6 + [np.array([0.0, -1.0])] * 2 + [np.array([1.0, 0.0])]
"""After a few calls guards recognise the trace, and a small graph is part of them."""


def told(function: Callable[..., Any], x: Any) -> Told:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function(x.copy())
    return sorted({(w.filename, w.lineno, str(w.message)) for w in caught})


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_file_and_line(program, executor):
    function = ag.function(program, executor=executor)
    assert any(told(program, x) for x in CALLS)
    for x in CALLS:
        assert told(function, x) == told(program, x)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_a_filter_by_module(executor):
    function = ag.function(one_line, executor=executor)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", module=__name__.replace(".", r"\."))
        for x in CALLS:
            function(x * 0)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_once_for_each_place(executor):
    """The registry is the module's, so that plain calls count as well."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        one_line(np.zeros(2))
        function = ag.function(one_line, executor=executor)
        for x in CALLS:
            function(x * 0)
    assert len(caught) == 1


@pytest.mark.parametrize("executor", EXECUTORS)
def test_as_an_error(executor):
    function = ag.function(several_lines, executor=executor)
    for x in CALLS:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            with pytest.raises(RuntimeWarning) as raised:
                function(x * 0)
        if executor == "python":
            last = traceback.extract_tb(raised.value.__traceback__)[-1]
            assert (last.name, last.line) == ("several_lines", "(1 / x)")


def inside(how):
    def f(x):
        with np.errstate(all=how):
            y = 1 / x
        return y + np.log(x)

    return f


@pytest.mark.parametrize("executor", EXECUTORS)
@pytest.mark.parametrize("how", ["ignore", "warn", "raise"])
@pytest.mark.parametrize("outside", ["ignore", "warn", "raise"])
def test_errstate(how, outside, executor):
    program = inside(how)
    function = ag.function(program, executor=executor)
    for x in CALLS:
        with np.errstate(all=outside):
            assert happens(function, x * 0) == happens(program, x * 0)
        assert happens(function, x * 0) == happens(program, x * 0)


@pytest.mark.parametrize("executor", EXECUTORS)
def test_errstate_calls(executor):
    function = ag.function(several_lines, executor=executor)
    for x in CALLS:
        calls: list[Any] = []
        with np.errstate(all="call", call=lambda kind, flag, calls=calls: calls.append(kind)):
            function(x * 0)
        assert calls == ["divide by zero", "invalid value"]


def happens(function: Callable[..., Any], x: Any) -> Any:
    try:
        return told(function, x)
    except FloatingPointError as error:
        return str(error)


def test_what_python_warned_of_in_a_text_is_not_told_again(tmp_path) -> None:
    """A module that Python loaded before, from its cache, is read in silence, or in an error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = program(tmp_path, r"""
            def f(x):
                "alpha \in A"
                for i in range(3):
                    if x.sum() > i and x is not 1:
                        x = x + i
                return x
        """)
    x = np.ones(2)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        f = ag.function(module.f)
        assert f(x).tolist() == ag.convert(module.f)(x).tolist() == module.f(x).tolist()
        assert "alpha" in str(f.explain(x)) and "alpha" in ag.to_code(module.f)
        assert ag.check(f, x)
