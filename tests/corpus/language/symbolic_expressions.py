"""Expressions that decide or bind: logic, chains, conditionals, comprehensions, unpacking."""

import numpy as np

from tests.corpus.arguments import NUMBERS, SCALARS, VECTORS
from tests.corpus.case import titled

LONG = [(np.arange(20.0),), (-np.arange(20.0),), (np.arange(20.0) % 7,)]
MATRICES = [(np.array([[1, 2], [3, 4]]),), (np.array([[0, -2], [3, 0]]),)]


def seen(log, value):
    log.append(len(log))
    return value


def operands_are_given(x):
    return (x and 1), (x or "none"), (0 or x), ("" or x and 3), (x and None), not x


def laziness(x):
    log = []
    a = x > 0 and seen(log, x) > 2
    b = x < 0 or seen(log, x) == 0
    return a, b, log


def laziness_guards_failure(x, i):
    return i < len(x) and x[i] > 0, i >= len(x) or x[i] == 0


def not_and_equality(x):
    return not x > 0, not (x > 0) == (x > 2), not not x, (not x) == 0


def membership(n):
    return (n in (1, 5, 12), n not in [0, 1], n in range(3, 20, 2), n in {5: "a", 0: "b"},
            n in {5, 12})


def membership_of_array(x):
    return 3.0 in x, 8 not in x, x[0] in x[1:], x[0] in [1.0, "a", None]


def is_none(x):
    y = x if x > 0 else None
    z = None
    return y is None, y is not None, z is None, x is None, (y is None) == (x > 1), y == None


def identity_of_arrays(x):
    y = x
    z = x if x.sum() > 2 else x * 1
    return y is x, (x + 0) is x, z is None


def chains(n):
    return 0 < n < 10, 0 <= n % 3 < n <= 12 != 5, n == n == 5, not 0 < n < 6 < 7


def chain_of_one_value(x):
    same, positive = x == x == x, x > 0
    return same, positive and positive, positive or positive, positive if positive else False


def chain_evaluates_once(x):
    log = []
    r = 0 < seen(log, x) < seen(log, 10) < seen(log, x + 30)
    return r, log


def chain_of_is_and_in(n):
    return (n > 0) is True, 1 < n in (5, 12), None is not n != 5


def nested_conditionals(x):
    return ("big" if x > 30 else x if x > 2 else (x, 1) if x < 0 else None,
            (1 if x > 0 else 2) if x > 1 else (3 if x > -1 else 4),
            (x if x > 0 else -x) + (1 if x else 2.5))


def conditional_in_everything(x):
    a = [x if x > 0 else -x, *(["more"] if x > 2 else [])]
    d = {"a" if x > 0 else "b": 1}
    s = "abc"[(1 if x > 0 else 2):]
    return a, d, s, max(x if x > 1 else 1, 2 if x < 1 else 0), f"{1 if x > 0 else 2}"


def lambdas_with_conditionals(x):
    f = lambda a, b=(1 if x > 0 else 2): a if a > b else b
    g = lambda: lambda y: y and x > y
    return f(x), f(3.0), g()(2.0)


def conditional_functions(x):
    f = np.sin if x > 0 else np.cos
    g = (lambda v: v + 1) if x > 2 else (lambda v: v - 1)
    return f(x), g(x)


def comprehensions(x):
    return ([v * 2 for v in x], [v for v in x if v > 0], [v if v > 0 else 0 for v in x],
            [i for i, v in enumerate(x) if v > 0.7], [(a, b) for a in x for b in x if a > b],
            [[v * w for w in x if w > 0] for v in x])


def comprehension_of_sets_and_dicts(x):
    return ({i: v for i, v in enumerate(x)}, {k: v if v > 0 else -v for k, v in zip("abc", x)},
            sorted({float(v) for v in (1, 2, 1)}))


def comprehension_variables_are_own(x):
    v = 7
    items = [v for v in x if v > 0]
    return v, len(items)


def generators(x):
    return (sum(v for v in x if v > 0), any(v > 2 for v in x), all(v > -1 for v in x),
            max((v for v in x if v < 2), default=None), next((v for v in x if v > 2), "none"),
            list(v * v for v in x), tuple(v for v in x if v != 0))


def generator_consumed_in_steps(x):
    g = (v * 2 for v in x)
    first = next(g)
    rest = sum(g)
    return first, rest, next(g, "empty")


def generator_in_staged_loop(x):
    total = 0.0
    for v in (w * 2 for w in x if w > 0):
        if v > 10:
            break
        total += v
    return total


def generator_is_lazy(x):
    log = []
    g = (seen(log, v) for v in (1, 2, 3))
    before = len(log)
    return before, next(g), len(log), list(g), len(log), x


def generator_sees_later_values(x):
    scale = 2
    g = (v * scale for v in x)
    scale = 10
    return list(g)


def long_comprehensions(x):
    kept = [v for v in x if v > 3]
    return len(kept), sum(kept), [v + 1 for v in x], any([v > 18 for v in x])


