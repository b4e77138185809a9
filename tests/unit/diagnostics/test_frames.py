"""The frames of errors in graphs are as debuggers, notebooks and profilers expect frames to be."""

from __future__ import annotations

import dis
import functools
import io
import os
import pdb
import subprocess
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.house.checkout import ROOT


def index(x, i):
    y = x * 2
    z = y[i] + 1
    return z


def in_memory_used_again(x, i):
    a = x + 1
    b = a * 2
    c = np.sqrt(b)
    d = c - 1
    return d[i]


def in_a_loop(x, i):
    total = 0.0
    for k in range(len(x)):
        total += x[k]
        if total > 5:
            total = total + x[i]
    return total


def in_a_called_function(x, i):
    y = x - 1
    return index(y, i) + y


def after_a_called_function(x, i):
    y = np.exp(index(x, 0) * x * 0)
    x = y + 3
    return x[i]


def in_a_comprehension(x, i):
    y = [x[k] for k in range(3)]
    z = [y[0] + x[i + k] for k in range(2)]
    return z


def in_a_condition(x, i):
    y = x.sum()
    if y > 0 and x[i] > 0:
        y = y + 1
    return y


def that_an_assertion_raises(x, i):
    y = x.sum() + i
    assert y < 0, "too large"
    return y


def that_the_user_raises(x, i):
    y = x.sum()
    if y > 0:
        raise ValueError(
            "not positive")
    return y


@ag.convert
def decorated(x, i):
    y = x + 1
    return y[i]


def not_a_shape(x, i):
    y = x[:3]
    return y + x.reshape(2, -1)


def while_tracing(x, i):
    y = x + 1
    z = {}
    return z["missing"] + y


def item(x, k):
    doubled = x * 2
    return doubled[k]


def through_three_calls(x, i):
    def inner(y, *, k=0):
        return item(y, k) + 1
    return inner(x, k=i) + 1


def in_the_second_of_two_calls(x, i):
    a = item(x, 0)
    b = item(x, 1) + (
        item(x, i))
    return a + b


def in_a_call_in_a_loop(x, i):
    total = 0.0
    for k in range(3):
        if x[k] >= 0:
            total += item(
                x, i + k)
    while total > 0:
        total -= item(x, i)
    return total


def in_a_loop_of_a_call(x, i):
    y = x + 1
    return in_a_call_in_a_loop(y, i)


def in_recursion(x, i, depth=3):
    if depth == 0:
        return item(x, i)
    return in_recursion(x + 1, i, depth - 1)


class Shelf:
    def __init__(self, x):
        self.x = x

    def __getitem__(self, k):
        return item(self.x, k)

    @property
    def last(self):
        return self[10 * len(self.x)]


def in_a_method(x, i):
    shelf = Shelf(x + i)
    return shelf.last


def while_tracing_a_block(x, i):
    y = x + i
    while y.sum() > 0 and x.missing > 1:
        y = y - 1
    return y


def while_tracing_a_call_in_blocks(x, i):
    def look_into(z):
        for k in range(2):
            if z.sum() > k:
                z = z + (z.missing if z[k] > 0 else 1)
        return z
    if x.sum() > 0:
        return look_into(x)
    return x


def that_a_lambda_raises(x, i):
    by = (
        lambda v: item(v, i))
    return by(x)


def positive(y):
    if y.sum() > 0:
        raise ValueError("positive")
    return y


def that_a_called_function_raises(x, i):
    y = x + i
    return positive(y)


def that_a_generator_calls(x, i):
    def items():
        for k in range(3):
            yield item(x, i + k)
    return sum(items())


def that_a_library_calls(x, i):
    numbers = np.array([0, 1]) + i
    return np.vectorize(functools.partial(item, x))(numbers)


def differs(v, k, i):
    w = v * k
    if k > 1:
        out = w[i]
    else:
        out = w[0]
    return out


def where_iterations_differ(x, i):
    total = 0.0
    for k in range(len(x)):
        total += differs(x, k, i)
    return total


def branches(y, k):
    if y.sum() > 3:
        return item(y, k)
    return y


def in_a_call_of_a_branch(x, i):
    y = x + i
    return branches(y, i) + branches(x, i)


class Box:
    def __init__(self, x):
        self.x = x

    def take(self, k, by):
        doubled = by * 2
        if by[0] > 0:
            return doubled[k]
        return by

    def item(self, by, k):
        if k > 0:
            by = self.take(k, by)
        return by


def in_a_method_in_a_branch(x, i):
    box = Box(x)
    return box.item(x + 1, i)


