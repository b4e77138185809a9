"""Lazy iterators: `itertools`, pipelines of generators, `next`, and what they are unpacked to."""

import itertools

import numpy as np

from tests.corpus.arguments import MATRICES, NUMBERS, VECTORS
from tests.corpus.case import titled


def positives(x):
    for v in x:
        if v > 0:
            yield v


def in_twos(items):
    held = []
    for v in items:
        held.append(v)
        if len(held) == 2:
            yield tuple(held)
            held = []
    if held:
        yield tuple(held)


def count_until(x):
    for i in itertools.count():
        if i * i > x.sum():
            break
    for t in itertools.count(0.1, 0.1):
        if t > x.max():
            return i, t


def next_numbers(x):
    ids = itertools.count(10)
    labels = itertools.cycle("ab")
    found = {}
    for v in x:
        if v > 0.5:
            found[float(v)] = next(ids), next(labels)
    return found, next(ids), next(labels)


def cycle_until(x):
    total = 0.0
    taken = []
    for v in itertools.cycle(x):
        total += v + 1
        taken.append(v)
        if total > 20 or total < -5:
            return total, taken


def cycle_rows(m):
    done = 0
    for row in itertools.cycle(m):
        row += 1
        done += 1
        if m.sum() > 30:
            break
    return m, done


def repeat_until(n):
    value = n
    for factor in itertools.repeat(3):
        value = value * factor + 1
        if value > 1000 or value < -100:
            break
    return value, list(itertools.repeat("x", 3)), sum(itertools.repeat(2, max(n, 0)))


def taken_and_dropped(x):
    return (
        list(itertools.takewhile(lambda v: v > 0, x)),
        [v * 2 for v in itertools.dropwhile(lambda v: v > 0, x)],
        tuple(itertools.filterfalse(lambda v: v > 0.7, x)),
        list(itertools.filterfalse(None, x)),
        list(itertools.compress("abc", x > 0)),
    )


def slices(x):
    return (
        list(itertools.islice((v for v in x if v > 0), 1)),
        list(itertools.islice(positives(x), 1, None)),
        list(itertools.islice((v for v in x if v >= 0), 0, 3, 2)),
        list(itertools.islice(positives(x), 0)),
    )


def running(x):
    return (
        list(itertools.accumulate(x, max)),
        list(itertools.accumulate(v for v in x if v > 0)),
        list(itertools.accumulate((v for v in x if v > 0), lambda a, b: a * b, initial=2.0)),
        list(itertools.accumulate(x, initial=5.0)),
    )


def chained(x):
    return sum(itertools.chain([1.0], (v for v in x if v > 0), x * 2)), [
        v for v in itertools.chain(positives(x), "a")]


def pipeline(x):
    return [sum(pair) for pair in in_twos(positives(x))], list(in_twos(v for v in x if v > 0.7))


def firsts(x):
    return next(positives(x), None), next(in_twos(positives(x)), "none"), next(
        itertools.takewhile(lambda v: v < 2, x), -1.0)


def first_or_error(x):
    return next(positives(x))


def numbered(x):
    return [(i, v) for i, v in enumerate(positives(x), 1)], list(zip(positives(x), x)), list(
        zip("abcd", positives(x))), list(zip(x[:1], positives(x), "ab"))


def zip_reads_in_turn(x):
    log = []

    def noted():
        for v in x:
            if v >= 0:
                log.append("asked")
                yield v

    first = list(zip(noted(), [1]))
    log.append("then")
    return first, list(zip([1], noted())), log


def nested_targets(x):
    pairs = [(v, (v * 2, i)) for i, v in enumerate(x) if v > 0]
    return [a + b + c for a, (b, c) in pairs], {c: a for a, (b, c) in pairs if b > 2}, sum(
        a * d for (a, (b, c)), d in zip(pairs, x))


def pairs_of_some(x):
    big = x[x > 0.5]
    gaps = [abs(a - b) for a, b in itertools.combinations(big, 2)]
    products = [a * b for a, b in itertools.combinations_with_replacement(big.tolist(), 2)]
    return gaps, products, list(itertools.permutations(big, 2)), list(itertools.pairwise(big))


