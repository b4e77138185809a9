"""`break`, `continue` and early `return`, alone and together, at every depth."""

import numpy as np

from tests.corpus.case import Case


def break_on_value(x, limit):
    total = 0
    for value in x:
        if total + value > limit:
            break
        total = total + value
    return total


def continue_on_value(x):
    total = 0
    for value in x:
        if value < 0:
            continue
        total = total + value
    return total


def break_and_continue(x):
    total = 0
    for value in x:
        if value == 0:
            break
        if value < 0:
            continue
        total = total * 10 + value
    return total


def break_in_while(n):
    steps = 0
    while steps < 50:
        n = n * 3 % 1001
        steps += 1
        if n < 10:
            break
    return n, steps


def continue_in_while(n):
    odd = 0
    while n > 0:
        n = n - 1
        if n % 2 == 0:
            continue
        odd = odd + n
    return odd


def first_match(x, wanted):
    for i in range(len(x)):
        if x[i] == wanted:
            return i
    return -1


def return_from_nested(x, wanted):
    rows, columns = x.shape
    for i in range(rows):
        for j in range(columns):
            if x[i, j] == wanted:
                return i, j
    return None


def break_inner_only(x):
    count = 0
    for row in x:
        for value in row:
            if value > 2:
                break
            count += 1
    return count


def early_return(x):
    if x < 0:
        return 0 * x
    y = np.sqrt(x)
    if y > 10:
        return y - 10
    return y


def guard_clauses(x, low, high):
    if low > high:
        return None
    if x < low:
        return low
    if x > high:
        return high
    return x


def return_none_on_one_path(x):
    if x > 0:
        return x


def return_in_both(x):
    if x > 0:
        return x + 1
    else:
        return x - 1


def returns_different_types(x):
    if x > 2:
        return x
    if x > 0:
        return "small"
    return [x, -x]


def return_from_while(x, limit):
    steps = 0
    while steps < limit:
        if x > 1000:
            return x
        x = x * 2
        steps += 1
    return -x


def code_after_break(x):
    last = -1
    for i in range(10):
        if i * i > x:
            last = i
            break
        x = x - 1
    x = x * last
    return x


def while_else_with_break(n):
    divisor = 2
    while divisor * divisor <= n:
        if n % divisor == 0:
            result = divisor
            break
        divisor += 1
    else:
        result = 0
    return result


def primes_below(n):
    total = 0
    for k in range(2, n):
        divisor = 2
        prime = True
        while divisor * divisor <= k:
            if k % divisor == 0:
                prime = False
                break
            divisor += 1
        if prime:
            total += k
    return total


def return_in_try(x):
    try:
        if x > 0:
            return x * 2
    finally:
        x = x + 1
    return x


def jumps_through_with(x):
    total = 0
    for value in x:
        with np.errstate(all="ignore"):
            if value < 0:
                continue
            if value > 5:
                break
            total = total + np.sqrt(value)
    return total


def dead_code_after_return(x):
    return x + 1
    x = x * 100
    return x


VECTORS = [(np.array([1, 2, -3, 4]),), (np.array([5, 0, 7, 8]),), (np.array([-1, -1, 2, 0]),),
           ([3, -1, 0, 4],), (np.array([0.5, -0.5, 6.0]),)]
SCALARS = [(np.float64(400.0),), (np.float64(9.0),), (np.float64(-4.0),), (16.0,), (-1.0,),
           (np.float64(0.0),), (np.float64(1.0),)]
INTEGERS = [(np.int64(35),), (np.int64(7),), (np.int64(2),), (91,), (1,)]

CASES = [
    Case(break_on_value, *[(*v, 6) for v in VECTORS], (np.arange(4), np.int64(3))),
    Case(continue_on_value, *VECTORS),
    Case(break_and_continue, *VECTORS),
    Case(break_in_while, *INTEGERS),
    Case(continue_in_while, *INTEGERS),
    Case(first_match, *[(*v, 4) for v in VECTORS], (np.arange(9), np.int64(8))),
    Case(return_from_nested, (np.arange(6).reshape(2, 3), np.int64(4)),
         (np.arange(6).reshape(2, 3), np.int64(9)), (np.arange(6).reshape(2, 3), 1)),
    Case(break_inner_only, (np.arange(6).reshape(2, 3),), (np.zeros((2, 3), dtype=int),)),
    Case(early_return, *SCALARS),
    Case(guard_clauses, (np.float64(1), np.float64(2), np.float64(3)),
         (np.float64(9), np.float64(2), np.float64(3)),
         (np.float64(2), np.float64(3), np.float64(1)),
         (np.float64(2.5), 2, 3), (2.5, 2, 3)),
    Case(return_none_on_one_path, *SCALARS),
    Case(return_in_both, *SCALARS),
    Case(returns_different_types, *SCALARS),
    Case(return_from_while, *[(*s, 20) for s in SCALARS], (np.float64(3.0), np.int64(2))),
    Case(code_after_break, *SCALARS),
    Case(while_else_with_break, *INTEGERS),
    Case(primes_below, (30,), (np.int64(30),), (np.int64(3),)),
    Case(return_in_try, *SCALARS),
    Case(jumps_through_with, *VECTORS),
    Case(dead_code_after_return, *SCALARS),
]
