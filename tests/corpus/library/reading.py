"""Iterators, selections and comprehensions that ordinary code reads in ordinary ways."""

import functools
import itertools
import operator
import random

import numpy as np

from tests.corpus.case import Case

VALUES = [(np.array([3.0, -1.0, 2.5, 0.5, 4.0]),), (np.array([-2.0, 1.0, 0.25, 6.0, -1.5]),)]
INTEGERS = [(np.array([3, 1, 4, 1, 5]),), (np.array([2, 7, 1, 8, 2]),)]
COUNTS = [(np.array(3),), (np.array(5),)]
FEW = [(np.array(3),), (np.array(2),)]


def shuffle_list(x):
    random.seed(3)
    items = list(x)
    random.shuffle(items)
    return items


def shuffle_list2(x):
    r = random.Random(5)
    items = [v * 2 for v in x if v > 0]
    r.shuffle(items)
    return items, r.random()


def two_ifs(x):
    a, b, c = float(x[0]), float(x[1]), float(x[2])
    return [v * 2 for v in (a, b, c) if v > 0 if v < 3]


def two_ifs_scalars(x):
    return [v for v in x if v > 0 if v < 3.5], sum(v for v in x.tolist() if v > 0 if v < 3)


def reduce_if(x):
    def bigger(a, b):
        if a > b:
            return a
        return b
    return functools.reduce(bigger, x), functools.reduce(lambda a, b: a if a < b else b, list(x))


def reduce_if_init(x):
    def step(acc, v):
        if v > 0:
            acc = acc + v
        else:
            acc = acc - 2 * v
        return acc
    return functools.reduce(step, [x[0], x[1], x[2]], 0.0)


def groupby_parity(x):
    return [(k, list(g)) for k, g in itertools.groupby(x, lambda v: v % 2)]


def groupby_plain(x):
    return [(k, len(list(g))) for k, g in itertools.groupby(sorted(x))]


def groupby_loop(x):
    out = {}
    for k, g in itertools.groupby(x.tolist(), key=lambda v: v > 2):
        out.setdefault(k, []).append(sum(g))
    return out


def compress_(x):
    wanted = [v > 1 for v in x]
    return list(itertools.compress(x, x > 0)), list(itertools.compress(range(5), wanted))


def chain_from_iterable(x):
    rows = [[v] * int(v) for v in x]
    return list(itertools.chain.from_iterable(rows))


def chain_from_gen(x):
    return sum(itertools.chain.from_iterable(range(v) for v in x))


def chain_from_matrix(x):
    m = np.outer(x, x)
    return list(itertools.chain.from_iterable(m))


def permutations_range_n(n):
    return [p for p in itertools.permutations(range(n), 2)]


def permutations_full(n):
    return list(itertools.permutations(range(n)))


def combinations_l_n(n):
    return list(itertools.combinations([1, 2, 3, 4], n))


def combinations_x_n(x, n):
    return [sum(c) for c in itertools.combinations(x, int(n))]


def tuple_index(x):
    t = tuple(x)
    return t.index(x[2]), t.count(1), t.count(x[0])


def tuple_index_list(x):
    t = (5, 3, 1, 2)
    return t.index(min(x[0], 3)), t.count(x[1])


def itemgetter_(x):
    pairs = [(v, -v) for v in x]
    return sorted(pairs, key=operator.itemgetter(1)), operator.itemgetter(0, 2)(x)


def itemgetter_max(x):
    d = {"a": x[0], "b": x[1], "c": x[2]}
    return max(d.items(), key=operator.itemgetter(1))


def list_index_start(x):
    l = list(x)
    return l.index(l[0], 1), l.index(x[2], 1, 4)


def endless_symbolic_break(x):
    def halves(v):
        while True:
            yield v
            v = v / 2
    out = []
    for h in halves(abs(x[0])):
        if h < 0.1:
            break
        out.append(h)
    return out


def endless_count_break(x):
    for k in itertools.count():
        if 2 ** k > abs(x[0]) * 10:
            break
    return k


def second_use(x):
    it = iter(x)
    first = next(it)
    rest = sum(it)
    again = sum(it)
    return first, rest, again


def second_use_gen(x):
    g = (v * 2 for v in x if v > 0)
    a = list(g)
    b = list(g)
    return a, b


def zip_it_it(x):
    it = iter(x[:4])
    return [a - b for a, b in zip(it, it)]


def zip_it_it_list(x):
    it = iter(list(x))
    return list(zip(it, it))


def zip_star_it(x):
    return list(zip(*[iter(x.tolist())] * 2))


def dict_fromkeys(x):
    return dict.fromkeys(x.tolist(), 0), list(dict.fromkeys(x))


def dict_fromkeys_dedupe(x):
    return list(dict.fromkeys([int(v) % 3 for v in x]))


def walrus_cond(x):
    return [y for v in x if (y := v * v) > 2]


def walrus_cond2(x):
    out = [y + last for v in x if (y := v * 2) > 0 and (last := y - 1) < 6]
    return out, y


class Countdown:
    def __init__(self, n): self.n = n
    def __iter__(self):
        k = self.n
        while k > 0:
            yield k
            k -= 1


def user_iterable_gen(n):
    return [k * 2 for k in Countdown(n)]


def in_generator(x):
    return 3.0 in (v for v in x), (2.5 in (v + 1 for v in x if v > 0))


def in_generator2(x):
    def squares():
        for v in x:
            yield v * v
    return 9 in squares(), x[0] in (k for k in range(4))


CASES = [
    Case(shuffle_list, *VALUES),
    Case(shuffle_list2, *VALUES),
    Case(two_ifs, *VALUES),
    Case(two_ifs_scalars, *VALUES),
    Case(reduce_if, *VALUES),
    Case(reduce_if_init, *VALUES),
    Case(groupby_parity, *INTEGERS),
    Case(groupby_plain, *INTEGERS),
    Case(groupby_loop, *INTEGERS),
    Case(compress_, *VALUES),
    Case(chain_from_iterable, *INTEGERS),
    Case(chain_from_gen, *INTEGERS),
    Case(chain_from_matrix, *VALUES),
    Case(permutations_range_n, *COUNTS),
    Case(permutations_full, *FEW),
    Case(combinations_l_n, *FEW),
    Case(combinations_x_n, *[(VALUES[0][0], np.array(3)), (VALUES[1][0], np.array(2))]),
    Case(tuple_index, *INTEGERS),
    Case(tuple_index_list, *INTEGERS),
    Case(itemgetter_, *INTEGERS),
    Case(itemgetter_max, *INTEGERS),
    Case(list_index_start, *[(np.array([3, 1, 3, 1, 5]),), (np.array([2, 2, 2, 8, 2]),)]),
    Case(endless_symbolic_break, *VALUES),
    Case(endless_count_break, *VALUES),
    Case(second_use, *VALUES),
    Case(second_use_gen, *VALUES),
    Case(zip_it_it, *VALUES),
    Case(zip_it_it_list, *VALUES),
    Case(zip_star_it, *INTEGERS),
    Case(dict_fromkeys, *INTEGERS),
    Case(dict_fromkeys_dedupe, *INTEGERS),
    Case(walrus_cond, *VALUES),
    Case(walrus_cond2, *VALUES),
    Case(user_iterable_gen, *COUNTS),
    Case(in_generator, *VALUES),
    Case(in_generator2, *INTEGERS),
]
