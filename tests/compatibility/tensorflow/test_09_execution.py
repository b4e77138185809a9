"""Rows 100 to 118: pruning, effects, printing, errors, results."""

import collections
import dataclasses
import io
import time

import numpy as np
import pytest

import autograph as ag

ONE = np.float64(1)


def test_row_100_unused_failures_are_pruned_unless_strict():
    def f(x):
        np.take(x, [1])
        return x

    assert ag.function(f)(np.zeros(1)).tolist() == [0]
    with pytest.raises(IndexError):
        ag.function(f, strict=True)(np.zeros(1))
    assert ag.function(f, strict=True)(np.zeros(2)).tolist() == [0, 0]


def test_row_100_strict_keeps_program_order_and_results():
    def f(x, i):
        a = x[i]
        b = 1 // np.int64(2)
        c = np.linalg.inv(x[None] * np.ones((2, 2)))
        del b, c
        return a

    with pytest.raises(np.linalg.LinAlgError):
        ag.function(f, strict=True)(np.zeros(2).reshape(1, 2), np.int64(0))


def test_row_101_effects_are_kept_though_unused(capsys):
    v, calls = ag.Variable(0.0), []

    def note(x):
        calls.append(float(x))
        return x

    @ag.function
    def f(x):
        v.assign(x)
        ag.print("printed")
        ag.py_function(note, [x], np.float64)
        ag.numpy_function(note, [x + 1], np.float64)
        ag.numpy_function(note, [x + 100], np.float64, stateful=False)
        ag.debugging.check_numerics(x)
        return 1

    f(ONE)
    f(ONE)
    assert v.numpy() == 1 and calls == [1, 2, 1, 2]
    assert capsys.readouterr().out == "printed\nprinted\n"
    with pytest.raises(ag.InvalidArgumentError):
        f(np.float64("nan"))
    with pytest.raises(ag.InvalidArgumentError):
        ag.function(lambda x: ag.debugging.Assert(x > 0, [x]))(-ONE)


def test_row_101_random_numbers_advance_though_unused():
    rng, plain = np.random.default_rng(1), np.random.default_rng(1)

    @ag.function
    def f(x):
        rng.random()
        return x

    f(ONE)
    f(ONE)
    plain.random(2)
    assert rng.random() == plain.random()


def test_row_102_python_effects_while_tracing_or_at_every_call(capsys):
    def f(x):
        if x > 0:
            print("pos")
        else:
            print("neg")
        return x

    traced, running = ag.function(f), ag.function(f, effects="runtime")
    traced(ONE), traced(ONE)
    assert capsys.readouterr().out.split() == ["pos", "neg"]
    running(ONE), running(-ONE), running(ONE)
    assert capsys.readouterr().out.split() == ["pos", "neg", "pos"]


def test_row_102_effects_at_every_call_keep_their_order_and_values(capsys):
    log = []

    @ag.function(effects="runtime")
    def f(x, n):
        print("x is", x, "n is", n, sep=": ")
        for i in range(3):
            log.append(x + i)
            print(i, end=" ")
        print(f"{x:.1f}")
        ag.print("ag", x)
        return x

    for x in (ONE, ONE * 2):
        f(x, 7)
    assert capsys.readouterr().out == (
        "x is: 1.0: n is: 7\n0 1 2 1.0\nag 1.0\nx is: 2.0: n is: 7\n0 1 2 2.0\nag 2.0\n")
    assert log == [1, 2, 3, 2, 3, 4]


def test_row_103_raise_in_a_branch_happens_when_the_branch_runs():
    class Negative(Exception):
        def __init__(self, a, b):
            super().__init__(a, b)

    @ag.function
    def f(x):
        if x < 0:
            raise Negative("bad", 1)
        return x

    assert f(ONE) == 1
    with pytest.raises(Negative):
        f(-ONE)
    assert f(ONE) == 1


