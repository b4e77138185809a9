"""The values that a tape follows: the ways out of it, and gradients by them."""

import math
import pickle
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.errors import NotDifferentiable
from autograph.runtime.ir.pytree import flatten

X = np.array([1.0, 2.0, 3.0])


def leaves_in_array(x):
    return np.array([x[0] * x[1], x[2]])


def leaves_as_rows(x):
    return np.array([x, x * 2.0])


def leaves_by_store(x):
    made = np.zeros((2, 3))
    made[1] = x
    return made


def leaves_by_item_store(x):
    made = np.zeros(3)
    made[1] = x[0]
    return made


def leaves_in_place(x):
    made = np.zeros(3)
    made += x
    return made


def leaves_by_out(x):
    return np.exp(x, out=np.zeros(3))


def leaves_by_copyto(x):
    made = np.zeros(3)
    np.copyto(made, x)
    return made


def leaves_as_number(x):
    return math.sin(x[0])


def leaves_flat(x):
    return np.sum([v * 2.0 for v in x.flat])


LEAVING = [leaves_in_array, leaves_as_rows, leaves_by_store, leaves_by_item_store, leaves_in_place,
           leaves_by_out, leaves_by_copyto, leaves_as_number, leaves_flat]


@pytest.mark.parametrize("f", LEAVING)
def test_values_do_not_leave_a_tape_unseen(f):
    v = ag.Variable(X)
    with ag.GradientTape() as tape:
        for x in (tape.watch(X), v * 1.0, v):
            with pytest.raises((ag.NotDifferentiable, ValueError)) as error:
                f(x)
            told = error.value if type(error.value) is not ValueError else error.value.__cause__
            assert "a value that a tape follows becomes a plain array or number" in str(told)
        with tape.stop_recording():
            np.testing.assert_array_equal(f(x), f(X))
    np.testing.assert_array_equal(f(x), f(X))


def test_stores_into_an_array_that_is_watched():
    with ag.GradientTape() as tape:
        x = tape.watch(X)
        y = tape.watch(np.zeros((2, 3)))
        y[0, 1] = x[0] * x[1]
        y[1] = np.stack([a * a for a in x])
        s = np.sum(y * y)
    np.testing.assert_allclose(tape.gradient(s, x), 4 * X**3 + [8.0, 4.0, 0.0])


def test_what_a_tape_gave_is_an_argument_after_its_block():
    with ag.GradientTape() as tape:
        x = tape.watch(X)
        y = x * x
    for f in (lambda a: a * 2.0, lambda a: a.sum()):
        np.testing.assert_array_equal(ag.function(f)(y), f(X * X))
    np.testing.assert_array_equal(ag.grad(np.sum)(y), np.ones(3))
    assert isinstance(y, np.ndarray) and f"{y[0]:.1f} {int(y[1])} {y}" == "1.0 4 [1. 4. 9.]"
    assert 4.0 in y and type(pickle.loads(pickle.dumps(y))) is np.ndarray


W = ag.Variable(np.array([2.0, 3.0, 4.0]))


def of_sines(tape, x):
    y = np.sin(x)
    z = (W * y * y * x).sum()
    return z, y, z


def of_stores(tape, x):
    y = np.sin(x)
    a = tape.watch(np.zeros(3))
    a[0] = y[0] * y[1]
    b = a * 2.0
    a[1] += b[0] * x[2]
    return (a * a).sum() * y[0], y, b


def of_a_loop(tape, x):
    y = x * 1.0
    for _ in range(5):
        y = np.sin(y) * x[0]
    w = y * y
    s = 0.0
    for i in range(2):
        s = s + w[i] ** 2
    return s, y, w


@pytest.mark.parametrize("program", [of_sines, of_stores, of_a_loop])
def test_gradients_by_what_the_block_computes(program):
    def gradients(x):
        with ag.GradientTape(persistent=True) as tape:
            x = tape.watch(x)
            target, *between = program(tape, x)
        return [tape.gradient(target, s) for s in (x, W, between, [x, *between])]

    plain, traced = gradients(X), ag.function(gradients)(X)
    assert (plain[1] is None) == (program is not of_sines)
    for a, b in zip(flatten(plain), flatten(traced), strict=True):
        assert (a is None) == (b is None)
        if a is not None:
            np.testing.assert_allclose(a, b, rtol=1e-12)
    np.testing.assert_array_equal(traced[0], traced[3][0])


def test_what_does_not_depend_on_the_watched_has_no_gradient():
    @ag.function
    def gradients(x, c):
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)
            k = c * 2.0
            y = (x * k).sum()
        return tape.gradient(y, k), tape.gradient(y, c), tape.gradient(k, y)

    assert gradients(X, X * 2.0) == (None, None, None)


@ag.custom_vjp
def ten_times(x):
    return x * x


ten_times.defvjp(lambda x: (x * x, x), lambda kept, g: (10.0 * g * kept,))


@ag.custom_jvp
def five_times(x):
    return x * x


five_times.defjvp(lambda primals, tangents: (primals[0] ** 2, 5.0 * primals[0] * tangents[0]))


@ag.custom_gradient
def seven_times(x):
    return np.exp(x), lambda g: g * 7.0


def stopped(x):
    return (x * ag.stop_gradient(x * 2.0)).sum() + (x * ag.stop_gradient(x)).sum()


RULES = [stopped, lambda x: (ten_times(x) * x).sum(), lambda x: (five_times(x) * x).sum(),
         lambda x: (seven_times(x) * x).sum()]


