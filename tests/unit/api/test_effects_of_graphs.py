"""ag.print, checks, calls of Python: at every run, in program order; pure ops may be left out."""

import logging
import sys

import numpy as np
import pytest

import autograph as ag

ONE = np.float64(1)


def test_print_at_every_run_in_program_order(capsys):
    @ag.function
    def f(x):
        print("tracing")
        ag.print("before", x)
        if x > 0:
            ag.print("positive")
        for i in range(12):
            if i > 9:
                ag.print("i =", i)
        ag.print("after", x * 2, sep="|")

    f(ONE), f(-ONE)
    assert capsys.readouterr().out.splitlines() == [
        "tracing", "before 1.0", "positive", "i = 10", "i = 11", "after|2.0",
        "before -1.0", "i = 10", "i = 11", "after|-2.0"]


@pytest.mark.parametrize("traced", [True, False])
def test_print_formats(capsys, traced):
    def f(x, v):
        ag.print(x, {"a": [x[:2], "text", None]}, (1.5,), v, "text", sep="; ", end="!\n")
        ag.print(x, summarize=1)
        ag.print(x, summarize=-1)

    (ag.function(f) if traced else f)(np.arange(9), ag.Variable(2.5))
    assert capsys.readouterr().out.splitlines() == [
        "[0 1 2 ... 6 7 8]; {'a': [[0 1], 'text', None]}; (1.5,); 2.5; text!",
        "[0 ... 8]", "[0 1 2 3 4 5 6 7 8]"]


def test_print_streams(capsys, tmp_path, caplog):
    path = tmp_path / "log.txt"

    @ag.function
    def f(x):
        ag.print(x, output_stream=sys.stderr)
        ag.print(x, output_stream=f"file://{path}")
        ag.print(x, output_stream=logging.getLogger("test").warning)

    f(ONE), f(ONE)
    assert capsys.readouterr() == ("", "1.0\n1.0\n")
    assert path.read_text() == "1.0\n1.0\n"
    assert caplog.messages == ["1.0", "1.0"]


# -- checks ---------------------------------------------------------------------------------------

GOOD_AND_BAD = {
    "assert_equal": ((ONE, ONE), (ONE, ONE + 1)),
    "assert_none_equal": ((ONE, ONE + 1), (ONE, ONE)),
    "assert_less": ((ONE, ONE + 1), (ONE, ONE)),
    "assert_less_equal": ((ONE, ONE), (ONE + 1, ONE)),
    "assert_greater": ((ONE + 1, ONE), (ONE, ONE)),
    "assert_greater_equal": ((ONE, ONE), (ONE, ONE + 1)),
    "assert_positive": ((np.ones(2),), (np.array([1.0, 0.0]),)),
    "assert_negative": ((-np.ones(2),), (np.array([-1.0, 0.0]),)),
    "assert_non_negative": ((np.zeros(2),), (-np.ones(2),)),
    "assert_non_positive": ((np.zeros(2),), (np.ones(2),)),
    "assert_near": ((ONE, ONE + 1e-12), (ONE, ONE + 1e-3)),
    "check_numerics": ((np.ones(2),), (np.array([1.0, np.nan]),)),
}


@pytest.mark.parametrize("name", GOOD_AND_BAD)
@pytest.mark.parametrize("traced", [True, False])
def test_check(name, traced):
    def f(*args):
        getattr(ag.debugging, name)(*args, message="told")
        return args[0]

    run = ag.function(f) if traced else f
    good, bad = GOOD_AND_BAD[name]
    assert np.array_equal(run(*good), good[0])
    for error in (ag.InvalidArgumentError, AssertionError, ValueError):
        with pytest.raises(error, match="told"):
            run(*bad)


def test_check_shows_the_values():
    f = ag.function(lambda x: ag.debugging.assert_less(x, 3))
    with pytest.raises(ag.CheckError, match=r"x < y(.|\n)*x =\n  4.0\n  y =\n  3"):
        f(np.float64(4))


def test_what_is_known_fails_while_tracing():
    traced = []

    @ag.function
    def f(x):
        traced.append(1)
        ag.debugging.assert_rank(x, 2)
        ag.debugging.assert_type(x, np.float64)
        ag.debugging.assert_shape(x, (None, 3))
        return x

    assert f(np.ones((2, 3))).shape == (2, 3)
    for wrong in (np.ones(3), np.ones((2, 3), np.float32), np.ones((3, 2))):
        with pytest.raises(ag.CheckError):
            f(wrong)
    assert f.cache_info().traces == 1


