"""Rows 179 to 188: nesting, the eager switch, debugging, random numbers, calls of Python."""

import linecache
import random
import sys
import traceback

import numpy as np
import pytest

import autograph as ag

ONE = np.float64(1)


def test_row_179_functions_in_functions_are_calls_that_are_inlined():
    inner = ag.function(lambda x: x * 2)
    outer = ag.function(lambda x: inner(x) + inner(x + 1))
    assert outer(ONE) == 6
    assert [op.op for op in outer.graph(ONE).get_operations()].count("multiply") == 2


def test_row_180_init_scope_is_outside_the_graph():
    v = ag.Variable(0.0)

    @ag.function
    def f(x):
        with ag.init_scope():
            assert ag.executing_eagerly() and not ag.inside_function()
            v.assign_add(1)
        return x + v

    assert [f(ONE), f(ONE)] == [2, 2]


def test_row_181_eager_switch(capsys):
    @ag.function
    def f(x):
        print("run")
        return type(x)

    ag.run_functions_eagerly(True)
    try:
        assert ag.functions_run_eagerly()
        assert f(2) is int and f(2) is int
    finally:
        ag.run_functions_eagerly(False)
    assert capsys.readouterr().out == "run\nrun\n" and not ag.functions_run_eagerly()


def test_row_182_executing_eagerly_and_inside_function():
    f = ag.function(lambda: (ag.executing_eagerly(), ag.inside_function()))
    assert f() == (False, True)
    assert (ag.executing_eagerly(), ag.inside_function()) == (True, False)


def test_row_183_traceback_filtering_is_a_switch():
    @ag.function
    def f(x, i):
        return x[i]

    def frames():
        with pytest.raises(IndexError) as caught:
            f(np.ones(2), np.int64(5))
        return [frame.filename for frame in traceback.extract_tb(caught.value.__traceback__)]

    assert ag.debugging.is_traceback_filtering_enabled()
    assert set(frames()) == {__file__}
    ag.debugging.disable_traceback_filtering()
    try:
        assert set(frames()) != {__file__}
    finally:
        ag.debugging.enable_traceback_filtering()


def test_row_184_traced_lines_are_the_users_lines():
    @ag.function
    def f(x):
        if x > 0:
            y = x + 1
        else:
            y = x - 1
        return y

    seen = set()

    def watch(frame, event, arg):
        if event == "line" and frame.f_code.co_filename == __file__:
            seen.add(linecache.getline(__file__, frame.f_lineno).strip())
        return watch

    sys.settrace(watch)
    try:
        f(ONE)
    finally:
        sys.settrace(None)
    assert {"y = x + 1", "y = x - 1", "return y"} <= seen


def test_row_185_random_numbers_are_the_stream_of_plain_numpy():
    def f(rng, n):
        return (np.random.random(), np.random.normal(size=2), random.random(),  # noqa: NPY002
                rng.integers(10, size=3), rng.standard_normal(), rng.permutation(n))

    def draw(g):
        np.random.seed(3)  # noqa: NPY002
        random.seed(3)
        rng = np.random.default_rng(3)
        return [[np.asarray(x).tolist() for x in g(rng, 4)] for _ in range(3)]

    assert draw(ag.function(f)) == draw(f)


def test_row_185_a_generator_may_be_made_inside():
    f = ag.function(lambda seed: np.random.default_rng(seed).random(2))
    assert f(3).tolist() == np.random.default_rng(3).random(2).tolist()


def test_row_186_py_function_runs_at_every_call_and_keeps_its_exception():
    @ag.py_function(Tout=np.float64)
    def plus(x, y):
        calls.append((float(x), float(y)))
        if y < 0:
            raise KeyError("negative")
        return x + y

    calls = []
    f = ag.function(lambda x, y: plus(x, y) * 2)
    assert [f(ONE, ONE), f(ONE, ONE * 2)] == [4, 6] and calls == [(1, 1), (1, 2)]
    with pytest.raises(KeyError, match="negative"):
        f(ONE, -ONE)
    assert ag.py_function(lambda x: x + 1, [ONE], np.float64) == 2


def test_row_187_numpy_function_checks_the_dtype():
    f = ag.function(lambda x: ag.numpy_function(lambda a: a.astype(np.int32), [x], np.float64))
    with pytest.raises(ag.InvalidArgumentError, match="int32"):
        f(np.ones(2))
    g = ag.function(lambda x: ag.numpy_function(np.sort, [x], np.float64))
    assert g(np.array([2.0, 1.0])).tolist() == [1, 2]


def test_row_188_the_native_executor_or_an_error_that_names_it():
    f = ag.function(lambda x: x * 2 + 1, jit_compile=True)
    try:
        assert f(np.ones(3)).tolist() == [3, 3, 3]
    except (ImportError, ValueError) as error:
        assert "native" in str(error)
