"""The tape outside of decorated functions: variables, arrays that are watched, nested tapes."""

import threading
import warnings

import numpy as np
import pytest

import autograph as ag
from autograph.gradients import engine

X = np.array([1.0, 2.0, 3.0])


def test_basic():
    with ag.GradientTape() as tape:
        x = tape.watch(X)
        y = np.sum(x**2) * 2
    g = tape.gradient(y, x)
    np.testing.assert_allclose(g, 4 * X)
    assert type(g) is np.ndarray


def test_orig_source():
    with ag.GradientTape() as tape:
        x = tape.watch(X)
        y = np.sum(x**2)
    np.testing.assert_allclose(tape.gradient(y, X), 2 * X)


def test_scalar():
    with ag.GradientTape() as tape:
        x = tape.watch(3.0)
        y = x * x
    assert float(y) == 9.0
    g = tape.gradient(y, x)
    assert g == 6.0


def test_variable():
    v = ag.Variable(3.0)
    with ag.GradientTape() as tape:
        y = v * v
    g = tape.gradient(y, v)
    assert g == 6.0, g


def test_variables_nest():
    w = ag.Variable(np.ones((3, 2)))
    b = ag.Variable(np.zeros(2))
    with ag.GradientTape(persistent=True) as tape:
        y = X[None] @ w + b
        loss = np.mean(y**2)
    dw, db = tape.gradient(loss, [w, b])
    np.testing.assert_allclose(dw.shape, (3, 2))
    np.testing.assert_allclose(db, [6.0, 6.0])
    d = tape.gradient(loss, {"w": w, "b": b})
    np.testing.assert_allclose(d["b"], [6.0, 6.0])
    assert tape.watched_variables() == (w, b) or set(map(id, tape.watched_variables())) == {
        id(w),
        id(b),
    }


def test_persistent():
    with ag.GradientTape(persistent=True) as tape:
        x = tape.watch(np.array([1.0, 3.0]))
        y = x * x
        z = y * y
    np.testing.assert_allclose(tape.gradient(z, x), 4 * np.array([1.0, 27.0]))
    np.testing.assert_allclose(tape.gradient(y, x), [2.0, 6.0])
    np.testing.assert_allclose(tape.gradient(z, y), 2 * np.array([1.0, 9.0]))


def test_nonpersistent():
    v = ag.Variable(1.0)
    with ag.GradientTape() as tape:
        y = v * 2
    tape.gradient(y, v)
    with pytest.raises(RuntimeError, match="non-persistent"):
        tape.gradient(y, v)


def test_nested():
    v = ag.Variable(2.0)
    with ag.GradientTape() as t2:
        with ag.GradientTape() as t1:
            y = v * v * v
        dy = t1.gradient(y, v)
    np.testing.assert_allclose(dy, 12.0)
    np.testing.assert_allclose(t2.gradient(dy, v), 12.0)


def test_nested_watch():
    with ag.GradientTape() as t2:
        x = t2.watch(X)
        with ag.GradientTape() as t1:
            t1.watch(x)
            y = np.sum(np.sin(x) * x)
        dy = t1.gradient(y, x)
        s = np.sum(dy**2)
    np.testing.assert_allclose(
        t2.gradient(s, x), 2 * (np.cos(X) * X + np.sin(X)) * (2 * np.cos(X) - X * np.sin(X))
    )


def test_nested_function():
    v = ag.Variable(2.0)

    @ag.function
    def f(x):
        return v * x * x

    with ag.GradientTape() as t2:
        x = t2.watch(3.0)
        with ag.GradientTape() as t1:
            t1.watch(x)
            y = f(x)
        dy = t1.gradient(y, x)
    np.testing.assert_allclose(dy, 12.0)
    np.testing.assert_allclose(t2.gradient(dy, [x, v]), [4.0, 6.0])


def test_jac():
    with ag.GradientTape() as tape:
        x = tape.watch(X)
        y = x**2
    np.testing.assert_allclose(tape.jacobian(y, x), np.diag(2 * X))


def test_batch_jac():
    X = np.arange(6.0).reshape(3, 2)
    with ag.GradientTape() as tape:
        x = tape.watch(X)
        y = x**3
    J = tape.batch_jacobian(y, x)
    assert J.shape == (3, 2, 2)
    np.testing.assert_allclose(J[1], np.diag(3 * X[1] ** 2))


def test_unconnected():
    x1 = np.ones(2)
    with ag.GradientTape(persistent=True) as tape:
        x = tape.watch(X)
        z = tape.watch(x1)
        y = x * 2
    assert tape.gradient(y, z) is None
    np.testing.assert_allclose(tape.gradient(y, z, unconnected_gradients="zero"), np.zeros(2))


def test_output_grads():
    with ag.GradientTape() as tape:
        x = tape.watch(X)
        y = x * x
    np.testing.assert_allclose(
        tape.gradient(y, x, output_gradients=np.array([1.0, 0.0, 2.0])), [2.0, 0.0, 12.0]
    )


