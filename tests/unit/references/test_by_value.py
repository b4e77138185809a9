"""Graphs by value do what graphs by reference do; derivatives and exports take them."""

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.references.targets import NotByValue
from tests.support.by_reference import check_by_value, program_of
from tests.support.slopes import Trial
from tests.unit.references import container_programs, tuple_programs
from tests.unit.references.programs import ALL, double_buffer, raises, three_buffers

STEP = 1e-6
RAISES = (raises, container_programs.grown_while_read)


def arrays():
    return np.array([1.5, -2.0, 0.5, 3.0]), np.array([0.25, 1.0, -1.0, 2.0])


@pytest.mark.parametrize("n", range(6))
@pytest.mark.parametrize("f", [*ALL, *container_programs.ALL, *tuple_programs.ALL])
def test_by_value_is_by_reference(f, n):
    check_by_value(f, (*arrays(), np.int64(n)))


@pytest.mark.parametrize("n", [0, 1, 3, 4])
@pytest.mark.parametrize("f", [
    f for f in [*ALL, *container_programs.ALL] if f not in RAISES])
def test_gradients_follow_the_arrays(f, n):
    x, y = arrays()

    def total(x, y):
        made = f(x, y, np.int64(n))
        parts = made if isinstance(made, tuple) else (made,)
        return sum(np.sum((k + 1) * np.sin(part)) for k, part in enumerate(parts))

    def moved(k, step):
        at = [x.copy(), y.copy()]
        at[k // 4][k % 4] += step
        return total(*at)

    slopes = np.array([(moved(k, STEP) - moved(k, -STEP)) / (2 * STEP) for k in range(8)])
    back = np.concatenate(ag.grad(total, (0, 1))(x.copy(), y.copy()))
    np.testing.assert_allclose(back, slopes, atol=1e-7)
    ahead = [ag.jvp(total, (x.copy(), y.copy()), (one[:4], one[4:]))[1] for one in np.eye(8)]
    np.testing.assert_allclose(ahead, slopes, atol=1e-7)


@pytest.mark.parametrize("n", range(5))
@pytest.mark.parametrize("f", tuple_programs.ALL)
def test_gradients_go_through_tuples(f, n):
    verdict = Trial(lambda x, y: f(x, y, np.int64(n)), arrays()).verdict()
    assert verdict.outcome == "agree", verdict.told


def test_a_dict_that_grows_while_it_is_read():
    with pytest.raises(RuntimeError, match="dictionary changed size during iteration"):
        ag.grad(lambda x: container_programs.grown_while_read(x, x, np.int64(3)))(arrays()[0])


def test_what_a_gradient_writes_is_written():
    x, y = arrays()
    plain = x.copy(), y.copy()
    double_buffer(*plain, 3)
    ag.grad(lambda x, y: double_buffer(x, y, np.int64(3)).sum())(x, y)
    np.testing.assert_array_equal((x, y), plain)


def test_second_order():
    x, y = arrays()

    def f(x):
        return np.sin(three_buffers(x, y.copy(), np.int64(4))[0]).sum()

    made = ag.hessian(f)(x.copy())  # which f writes
    slope = ag.grad(f)
    steps = [(slope(x + STEP * e) - slope(x - STEP * e)) / (2 * STEP) for e in np.eye(4)]
    np.testing.assert_allclose(made, steps, atol=1e-7)


def test_pullback():
    x, y = arrays()
    value, pullback = ag.vjp(lambda x: double_buffer(x.copy(), y.copy(), np.int64(3)), x)
    np.testing.assert_array_equal(value, double_buffer(x.copy(), y.copy(), 3))
    rows = [pullback(one)[0] for one in np.eye(4)]
    np.testing.assert_allclose(rows, ag.jacobian(
        lambda x: double_buffer(x.copy(), y.copy(), np.int64(3)))(x))


def test_persistent_tape():
    x, y = arrays()

    @ag.function
    def both(x, y, n):
        with ag.GradientTape(persistent=True) as tape:
            tape.watch(x)
            made = double_buffer(x * 1.0, y * 1.0, n)
            first, second = made.sum(), (made ** 2).sum()
        return tape.gradient(first, x), tape.gradient(second, x)

    first, second = both(x, y, np.int64(3))
    np.testing.assert_allclose(first, ag.grad(
        lambda x: double_buffer(x * 1.0, y * 1.0, np.int64(3)).sum())(x))
    np.testing.assert_allclose(second, ag.grad(
        lambda x: (double_buffer(x * 1.0, y * 1.0, np.int64(3)) ** 2).sum())(x))


@pytest.mark.parametrize("f", [double_buffer, three_buffers])
def test_exports(f):
    jax = pytest.importorskip("jax", reason="the extra jax is not installed")
    jax.config.update("jax_enable_x64", True)
    x, y = arrays()
    wanted_x, wanted_y = x.copy(), y.copy()
    wanted = f(wanted_x, wanted_y, 5)
    found, written = ag.function(f).to_jax(written_arguments=True)(x, y, np.int64(5))
    np.testing.assert_allclose(np.array(found), np.array(wanted))
    np.testing.assert_allclose([written["x"], written["y"]], [wanted_x, wanted_y])


def changes_a_list(x, y, n):
    held = [x] if n > 2 else [y, x]
    held.append(y)
    held[0][0] = 1.0
    return held[-1]


def maybe_a_copy(x, y, n):
    v = np.outer(x, y)[:, ::2] if n > 2 else np.outer(y, x)
    v.reshape(-1)[0] = 5.0
    return v


@pytest.mark.parametrize("f", [changes_a_list, maybe_a_copy])
def test_not_by_value(f):
    with pytest.raises(NotByValue):
        check_by_value(f, (*arrays(), np.int64(3)))


def test_programs_are_by_reference():
    """What the tests above compare is what they say."""
    stores = [f.__name__ for f in ALL if any(
        e.op.effect == "store" for e in program_of(f, (*arrays(), np.int64(3)))[0].graph.walk())]
    assert stores == [f.__name__ for f in ALL]
