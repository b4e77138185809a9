"""Rows 161 to 170: control flow and collections as functions."""

import numpy as np
import pytest

import autograph as ag

ONE, TWO = np.float64(1), np.float64(2)
I = np.int64  # noqa: E741


def both(f, *args):
    """The result of a function, which must be the same plainly and as a graph."""
    plain, traced = f(*args), ag.function(f)(*args)
    assert np.array_equal(np.asarray(plain, dtype=object), np.asarray(traced, dtype=object))
    return traced


def test_row_161_while_loop_with_all_its_arguments():
    def f(n):
        return ag.while_loop(
            lambda i, x: i < n, lambda i, x: (i + 1, x * 2), (0, 1.0), shape_invariants=None,
            parallel_iterations=10, back_prop=True, swap_memory=False, maximum_iterations=3,
            name="loop")

    assert both(f, I(10)) == (3, 8) and both(f, I(2)) == (2, 4)


def test_row_162_cond_case_and_switch_case():
    def f(x):
        a = ag.cond(x > 0, lambda: x, lambda: -x)
        b = ag.case([(x > 1, lambda: "big"), (x > 0, lambda: "small")], default=lambda: "negative")
        c = ag.switch_case(np.int64(x), [lambda: "zero", lambda: "one"], default=lambda: "many")
        return a, b, c

    assert both(f, TWO) == (2, "big", "many") and both(f, ONE) == (1, "small", "one")
    assert both(f, -ONE) == (1, "negative", "many")


def test_row_162_exclusive_cases_are_checked():
    def f(x):
        return ag.case([(x > 0, lambda: 1), (x > 1, lambda: 2)], default=lambda: 0, exclusive=True)

    assert both(f, ONE) == 1
    for g in (f, ag.function(f)):
        with pytest.raises(ag.InvalidArgumentError):
            g(TWO)


def test_row_163_loop_options_in_the_body():
    def f(n):
        total = 0
        for i in range(n):
            ag.set_loop_options(parallel_iterations=2, swap_memory=True, maximum_iterations=4,
                                shape_invariants=[(total, None)])
            total += i
        return total

    assert ag.function(f)(I(10)) == 6


def test_row_164_map_fn_over_nests_and_to_other_lengths():
    assert both(lambda x: ag.map_fn(lambda row: row.sum(), x), np.ones((3, 2))).tolist() == [2] * 3
    f = ag.function(lambda x, y: ag.map_fn(lambda p: {"s": p[0] + p[1]}, (x, y)))
    assert f(np.ones(2), np.ones(2))["s"].tolist() == [2, 2]


def test_row_164_map_fn_to_arrays_of_several_lengths_gives_a_list():
    def f(n):
        return ag.map_fn(np.arange, n, fn_output_signature=ag.TensorSpec([None], np.int64))

    for g in (f, ag.function(f)):
        assert [r.tolist() for r in g(np.array([1, 3, 0]))] == [[0], [0, 1, 2], []]


def test_row_165_scan_and_folds():
    x = np.arange(1.0, 4)
    assert both(lambda x: ag.scan(lambda a, b: a + b, x), x).tolist() == [1, 3, 6]
    assert both(lambda x: ag.scan(lambda a, b: a + b, x, initializer=10.0, reverse=True), x
                ).tolist() == [16, 15, 13]
    assert both(lambda x: ag.foldl(lambda a, b: a - b, x), x) == -4
    assert both(lambda x: ag.foldr(lambda a, b: a - b, x, initializer=0.0), x) == -6


def test_row_166_vmap_through_branches_and_loops():
    def collatz(n):
        steps = 0
        while n != 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    assert both(lambda x: ag.vmap(collatz)(x), np.array([1, 2, 7])).tolist() == [0, 1, 16]
    assert both(lambda x: ag.vectorized_map(lambda v: v @ v, x, fallback_to_while_loop=True,
                                            warn=True), np.ones((3, 2))).tolist() == [2, 2, 2]


def test_row_167_tensor_array():
    def f(x, n):
        ta = ag.TensorArray(np.float64, size=0, dynamic_size=True, clear_after_read=False,
                            element_shape=(), infer_shape=True)
        for i in range(n):
            ta.write(i, x * i)
            ta = ta.write(i, ta.read(i) + 1)
        other = ag.TensorArray(np.float64, size=3).scatter([2, 0, 1], np.arange(3.0))
        parts = ag.TensorArray(np.float64, size=2).split(np.arange(5.0), [2, 3])
        return (ta.stack(), ta.size(), ta.gather([1, 0]), ta.unstack(np.ones(2)).stack(),
                other.stack(), parts.read(0), parts.read(1), parts.concat())

    for g in (f, ag.function(f)):
        made = [np.asarray(m).tolist() for m in g(TWO, I(3))]
        assert made == [[1, 3, 5], 3, [3, 1], [1, 1], [1, 2, 0], [0, 1], [2, 3, 4],
                        [0, 1, 2, 3, 4]]


def test_row_167_writing_beyond_a_fixed_size():
    f = ag.function(lambda i: ag.TensorArray(np.float64, size=2).write(i, 1.0).stack())
    assert f(I(1)).tolist() == [0, 1]
    with pytest.raises((IndexError, ValueError), match="2"):
        f(I(5))


def test_row_168_strings():
    def f(a, b):
        return (a + b, len(a), a.split(","), ",".join([a, b]), a == b, f"{a}-{b}", a.upper(),
                np.strings.str_len(a))

    for a, b in (("x,y", "z"), ("p", "p")):
        assert both(f, np.str_(a), np.str_(b)) == f(np.str_(a), np.str_(b))
    assert ag.function(lambda a: a + a)(np.str_("a")) == "aa"


def test_row_169_ragged_arrays_are_lists_or_object_arrays():
    rows = [np.ones(1), np.ones(3)]
    assert both(lambda rows: [r.sum() for r in rows], rows) == [1, 3]
    ragged = np.empty(2, object)
    ragged[:] = rows
    assert both(lambda r: [len(x) for x in r], ragged) == [1, 3]


def test_row_170_iterators_are_runtime_objects():
    f = ag.function(lambda it: ag.live(lambda: next(it)))
    iterator = iter([1, 2, 3])
    assert [f(iterator), f(iterator), f(iterator)] == [1, 2, 3]

    @ag.function
    def total(it):
        made = 0
        for x in it:
            made += x
        return made

    assert total(iter([1, 2, 3])) == total(iter([1, 2, 3])) == 6


def test_row_170_iterator_from_outside_moves_on_at_every_call():
    iterator = iter(range(10))

    @ag.function(effects="runtime")
    def f(x):
        return next(iterator) + x

    assert [f(ONE), f(ONE), f(ONE)] == [1, 2, 3]


def test_row_170_loop_over_an_iterator_from_outside():
    @ag.function(effects="runtime")
    def f(iterator, limit):
        total = 0
        for x in iterator:
            total += x
            if x >= limit:
                break
        return total

    iterator = iter(range(10))
    assert [f(iterator, 2), f(iterator, 5), f(iterator, 100)] == [3, 12, 30]