def test_multi_targets():
    with ag.GradientTape() as tape:
        x = tape.watch(2.0)
        y = x * x
        z = x * 3
    np.testing.assert_allclose(tape.gradient([y, z], x), 7.0)
    with ag.GradientTape() as tape:
        x = tape.watch(2.0)
        y = x * x
        z = x * 3
    np.testing.assert_allclose(tape.gradient({"a": y, "b": z}, x), 7.0)


def test_stop_rec():
    v = ag.Variable(3.0)
    with ag.GradientTape() as tape:
        y = v * v
        with tape.stop_recording():
            assert float(y * 5) == 45.0
        w = y * 2
    np.testing.assert_allclose(tape.gradient(w, v), 12.0)


def test_stop_rec2():
    v = ag.Variable(3.0)
    with ag.GradientTape(persistent=True) as tape:
        y = v * v
        with tape.stop_recording():
            z = y * 5
    assert tape.gradient(z, v) is None


def test_reset():
    v = ag.Variable(3.0)
    with ag.GradientTape() as tape:
        y = v * v
        tape.reset()
        y = v * 4
    np.testing.assert_allclose(tape.gradient(y, v), 4.0)


def test_control():
    with ag.GradientTape() as tape:
        x = tape.watch(2.0)
        y = x
        while y < 100:
            y = y * x
        if y > 3:
            y = y + x
    np.testing.assert_allclose(tape.gradient(y, x), 7 * 2**6 + 1)


def test_inplace():
    with ag.GradientTape() as tape:
        x = tape.watch(X.copy())
        y = np.zeros(3) + x * 0
        y[0] = x[1] * x[2]
        y[1:] += x[:2]
        s = np.sum(y * y)
    np.testing.assert_allclose(tape.gradient(s, x), [2 * (1.0), 2 * 6 * 3 + 2 * 2.0, 2 * 6 * 2])


def test_stores_through_views():
    with ag.GradientTape() as tape:
        x = tape.watch(X.copy())
        y = x * 1.0
        z = y[1:]
        z *= 2.0
        s = np.sum(y * y)
    np.testing.assert_array_equal(tape.gradient(s, x), [2.0, 16.0, 24.0])


def test_stores_through_other_views_are_refused():
    with ag.GradientTape() as tape:
        x = tape.watch(X.copy())
        y = x * 1.0
        z = y.reshape(3, 1)
        z *= 2.0
        s = np.sum(y * y)
    with pytest.raises(ag.NotDifferentiable, match="through another one on the same memory"):
        tape.gradient(s, x)


def test_what_cannot_be_recorded_is_refused():
    with ag.GradientTape() as tape:
        x = tape.watch(X)
        y = np.sum(np.histogram2d(x, x, 2)[0])
    with pytest.raises(ag.NotDifferentiable, match=r"histogram2d runs as it is"):
        tape.gradient(y, x)


def test_funcs():
    with ag.GradientTape() as tape:
        x = tape.watch(X)
        m = np.stack([x, x**2, np.sin(x)])
        y = (
            np.linalg.det(m)
            + np.concatenate([x, x]).sum()
            + np.where(x > 1.5, x, 0).max()
            + x.mean()
            + x.T.dot(x)
            + np.einsum("i,i", x, x)
            + x.reshape(3, 1).sum()
        )
    g = tape.gradient(y, x)
    f = lambda x: (
        np.linalg.det(np.stack([x, x**2, np.sin(x)]))
        + np.concatenate([x, x]).sum()
        + np.where(x > 1.5, x, 0).max()
        + x.mean()
        + x.T.dot(x)
        + np.einsum("i,i", x, x)
        + x.reshape(3, 1).sum()
    )
    np.testing.assert_allclose(
        g, [(f(X + 1e-6 * e) - f(X - 1e-6 * e)) / 2e-6 for e in np.eye(3)], rtol=1e-6
    )


def test_assign():
    v = ag.Variable(2.0)
    with ag.GradientTape() as tape:
        v.assign(v * v * v + v)
        y = v * 1.0
    np.testing.assert_allclose(tape.gradient(y, v), 13.0)
    assert float(v) == 10.0


def test_assign14():
    v = ag.Variable(2.0)

    @ag.function
    def f(x):
        v.assign_add(x * v)
        return v * v

    with ag.GradientTape() as tape:
        y = f(1.0)
    np.testing.assert_allclose(tape.gradient(y, v), 2 * 4 * 2.0)


def test_a_variable_is_a_target_by_what_it_holds_in_the_end():
    v, w = ag.Variable(X), ag.Variable(X)
    with ag.GradientTape(persistent=True) as tape:
        v.assign(v * w)
        during = tape.gradient(v, v)
    w.assign(np.zeros(3))
    np.testing.assert_array_equal(during, X)
    np.testing.assert_array_equal(tape.gradient(v, v), X)
    np.testing.assert_array_equal(tape.gradient(v, w), X)
    np.testing.assert_array_equal(tape.gradient(w, w), np.ones(3))


