"""Functions that call themselves: on numbers, arrays of any length, grids, lists, in turns."""

import numpy as np

from tests.corpus.case import Case


def fibonacci(n):
    if n < 2:
        return n
    return fibonacci(n - 1) + fibonacci(n - 2)


def ackermann(m, n):
    if m == 0:
        return n + 1
    if n == 0:
        return ackermann(m - 1, 1)
    return ackermann(m - 1, ackermann(m, n - 1))


def greatest_common_divisor(a, b):
    return a if b == 0 else greatest_common_divisor(b, a % b)


def power(x, n):
    if n == 0:
        return 1.0
    half = power(x, n // 2)
    return half * half * x if n % 2 else half * half


def collatz_depth(n, depth=0):
    if n == 1:
        return depth
    if n % 2 == 0:
        return collatz_depth(n // 2, depth + 1)
    return collatz_depth(3 * n + 1, depth=depth + 1)


def is_even(n):
    if n == 0:
        return True
    return is_odd(n - 1)


def is_odd(n):
    if n == 0:
        return False
    return is_even(n - 1)


def expression(n, depth=0):
    if n < 1:
        return n
    return term(n - 1) + n


def term(n):
    return 2 * factor(n)


def factor(n):
    return expression(n - 2) - 1


def quicksort(x):
    if len(x) <= 1:
        return x
    pivot = x[len(x) // 2]
    return np.concatenate([quicksort(x[x < pivot]), x[x == pivot], quicksort(x[x > pivot])])


def quicksort_in_place(x, low, high):
    if low < high:
        pivot, i = x[high], low - 1
        for j in range(low, high):
            if x[j] <= pivot:
                i += 1
                x[i], x[j] = x[j], x[i]
        x[i + 1], x[high] = x[high], x[i + 1]
        quicksort_in_place(x, low, i)
        quicksort_in_place(x, i + 2, high)


def sorts_in_place(x, n):
    quicksort_in_place(x, 0, n - 1)
    return x


def merge_sort(x):
    n = len(x)
    if n <= 1:
        return x
    left, right = merge_sort(x[:n // 2]), merge_sort(x[n // 2:])
    out = np.empty(n, x.dtype)
    i = j = 0
    for k in range(n):
        if j >= len(right) or (i < len(left) and left[i] <= right[j]):
            out[k] = left[i]
            i += 1
        else:
            out[k] = right[j]
            j += 1
    return out


def sorts_positive(x):
    return merge_sort(x[x > 0])


def halves_sum(x):
    if len(x) == 0:
        return 0.0
    if len(x) == 1:
        return x[0]
    middle = len(x) // 2
    return halves_sum(x[:middle]) + halves_sum(x[middle:])


def sums_positive(x):
    return halves_sum(x[x > 0])


def doubles_halves(x):
    if len(x) > 1:
        x *= 2
        doubles_halves(x[:len(x) // 2])


def doubles_part(x, n):
    doubles_halves(x[:n])
    return x


def fourier(x):
    n = len(x)
    if n == 1:
        return x.astype(complex)
    even, odd = fourier(x[::2]), fourier(x[1::2])
    turned = np.exp(-2j * np.pi * np.arange(n // 2) / n) * odd
    return np.concatenate([even + turned, even - turned])


def fourier_of_part(x, n):
    return fourier(x[:n])


def binary_search(x, wanted, low, high):
    if low > high:
        return -1
    middle = (low + high) // 2
    if x[middle] == wanted:
        return middle
    if x[middle] < wanted:
        return binary_search(x, wanted, middle + 1, high)
    return binary_search(x, wanted, low, middle - 1)


def searches(x, wanted):
    return binary_search(x, wanted, 0, len(x) - 1)


def searches_long(x, wanted, n):
    return binary_search(x, wanted, 0, n - 1)


def visit(links, seen, node):
    seen[node] = True
    for other in range(len(links)):
        if links[node, other] and not seen[other]:
            visit(links, seen, other)


def reaches(links, start):
    seen = np.zeros(len(links), bool)
    visit(links, seen, start)
    return seen


def reaches_by_closure(links):
    seen = np.zeros(len(links), bool)
    count = 0

    def go(node):
        nonlocal count
        seen[node] = True
        count += 1
        for other in range(len(links)):
            if links[node, other] and not seen[other]:
                go(other)

    go(0)
    return seen, count


def order_of_visit(links):
    seen = np.zeros(len(links), bool)
    order = []

    def go(node):
        seen[node] = True
        order.append(node)
        for other in range(len(links)):
            if links[node, other] and not seen[other]:
                go(other)

    go(0)
    return order


def flood_fill(grid, row, column, colour):
    if row < 0 or row >= grid.shape[0] or column < 0 or column >= grid.shape[1]:
        return 0
    if grid[row, column] != 0:
        return 0
    grid[row, column] = colour
    return (1 + flood_fill(grid, row + 1, column, colour) + flood_fill(
        grid, row - 1, column, colour) + flood_fill(grid, row, column + 1, colour)
        + flood_fill(grid, row, column - 1, colour))


def fills(grid, row, column):
    return flood_fill(grid, row, column, 7), grid


class Tower:
    def __init__(self):
        self.moves = 0

    def move(self, n, a, b):
        if n > 0:
            self.move(n - 1, a, 3 - a - b)
            self.moves += 1
            self.move(n - 1, 3 - a - b, b)


def towers(n):
    tower = Tower()
    tower.move(n, 0, 2)
    return tower.moves


def countdown(n):
    if n == 0:
        return []
    return [n] + countdown(n - 1)


def sums_of_subsets(x):
    found = []

    def go(i, total):
        if i == len(x):
            found.append(total)
            return
        go(i + 1, total)
        go(i + 1, total + x[i])

    go(0, 0)
    return found


def first_negative(x, i):
    if i >= len(x):
        raise ValueError("there is none")
    if x[i] < 0:
        return i
    return first_negative(x, i + 1)


def finds_negative(x, n):
    return first_negative(x[:n], 0)


def catches(x, n):
    try:
        return first_negative(x[:n], 0)
    except ValueError:
        return -1


def divides(low, high, tolerance, depth=20):
    middle = (low + high) / 2
    if high - low < tolerance or depth == 0:
        return middle
    if middle * middle > 2:
        return divides(low, middle, tolerance, depth - 1)
    return divides(middle, high, tolerance, depth - 1)


def pair_of_results(n):
    if n == 0:
        return 0, 1
    a, b = pair_of_results(n - 1)
    return b, a + b


def keeps_the_larger(x, best):
    if len(x) == 0:
        return best
    if x[0] > best:
        return keeps_the_larger(x[1:], x[0])
    return keeps_the_larger(x[1:], best)


def literal_and_symbolic(n):
    return fibonacci(6) + fibonacci(n)


def in_a_loop(n):
    total = 0
    for i in range(n):
        total += fibonacci(i)
    return total


def by_lambda(n):
    factorial = lambda k: 1 if k <= 1 else k * factorial(k - 1)  # noqa: E731
    return factorial(n)


def none_at_the_end(x, i=0):
    if i == len(x):
        return None
    if x[i] > 2:
        return i
    return none_at_the_end(x, i + 1)


def never_ends(n):
    if n > 0:
        return never_ends(n + 1)
    return never_ends(n - 1)


LINKS = np.zeros((6, 6), int)
for a, b in [(0, 1), (1, 2), (3, 4), (2, 0)]:
    LINKS[a, b] = LINKS[b, a] = 1
LONG = np.zeros((12, 12), int)
LONG[np.arange(11), np.arange(1, 12)] = 1
NATURALS = [(np.int64(7),), (np.int64(0),), (np.int64(1),), (5,)]
ARRAYS = [(np.array([3.0, -1.0, 2.0, 7.0, 5.0]),), (np.array([2.0, 1.0, 0.0, -4.0, 2.0]),)]
GRIDS = np.array([[0, 0, 1], [1, 0, 1], [0, 0, 0]]), np.array([[1, 1, 1], [0, 1, 0], [0, 1, 0]])

CASES = [
    Case(fibonacci, *NATURALS),
    Case(ackermann, (np.int64(2), np.int64(2)), (np.int64(1), np.int64(3))),
    Case(greatest_common_divisor, (np.int64(12), np.int64(18)), (np.int64(5), np.int64(0))),
    Case(power, (np.float64(2.0), np.int64(10)), (np.float64(1.5), np.int64(3)), (2.0, 5)),
    Case(collatz_depth, (np.int64(27),), (np.int64(1),), (7,)),
    Case(is_even, *NATURALS),
    Case(expression, (np.int64(9),), (np.int64(-1),)),
    Case(quicksort, *ARRAYS, (np.array([3, 1, 2, 1]),), (np.array([]),)),
    Case(sorts_in_place, *[(x, np.int64(n)) for (x,), n in zip(ARRAYS, (5, 3), strict=True)]),
    Case(sorts_positive, *ARRAYS),
    Case(sums_positive, *ARRAYS),
    Case(doubles_part, *[(x, np.int64(n)) for (x,), n in zip(ARRAYS, (4, 2), strict=True)]),
    Case(fourier_of_part, (np.arange(8.0), np.int64(8)), (np.arange(8.0) ** 2, np.int64(4))),
    Case(searches, (np.arange(0, 40, 2), np.int64(14)), (np.arange(0, 40, 2), np.int64(33))),
    Case(searches_long, (np.arange(500), np.int64(77), np.int64(500)),
         (np.arange(500), np.int64(900), np.int64(20))),
    Case(reaches, (LINKS, np.int64(0)), (LINKS, np.int64(3)), (LONG, np.int64(4))),
    Case(reaches_by_closure, (LINKS,), (LINKS * 0,), (LONG,)),
    Case(order_of_visit, (LINKS,), (LINKS * 0,), (LONG,)),
    Case(fills, *[(g, np.int64(0), np.int64(0)) for g in GRIDS], (GRIDS[1], np.int64(2),
                                                                  np.int64(2))),
    Case(towers, (np.int64(4),), (np.int64(0),), (3,)),
    Case(countdown, *NATURALS),
    Case(sums_of_subsets, (np.array([1, 2, 4]),), (np.array([5, 5, 5]),)),
    Case(finds_negative, *[(x, np.int64(n)) for (x,) in ARRAYS for n in (5, 1)]),
    Case(catches, *[(x, np.int64(n)) for (x,) in ARRAYS for n in (5, 1)]),
    Case(divides, (np.float64(0.0), np.float64(2.0), np.float64(1e-4)),
         (np.float64(1.0), np.float64(2.0), np.float64(0.1))),
    Case(pair_of_results, *NATURALS),
    Case(keeps_the_larger, *[(x, np.float64(b)) for (x,) in ARRAYS for b in (0, 9)]),
    Case(literal_and_symbolic, *NATURALS),
    Case(in_a_loop, *NATURALS),
    Case(by_lambda, *NATURALS),
    Case(none_at_the_end, *ARRAYS, (np.zeros(9),)),
]