def test_row_104_assert_is_always_on():
    @ag.function
    def f(x):
        assert x > 0, f"x must be positive, got {x}"
        return x

    assert f(ONE) == 1
    with pytest.raises(AssertionError, match=r"got -1\.0"):
        f(-ONE)


@pytest.mark.parametrize(("check", "good", "bad"), [
    ("assert_equal", (1, 1), (1, 2)), ("assert_none_equal", (1, 2), (1, 1)),
    ("assert_less", (1, 2), (2, 1)), ("assert_less_equal", (1, 1), (2, 1)),
    ("assert_greater", (2, 1), (1, 2)), ("assert_greater_equal", (1, 1), (1, 2)),
    ("assert_near", (1, 1 + 1e-12), (1, 2)), ("assert_positive", (1,), (0,)),
    ("assert_negative", (-1,), (0,)), ("assert_non_negative", (0,), (-1,)),
    ("assert_non_positive", (0,), (1,)), ("check_numerics", (1,), (np.inf,)),
    ("assert_all_finite", (1,), (np.nan,)),
])
def test_row_105_checks(check, good, bad):
    test = getattr(ag.debugging, check)

    @ag.function
    def f(*args):
        test(*args)
        return args[0]

    assert f(*map(np.float64, good)) == good[0]
    with pytest.raises(ag.InvalidArgumentError) as caught:
        f(*map(np.float64, bad))
    assert str(np.float64(bad[0])) in str(caught.value)
    with pytest.raises(ag.InvalidArgumentError):  # already while tracing
        ag.function(lambda: test(*bad))()


def test_row_105_all_numbers_are_checked_on_request():
    f = ag.function(lambda x: 1 / x)
    ag.debugging.enable_check_numerics()
    try:
        with np.errstate(all="ignore"), pytest.raises(ag.InvalidArgumentError, match="1 / x"):
            f(np.zeros(2))
        assert f(np.ones(2)).tolist() == [1, 1]
    finally:
        ag.debugging.disable_check_numerics()
    with np.errstate(all="ignore"):
        assert np.isinf(f(np.zeros(2))).all()


def test_row_106_failed_check_stops_in_order_and_atomic_restores():
    for atomic, left in ((False, 1), (True, 0)):
        v = ag.Variable(0.0)

        @ag.function(atomic=atomic)
        def f(x, v=v):
            v.assign_add(1)
            ag.debugging.assert_positive(x)
            v.assign_add(10)

        with pytest.raises(ag.InvalidArgumentError):
            f(-ONE)
        assert v.numpy() == left


def test_row_107_print_takes_nests_and_options(capsys, tmp_path):
    stream = io.StringIO()

    @ag.function
    def f(x):
        ag.print("a", {"k": [x, 1]}, sep="|", end="!\n")
        ag.print(np.arange(100) * np.int64(x), summarize=2)
        ag.print(x, output_stream=stream)
        ag.print(x, output_stream=f"file://{tmp_path}/out.txt")

    f(ONE)
    assert capsys.readouterr().out == "a|{'k': [1.0, 1]}!\n[ 0  1 ... 98 99]\n"
    assert stream.getvalue() == "1.0\n" and (tmp_path / "out.txt").read_text() == "1.0\n"


def test_row_108_prints_and_writes_in_program_order(capsys):
    v = ag.Variable(0.0)

    @ag.function
    def f(x):
        ag.print("before")
        if x > 0:
            v.assign(x)
            ag.print("pos", v)
        ag.print("after")

    for _ in range(20):
        f(ONE)
    assert capsys.readouterr().out == "before\npos 1.0\nafter\n" * 20


def test_row_109_symbolic_text(capsys):
    @ag.function
    def f(x):
        print(x)
        return f"<{x:.2f}>", str(x)

    assert f(np.float64(1.5)) == ("<1.50>", "1.5")
    assert f(np.float64(2.5)) == ("<2.50>", "2.5")
    assert capsys.readouterr().out == 'Tensor("x", shape=(), dtype=float64)\n'


