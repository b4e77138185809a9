"""Arrays under a tape that outlive its block, or are changed where it does not record: functions
treat them as plain arrays, and no derivative is lost in silence."""

from collections import OrderedDict, deque
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.pytree import map_nest

X = np.array([1.0, 2.0, 3.0])


@dataclass
class Pair:
    a: Any
    n: int = 0


class Holder:
    def __init__(self, y: Any) -> None:
        self.y = y
        self.items = [y]


def appends(y: Any) -> Any:
    items = [y]

    @ag.function
    def f(items):
        items.append(items[0] * 2.0)
        return len(items)

    return f(items), f(items), items, items[0] is y


def replaces(y: Any) -> Any:
    items = [y]

    @ag.function
    def f(items):
        items[0] = items[0] * 2.0
        return items[0].sum()

    return f(items), f(items), items


def adds_in_place(y: Any) -> Any:
    items = [y]

    @ag.function
    def f(items):
        items[0] += 1.0
        items[0][1] = 5.0

    return f(items), items, y, items[0] is y


def enters(y: Any) -> Any:
    first, second = {"a": y}, OrderedDict(a=y)

    @ag.function
    def f(d):
        d["b"] = d["a"] * 2.0
        d["a"][0] = 7.0
        return len(d)

    return f(first), f(second), first, dict(second), y


def sets_attributes(y: Any) -> Any:
    pair, holder = Pair(y), Holder(y)

    @ag.function
    def f(pair, holder):
        pair.n += 1
        pair.a = pair.a * 2.0
        holder.items.append(holder.y * 3.0)
        holder.y[0] = 7.0
        holder.y += 1.0
        return holder.y.sum()

    return f(pair, holder), f(pair, holder), pair, holder.items, holder.y, y


def queues(y: Any) -> Any:
    items = deque([y])

    @ag.function
    def f(items):
        items.append(items[0] * 2.0)
        return len(items)

    return f(items), f(items), list(items)


def has_aliases(y: Any) -> Any:
    items = [[y], y]
    inner = items[0]

    @ag.function
    def f(items, inner):
        items[0].append(1.0)
        inner.append(items[1] * 2.0)
        items.append((inner, 3.0))
        return items[1], inner

    made = f(items, inner)
    assert made[0] is y and made[1] is inner and items[0] is inner and items[2][0] is inner
    return inner, len(items)


def sorts(y: Any) -> Any:
    items = [3.0, y, 1.0]

    @ag.function
    def f(items):
        items.sort(key=lambda v: v.sum() if isinstance(v, np.ndarray) else v)

    return f(items), items


def grows(y: Any) -> Any:
    items = [y]

    @ag.function
    def f(items, n):
        for _ in range(n):
            items.append(items[-1] * 0.5)
        return items[-1].sum()

    return f(items, 5), f(items, np.int64(3)), items


def raises(y: Any) -> Any:
    items = [y]

    @ag.function
    def f(items):
        items.append(3.0)
        if items[0].sum() > 0.0:
            raise ValueError("too large")

    with pytest.raises(ValueError, match="too large"):
        f(items)
    return items


def runs_one_graph(y: Any) -> Any:
    items = [y]

    @ag.function
    def f(items):
        items.append(items[0])
        return items[0].sum()

    one = f.get_concrete_function(items)
    of_any = ag.function(np.sum, input_signature=[ag.TensorSpec([None])])
    return one(items), items, of_any(y), of_any.get_concrete_function()(y)


def differentiates(y: Any) -> Any:
    items = [y]

    def f(items):
        items.append(items[0])
        return items[0].sum()

    value, pullback = ag.vjp(f, items)
    return value, pullback(1.0), items, ag.grad(f)([y]), items[0] is y


PROGRAMS = [appends, replaces, adds_in_place, enters, sets_attributes, queues, has_aliases, sorts,
            grows, raises, runs_one_graph, differentiates]


