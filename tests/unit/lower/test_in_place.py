"""The in-place analysis: which updates overwrite, and that many of them are no matter."""

from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.codegen.emit import emit
from autograph.runtime.interpret import interpreter
from autograph.runtime.ir.program import Program
from autograph.runtime.lower.in_place import plan_inplace
from autograph.runtime.ops.parse import parse
from tests.support.outcome import run
from tests.support.work_done import calls_made


def test_a_value_that_is_used_later_is_not_overwritten() -> None:
    graph = parse("""
f(x: f64[3]):
  a: f64[3] = copy(x)
  b: f64[3] = setitem(a, 0, 1.0)
  c: f64[3] = setitem(b, 1, 1.0)
  d: f64[3] = add(b, c)
  return d
""")
    assert plan_inplace(graph).inplace == {graph.equations[1]}


def test_a_value_from_before_a_loop_that_every_iteration_reads_is_not_overwritten() -> None:
    graph = parse("""
f(x: f64[3]):
  a: f64[3] = copy(x)
  b: f64[3] = for(range(0, 3), x):
    body(i: py.int, c: f64[3]):
      d: f64[3] = setitem(a, i, 1.0)
      yield d
  return b
""")
    assert plan_inplace(graph).inplace == set()


def test_an_argument_is_overwritten_only_if_the_caller_wants_it() -> None:
    graph = parse("""
f(x: f64[3]):
  a: f64[3] = setitem(x, 0, 1.0)
  return a
""")
    assert plan_inplace(graph).inplace == set()
    assert plan_inplace(graph, dict.fromkeys(graph.inputs)).inplace == set(graph.equations)


def test_a_loop_that_may_not_run_gives_the_array_that_it_starts_with() -> None:
    graph = parse("""
f(x: f64[3], n: py.int):
  y: f64[3] = np.sin(x)
  s: py.range = range_(n)
  z: f64[3], t: f64[3] = for(s, y, x):
    body(i: py.int, c: f64[3], b: f64[3]):
      d: f64[3] = setitem(c, 0, 2.0)
      a: f64[3] = add(b, c)
      yield d, a
  w: f64[3] = setitem(z, -1, 5.0)
  e: f64[3] = multiply(y, 2.0)
  return w, e, t
""")
    loop = graph.equations[2]
    assert plan_inplace(graph).copied == {(loop, 0)}
    function, x = emit(Program(graph, tuple(graph.outputs)), "f").load(), np.ones(3)
    for n in (0, 2):
        np.testing.assert_array_equal(function(x, n), interpreter.run(graph, x, n))


def stores(count: int) -> int:
    """Returns the work that a plan for so many stores to one array takes."""
    lines = [f"  y{i + 1}: f64[9] = setitem(y{i}, {i % 9}, 1.0)" for i in range(count)]
    graph = parse("\n".join(
        ["f(x: f64[9]):", "  y0: f64[9] = copy(x)", *lines, f"  return y{count}"]))
    plans = []
    made = calls_made(lambda: plans.append(plan_inplace(graph)))
    assert len(plans[0].inplace) == count
    return made


def test_thousands_of_stores_to_one_array() -> None:
    assert stores(4000) < 2.5 * stores(2000)


def test_the_start_of_a_loop_is_not_copied_for_a_sum_that_tiles_make() -> None:
    def tiled(x, b, n):  # type: ignore[no-untyped-def]
        for _ in range(n):
            x = x * 0.5 + b
            x = x - b * 0.25
            x = x + b
        return x

    def single(x, b, n):  # type: ignore[no-untyped-def]
        for _ in range(n):
            x = x + b
        return x

    x, b = np.ones((400, 400)), np.full((400, 400), 0.5)
    for plain, copies in ((tiled, False), (single, True)):
        f = ag.function(plain).get_concrete_function(x, b, np.int64(3))
        assert (f(x, b, np.int64(3)) == plain(x, b, 3)).all()
        assert ("copy" in f.source) == copies


def test_what_a_mask_takes_out_is_memory_of_its_own() -> None:
    def bounces(x, v):  # type: ignore[no-untyped-def]
        for _ in range(20):
            out = x > 1.0
            v[out] *= -1.0
        return x + v

    x, v = np.linspace(0.0, 2.0, 600), np.linspace(-1.0, 1.0, 600)
    given, plain = v.copy(), v.copy()
    f = ag.function(bounces)
    assert f(x, given).tobytes() == bounces(x, plain).tobytes()
    assert given.tobytes() == plain.tobytes()
    assert "copy" not in f.get_concrete_function(x, v).source


