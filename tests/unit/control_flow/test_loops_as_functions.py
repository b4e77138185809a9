"""case, switch_case, map_fn, scan, folds, vmap, TensorArray, while_loop: eagerly and in graphs."""

import numpy as np
import pytest

import autograph as ag

X = np.arange(24.0).reshape(12, 2)
ONE = np.float64(1)


def both(program, *args):
    """The result eagerly and as a graph, after a check that they are the same."""
    plain, ours = program(*args), ag.function(program)(*args)
    assert repr(plain) == repr(ours)
    return ours


# -- branches -------------------------------------------------------------------------------------


def grade(x):
    return ag.case([(x < 1, lambda: "low"), (x < 10, lambda: "middle")], default=lambda: "high")


@pytest.mark.parametrize(("x", "wanted"), [(0, "low"), (1, "middle"), (50, "high")])
def test_case(x, wanted):
    assert both(grade, np.float64(x)) == wanted


def test_case_without_default():
    def f(x):
        return ag.case([(x < 1, lambda: 1)])

    assert both(f, np.float64(0)) == 1
    for run in (f, ag.function(f)):
        with pytest.raises(ag.InvalidArgumentError, match="none of the predicates is true"):
            run(np.float64(2))


def test_exclusive_case_is_checked():
    def f(x):
        return ag.case([(x > 0, lambda: 1), (x > 1, lambda: 2)], lambda: 3, exclusive=True)

    assert both(f, ONE) == 1 and both(f, -ONE) == 3
    for run in (f, ag.function(f)):
        with pytest.raises(ag.CheckError, match="more than one predicate"):
            run(np.float64(2))


def test_case_takes_a_dict():
    assert ag.case({False: lambda: 1, True: lambda: 2}) == 2


def test_switch_case():
    def f(i):
        return ag.switch_case(i, [lambda: 10, lambda: 20]), ag.switch_case(
            i, {3: lambda: 30, 5: lambda: 50}, default=lambda: -1)

    assert [both(f, np.int64(i)) for i in (0, 1, 3, 5, -1)] == [
        (10, -1), (20, -1), (20, 30), (20, 50), (20, -1)]


# -- loops ----------------------------------------------------------------------------------------


def row_sum(row):
    if row[0] > 10:
        return row.sum()
    else:
        return row[0]


def test_map_fn_converts_what_it_is_given():
    assert both(lambda x: ag.map_fn(row_sum, x), X).tolist() == [row_sum(row) for row in X]


def test_map_fn_over_nests():
    def f(x):
        return ag.map_fn(lambda p: {"a": p[0] + 1, "b": p[1].sum()}, (x[:, 0], x))

    first, total = both(f, X).values()
    assert first.tolist() == (X[:, 0] + 1).tolist() and total.tolist() == X.sum(1).tolist()


def test_map_fn_of_unknown_length():
    f = ag.function(lambda x: ag.map_fn(lambda r: r * 2, x),
                    input_signature=[ag.TensorSpec([None])])
    for n in (0, 1, 30):
        assert f(np.ones(n)).tolist() == [2] * n
    assert f.experimental_get_tracing_count() == 1


def test_map_fn_over_nothing():
    assert both(lambda x: ag.map_fn(row_sum, x), np.ones((0, 2), np.float32)).shape == (0,)
    assert both(lambda x: ag.map_fn(lambda r: r.sum() > 1, x), np.ones((0, 3))).dtype == bool
    assert ag.map_fn(lambda r: r, np.ones(0), fn_output_signature=np.float32).dtype == np.float32


def test_map_fn_refuses():
    with pytest.raises(ValueError, match="a first axis"):
        ag.map_fn(lambda x: x, 1.0)
    with pytest.raises(TypeError, match="'fast'"):
        ag.map_fn(lambda x: x, X, fast=True)
    with pytest.raises(ValueError, match="another structure"):
        ag.map_fn(lambda r: r if r[0] == 0 else (r, r), X)


def test_folds_and_scans():
    def f(x):
        step = lambda acc, row: acc * 0.5 + row
        return (ag.foldl(step, x), ag.foldr(step, x), ag.foldl(step, x, np.ones(2)),
                ag.scan(step, x), ag.scan(step, x, np.ones(2)), ag.scan(step, x, reverse=True))

    acc, steps = X[0], [X[0]]
    for row in X[1:]:
        acc = acc * 0.5 + row
        steps.append(acc)
    made = both(f, X)
    assert made[0].tolist() == acc.tolist() and np.array_equal(made[3], steps)
    acc, steps = X[-1], [X[-1]]
    for row in X[-2::-1]:
        acc = acc * 0.5 + row
        steps.append(acc)
    assert made[1].tolist() == acc.tolist() and np.array_equal(made[5], steps[::-1])