def shown(nest: Any) -> str:
    return repr(map_nest(lambda x: np.array(x) if isinstance(x, np.ndarray) else x, nest))


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("eagerly", [False, True])
def test_functions_treat_them_as_plain_arrays(program, eagerly):
    with ag.GradientTape():
        x = ag.Variable(X)
        y = x * x
    ag.run_functions_eagerly(eagerly)
    try:
        assert shown(program(y)) == shown(program(X * X))
    finally:
        ag.run_functions_eagerly(False)


@ag.function
def stores(a):
    a[0] = 5.0


@ag.function
def stores_in_item(items):
    items[0][0] = 5.0


@pytest.mark.parametrize("change", [
    stores, lambda y: stores_in_item([y]), lambda y: y.__setitem__(0, 5.0),
    lambda y: stores(y[:2]), lambda y: y.fill(5.0), lambda y: np.add(y, 1.0, out=y)])
def test_a_gradient_by_what_was_changed_after_the_block_is_refused(change):
    with ag.GradientTape(persistent=True) as tape:
        x = tape.watch(X.copy())
        y = x * x
        s = (y * y).sum()
    change(y)
    change(x)
    np.testing.assert_array_equal(tape.gradient(s, x), 4.0 * X**3)  # as it was when watched
    for target, source in ((y, x), (s, y), ([s, y], x)):
        with pytest.raises(ag.NotDifferentiable, match="changed after the block of its tape"):
            tape.gradient(target, source)
    with ag.GradientTape() as second:  # begins with what it holds now
        now = np.array(y)
        v = ag.Variable(X)
        constant = (y * v).sum()  # before it is watched
        second.watch(y)
        z = (y * y).sum() + constant
    np.testing.assert_array_equal(second.gradient(z, [y, v]), [2.0 * now, now])


@pytest.mark.parametrize("change", [stores, lambda y: stores_in_item([y]),
                                    lambda y: y.__setitem__(0, 5.0)])
def test_a_change_where_the_tape_does_not_record_is_refused(change):
    with ag.GradientTape() as tape:
        x = tape.watch(X)
        y = x * x
        with tape.stop_recording():
            change(y)
        s = (y * y).sum()
    with pytest.raises(ag.NotDifferentiable, match=r"wrote to an array|while it did not record"):
        tape.gradient(s, x)


def test_a_write_of_a_function_is_seen_through_every_view():
    with ag.GradientTape(persistent=True) as tape:
        x = tape.watch(X)
        y, other = x * x, x * 3.0
        first = y[:2]
        ag.function(lambda a, b: stores(a))(y, other)
        of_view, of_other = first.sum(), other.sum()
    with pytest.raises(ag.NotDifferentiable, match="a decorated function wrote to an array"):
        tape.gradient(of_view, x)
    np.testing.assert_array_equal(tape.gradient(of_other, x), [3.0, 3.0, 3.0])


def test_a_watched_array_is_the_source_that_it_was():
    def gradients(x):
        with ag.GradientTape(persistent=True) as tape:
            x = tape.watch(x)
            first = (x * x).sum()
            x[0] = 7.0
            second = (x * x).sum()
        return tape.gradient(first, x), tape.gradient(second, x)

    for f in (gradients, ag.function(gradients)):
        np.testing.assert_array_equal(f(X.copy()), [[2.0, 4.0, 6.0], [0.0, 4.0, 6.0]])


@ag.function
def grown(x, n):
    made = []
    for k in range(n):
        made.append(x * k)  # noqa: PERF401 - a list that only the run knows
    return made


@ag.function
def entered(x, n):
    made = {}
    for k in range(n):
        made[k] = x * k, [x, k]
    return x * 2.0, made


