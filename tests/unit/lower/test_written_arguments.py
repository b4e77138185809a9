"""Arguments that an operator writes: in their own memory, as in plain Python."""

import numpy as np
import pytest

import autograph as ag


def added(a, b):
    a += b


def used_again(a, b):
    a += b
    b -= a @ b
    return a.sum()


def read_before(a, b):
    old = a.copy()
    view = a[0]
    a *= b
    return old, view, a


def kept_elsewhere(a, b):
    c = a
    a = a + 1.0
    c -= a * b
    return a, c


def with_itself(a, b):
    a += a.T
    b *= a


def old_value(a, b):
    c = a * 2.0
    a += c
    return c, a, b - a


def then_raises(a, b):
    a += b
    b /= a
    if a[0, 0] > 0:
        raise ValueError("late")
    b += 1


def whole_store(a, b):
    a[:] = a / b
    b[...] = b - a


def in_a_branch(a, b):
    if b[0, 0] > 0:
        a += b
    a *= b
    return a


PROGRAMS = [added, used_again, read_before, kept_elsewhere, with_itself, old_value, then_raises,
            whole_store, in_a_branch]


def outcome(f, a, b, view, **settings):
    big = np.concatenate([a, a]), np.concatenate([b, b])
    given = [x[:len(x) // 2] if view else x[:len(x) // 2].copy() for x in big]
    try:
        with np.errstate(**settings):
            found = f(*given)
    except Exception as error:
        found = type(error), str(error)
    found = found if isinstance(found, tuple) else (found,)
    return [x.tobytes() if isinstance(x, np.ndarray) else x for x in (*found, *given, *big)]


@pytest.mark.parametrize("options", [{}, {"jit_compile": False}, {"jit_compile": True}], ids=str)
@pytest.mark.parametrize("f", PROGRAMS, ids=lambda f: f.__name__)
def test_as_plain(f, options):
    rng = np.random.default_rng(2)
    a, b = rng.random((2, 20, 20)) + 0.5
    b[3, 4] = 0.0
    compiled = ag.function(f, **options)
    for view in (False, True, False):
        for how in ("ignore", "raise"):
            assert outcome(compiled, a, b, view, all=how) == outcome(f, a, b, view, all=how)


def test_the_argument_itself_is_written():
    a, b = np.ones((2, 30, 30))
    source = ag.function(added).get_concrete_function(a, b).source
    assert "a += b" in source and "a[...]" not in source