def test_row_110_exceptions_while_tracing_are_the_objects_raised():
    class Odd(Exception):
        def __init__(self, *, code):
            self.code = code

    error = Odd(code=3)

    @ag.function
    def f(x):
        raise error

    with pytest.raises(Odd) as caught:
        f(ONE)
    assert caught.value.code == 3


def test_row_111_runtime_exceptions_are_numpys_on_the_users_line():
    @ag.function
    def f(x, i):
        y = x * 2
        return y[i]

    with pytest.raises(IndexError, match="out of bounds") as caught:
        f(np.ones(2), np.int64(5))
    last = caught.traceback[-1]
    assert str(last.path) == __file__ and "return y[i]" in str(last.statement)


def test_row_112_handlers_catch_what_the_graph_raises():
    @ag.function
    def f(x, i):
        try:
            y = x[i]
        except IndexError:
            y = -1.0
        return y

    assert [f(np.ones(2), np.int64(i)) for i in (0, 9, 1)] == [1, -1, 1]


def test_row_113_arguments_are_changed_for_the_caller():
    @ag.function
    def f(x, log, table):
        x[0] = 9
        log.append(x.sum())
        table["n"] = len(log)

    for _ in range(2):
        x, log, table = np.ones(2), [], {}
        f(x, log, table)
        assert (x.tolist(), log, table) == ([9, 1], [10], {"n": 1})


def test_row_113_mutable_default_is_changed_as_by_python():
    @ag.function
    def f(x, log=[]):  # noqa: B006
        log.append(x)
        return len(log)

    assert [f(ONE), f(ONE)] == [1, 2]


def test_row_114_anything_may_be_returned():
    @dataclasses.dataclass
    class Result:
        x: object
        name: str

    Pair = collections.namedtuple("Pair", "a b")
    marker = object()

    @ag.function
    def f(x):
        return [(x,), Pair(x, 1), {"k": x}, collections.OrderedDict(b=x, a=None), {1, 2},
                Result(x, "n"), marker, len]

    for x in (ONE, ONE * 2):
        made = f(x)
        assert made == [(x,), Pair(x, 1), {"k": x}, collections.OrderedDict(b=x, a=None), {1, 2},
                        Result(x, "n"), marker, len]
        assert [type(m) for m in made[:4]] == [tuple, Pair, dict, collections.OrderedDict]
        assert list(made[3]) == ["b", "a"]


def test_row_115_python_values_are_returned_as_they_are():
    assert [type(x) for x in ag.function(lambda: (3, 2.5, "s", None, True))()] == [
        int, float, str, type(None), bool]


def test_row_116_results_are_what_numpy_gives():
    f = ag.function(lambda x: (x + 1, x.sum(), x > 0))
    a, b, c = f(np.ones(3))
    assert (type(a), a.dtype, type(b), c.dtype) == (np.ndarray, np.float64, np.float64, np.bool_)


def test_row_117_symbolic_value_outside_its_trace():
    symbolic = ag.TensorSpec([2]).placeholder_value()
    with pytest.raises(TypeError, match="outside the trace"):
        symbolic + 1
    with pytest.raises(AttributeError, match="numpy"):
        symbolic.numpy()


def test_row_118_missing_and_extra_arguments_in_pythons_words():
    def f(x, *, y=1):
        return x

    for args, kwargs in (((), {}), ((1, 2), {}), ((1,), {"z": 1})):
        with pytest.raises(TypeError) as plain:
            f(*args, **kwargs)
        with pytest.raises(TypeError) as ours:
            ag.function(f)(*args, **kwargs)
        assert str(plain.value) == str(ours.value)


def test_row_102_time_and_random_are_not_frozen():
    f = ag.function(lambda x: (time.perf_counter(), np.random.random()))  # noqa: NPY002
    assert f(ONE) != f(ONE)
