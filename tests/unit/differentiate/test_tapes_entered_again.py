"""Tapes in functions: what is computed between their blocks, and while they pause."""

import numpy as np
import pytest

import autograph as ag

V = ag.Variable(2.0)


def test_what_a_tape_in_a_function_does_not_record():
    v = ag.Variable(3.0)

    @ag.function
    def f(through):
        with ag.GradientTape() as tape:
            y = v * v
            with tape.stop_recording():
                z = y * 5.0
            w = y * (z if through else 2.0)
        return tape.gradient(w, v), z

    assert f(False) == (12.0, 45.0)
    with pytest.raises(ag.NotDifferentiable, match="while it did not record"):
        f(True)


def entered_again(n, between):
    """What is computed between the blocks of one tape is not recorded."""
    total = 0.0
    tape = ag.GradientTape(persistent=True)
    with tape:
        a = V**2
    b = a * 1.0 if between else a
    with tape:
        y = b * V
    total = total + tape.gradient(y, V)
    for _ in range(n):
        with ag.GradientTape() as tape:
            y = V**3
        total = total + tape.gradient(y, V)
    return total


def test_a_tape_is_entered_again():
    for n in (1, np.int64(2)):
        assert ag.function(entered_again)(n, False) == entered_again(n, False) == 12.0 * (n + 1)
    with pytest.raises(ag.NotDifferentiable, match="outside of its block"):
        ag.function(entered_again)(1, True)

    @ag.function
    def inside(n):
        total = 0.0
        tape = ag.GradientTape(persistent=True)
        with tape:
            a = V**2
        for _ in range(n):
            with tape:
                total = total + tape.gradient(a * V, V)
        return total

    with pytest.raises(ag.NotDifferentiable, match="goes on inside"):
        inside(np.int64(2))