def wave(u, before, n):  # type: ignore[no-untyped-def]
    for _ in range(n):
        after = np.zeros_like(u)
        after[1:-1] = u[1:-1] - before[1:-1]
        before = u
        u = after
    return u, before


def kept_views(u, n):  # type: ignore[no-untyped-def]
    before = u
    for _ in range(n):
        new = u * 2
        view = new[1:]
        new[1] = 5
        u, before = new, view
    return u, before


def kept_in_a_list(u, n):  # type: ignore[no-untyped-def]
    kept = []
    for _ in range(n):
        new = u.copy()
        kept.append(new)
        new[1] += 2
        u = new
    return u, kept


def best_of(u, n):  # type: ignore[no-untyped-def]
    best = u
    for k in range(n):
        new = best + 1
        new[0] = k
        if new[1] > best[1]:
            best = new
        new[2] = -k
    return best, u


@pytest.mark.parametrize("f, count", [
    (wave, 2), (kept_views, 1), (kept_in_a_list, 1), (best_of, 1)])
def test_an_array_made_in_an_iteration_has_memory_of_its_own(f: Any, count: int) -> None:
    arguments = (*(np.linspace(0.0, 2.0, 400) + k for k in range(count)), np.int64(12))
    traced = ag.function(f)
    for _ in range(2):
        assert run(traced, arguments).describe() == run(f, arguments).describe()
    assert f is not wave or "copy" not in traced.get_concrete_function(*arguments).source


def life(g: Any, steps: int) -> Any:
    for _ in range(steps):
        new = np.zeros((9, 9))
        for i in range(1, 8):
            for j in range(1, 8):
                if g[i - 1, j] > g[i, j]:
                    new[i, j] = g[i, j] + 1
        g = new
    return g


def remembered(g: Any, steps: int) -> Any:
    s = 0.0
    for _ in range(steps):
        new = np.zeros((9, 9))
        old = new
        for i in range(1, 8):
            new = new + 0 if i == 3 else new
            for j in range(1, 8):
                if g[i, j] > 0.5:
                    new[i, j] = 1
            s += old.sum()
        g = g + new
    return g, s


def test_an_array_made_in_a_loop_is_filled_in_place_by_the_loops_inside() -> None:
    x = np.random.default_rng(0).random((9, 9))
    source = ag.function(life, jit_compile=False).get_concrete_function(x, 50).source
    assert "copy" not in source
    for function in (life, remembered):
        for steps in (0, 1, 4):
            for options in ({"jit_compile": False}, {}):
                found = ag.function(function, **options)(x, steps)
                assert repr(found) == repr(function(x, steps))


def test_what_a_loop_starts_with_is_copied_if_the_loop_inside_reads_it() -> None:
    graph = parse("""
f(x: f64[4]):
  v: f64[4] = copy(x)
  a: f64[4] = for(range(0, 4), v):
    body(i: py.int, b: f64[4]):
      c: f64[4] = for(range(0, 4), b):
        body(j: py.int, d: f64[4]):
          e: f64 = mean(v)
          f: f64[4] = setitem(d, j, e)
          yield f
      yield c
  return a
""")
    outer = graph.equations[1]
    plan = plan_inplace(graph)
    (inner,) = outer.regions[-1].equations
    assert (outer, 0) in plan.copied or (inner, 0) in plan.copied


def test_stacks_of_anything_are_appended_to() -> None:
    def search(scores: Any) -> Any:
        beams = [((), 0.0)]
        for t in range(4):
            found = []
            for taken, score in beams:
                for k in range(3):
                    bonus = 0.3 if taken and taken[-1] == k else 0.0
                    found.append((taken + (k,), score + scores[t, k] + bonus))  # noqa: RUF005
            found.sort(key=lambda x: x[1], reverse=True)
            beams = found[:2]
        return beams[0][1] + 0.5 * beams[-1][1]

    scores = np.arange(12.0).reshape(4, 3) % 5.0
    both = ag.function(ag.value_and_grad(search))
    both(scores)
    lines = [line.strip() for line in both.get_concrete_function(scores).source.splitlines()]
    kept = {line.removesuffix(" = []") for line in lines if line.endswith(" = []")}
    assert len(kept) > 10
    assert not [x for x in kept if f"{x} = copy({x})" in lines]