def grid_until(x):
    n = int(abs(x[0])) + 2
    best = None
    for i, j, label in itertools.product(range(n), range(n), "ab"):
        if i != j and (best is None or i * j > best[0]):
            best = i * j, i, j, label
        if i + j > x[1] + 3:
            break
    return best, list(itertools.product([1, 2], x[x > 1], repeat=1))


def triples(x):
    return [a - b + c for a, b, c in itertools.combinations(x[x > 0], 3)], sum(
        1 for p in itertools.permutations(range(len(x[x > 0])), 3) if p[0] < p[2])


def filled(x):
    some = x[x > 0.5]
    return (list(itertools.zip_longest(some, x, fillvalue=0.0)),
            [(a, b) for a, b in itertools.zip_longest(some.tolist(), [1, 2])],
            list(itertools.starmap(lambda a, b: a - b, zip(some, x))),
            list(itertools.pairwise(v for v in x if v > 0)))


def teed(x):
    first, second = itertools.tee(x[x > 0.5])
    return sum(first), [v * 2 for v in second]


def several_at_once(x):
    items, same = x.tolist(), [2.0] * len(x)
    return (list(map(max, items, same)), list(map(pow, items, items)), list(map(divmod, same, x)),
            list(itertools.starmap(max, zip(items, same))), [*map(lambda a, b: a > b, items, x)])


def unending(x):
    return list(itertools.count(int(x[0])))


def or_other(v):
    """What an optional argument, or one that may be empty, is asked."""
    return v is None, v is not None, not v, v or 3, v and 5, 1 if v else 2


def lazy_as_optional(x):
    asked = [or_other(v) for v in (zip(x, x), enumerate(x), map(np.sin, x), reversed(x),
                                   (v for v in x if v > 0), filter(None, x))]
    return [(a, b, c, e, f) for a, b, c, _, e, f in asked], [
        list(found) for _, _, _, found, _, _ in asked]


def list_as_optional(x):
    kept = [v for v in x if v > 0]
    return or_other(kept), or_other([v for v in x]), or_other([x])


def list_compared_with_others(x):
    kept = [v for v in x if v > 0]
    return (kept == None, kept != 3, 3 == kept, kept == [], kept * 2, 2 * kept,  # noqa: E711
            kept == "a", [1] == kept)


def next_as_a_method(x):
    numbered, pairs = enumerate(x, 1), zip(x, x[1:])
    first = numbered.__next__()
    return (first, next(numbered), hasattr(pairs, "__next__"), pairs.__next__(),
            map(abs, x).__next__(), reversed(x).__next__(), list(pairs))


CASES = [
    titled("next as a method", next_as_a_method, *VECTORS),
    titled("count until", count_until, *VECTORS),
    titled("next numbers", next_numbers, *VECTORS),
    titled("cycle until", cycle_until, *VECTORS),
    titled("cycle rows", cycle_rows, *MATRICES),
    titled("repeat until", repeat_until, *[n for n in NUMBERS if n != (np.int64(0),)]),
    titled("takewhile, dropwhile", taken_and_dropped, *VECTORS),
    titled("islice", slices, *VECTORS),
    titled("accumulate", running, *VECTORS),
    titled("chain", chained, *VECTORS),
    titled("pipeline of generators", pipeline, *VECTORS),
    titled("first of a generator", firsts, *VECTORS),
    titled("first or StopIteration", first_or_error, *VECTORS),
    titled("enumerate and zip of generators", numbered, *VECTORS),
    titled("zip reads in turn", zip_reads_in_turn, *VECTORS),
    titled("pairs of some", pairs_of_some, *VECTORS),
    titled("a grid until", grid_until, *VECTORS),
    titled("triples", triples, *VECTORS),
    titled("filled up", filled, *VECTORS),
    titled("tee", teed, *VECTORS),
    titled("map of several", several_at_once, *VECTORS),
    titled("nested targets", nested_targets, *VECTORS),
    titled("lazy as optional argument", lazy_as_optional, *VECTORS),
    titled("list as optional argument", list_as_optional, *VECTORS),
    titled("list compared with others", list_compared_with_others, *VECTORS),
]
