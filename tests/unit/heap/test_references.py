"""Programs in which the run decides which array a variable is: traced by reference, as plain."""

import operator
import warnings

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ops import OPS
from autograph.runtime.ops.stores import AUGMENTED


def alias_or_view(x, n):
    y = x
    if n > 2:
        y = x[1:]
    y += 1
    return x, y


def view_made_in_a_loop(x, n):
    y = x
    while n > 2:
        y = x[1:]
        n -= 1
    y += 1
    return x, y


def alias_of_a_start(x, n):
    y = x
    for _ in range(n):
        x = x + 1
    x[0] = 9.0
    return x, y


def changed_and_rebound(x, n):
    for _ in range(n):
        x[0] = 7.0
        x = x * 2
    return x


def buffers_change_places(x, n):
    y = x.copy()
    for _ in range(n):
        y[1:-1] = 0.5 * (x[:-2] + x[2:])
        x, y = y, x
    return x


def item_of_a_list(x, n):
    rows = [np.zeros(3), np.ones(3)]
    row = rows[n % 2]
    row[0] = x[0]
    return rows


def stored_in_a_list(x, n):
    kept = []
    for _ in range(n):
        kept.append(x)  # noqa: PERF401
    x[0] = 5.0
    return kept


def chosen_then_written_by_its_other_name(x, n):
    y = np.zeros(4)
    z = x if n > 2 else y
    x += 1
    z[0] = 8.0
    y[1] = 3.0
    return x, y, z


def number_or_array(x, n):
    total = 0 if n > 2 else x
    total += 1
    return total, x


def two_outputs(x, n):
    y = x if n > 2 else x.copy()
    np.divmod(x, 2.0, out=(y, None))
    np.add(x, 1, out=y)
    np.put(y, [0], 9)
    return x, y


def raises_after_a_write(x, n):
    y = x
    if n > 2:
        y = x[1:]
    y += 1
    if n > 3:
        raise ValueError("too large")
    return x


def raises_and_prints(x, n):
    x[0] = 4
    ag.print("now")
    if n > 3:
        raise ValueError("too large")
    return x


def always_raises(x, n):
    x[0] = 4
    raise KeyError("never")


def handled_after_a_write(x, n):
    y = x if n > 2 else x[1:]
    try:
        y[0] = 100
        if n > 3:
            raise ValueError("too large")
    except ValueError:
        y[0] = -1
    return x


def relax(grid, sweeps):
    inner = grid[1:-1]
    for _ in range(sweeps):
        inner += 0.5 * (grid[:-2] - 2 * inner + grid[2:])


def view_and_base(grid, n):
    inner = grid[1:-1]
    for _ in range(n):
        inner += grid.sum()
        grid *= 0.5
    return inner, grid


def two_views(grid, n):
    a, b = grid[1:], grid[:-1]
    while n > 0:
        a += 1
        b *= 2
        n -= 1
    return a, b


def views_change_places(grid, n):
    a, b = grid[:2], grid[2:]
    for _ in range(n):
        a[1:] = b[:-1] + 1
        a, b = b, a
    return a, b


def smooth(inner, grid):
    inner += grid[2:]


def helper_takes_the_view(grid, n):
    inner = grid[1:-1]
    for i in range(n):
        if i % 2 == 0:
            smooth(inner, grid)
        else:
            inner *= 0.5
    return inner


def chosen_and_updated_in_branches(x, n):
    y = x * 2
    if n > 3:
        x = y.copy()
    else:
        y[:2] = n
        x[...] = 5
    return x, y


def which_one_it_is(x, n):
    y = x.copy()
    z = x if n > 2 else y
    z[0] = 4
    made, same = x + 1, x + 1
    return x is z, z is not y, made is same, z is z[:], x is x


def which_one_it_is_decides(x, n):
    z = x.copy()
    for _ in range(n):
        if z is x:
            z[0] += 1
        else:
            z = x
    return x, z is x


PROGRAMS = [
    which_one_it_is, which_one_it_is_decides,
    alias_or_view, view_made_in_a_loop, alias_of_a_start, changed_and_rebound,
    buffers_change_places, item_of_a_list, stored_in_a_list,
    chosen_then_written_by_its_other_name, number_or_array, two_outputs, raises_after_a_write,
    always_raises, raises_and_prints, handled_after_a_write, relax, view_and_base, two_views,
    views_change_places, helper_takes_the_view, chosen_and_updated_in_branches,
]
BY_REFERENCE = PROGRAMS[:13]


def outcome(function, n):
    """What a call returns or raises, and what is in its argument afterwards."""
    x = np.arange(4.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = repr(function(x, n))
        except (ValueError, KeyError) as error:
            result = repr(error)
    return result, repr(x)


@pytest.mark.parametrize("executor", ["python", "interpreter"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_same_as_plain(program, executor):
    traced = ag.function(program, executor=executor)
    for n in (0, 2, 3, 4, 12) * 2:
        assert outcome(traced, np.int64(n)) == outcome(program, np.int64(n))


@pytest.mark.parametrize("program", BY_REFERENCE, ids=lambda f: f.__name__)
def test_the_trace_says_why_it_is_by_reference(program):
    concrete = ag.function(program).get_concrete_function(np.ones(4), np.int64(2))
    (decision,) = [d for d in concrete.program.decisions if d.kind == "by reference"]
    assert decision.location.function.partition(".")[0] == program.__name__
    assert decision.reason


def test_what_is_clear_is_not_by_reference():
    for program in (relax, view_and_base, two_views, helper_takes_the_view):
        concrete = ag.function(program).get_concrete_function(np.ones(4), np.int64(2))
        assert not concrete.program.by_reference


def test_arrays_made_while_tracing_are_taken_as_they_are_then():
    def f(x):
        table = np.broadcast_to(np.arange(3.0), (1, 3)).copy()[0]
        before = x + table
        table[0] = 100
        return before, x + table

    traced = ag.function(f)
    for _ in range(2):
        assert repr(traced(np.ones(3))) == repr(f(np.ones(3)))


@pytest.mark.parametrize("name", AUGMENTED)
def test_augmented_ops_are_pythons(name):
    plain = getattr(operator, f"i{name}")
    x, y = np.arange(4).reshape(2, 2) + 5, np.array([[2, 1], [1, 2]])
    if name == "truediv":
        x = x * 1.0
    expected = plain(x.copy(), y)
    result = OPS[f"i{name}"].kernel(x, y)
    assert result is x
    assert np.array_equal(x, expected)
    assert OPS[f"i{name}"].kernel(True, 1) == plain(True, 1) if name != "matmul" else True


def test_store_ops_store():
    x = np.zeros(3)
    OPS["store_item"].kernel(x, 1, 5)
    OPS["change"].kernel(x, np.put, [0], 2)
    assert x.tolist() == [2, 5, 0]
    OPS["store_result"].kernel(x, np.add, x, 1)
    assert x.tolist() == [3, 6, 1]
    made, rest = OPS["store_results"].kernel((x, None), np.divmod, x, 2)
    assert made is x and x.tolist() == [1, 3, 0] and rest.tolist() == [1, 0, 1]
    assert all(OPS[n].effect == "store" for n in ("store_item", "change", "store_result"))
