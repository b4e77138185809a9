"""Views and aliases: writes that other names must see, and copies that they must not."""

import numpy as np

from tests.corpus.case import Case


def alias(x):
    y = x
    y[0] = 100
    return x


def slice_writes_through(x):
    view = x[1:]
    view[0] = 100
    view += 1
    return x


def view_sees_later_write(x):
    view = x[:2]
    x[0] = 100
    return view.sum()


def view_of_view(x):
    inner = x[1:][::2]
    inner[:] = 0
    return x


def row_writes_through(x):
    row = x[1]
    row *= 10
    return x


def transposed_writes_through(x):
    flipped = x.T
    flipped[0, 1] = 100
    return x


def reshape_writes_through(x):
    flat = x.reshape(-1)
    flat[-1] = 100
    return x


def ravel_writes_through(x):
    x.ravel()[0] = 100
    return x


def mask_is_a_copy(x):
    picked = x[x > 0]
    picked[:] = -1
    return x, picked


def index_array_is_a_copy(x):
    picked = x[np.array([0, 1])]
    picked += 100
    return x, picked


def scalar_item_is_a_copy(x):
    first = x[0]
    first += 100
    return x, first


def flatten_is_a_copy(x):
    flat = x.flatten()
    flat[0] = 100
    return x


def alias_chosen_by_data(x, y):
    chosen = x if x[0] > 0 else y
    chosen[1] = 100
    return x, y


def alias_in_branch(x, y):
    if x[0] > 0:
        target = x
    else:
        target = y
    target += 10
    return x, y


def view_written_in_loop(x):
    middle = x[1:-1]
    for _ in range(3):
        middle += x[:-2]
    return x


def rows_written_in_loop(x):
    for row in x:
        row += row[0]
    return x


def swaps_through_views(x):
    left, right = x[:2], x[-2:]
    keep = left.copy()
    left[:] = right
    right[:] = keep
    return x


def overlapping_assignment(x):
    x[1:] = x[:-1]
    return x


def real_part_writes_through(x):
    x.real[:] = 0
    x.imag *= 2
    return x


def same_array_twice(x):
    return adds_into(x, x)


def adds_into(x, y):
    x += y
    x += y
    return x


def list_shares_array(x):
    items = [x, x]
    items[0][0] = 100
    return items[1], x


def returned_argument_is_the_argument(x):
    x[0] = 1
    return x, x


def view_survives_rebinding(x):
    view = x[:1]
    x = x + 1
    view[0] = 100
    return x, view


def window_sums(x):
    total = np.zeros(len(x) - 2)
    for i in range(len(total)):
        window = x[i:i + 3]
        total[i] = window.sum()
    return total


def newaxis_view(x):
    column = x[:, np.newaxis]
    column[0, 0] = 100
    return x, column


VECTORS = [(np.array([3, -1, 2, 5]),), (np.array([-3, 5, 9, -20]),),
           (np.array([0.5, -2.25, 8.0, 1]),)]
SQUARES = [(np.arange(9).reshape(3, 3),), (np.ones((3, 3)),), (np.eye(3),)]
EDGES = [(np.array([0.5, 1.5, 2.5]), np.array([0.0, 1.0, 2.0, 3.0])),
         (np.array([2.5, 2.75]), np.array([0.0, 2.0, 3.0]))]
PAIRS = [(np.array([1, 2]), np.array([3, 4])), (np.array([-1, 2]), np.array([3, 4]))]


def diagonal_matrix_is_new(x, a):
    m = np.diag(x, -1)
    m[0] = 5.0
    a[1] = np.diag(a)[0]
    return m, x, np.diag(a)


def returned_itself(x, m):
    same, power = np.diff(x, 0), np.linalg.matrix_power(m, 1)
    same[0] = 5
    power[0, 0] = 7
    return x, m, np.diff(x, n=1), np.linalg.matrix_power(m, 2)


def edges_are_those_given(x, edges):
    counts, found = np.histogram(x, edges)
    found[0] = -100.0
    counts[0] = 7
    x[0] = 50.0
    return counts, edges


def edges_by_name_are_those_given(x, edges):
    _, found = np.histogram(x, bins=edges)
    edges[0] = -100.0
    return found


CASES = [
    Case(alias, *VECTORS),
    Case(slice_writes_through, *VECTORS),
    Case(view_sees_later_write, *VECTORS),
    Case(view_of_view, *VECTORS),
    Case(row_writes_through, *SQUARES),
    Case(transposed_writes_through, *SQUARES),
    Case(reshape_writes_through, *SQUARES),
    Case(ravel_writes_through, *SQUARES),
    Case(mask_is_a_copy, *VECTORS),
    Case(index_array_is_a_copy, *VECTORS),
    Case(scalar_item_is_a_copy, *VECTORS),
    Case(flatten_is_a_copy, *SQUARES),
    Case(alias_chosen_by_data, *PAIRS),
    Case(alias_in_branch, *PAIRS),
    Case(view_written_in_loop, *VECTORS),
    Case(rows_written_in_loop, *SQUARES),
    Case(swaps_through_views, *VECTORS),
    Case(overlapping_assignment, *VECTORS),
    Case(real_part_writes_through, (np.array([1 + 2j, 3 - 1j]),), (np.array([0j, -1 + 1j]),)),
    Case(same_array_twice, *VECTORS),
    Case(list_shares_array, *VECTORS),
    Case(returned_argument_is_the_argument, *VECTORS),
    Case(view_survives_rebinding, *VECTORS),
    Case(window_sums, *VECTORS),
    Case(newaxis_view, *VECTORS),
    Case(edges_are_those_given, *EDGES),
    Case(edges_by_name_are_those_given, *EDGES),
    Case(diagonal_matrix_is_new, (np.arange(3.0), np.eye(2)), (np.ones(4), np.ones((3, 3)))),
    Case(returned_itself, (np.arange(3.0), np.eye(2)), (np.ones(4), np.ones((2, 2)))),
]