def test_lists_that_only_the_run_knows_have_gradients():
    with ag.GradientTape(persistent=True) as tape:
        x = tape.watch(X)
        items = grown(x * x, np.int64(4))
        twice, table = entered(x * x, np.int64(4))
        a = (items[3] * items[1]).sum()
        b = (table[2][0] * table[3][1][0] + twice).sum()
        c = x.tolist()[1] * x.tolist()[2]
    np.testing.assert_array_equal(tape.gradient(a, x), 12.0 * X**3)
    np.testing.assert_array_equal(tape.gradient(b, x), 8.0 * X**3 + 4.0 * X)
    np.testing.assert_array_equal(tape.gradient(c, x), [0.0, 3.0, 2.0])
    np.testing.assert_array_equal(tape.gradient(items, x), 12.0 * X)
    np.testing.assert_array_equal(tape.gradient(a, items[1]), 3.0 * X**2)
    with ag.GradientTape():
        with ag.GradientTape() as inner:
            x = inner.watch(X)
            a = grown(x, np.int64(3))[2].sum()
        with pytest.raises(ag.NotDifferentiable, match="list or dict that only the run knows"):
            inner.gradient(a, x)


def test_plain_runs_in_a_block_are_followed():
    @ag.function
    def three_times(a):
        return (a * 3.0).sum()

    def gradient():
        with ag.GradientTape() as tape:
            x = tape.watch(X)
            y = x * x
            z = y.sum() * three_times(y)
        return tape.gradient(z, x)

    expected = gradient()
    np.testing.assert_array_equal(expected, 168.0 * X)
    for switch in (ag.run_functions_eagerly, ag.config.check_numerics):
        switch(True)
        try:
            np.testing.assert_array_equal(gradient(), expected)
        finally:
            switch(False)


def test_numerics_are_checked_in_both_halves_of_a_derivative():
    @ag.function
    def root(a):
        return np.sqrt(a)

    ag.config.check_numerics(True)
    try:
        with ag.GradientTape() as tape:
            x = tape.watch(0.0)
            y = root(x)
        with np.errstate(all="ignore"):
            with pytest.raises(ag.errors.CheckError, match="gave an Inf or NaN"):
                tape.gradient(y, x)
            with ag.GradientTape() as tape, pytest.raises(ag.errors.CheckError, match="sqrt gave"):
                root(tape.watch(-1.0))
    finally:
        ag.config.check_numerics(False)


def test_graphs_alone_are_followed():
    one = ag.function(lambda x: (x * 3.0).sum()).get_concrete_function(ag.TensorSpec([3]))
    held = ag.function(lambda x: (x[0] * 3.0).sum()).get_concrete_function([ag.TensorSpec([3])])
    with ag.GradientTape() as tape:
        x = tape.watch(X)
        y = x * x
        z = one(y) * held([y]) * held(y)
        with pytest.raises(ag.NotDifferentiable, match="its pullback runs where the tape cannot"):
            one.vjp(y)
    np.testing.assert_allclose(tape.gradient(z, x), 27.0 * 3.0 * 14.0**2 * 2.0 * X)


@pytest.mark.parametrize("leave", [
    lambda y: __import__("pickle").dumps(y), lambda y: y.base, lambda y: np.array(y.tolist()),
    lambda y: y.tobytes(), lambda y: y.data])
def test_more_ways_out_of_a_tape_are_refused(leave):
    with ag.GradientTape() as tape:
        y = tape.watch(X) * 2.0
        with pytest.raises(ag.NotDifferentiable, match="becomes a plain array or number"):
            leave(y)
    leave(y)


@pytest.mark.parametrize("f", [
    lambda a, items: a.sum() * items[0].sum(), lambda a, items: (a.sum(), stores(a))[0],
    lambda a, items: (a * a).sum() + (items[0] * 2.0).sum()])
def test_calls_that_are_verified_are_followed(f):
    def gradient(f):
        with ag.GradientTape() as tape:
            x = tape.watch(X)
            y = x * x
            z = f(y, [y * 1.0])
        return tape.gradient(z, x)

    np.testing.assert_allclose(gradient(ag.function(f, verify=2)), gradient(ag.function(f)))
