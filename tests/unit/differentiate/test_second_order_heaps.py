"""Derivatives of derivatives of programs that change lists, dicts and objects while the graph runs.

All ways to a second derivative agree with differences of the plain function.
"""

import numpy as np
import pytest

import autograph as ag

X = np.array([0.43, -0.31, 0.77])
W = np.array([0.3, -0.7, 1.1])


class Box:
    def __init__(self, w):
        self.w = w


def appended_in_a_branch(x):
    items = [x[0] * x[0]]
    for k in range(int(x[2]) + 3):
        if x[0] > 0.1 * k:
            items.append(items[-1] * x[1] + x[2])
    total = 0.0
    for q in items:
        total = total + q * q
    return total


def popped_in_a_branch(x):
    v, items = x[0] * 0.5 + 0.6, [x[0] * x[1], x[1], x[2] * x[2], x[0] * x[2]]
    for _ in range(int(x[2]) + 3):
        if v > 0.9:
            v = v + items.pop() * x[2] * 0.3
        else:
            v = v + 0.1 * x[0]
        v = v * 1.2
    return v * items[0]


def pairs(x):
    items = [(x[0] * x[0], x[1])]
    if x[0] > 0.2:
        items.append((items[-1][1] * x[2], items[-1][0]))
    total = 0.0
    for p, q in items:
        total = total + p * q
    return total


def lists_in_a_list(x):
    items = [[x[0] * x[1]]]
    for _ in range(int(x[2]) + 3):
        items.append([items[-1][0] * x[0], x[1] * x[2]])
    total = 0.0
    for p in items:
        for q in p:
            total = total + q * q
    return total


def stored_by_position(x):
    v, items = x[0] * 0.5 + 0.6, [x[0], x[1] * x[1], x[2]]
    for k in range(int(x[2]) + 3):
        if v > 0.9:
            items[k % 3] = items[(k + 1) % 3] * v + x[0] * x[1]
        else:
            v = v + 0.1 * x[0]
        v = v * 1.1
    return items[0] * items[0] + items[1] * items[2]


def none_at_first(x):
    items = [x[0] * x[1], None, None]
    for k in range(int(x[2]) + 4):
        j = (k + 1) % 3
        items[j] = x[1] * x[2] if items[j] is None else items[j] * x[0]
    total = 0.0
    for q in items:
        if q is not None:
            total = total + q * q
    return total


def keys_of_numbers(x):
    found = {0: x[0] * x[0], 1: x[1], 2: x[2]}
    for k in range(int(x[2]) + 3):
        found[k % 3] = found[(k + 1) % 3] * x[0] + found.get(k, x[1])
    return found[0] + found[1] * found[2]


def new_keys(x):
    found = {0: x[0] * x[0]}
    for k in range(int(x[2]) + 3):
        if x[0] > 0.1 * k:
            found[k + 1] = found.get(k, x[1]) * x[2] + x[1]
    total = 0.0
    for q in found.values():
        total = total + q * q
    return total


def filtered(x):
    v, items = x[0] * 0.5 + 0.6, [x[0] * x[0], x[1], x[2]]
    for _ in range(5):
        if v > 1.5:
            break
        items = [q * v + x[1] for q in items if q < 9.0]
        v = v * 1.3
    total = 0.0
    for q in items:
        total = total + q * q
    return total


def list_in_an_object(x):
    box = Box([x[0] * x[1]])
    while box.w[-1] < 0.5 and len(box.w) < 5:
        box.w.append(box.w[-1] * x[0] + x[2] * 0.3)
    total = 0.0
    for q in box.w:
        total = total + q * q
    return total


def reverse_over_reverse(f):
    return ag.grad(lambda x: np.sum(ag.grad(f)(x) * W))(X)


def forward_over_reverse(f):
    return ag.jvp(ag.grad(f), (X,), (W,))[1]


def forward_over_forward(f):
    return np.array([ag.jvp(lambda y: ag.jvp(f, (y,), (W.copy(),))[1], (X,), (v,))[1]
                     for v in np.eye(3)])


def reverse_over_forward(f):
    return ag.grad(lambda y: ag.jvp(f, (y,), (W.copy(),))[1])(X)


def tapes(f):
    f = ag.function(f)
    with ag.GradientTape() as outer:
        x = outer.watch(X.copy())
        with ag.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        s = np.sum(inner.gradient(y, x) * W)
    return outer.gradient(s, x)


def differences(f, h=3e-4):
    one = h * W
    return np.array([(f(X + one + e) - f(X + one - e) - f(X - one + e) + f(X - one - e))
                     / (4 * h * h) for e in h * np.eye(3)])


PROGRAMS = [appended_in_a_branch, popped_in_a_branch, pairs, lists_in_a_list, stored_by_position,
            none_at_first, keys_of_numbers, new_keys, filtered, list_in_an_object]
WAYS = [reverse_over_reverse, forward_over_reverse, forward_over_forward, reverse_over_forward,
        tapes]


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("f", PROGRAMS)
def test_second_order(f, way):
    np.testing.assert_allclose(way(f), differences(f), rtol=1e-4, atol=1e-4)


def test_a_jacobian_asks_for_the_form_of_a_result():
    def several(x):
        return np.stack([stored_by_position(x), x[0]])

    with pytest.raises(ag.NotDifferentiable, match=r"not known before the graph runs\n +at .*"):
        ag.jacobian(several)(X)
    found = ag.jacobian(lambda x: np.asarray(several(x), float).reshape(2))(X)
    np.testing.assert_allclose(found, [ag.grad(stored_by_position)(X), [1.0, 0.0, 0.0]])