def test_scan_over_pairs():
    def f(x):
        return ag.scan(lambda acc, item: (acc[0] + item, acc[1] * 2), x, (0.0, 1.0))

    sums, powers = both(f, X[:, 0])
    assert sums.tolist() == np.cumsum(X[:, 0]).tolist() and powers[-1] == 2.0 ** 12


def test_vmap():
    assert both(lambda a, b: ag.vmap(np.dot)(a, b), X, X).tolist() == (X * X).sum(1).tolist()
    assert ag.vmap(lambda a, b: a * b, in_axes=(1, None), out_axes=1)(X, 3.0).tolist() == (
        X * 3).tolist()
    assert both(lambda x: ag.vectorized_map(row_sum, x), X).tolist() == [row_sum(r) for r in X]


def test_while_loop_takes_the_options_of_tf():
    def f(x):
        return ag.while_loop(lambda i: i < x, lambda i: (i + 1,), (0,), maximum_iterations=3)

    assert both(f, np.int64(2)) == (2,)
    assert both(f, np.int64(10)) == (3,)


# -- TensorArray ----------------------------------------------------------------------------------


@pytest.mark.parametrize("assigned", [True, False])
def test_tensor_array_write_changes_it(assigned):
    def f(x):
        ta = ag.TensorArray(np.float64, size=len(x))
        for i in range(len(x)):
            if assigned:
                ta = ta.write(i, x[i] * 2)
            else:
                ta.write(i, x[i] * 2)
        return ta.stack()

    assert both(f, X).tolist() == (X * 2).tolist()


def test_tensor_array_methods():
    def f(x):
        ta = ag.TensorArray(np.float64, size=0, dynamic_size=True).unstack(x)
        ta.write(ta.size(), x[0] * 100)
        return ta.read(1), ta.concat(), ta.gather([0, 2]), ta.size(), ta.stack().shape

    read, concat, gather, size, shape = both(f, X)
    assert read.tolist() == X[1].tolist() and concat.shape == (26,) and gather.shape == (2, 2)
    assert size == 13 and shape == (13, 2)


def test_tensor_array_is_made_anew_at_every_call():
    f = ag.function(lambda x: ag.TensorArray(size=0).write(0, x).stack())
    assert [f(ONE).tolist(), f(np.float64(2)).tolist()] == [[1], [2]]


def test_tensor_array_keeps_what_was_written():
    def f(x):
        ta = ag.TensorArray(size=2)
        ta.write(0, x)
        x[0] = 100
        ta.write(1, x)
        got = ta.read(0)
        return ta.stack(), got

    for run in (f, ag.function(f)):
        stacked, got = run(np.zeros(2))
        assert stacked.tolist() == [[0, 0], [100, 0]] and got.tolist() == [0, 0]


def test_tensor_array_as_a_result():
    ta = ag.function(lambda x: ag.TensorArray(size=1).write(0, x))(ONE)
    assert isinstance(ta, ag.TensorArray) and ta.stack().tolist() == [1]


def test_unwritten_elements():
    assert both(lambda x: ag.TensorArray(np.float32, 2, element_shape=(2,)).write(1, x).stack(),
                np.ones(2, np.float32)).tolist() == [[0, 0], [1, 1]]
    with pytest.raises(IndexError, match="before it is written"):
        ag.TensorArray(size=2).read(0)


def test_writing_outside():
    def f(i):
        return ag.TensorArray(np.float64, size=2, dynamic_size=False).write(i, 1.0).stack()

    for run in (f, ag.function(f)):
        with pytest.raises(IndexError, match="element 5 of a TensorArray of size 2"):
            run(np.int64(5))
    with pytest.raises(TypeError, match="has dtype int64 and any shape; it cannot be given an"):
        ag.TensorArray(np.int64, size=1).write(0, np.float64(1.5))
    with pytest.raises(TypeError, match="'fast'"):
        ag.TensorArray(np.int64, fast=True)


def test_the_result_of_an_item_is_found_out_without_its_effects():
    @ag.function(effects="runtime")
    def f(x, told):
        def twice(v):
            told.append(1)
            return v * 2

        return ag.map_fn(twice, x)

    told = []
    np.testing.assert_array_equal(f(np.arange(3.0), told), [0.0, 2.0, 4.0])
    assert told == [1, 1, 1]
