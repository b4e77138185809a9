"""`return`, `break`, `continue` and `else` of loops, anywhere."""

import numpy as np

from tests.corpus.arguments import NUMBERS
from tests.corpus.case import titled

VECTORS = [(np.array([1.0, -2.0, 3.0]),), (np.array([1.0, 0.5, 8.0]),),
           (np.array([0.0, 0.0, 0.0]),), (np.array([9.0, 9.0, -9.0]),)]
LONG = [(np.arange(20.0),), (-np.arange(20.0),), (np.ones(20),), (np.arange(20.0) % 7,)]
MATRICES = [(np.array([[1, 2], [3, 4]]),), (np.array([[0, -2], [3, 0]]),),
            (np.array([[0, 0], [0, 0]]),)]


def return_from_two_loops(m):
    for i, row in enumerate(m):
        for j, v in enumerate(row):
            if v < 0:
                return i, j
    return None


def return_from_while_in_for(x):
    for v in x:
        while v > 2:
            v = v - 3
            if v == 0:
                return "zero", v
    return "none", v


def return_from_for_in_while(n):
    k = 0
    while k < n:
        for i in range(3):
            if k * i == 6:
                return k, i
        k += 1
    return k


def return_in_else_of_for(x):
    for v in x:
        if v < 0:
            break
    else:
        return "all"
    return v


def return_in_else_of_while(n):
    while n > 3:
        n = n - 2
        if n == 4:
            break
    else:
        if n == 0:
            return "nought"
        return "else", n
    return "break", n


def bare_returns(out, n):
    while True:
        if n > 10:
            out[0] = n
            return
        if n < 0:
            return
        n = n + 4
        out[1] += 1


def returns_of_every_kind(n):
    for i in range(10):
        if i == n:
            return i
        if i > n + 7:
            return "far", i
    return None


def return_of_computed_in_long_loop(x):
    for i in range(len(x)):
        if x[i] > 5:
            return i, x[i] * 2
        if x[i] < -3:
            return i, -x
    return -1, x.sum()


def break_of_every_level(m):
    count = 0
    for row in m:
        for v in row:
            if v == 0:
                break
            count += 1
        else:
            continue
        count += 100
        break
    else:
        count += 1000
    return count


def break_in_else(x):
    total = 0.0
    for v in x:
        for w in x:
            if w > v:
                total += w
                break
        else:
            total += 1000
            break
    return total


def continue_in_else(x):
    total = 0.0
    for v in x:
        k = 0
        while k < 2:
            k += 1
            if v > k:
                break
        else:
            continue
        total += v * k
    return total


def continue_and_break(n):
    k = s = 0
    while k < 10:
        k += 1
        if k % 3 == n % 3:
            continue
        if s > n + 5:
            break
        s += k
    return k, s


def endless(n):
    while True:
        if n % 7 == 0:
            break
        n += 1
    return n


def endless_with_two_exits(n):
    steps = 0
    while True:
        steps += 1
        if n > 10:
            return "big", n, steps
        if n < 0:
            break
        n = n * 2 - 3
    return "small", n, steps


def endless_literal_one(n):
    while 1:
        n -= 4
        if n < 0:
            break
        if n == 1:
            continue
        n -= 1
    return n


def python_for_break(n):
    for word in ["a", "bb", "ccc", "dddd"]:
        n = n - len(word)
        if n < 0:
            break
    else:
        word = "none"
    return n, word


def python_for_long_break(n):
    s = 0
    for i in range(100):
        s += i
        if s > n:
            break
    return i, s


def python_for_long_return(n):
    s = 0
    for i in range(100):
        s += i
        if s > n * n:
            return i, s
    return s


def python_for_over_dict(x):
    weights = {"a": 1.0, "b": -2.0, "c": 4.0}
    for name, w in weights.items():
        if (x * w).sum() > 5:
            return name, x * w
        if name == "b":
            continue
        x = x + w
    return x


def loop_variable_after(x):
    for v in x:
        if v > 2:
            break
    return v


def loop_variable_is_changed(x):
    s = 0.0
    for v in x:
        if v < 0:
            v = -v
        s = s * 2 + v
    return s, v


def variables_first_bound_in_body(x):
    for i in range(len(x)):
        if x[i] > 2:
            found = x[i]
            where = i
            break
    else:
        found, where = None, -1
    return found, where


def deep_nest(n):
    count = 0
    for a in range(3):
        for b in range(3):
            for c in range(3):
                if a + b + c == n:
                    break
                if a * b * c > n:
                    return "early", a, b, c, count
                count += 1
            else:
                count += 10
                continue
            if b > a:
                break
    return count