def in_two_branches_of_a_call(x, i):
    def look(x, k):
        if x.sum() > 0:
            doubled = x + x
            if doubled[1] > 0:
                x = doubled[k]
        else:
            x = x + 1
        return x
    y = look(x - 100, i)
    return look(y + 200, i)


PROGRAMS = [index, in_memory_used_again, in_a_loop, in_a_called_function, after_a_called_function,
            in_a_comprehension, in_a_condition, that_an_assertion_raises, that_the_user_raises,
            decorated, not_a_shape, while_tracing, while_tracing_a_block,
            while_tracing_a_call_in_blocks, that_a_lambda_raises,
            through_three_calls, in_a_loop_of_a_call, in_the_second_of_two_calls,
            in_a_call_in_a_loop, in_recursion, in_a_method,
            that_a_called_function_raises, that_a_generator_calls, that_a_library_calls,
            where_iterations_differ, in_a_call_of_a_branch, in_a_method_in_a_branch,
            in_two_branches_of_a_call]
WITHOUT_VARIABLES = [in_memory_used_again, that_a_called_function_raises]
"""Of what these raise on, no variable of the generated code has the value any more."""
WITH_ALL_VARIABLES = [index, in_a_condition, in_a_call_of_a_branch]
"""The function that fails has all its variables."""
KNOWN = {"index": "y", "item": "doubled", "take": "doubled", "look": "doubled", "differs": "w",
         "look_into": "z"}
"""A variable that is known where a function fails."""
ERRORS = (AssertionError, AttributeError, IndexError, KeyError, ValueError)


def entries(error: BaseException) -> Iterator[TracebackType]:
    entry = error.__traceback__
    while entry is not None:
        yield entry
        entry = entry.tb_next


def calls_of(found: list[TracebackType]) -> list[tuple[str, int]]:
    """The functions of this file in a traceback, and their lines; a comprehension is no call: it
    is none from Python 3.12 on."""
    return [(e.tb_frame.f_code.co_name, e.tb_lineno) for e in found
            if e.tb_frame.f_code.co_filename == __file__
            and e.tb_frame.f_code.co_name != "<listcomp>"]


def caught(function: Callable[..., Any], *args: Any) -> BaseException:
    try:
        function(*args)
    except ERRORS as error:
        return error
    raise AssertionError(f"{function} raised nothing")


@pytest.mark.parametrize("size", [8, 1000])
@pytest.mark.parametrize("calls", [1, 30])
@pytest.mark.parametrize("function", PROGRAMS, ids=lambda f: f.__name__)
def test_the_last_frame_is_well_formed(function: Any, calls: int, size: int) -> None:
    plain_function = getattr(function, "__wrapped__", function)
    compiled = ag.function(plain_function)
    x, i = np.arange(float(size)), np.int64(10 * size)
    for _ in range(calls):
        error = caught(compiled, x.copy(), i)
    plain_entries = list(entries(caught(plain_function, x.copy(), i)))
    assert calls_of(list(entries(error))) == calls_of(plain_entries)
    plain, own = plain_entries[-1], list(entries(error))[-1]
    frame, code = own.tb_frame, own.tb_frame.f_code
    assert (code.co_filename, own.tb_lineno) == (__file__, plain.tb_lineno)
    assert isinstance(frame.f_lineno, int)
    begins = next(x.offset for x in dis.get_instructions(code) if x.opname == "RESUME")
    assert all(line is not None for start, _, line in code.co_lines() if start >= begins)
    assert code.co_firstlineno <= own.tb_lineno
    expected = plain.tb_frame.f_locals
    if code.co_name == plain.tb_frame.f_code.co_name:
        assert code.co_firstlineno == plain.tb_frame.f_code.co_firstlineno
        for name, value in frame.f_locals.items():
            if name == "ag":  # the frame is that of converted code, which runs as plain Python
                continue
            if name not in expected:  # Python 3.12 hides the variable of a comprehension
                assert name in plain.tb_frame.f_code.co_varnames
                continue
            np.testing.assert_array_equal(value, expected[name], err_msg=name)
    known = KNOWN.get(code.co_name, "x")
    assert known in frame.f_locals or function in WITHOUT_VARIABLES
    missing = {*expected} - {*frame.f_locals}
    assert not missing or function not in WITH_ALL_VARIABLES
    assert frame.f_globals["PROGRAMS"] is PROGRAMS
    traceback.TracebackException.from_exception(error, capture_locals=True)