@pytest.mark.parametrize("f", RULES)
def test_tapes_follow_rules_of_the_users(f):
    v = ag.Variable(X)
    expected = ag.grad(f)(X)
    for x in (X, v):
        with ag.GradientTape() as tape:
            given = x if x is v else tape.watch(x)
            y = f(given)
        np.testing.assert_allclose(tape.gradient(y, given), expected, rtol=1e-12)


CUBES = ag.function(lambda x: x**3)
PRODUCT = ag.function(lambda x, y: (x * y).sum())


@pytest.mark.parametrize("f", [
    lambda v: CUBES(v).sum(), lambda v: (CUBES(v) * v).sum(), lambda v: PRODUCT(v, v) ** 2,
    lambda v: ag.grad(lambda x: (x**3).sum())(v).sum()])
def test_second_derivatives_by_variables_given_to_functions(f):
    def derivatives(v):
        with ag.GradientTape() as outer:
            with ag.GradientTape() as inner:
                y = f(v)
            g = inner.gradient(y, v)
            s = (g * g * v).sum()
        return g, outer.gradient(s, v)

    v = ag.Variable(X)
    for a, b in zip(derivatives(v), ag.function(lambda: derivatives(v))(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-12)


def test_a_call_is_not_computed_again_with_another_value_of_a_variable():
    v = ag.Variable(X)
    product = ag.function(lambda x: (v * v * x).sum())
    for f in (product, lambda x: CUBES(v).sum()):
        with ag.GradientTape():
            with ag.GradientTape() as tape:
                y = f(X)
            v.assign(v * 2.0)
            with pytest.raises(ag.NotDifferentiable, match="after <variable Variable> was assign"):
                tape.gradient(y, v)


@pytest.mark.parametrize("held", [lambda w: [w], lambda w: {"a": w}, lambda w: [[w], 1.0]])
def test_a_changed_list_that_holds_a_taped_array_is_refused(held: Any) -> None:
    @ag.function
    def changes(x: Any) -> Any:
        if isinstance(x, dict):
            x["b"] = 1.0
        else:
            (x[0] if isinstance(x[0], list) else x).append(1.0)
        return 2.0

    def reads(x: Any, more: list[Any]) -> Any:
        more.append(1.0)
        first = x["a"] if isinstance(x, dict) else x[0]
        return np.sum(first[0] if isinstance(first, list) else first)

    with ag.GradientTape() as tape:
        w = tape.watch(np.ones(2))
        with pytest.raises(NotDifferentiable, match="changes a list or dict that holds an array"):
            changes(held(w))
        more: list[Any] = []
        y = ag.function(reads)(held(w), more)
    assert more == [1.0]
    assert tape.gradient(y, w).tolist() == [1.0, 1.0]


def test_a_number_that_a_signature_fixes_is_no_argument_of_a_derivative():
    one = ag.function(lambda w, n: (w**3).sum() * n).get_concrete_function(X, 2.0)
    with pytest.raises(ag.errors.SignatureError, match=r"is Literal\[2.0\].*\n.*lambda x: f\(x, "):
        ag.grad(one)(X, 2.0)
    np.testing.assert_allclose(ag.grad(lambda w: one(w, 2.0))(X), 6.0 * X**2)


def multiplied(x: Any) -> Any:
    v = x * 1.0
    v *= x
    return v


def stored(x: Any) -> Any:
    v = x * 1.0
    v[:] = v * x
    return v


def item_stored(x: Any) -> Any:
    v = x * 1.0
    v[0] = v[0] * x[1]
    return v


def item_multiplied(x: Any) -> Any:
    v = x * 1.0
    v[0] *= x[1]
    return v


@pytest.mark.parametrize("f", [multiplied, stored, item_stored, item_multiplied])
@pytest.mark.parametrize("persistent", [False, True])
def test_a_gradient_in_the_block_of_a_tape_is_by_what_arrays_held(f, persistent) -> None:
    x = np.array([0.5, -0.3])

    def loss(x: Any) -> Any:
        return np.sum(f(x) * x)

    with ag.GradientTape(persistent=persistent) as outer:
        taped = outer.watch(x)
        with ag.GradientTape() as inner:
            inner.watch(taped)
            z = loss(taped)
        g = inner.gradient(z, taped)
        s = np.sum(g * g)
    np.testing.assert_allclose(np.asarray(g), ag.grad(loss)(x), rtol=1e-14)
    expected = ag.grad(lambda x: np.sum(ag.grad(loss)(x) ** 2))(x)
    np.testing.assert_allclose(outer.gradient(s, taped), expected, rtol=1e-14)


def test_a_plain_array_may_change_before_a_gradient_in_the_block() -> None:
    x, b = np.array([0.5, -0.3]), np.array([2.0, 3.0])
    with ag.GradientTape() as outer:
        taped = outer.watch(x)
        with ag.GradientTape() as inner:
            inner.watch(taped)
            z = np.sum(taped * taped * b)
            b[:] = 100.0
        g = inner.gradient(z, taped)
        s = np.sum(g * g)
    np.testing.assert_array_equal(np.asarray(g), 2 * x * [2.0, 3.0])
    np.testing.assert_allclose(outer.gradient(s, taped), 8 * x * [4.0, 9.0], rtol=1e-14)


def test_a_watched_plain_array_stays_the_source_of_second_derivatives() -> None:
    square = ag.function(lambda a, c: np.sum(a * a * c))
    w = np.array([2.0, 3.0])
    with ag.GradientTape() as outer:
        outer.watch(w)
        with ag.GradientTape() as inner:
            inner.watch(w)
            z = square(w, w)
        g = inner.gradient(z, w)
        s = np.sum(g * g)
    np.testing.assert_array_equal(g, 3 * w ** 2)
    np.testing.assert_array_equal(outer.gradient(s, w), 36 * w ** 3)