def collatz_longest(n):
    best, at = 0, 0
    k = 1
    while k < n + 3:
        m, steps = k, 0
        while True:
            if m == 1:
                break
            m = m // 2 if m % 2 == 0 else 3 * m + 1
            steps += 1
            if steps > 50:
                return "too long"
        if steps > best:
            best, at = steps, k
        k += 1
    return best, at


def primes(n):
    found = []
    k = 2
    while k < n:
        for p in found:
            if k % p == 0:
                break
        else:
            found.append(k)
        k += 1
    return found


def walrus_in_test(n):
    total = 0
    while (n := n - 2) > 0:
        if (half := n // 2) % 2:
            continue
        total += half
    return n, total


def walrus_in_both_tests(n):
    out = []
    while (a := n % 5) or (b := n // 5) > 1:
        n -= a or b
        out.append(a)
        if len(out) > 6:
            return "long"
    return n, a


def index_twice(x):
    i = 0
    while i < len(x):
        j = i + 1
        while j < len(x):
            if x[i] == x[j]:
                return i, j
            j += 1
        i += 1
    return "different"


def search_from_both_ends(x):
    i, j = 0, len(x) - 1
    while i < j:
        s = x[i] + x[j]
        if s == 2:
            return i, j
        elif s < 2:
            i += 1
        else:
            j -= 1
    return None


def nothing_after_the_loop(x):
    for v in x:
        if v > 2:
            return v


def only_some_paths_return(n):
    if n > 3:
        for i in range(n):
            if i * i > n:
                return i
        n = -n
    elif n == 0:
        return "zero"
    else:
        while n < 0:
            n += 2
            if n == 1:
                return
    return n


def returns_none_or_value(n):
    while n > 0:
        n -= 3
        if n == 2:
            return None
    return n


CASES = [
    titled("return from two loops", return_from_two_loops, *MATRICES),
    titled("return from a while in a for", return_from_while_in_for, *VECTORS),
    titled("return from a for in a while", return_from_for_in_while, *NUMBERS),
    titled("return in the else of a for", return_in_else_of_for, *VECTORS),
    titled("return in the else of a while", return_in_else_of_while, *NUMBERS, (np.int64(6),)),
    titled("bare returns", bare_returns, *[(np.zeros(2, int), *n) for n in NUMBERS]),
    titled("returns of every kind", returns_of_every_kind, *NUMBERS, (np.int64(1),)),
    titled("return of computed values in a long loop", return_of_computed_in_long_loop, *LONG),
    titled("break at every level", break_of_every_level, *MATRICES),
    titled("break in an else", break_in_else, *VECTORS),
    titled("continue in an else", continue_in_else, *VECTORS),
    titled("continue and break", continue_and_break, *NUMBERS),
    titled("while True with break", endless, *NUMBERS),
    titled("while True with return and break", endless_with_two_exits, *NUMBERS, (np.int64(2),)),
    titled("while 1", endless_literal_one, *NUMBERS),
    titled("Python for with break and else", python_for_break, *NUMBERS),
    titled("Python for, long, with break", python_for_long_break, *NUMBERS),
    titled("Python for, long, with return", python_for_long_return, *NUMBERS),
    titled("Python for over a dict", python_for_over_dict, *VECTORS),
    titled("loop variable after the loop", loop_variable_after, *VECTORS),
    titled("loop variable changed in the body", loop_variable_is_changed, *VECTORS),
    titled("variables first bound in the body", variables_first_bound_in_body, *VECTORS),
    titled("jumps in a deep nest", deep_nest, *NUMBERS, (np.int64(1),), (np.int64(3),)),
    titled("a longest run", collatz_longest, *NUMBERS),
    titled("primes", primes, *NUMBERS, (np.int64(30),)),
    titled("walrus in the test of a while", walrus_in_test, *NUMBERS),
    titled("walruses in both sides of an or", walrus_in_both_tests, *NUMBERS, (np.int64(25),)),
    titled("equal items", index_twice, *VECTORS),
    titled("two indices", search_from_both_ends, *VECTORS, (np.array([1.0, 0.5, 1.0]),)),
    titled("nothing after the loop", nothing_after_the_loop, *VECTORS),
    titled("only some paths return", only_some_paths_return, *NUMBERS, (np.int64(2),)),
    titled("None or a value", returns_none_or_value, *NUMBERS),
]