def test_a_variable_that_is_only_asked_for():
    v, other = ag.Variable(2.0), ag.Variable(3.0)

    @ag.function
    def f(x):
        with ag.GradientTape() as tape:
            y = v * x
            v.assign(2.0 * v)
            y = y * v
        assert tape.gradient(y, other) is None
        return y

    with ag.GradientTape() as tape:
        x = tape.watch(np.float64(3.0))
        y = f(x)
    assert tape.gradient(y, [v, other, x]) == [24.0, None, 8.0]


def test_sgd():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    Y = X @ np.array([1.0, -2.0, 0.5])
    w = ag.Variable(np.zeros(3))
    for _ in range(60):
        with ag.GradientTape() as tape:
            loss = np.mean((X @ w - Y) ** 2)
        w.assign_sub(0.3 * tape.gradient(loss, w))
    np.testing.assert_allclose(w.numpy(), [1.0, -2.0, 0.5], atol=1e-3)
    assert type(w.numpy()) is np.ndarray


def test_plain_arrays_are_refused():
    with ag.GradientTape() as tape:
        tape.watch(X)
        y = np.sum(X * X)
    with pytest.raises(ag.NotDifferentiable, match=r"hint: write x = tape\.watch\(x\)"):
        tape.gradient(y, X)


def test_complex_():
    z0 = np.array([1 + 2j])
    with ag.GradientTape() as tape:
        z = tape.watch(z0)
        y = np.sum(np.abs(z) ** 2)
    np.testing.assert_allclose(tape.gradient(y, z), 2 * z0)


def test_watch_false():
    v = ag.Variable(2.0)
    w = ag.Variable(3.0)
    with ag.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(w)
        y = v * w
    assert tape.gradient(y, [v, w]) == [None, 2.0]


def test_hessian():
    with ag.GradientTape() as t2:
        x = t2.watch(X)
        with ag.GradientTape() as t1:
            t1.watch(x)
            y = np.sum(x**3)
        g = t1.gradient(y, x)
    np.testing.assert_allclose(t2.jacobian(g, x), np.diag(6 * X))


def test_integer_variable():
    v = ag.Variable(3)
    with ag.GradientTape() as tape:
        y = v * 2.5
    assert type(y) is np.float64
    with pytest.raises(ag.NotDifferentiable, match="there is no derivative"):
        tape.gradient(y, v)


def test_types():
    x = np.ones(3, np.float32)
    with ag.GradientTape() as tape:
        a = tape.watch(x)
        y = np.sum(a * 2.0)
    g = tape.gradient(y, a)
    assert g.dtype == np.float32 and y.dtype == np.float32


def test_after_block():
    with ag.GradientTape() as tape:
        x = tape.watch(X)
        y = x * 2
    z = y * 3
    assert type(z) in (np.ndarray,), type(z)


def test_threads():
    out = []

    def work(k):
        v = ag.Variable(float(k))
        for _ in range(10):
            with ag.GradientTape() as tape:
                y = v * v * k
            out.append((k, float(tape.gradient(y, v))))

    ts = [threading.Thread(target=work, args=(k,)) for k in range(1, 5)]
    [a.start() for a in ts]
    [a.join() for a in ts]
    assert len(out) == 40 and all(g == 2.0 * k * k for k, g in out), out[:5]


def test_a_tape_goes_on_when_that_of_another_thread_ends():
    def other():
        with ag.GradientTape():
            pass

    v = ag.Variable(3.0)
    with ag.GradientTape() as tape:
        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        y = v * v
    assert tape.gradient(y, v) == 6.0


def test_functions_that_change_an_array():
    with ag.GradientTape() as tape:
        x = tape.watch(X.copy())
        y = x * 1.0
        np.add.at(y, [0, 0], x[1:])
        np.copyto(y[1:], x[:2] * 5.0)
        np.put(y, 2, x[0] * x[1])
        y.sort()
        s = np.sum(y * np.arange(1.0, 4.0))
    np.testing.assert_array_equal(np.asarray(y), [2.0, 5.0, 6.0])
    np.testing.assert_array_equal(tape.gradient(s, x), [3.0 + 2.0 + 10.0, 3.0 + 1.0, 3.0])


def test_functions_of_numpy_are_called_with_any_types():
    """One trace for each type, of which no warning tells: no user wrote these functions."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", ag.RetracingWarning)
        for dtype in (np.float32, np.float64, complex):
            engine._plain.clear()  # as it is when so many functions were differentiated
            for shape in ((), (2,), (3,), (2, 3), (4,), (5,)):
                with ag.GradientTape() as tape:
                    x = tape.watch(np.ones(shape, dtype))
                    y = x * x * 2.0
                np.testing.assert_allclose(tape.gradient(y, x), np.full(shape, 4.0))
