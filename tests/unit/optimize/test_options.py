"""What a user sees of the optimiser: stages, the record of changes, `fast_math`, the checker."""

from pathlib import Path

import numpy as np
import pytest

import autograph as ag
from autograph.runtime import optimize
from autograph.runtime.ir.errors import GraphError
from tests.support.outcome import describe

X = np.linspace(0.1, 2.0, 12).reshape(3, 4)


def doubled(x):
    np.exp(x)
    y = x - (-x)
    return y * 1 + (2 + 3)


def scaled(x):
    return x * 3.0 * 5.0


def test_stages():
    f = ag.function(doubled)
    traced = [e.op.name for e in f.graph(X, stage="traced").walk()]
    assert traced == ["np.exp", "negative", "subtract", "multiply", "add"]
    assert [e.op.name for e in f.graph(X).walk()] == ["add", "add"]
    assert f.graph() is f.graph(X, stage="optimized")


def test_stages_that_are_not_there():
    f = ag.function(doubled)
    with pytest.raises(ValueError, match="has no trace yet"):
        f.graph()
    with pytest.raises(ValueError, match="stage must be one of traced, optimized"):
        f.graph(X, stage="lowered")


def test_changes_name_the_pass_the_rule_and_the_users_line():
    changes = ag.function(doubled).get_concrete_function(X).changes
    line = doubled.__code__.co_firstlineno
    found = {(c.name, c.location.line - line) for c in changes}
    assert found == {("dead code", 1), ("algebra", 2), ("algebra", 3), ("dead code at the end", 2)}
    rule = next(c for c in changes if c.name == "algebra")
    path, _, number = rule.rule_location.rpartition(":")
    assert "Rule(lambda x, y: x - (-y)" in Path(path).read_text().splitlines()[int(number) - 1]
    assert "y: f64[3, 4] = subtract(x, " in str(rule)
    assert "-> y: f64[3, 4] = add(x, x)" in str(rule)
    assert f"{Path(__file__).name}:{line + 2}: algebra" in str(rule)


def test_every_equation_keeps_a_location_of_the_user():
    def looped(x, w):
        for _ in range(12):
            x = np.tanh(x @ (w @ w)) * 1
        return 0 - (-x)

    graph = ag.function(looped, fast_math=True).graph(X, np.ones((4, 4)))
    assert all(e.location.filename == __file__ for e in graph.walk())


def test_fast_math_is_off_unless_it_is_asked_for():
    assert [e.op.name for e in ag.function(scaled).graph(X).walk()] == ["multiply", "multiply"]
    fast = ag.function(fast_math=True)(scaled)
    assert [e.op.name for e in fast.graph(X).walk()] == ["multiply"]
    np.testing.assert_allclose(fast(X), scaled(X), rtol=1e-15)


def test_constants_that_differ_in_a_bit_stay_two():
    def signs(x):
        up, down = np.copysign(x, np.float64(0.0)), np.copysign(x, np.float64(-0.0))
        return up.sum() * 2 + down.sum()

    assert ag.function(signs)(X) == signs(X)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.bool_, np.uint8])
def test_the_power_function_has_no_short_cuts_of_the_operator(dtype):
    def powers(x):
        return np.power(x, 0.5), np.power(x, 2), np.power(x, 2.0), x ** 2

    x = np.array([-0.0, 0.0, 3.0] + [-np.inf] * (np.dtype(dtype).kind == "f")).astype(dtype)
    with np.errstate(invalid="ignore"):
        assert describe(ag.function(powers)(x)) == describe(powers(x))


def test_results_that_a_pass_replaced_reach_the_caller():
    def chosen(x):
        flag = bool(np.add(1, 1))
        y = x if flag else x + 1
        return {"y": y, "n": np.add(1, 1), "list": [y, np.negative(2.0)]}

    found = ag.function(chosen)(X)
    assert found["y"] is X
    assert found["list"][0] is X
    assert repr(found["n"]) == repr(np.add(1, 1))
    assert repr(found["list"][1]) == repr(np.negative(2.0))


def test_arrays_of_a_list_stay_apart():
    def rows(n):
        kept = []
        for i in range(n):
            row = np.zeros(3)
            kept.append(row)
            kept[i][1] = i
        return kept

    found = ag.function(rows)(np.int64(4))
    found[0][0] = 1
    assert [row[0] for row in found] == [1, 0, 0, 0]


def test_folded_arrays_are_not_handed_out():
    def made(x):
        grid = np.arange(4) * 0.5
        return grid + x[0], np.arange(4)

    f = ag.function(made)
    f(X)[1][0] = 99
    assert f(X)[1].tolist() == [0, 1, 2, 3]


def test_what_raises_is_raised_when_the_program_comes_there():
    def late(x, n):
        if n > 0:
            return x + np.power(2, -1)
        return x

    f = ag.function(late)
    assert f(X, np.int64(0)) is X
    with pytest.raises(ValueError, match="negative"):
        f(X, np.int64(1))


def test_a_broken_pass_is_told_by_the_checker(monkeypatch):
    def broken(graph, record):
        del graph.equations[0]

    monkeypatch.setattr(optimize, "PASSES", (optimize.Pass("broken", broken),))
    with pytest.raises(GraphError, match="used here that is not made before"):
        ag.function(scaled)(X)
    ag.config.check_graphs(False)
    try:
        with pytest.raises(NameError):
            ag.function(scaled)(X)
    finally:
        ag.config.check_graphs(True)


@pytest.mark.parametrize("dtype", [np.int64, np.int8, np.uint32, float])
def test_a_power_that_the_run_decides(dtype):
    def power(x, start, n):
        result = start
        for _ in range(n):
            result = np.matmul(x, result)
        return result

    staged = ag.function(power)
    x, start = (np.arange(k, k + 9).reshape(3, 3).astype(dtype) for k in (1, 2))
    for n in (-3, 0, 1, 3, 4, 5, 50, 100):
        found, expected = staged(x, start, np.int64(n)), power(x, start, np.int64(n))
        assert describe(found) == describe(expected)
        assert (found is start) == (expected is start)
    assert staged.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("order", ["C", "F"])
def test_rows_that_a_loop_stretches(order):
    def layers(h, w, b, c):
        for _ in range(9):
            h = np.tanh((h @ w + b) * c[:, None] - h)
            d = h + b
        return h, d, d + h

    rng = np.random.default_rng(3)
    given = [np.asarray(rng.normal(size=shape), order=order)
             for shape in ((32, 64), (64, 64), (64,), (32,))]
    staged = ag.function(layers)
    for found, expected in zip(staged(*given), layers(*given), strict=True):
        assert describe(found) == describe(expected)
        assert found.flags.c_contiguous == expected.flags.c_contiguous
    assert "np.full((32, 64), b)" in staged.get_concrete_function(*given).source
