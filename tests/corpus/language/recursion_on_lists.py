"""Functions that call themselves and change the lists that they are given: other ones each time."""

import numpy as np

from tests.corpus.case import Case


def shortened(items):
    if len(items) < 2:
        return 0
    items.pop(0)
    return shortened([v for v in items if v > 0]) + len(items)


def shortens(x):
    values = [v for v in x if v > -5]
    return shortened(values), values


def shortens_argument(values):
    return shortened(values), values


def popped_quicksort(items):
    if len(items) < 2:
        return items
    pivot = items.pop(0)
    lesser = [v for v in items if v <= pivot]
    greater = [v for v in items if v > pivot]
    return [*popped_quicksort(lesser), pivot, *popped_quicksort(greater)]


def merge_sort(items):
    if len(items) > 1:
        middle = len(items) // 2
        left, right = list(items[:middle]), list(items[middle:])
        merge_sort(left)
        merge_sort(right)
        i = j = k = 0
        while i < len(left) and j < len(right):
            if left[i] <= right[j]:
                items[k] = left[i]
                i += 1
            else:
                items[k] = right[j]
                j += 1
            k += 1
        items[k:] = left[i:] + right[j:]


def merge_sorts(x):
    values = [v for v in x if v > -5]
    merge_sort(values)
    return values


def permute(items, start, found):
    if start == len(items):
        found.append(items[:])
        return
    for i in range(start, len(items)):
        items[start], items[i] = items[i], items[start]
        permute(items, start + 1, found)
        items[start], items[i] = items[i], items[start]


def permutations(x):
    values, found = [v for v in x if v > 1], []
    permute(values, 0, found)
    return values, found


def subsets(items, chosen, found):
    if len(items) == 0:
        found.append(list(chosen))
        return
    rest = [v for v in items if v != items[0]]
    subsets(rest, chosen, found)
    subsets(rest, [*chosen, items[0]], found)


def all_subsets(x):
    found = []
    subsets([v for v in x if v > 1], [], found)
    return found


def move(n, source, spare, target):
    if n == 0:
        return 0
    moves = move(n - 1, source, target, spare)
    target.append(source.pop())
    return moves + 1 + move(n - 1, spare, source, target)


def towers_of_lists(n):
    towers = [3.0, 2.0, 1.0], [], []
    return move(n, *towers), towers


def poured(items, into):
    if not items:
        return into
    into.append(items.pop())
    return poured(items, into)


def pours(x):
    values, into = [v for v in x if v > 0], [0.0]
    result = poured(values, into)
    result.append(5.0)
    return values, into, result, result is into


def two_names(a, b):
    if len(a) < 2:
        return len(b)
    a.pop()
    return two_names(a, b)


def one_list_twice(x):
    values = [v for v in x if v > 0]
    return two_names(values, values), values


def two_lists(x):
    a, b = [v for v in x if v > 0], [v for v in x if v > 1]
    return two_names(a, b), a, b


def in_another(items, holder):
    if len(items) < 2:
        return len(holder[0])
    items.pop()
    return in_another(items, holder)


def list_in_a_list(x):
    values = [v for v in x if v > 0]
    return in_another(values, [values]), values


def ends_by_an_error(items):
    if len(items) < 2:
        raise ValueError("short")
    items.pop(0)
    return ends_by_an_error([v for v in items if v > -5])


def caught(x):
    values = list(x)
    try:
        ends_by_an_error(values)
    except ValueError as error:
        return str(error), values


def down(x, n):
    if n < 0:
        raise ValueError("end")
    return down(x, n - 1) + x


def ends_nowhere_else(x, n):
    try:
        return down(x, n)
    except ValueError:
        return x


def merges_into_argument(values):
    if len(values) <= 1:
        return values
    left = merges_into_argument(values[:len(values) // 2])
    right = merges_into_argument(values[len(values) // 2:])
    i = j = 0
    while i < len(left) and j < len(right):
        if left[i] <= right[j]:
            values[i + j] = left[i]
            i += 1
        else:
            values[i + j] = right[j]
            j += 1
    for i in range(i, len(left)):
        values[i + j] = left[i]
    for j in range(j, len(right)):
        values[i + j] = right[j]
    return values


def marks_rows(rows):
    if len(rows) < 2:
        return 0
    if rows[0][0] > 2:
        rows[0][0] = -1.0
    return 1 + marks_rows(rows[1:])


def marked(x):
    rows = [[v, 1] for v in x]
    return marks_rows(rows), rows


ARRAYS = [(np.array([3.0, 1.0, 2.0, 7.0]),), (np.array([2.0, -1.0, 5.0]),), (np.array([1.0]),)]
LISTS = [([np.float64(v) for v in x],) for (x,) in ARRAYS]

def merged(left, right):
    """The list that an item comes from is chosen: the test of the loop asks both."""
    items = []
    while left and right:
        items.append((left if left[0] <= right[0] else right).pop(0))
    return items + left + right


def merged_halves(x):
    return merged([int(x[0])], [int(x[1])])


def merged_parts(x):
    left, right = [int(x[0])], [int(x[1]), int(x[2])]
    return merged(left, right), left, right


def sorted_from_below(x):
    items, width = [int(v) for v in (x[0], x[1], x[2])], 1
    while width < len(items):
        for start in range(0, len(items), 2 * width):
            items[start:start + 2 * width] = merged(
                items[start:start + width], items[start + width:start + 2 * width])
        width *= 2
    return items


def counted_down(items, n, step=1):
    if n <= 0:
        return items
    return counted_down([*items, n], n - step, step=step)


def searched(items, item, left, right):
    """Bounds that only the run knows, in every mixture with known ones."""
    if items[left] == items[right]:
        return left if items[left] == item else None
    point = left + (item - items[left]) * (right - left) // (items[right] - items[left])
    if point < 0 or point >= len(items):
        return None
    if items[point] == item:
        return point
    if point < left:
        return searched(items, item, point, left)
    if point > right:
        return searched(items, item, right, left)
    if items[point] > item:
        return searched(items, item, left, point - 1)
    return searched(items, item, point + 1, right)


def searched_by_interpolation(x):
    items = [int(v) for v in (x[0], x[0] + 2, x[0] + 5, x[0] + 11)]
    return [searched(items, int(x[k]), 0, int(x[0] * 0) + 3) for k in (0, -1)]


class Counting:
    def __init__(self, least):
        self.least = least

    def down(self, items, n, step=1):
        if n <= self.least:
            return items
        return self.down([*items, n], n - step, step)


def recursion_with_options(x):
    options = {"step": 2} if x[0] > 0 else {}
    return counted_down([int(x[1])], int(x[2]) % 5, **options)


def recursive_method_with_options(x):
    options = {"step": 2} if x[0] > 0 else {}
    return Counting(int(x[1]) % 3).down([], int(x[2]) % 5, **options)


CASES = [
    *(Case(f, *ARRAYS) for f in (merged_halves, merged_parts, sorted_from_below,
                                 recursion_with_options, recursive_method_with_options,
                                 searched_by_interpolation)),
    *(Case(f, *ARRAYS) for f in (
        shortens, merge_sorts, permutations, all_subsets, pours, one_list_twice, two_lists,
        list_in_a_list, caught)),
    Case(shortens_argument, *LISTS),
    Case(popped_quicksort, *LISTS),
    Case(merges_into_argument, *LISTS),
    Case(marked, *ARRAYS),
    Case(towers_of_lists, (np.int64(3),), (np.int64(0),), (2,)),
    Case(ends_nowhere_else, (np.float64(2.0), np.int64(3)), (np.float64(2.0), np.int64(-1))),
]