def unpacking_rows(m):
    total = 0
    for a, b in m:
        total += a * 10 + b
    for i, (a, b) in enumerate(m):
        total += i * a - b
    (a, b), (c, d) = m
    return total, a, b, c, d


def unpacking_stars(x):
    a, *rest = x
    *start, b = x
    c, *middle, d = x
    return a, rest, start, b, middle, [c, d]


def unpacking_in_loops(x):
    pairs = [(x[0], 1), (x[1], 2)]
    total = 0.0
    for (v, k), w in zip(pairs, x):
        if v > 0:
            total += v * k + w
    for *first, last in m3(x):
        total += last
    return total, first


def m3(x):
    return [[x[0], x[1], x[2]], [x[2], x[1], x[0]]]


def swaps(x):
    a, b, c = x[0], x[1], x[2]
    if a > b:
        a, b = b, a
    if b > c:
        b, c = c, b
    if a > b:
        a, b = b, a
    return a, b, c


def swaps_in_a_loop(n):
    a, b = 0, 1
    for i in range(20):
        a, b = b, a + b
        if a > n * 3:
            break
    return a, b, i


def star_arguments(x):
    def f(a, *args, k=1, **kwargs):
        if a > 0:
            return a, args, k, kwargs
        return args, k

    args = [x, 2.0] if x > 2 else (x, 3.0)
    return f(*args), f(x, *[1, x], k=x if x > 0 else 0, **{"z": x})


def walrus_everywhere(x):
    a = (b := x + 1) * 2 if x > 0 else (b := 5.0)
    if (c := a + b) > 10 and (d := c - 10) > 1:
        return a, b, c, d
    items = [(last := v) for v in (1, 2, x)]
    return a, b, c, items, last


def walrus_in_lazy_operand(x):
    d = "unset"
    if x > 0 and (d := x * 2) > 6:
        return "yes", d
    return "no", d


def slices(x):
    i = 1 if x[0] > 0 else 2
    y = x.copy()
    y[i:] = 0
    y[:i] += 1
    return x[i], x[:i].sum(), x[-i:], y, x[::-1][i]


def formatted(x):
    n = 2 if x > 0 else 1
    return f"{x:.{n}f}", f"{x!r}" if x > 0 else "no", "%.1f" % x, f"{n}"


def augmented(x):
    d, l, i = {"a": x}, [x, 1.0], 0
    d["a"] += 1
    l[i] *= 2
    l[i + 1] -= x
    if x > 0:
        d["a"] -= x
        l += [x]
    else:
        l += [0.0]
        i |= 3
    return d, l, i


CASES = [
    titled("and, or, not give operands", operands_are_given, *SCALARS),
    titled("and, or are lazy", laziness, *SCALARS),
    titled("and, or guard a failure", laziness_guards_failure,
        *[(np.array([0.0, 1.0]), np.int64(i)) for i in range(4)]),
    titled("not and equality", not_and_equality, *SCALARS),
    titled("in", membership, *NUMBERS),
    titled("in an array", membership_of_array, *VECTORS),
    titled("is None", is_none, *SCALARS),
    titled("is", identity_of_arrays, *VECTORS),
    titled("chains", chains, *NUMBERS),
    titled("chains of one value", chain_of_one_value, *SCALARS),
    titled("chains evaluate once", chain_evaluates_once, *SCALARS),
    titled("chains of is and in", chain_of_is_and_in, *NUMBERS),
    titled("conditional expressions in each other", nested_conditionals, *SCALARS),
    titled("conditional expressions in other expressions", conditional_in_everything, *SCALARS),
    titled("conditional expressions in lambdas", lambdas_with_conditionals, *SCALARS),
    titled("functions chosen", conditional_functions, *SCALARS),
    titled("comprehensions", comprehensions, *VECTORS),
    titled("comprehensions of sets and dicts", comprehension_of_sets_and_dicts, *VECTORS),
    titled("the variables of comprehensions", comprehension_variables_are_own, *VECTORS),
    titled("generator expressions", generators, *VECTORS),
    titled("generators consumed in steps", generator_consumed_in_steps, *VECTORS),
    titled("generators in staged loops", generator_in_staged_loop, *VECTORS),
    titled("generators are lazy", generator_is_lazy, *SCALARS),
    titled("generators see later values", generator_sees_later_values, *VECTORS),
    titled("long comprehensions", long_comprehensions, *LONG),
    titled("unpacking rows", unpacking_rows, *MATRICES),
    titled("unpacking with stars", unpacking_stars, *VECTORS),
    titled("unpacking in loops", unpacking_in_loops, *VECTORS),
    titled("swaps", swaps, *VECTORS),
    titled("swaps in a loop", swaps_in_a_loop, *NUMBERS, (np.int64(9000),)),
    titled("star arguments", star_arguments, *SCALARS),
    titled("walrus", walrus_everywhere, *SCALARS),
    titled("walrus in a lazy operand", walrus_in_lazy_operand, *SCALARS),
    titled("slices with symbolic ends", slices, *VECTORS),
    titled("formatted", formatted, *SCALARS),
    titled("augmented assignments", augmented, *SCALARS),
]
