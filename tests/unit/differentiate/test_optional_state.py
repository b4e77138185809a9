"""Derivatives of programs whose state is None at first, and of sets that the run changes."""

import heapq

import numpy as np
import pytest

import autograph as ag
from tests.support.slopes import Trial

X = np.array([0.3, -1.2, 0.9, 0.4])
WEIGHTS = np.random.default_rng(1).uniform(0.5, 3.0, (4, 4))


class Momentum:
    def __init__(self):
        self.sums = None

    def step(self, p, g):
        if self.sums is None:
            self.sums = {k: np.zeros_like(v) for k, v in p.items()}
        for k in p:
            self.sums[k] = 0.5 * self.sums[k] + g[k]
        return {k: p[k] - 0.1 * self.sums[k] for k in p}


def optimised(x):
    optimiser, p, i = Momentum(), {"a": x, "b": x[::-1]}, 0
    while np.sum(p["a"] ** 2) > 0.5 and i < 4:
        p = optimiser.step(p, {"a": np.sin(p["a"]), "b": p["b"] ** 2})
        i += 1
    return p["a"], p["b"]


def list_or_none(x):
    state, i = None, 0
    while np.sum(x ** 2) > 0.5 and i < 4:
        if state is None:
            state = [np.zeros(4), 0.0]
        state[0] = 0.5 * state[0] + np.sin(x)
        x = x - 0.1 * state[0]
        i += 1
    return x


def visited(x):
    seen, i, total = set(), 0, 0.0
    while i not in seen:
        seen.add(i)
        total += x[i] ** 2
        i = int(3 * abs(x[i])) % 4
    return total * len(seen)


def shortest_paths(w):
    distance, heap, seen = {0: 0.0}, [(0.0, 0)], set()
    while heap:
        d, u = heapq.heappop(heap)
        if u in seen:
            continue
        seen.add(u)
        for v in range(4):
            if v != u and (v not in distance or d + w[u, v] < distance[v]):
                distance[v] = d + w[u, v]
                heapq.heappush(heap, (distance[v], v))
    return [distance[k] for k in range(4)]


@pytest.mark.parametrize("form", [lambda f: f, ag.function])
@pytest.mark.parametrize(("f", "x"), [
    (optimised, X), (list_or_none, X), (visited, X), (shortest_paths, WEIGHTS)])
def test_both_modes(f, x, form):
    verdict = Trial(form(f), (x,)).verdict()
    assert verdict.outcome == "agree", verdict.told


@ag.function
def changed_later(x):
    state, i = None, 0
    with ag.GradientTape() as tape:
        tape.watch(x)
        y = x
        while np.sum(y ** 2) > 0.5 and i < 4:
            before = state
            state = {"m": np.sin(y) if state is None else 0.5 * state["m"]}
            state["m"] = state["m"] * 0.5
            y = y - 0.1 * state["m"]
            i += 1
        loss = np.sum(y ** 2)
    g = tape.gradient(loss, x)
    state["m"] = state["m"] + 1
    return g, before["m"], state["m"]


def test_the_program_goes_on_with_objects_of_its_own():
    g, before, after = changed_later(X)
    np.testing.assert_allclose(after, before * 0.25 + 1)
    assert g.shape == (4,)


def in_order(x):
    seen, i, total = set(), 0, 0.0
    while i not in seen:
        seen.add(i)
        i = int(3 * abs(x[i])) % 4
    for k in seen:
        total += x[k]
    return total


def test_the_order_of_a_set_is_refused():
    with pytest.raises(ag.NotDifferentiable, match="a loop goes over a set that changes"):
        ag.grad(in_order)(X)


def measured(x):
    r = visited(x)
    if isinstance(r, dict):
        return sum(r.values())
    return np.sum(np.real(r)) + 0.3 * np.sum(np.real(r) ** 2) + 0.1 * np.sum(np.imag(r))


def test_tangents_of_what_only_the_run_knows():
    t = np.ones(4)
    expected = (ag.grad(measured)(X + 1e-6) - ag.grad(measured)(X - 1e-6)) / 2e-6
    np.testing.assert_allclose(ag.hvp(measured, (X,), (t,)), expected, rtol=1e-6, atol=1e-8)