def test_assert_statement_and_function():
    @ag.function
    def f(x):
        ag.Assert(x > -5, ["x is", x])
        assert x > 0, "not positive"

    f(ONE)
    with pytest.raises(AssertionError, match="not positive"):
        f(-ONE)
    with pytest.raises(ag.CheckError, match=r"assertion failed:\n  x is\n  -9\.0"):
        f(np.float64(-9))


@pytest.mark.parametrize(("data", "shown"), [
    ("told", "told"), (3, "3"), (np.arange(2), r"\[0 1\]")])
def test_assert_shows_one_value_that_is_in_no_list(data, shown):
    with pytest.raises(ag.CheckError, match=f"^assertion failed:\n  {shown}$"):
        ag.Assert(False, data)
    with pytest.raises(ag.CheckError, match=f"^assertion failed:\n  {shown}"):
        ag.function(lambda x: ag.Assert(x > 5, data))(ONE)


# -- calls of Python ------------------------------------------------------------------------------


def test_py_function_runs_each_time_with_real_values():
    seen = []

    @ag.py_function(Tout=np.float64)
    def plus(a, b):
        seen.append(type(a))
        return a + b

    f = ag.function(lambda a, b: plus(a, b) * 2)
    assert [f(ONE, 2.0), f(np.float64(3), 2.0)] == [6, 10]
    assert seen == [np.float64] * 2
    assert plus(1, 2) == 3.0


def test_py_function_as_a_call_with_several_results():
    @ag.function
    def f(x):
        total, first = ag.py_function(lambda x: (sum(x), int(x[0])), [x], [np.float64, np.int64])
        return total * first, ag.py_function(lambda x: {"k": x}, [x])

    assert f(np.array([2.0, 3.0]))[0] == 10
    assert f(np.array([2.0, 3.0]))[1]["k"].tolist() == [2, 3]


def test_py_function_of_another_dtype_or_an_error():
    f = ag.function(lambda x: ag.py_function(lambda x: x, [x], np.int64))
    with pytest.raises(ag.InvalidArgumentError, match="the result of <lambda>"):
        f(ONE)
    g = ag.function(lambda x: ag.py_function({}.__getitem__, [x]))
    with pytest.raises(KeyError):
        g(ONE)


def test_numpy_function_may_be_left_out_if_it_is_stateless():
    calls = []

    def note(x):
        calls.append(float(x))
        return x

    @ag.function
    def f(x):
        ag.numpy_function(note, [x], np.float64, stateful=False)
        ag.numpy_function(note, [x * 2], np.float64)
        return x

    f(ONE), f(ONE)
    assert calls == [2, 2]


# -- what may be left out, and what is returned ---------------------------------------------------


def test_unused_pure_op_cannot_fail():
    @ag.function
    def f(x):
        x[[1]]
        return x

    with pytest.raises(IndexError):
        f.python_function(np.zeros(1))
    assert f(np.zeros(1)).tolist() == [0]


def test_raise_in_the_branch_that_runs_only():
    @ag.function
    def f(x):
        if x < 0:
            raise KeyError("negative")
        return x

    assert f(ONE) == 1
    with pytest.raises(KeyError, match="negative"):
        f(-ONE)


def test_anything_may_be_returned():
    f = ag.function(lambda x: ({1, 2}, len, "text", 2.5, [x], None, 3))
    assert f(ONE) == ({1, 2}, len, "text", 2.5, [1], None, 3)


def test_symbolic_values_show_name_shape_and_dtype(capsys):
    @ag.function
    def f(x, n):
        print(x, f"{n}")

    f(np.ones(2), np.int64(3))
    assert capsys.readouterr().out == (
        'Tensor("x", shape=(2,), dtype=float64) Tensor("n", shape=(), dtype=int64)\n')


def test_the_shape_that_is_wanted_may_be_known_in_the_run_alone():
    @ag.function(input_signature=[ag.TensorSpec([None, None])])
    def total(x):
        n = x.shape[0]
        ag.debugging.assert_shape(x, (n, n))
        ag.debugging.assert_shape(x, ("a", "a"))
        return x.sum()

    assert total(np.ones((2, 2))) == 4.0
    with pytest.raises(ag.errors.CheckError, match=r"wrong shape: \(None, None\) wanted"):
        total(np.ones((2, 3)))