def test_pdb_shows_the_operands_after_an_error() -> None:
    error = caught(ag.function(index), np.arange(3.0), np.int64(7))
    said = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("p y\np i, x.sum()\nw\nl\nu\np 'up'\nq\n"), stdout=said,
                       readrc=False)
    debugger.reset()
    debugger.interaction(None, error.__traceback__)  # type: ignore[arg-type]
    text = said.getvalue()
    assert "array([0., 2., 4.])" in text and "(np.int64(7), np.float64(3.0))" in text
    assert "->     z = y[i] + 1" in text.replace("\t", "    ") or "-> z = y[i] + 1" in text
    assert "autograph/function" not in text and "'up'" in text


PROGRAM = """
import numpy as np
import autograph as ag

@ag.function
def scaled(x, i):
    y = x * 2
    return y[i]

def test_scaled():
    assert scaled(np.arange(3.0), np.int64(7)) == 0
"""


def run(tmp_path: Path, *command: str, typed: str = "") -> str:
    (tmp_path / "test_program.py").write_text(PROGRAM, encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", *command], cwd=tmp_path, input=typed, text=True,
                          capture_output=True, timeout=120, check=False,
                          env={**os.environ, "PYTHONPATH": str(ROOT)})
    return done.stdout + done.stderr


def test_pytest_starts_pdb_on_the_users_line(tmp_path: Path) -> None:
    said = run(tmp_path, "pytest", "--pdb", "-p", "no:cacheprovider", "test_program.py",
               typed="p y\np 'i is', int(i)\nq\n")
    assert "-> return y[i]" in said and "array([0., 2., 4.])" in said and "('i is', 7)" in said
    assert "INTERNALERROR" not in said


def test_pytest_shows_the_users_lines_and_locals(tmp_path: Path) -> None:
    said = run(tmp_path, "pytest", "-l", "-p", "no:cacheprovider", "test_program.py")
    assert ">       return y[i]" in said and "INTERNALERROR" not in said
    assert "y          = array([0., 2., 4.])" in said


def test_rich_shows_the_users_line() -> None:
    console = pytest.importorskip("rich.console", reason="rich is not installed")
    rich_traceback = pytest.importorskip("rich.traceback")
    error = caught(ag.function(index), np.arange(3.0), np.int64(7))
    said = io.StringIO()
    console.Console(file=said, width=100).print(rich_traceback.Traceback.from_exception(
        type(error), error, error.__traceback__, show_locals=True))
    assert "z = y[i] + 1" in said.getvalue() and "array([0., 2., 4.])" in said.getvalue()


def test_ipython_shows_the_users_line() -> None:
    ultratb = pytest.importorskip("IPython.core.ultratb", reason="IPython is not installed")
    error = caught(ag.function(index), np.arange(3.0), np.int64(7))
    for mode in ("Verbose", "Context"):
        shown = ultratb.FormattedTB(mode=mode, color_scheme="NoColor") if (
            "color_scheme" in ultratb.FormattedTB.__init__.__code__.co_varnames
        ) else ultratb.FormattedTB(mode=mode, theme_name="nocolor")
        text = shown.stb2text(shown.structured_traceback(type(error), error, error.__traceback__))
        assert "z = y[i] + 1" in text and "error in formatting" not in text.lower()


def nothing(x):
    if x.sum() > 100:
        return x


def test_a_note_shows_the_variables_of_the_function_it_names() -> None:
    def adds(x):
        return nothing(x) + 1   # what `nothing` returns was called x, too
    with pytest.raises(TypeError) as caught_:
        ag.function(adds)(np.ones(3))
    assert caught_.value.__notes__[0].endswith("\n  with x: float64(3,)")


def test_a_decorator_with_options_shows_no_frame_of_ours() -> None:
    with pytest.raises(TypeError, match="TensorSpec") as caught_:
        ag.function(input_signature=[np.float64])(nothing)
    assert [e.tb_frame.f_code.co_filename for e in entries(caught_.value)] == [__file__]


def test_a_symbolic_text_for_a_block_says_that_it_is_text() -> None:
    def reads(x):
        with io.FileIO(f"{x.sum():.0f}.txt") as file:
            return file.read()
    with pytest.raises(ag.errors.SymbolicValueError, match=r"the text of .*\n.*\n.*\n.*\n"
                       ".*hint: move the line with its block into a function") as caught_:
        ag.function(reads)(np.ones(3))
    assert [e.tb_frame.f_code.co_filename for e in entries(caught_.value)] == [__file__]
