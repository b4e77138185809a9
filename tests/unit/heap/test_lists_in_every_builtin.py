"""Lists whose length only the run knows, in every builtin and function that takes a list."""

import bisect
import collections
import functools
import heapq
import itertools
import math
import operator
import random
import statistics
from itertools import product
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.support.amount import sample
from tests.support.functions_of_text import function_of

LISTS = {
    "comprehension": "l = [v for v in x if v > 2]",
    "generator": "l = list(v for v in x if v > 2)",
    "appended": "l = []\n    for v in x:\n        if v > 2: l.append(v)",
    "numbers": "l = [int(v) for v in x if v > 2]",
}

EXPRESSIONS = """
list(zip(l))
list(zip(l, l))
list(zip(l, l, l))
list(zip(l, [1]))
list(zip([1], l))
list(zip(l, strict=True))
list(zip(l, l, strict=True))
list(map(abs, l))
list(map(max, l, l))
list(map(lambda a, b:a+b, l, [1, 2]))
list(enumerate(l))
list(enumerate(l, start=2))
max(l, default=0)
max(*l, 0)
max(l, key=lambda v:-v, default=1)
min(l, l)
min([l, l])
sum(l)
sum(l, 1.5)
sum([l, l], [])
sorted(l)
sorted(l, reverse=True)
sorted(l, key=lambda v:-v)
any(l)
all(l)
any(v>3 for v in l)
list(l)
tuple(l)
set(l)
frozenset(l)
dict(zip(l, l))
dict(enumerate(l))
list(reversed(l))
list(filter(None, l))
list(filter(lambda v:v>3, l))
next(iter(l), None)
len(l)
','.join(map(str, l))
np.array(l)
np.asarray(l).sum()
[*l]
(*l,)
[*l, 1, *l]
{*l}
{**dict(enumerate(l))}
count(*l)
l==l
l==[]
l!=[1]
l<[9]
l<=l
l*2
2*l
l+l
l.count(3.0)
3.0 in l
99 not in l
l[::2]
l[1:]
l[-1:]
l[:0]
l.copy()
bool(l)
not l
l or [7]
l and 1
str(l)
repr(l)
f'{l}'
'%s' % (l,)
len(l[1:])
list(itertools.chain(l))
list(itertools.chain(l, l))
list(itertools.chain.from_iterable([l]))
list(itertools.accumulate(l))
list(itertools.accumulate(l, operator.mul))
list(itertools.accumulate(l, initial=1))
list(itertools.pairwise(l))
list(itertools.product(l))
list(itertools.product(l, l))
list(itertools.product(l, repeat=0))
list(itertools.product(l, repeat=2))
list(itertools.combinations(l, 1))
list(itertools.combinations(l, 2))
list(itertools.combinations(l, 0))
list(itertools.permutations(l))
list(itertools.permutations(l, 1))
list(itertools.zip_longest(l))
list(itertools.zip_longest(l, [1]))
list(itertools.zip_longest(l, l, fillvalue=0))
list(itertools.starmap(max, zip(l, l)))
list(itertools.takewhile(lambda v:v<4, l))
list(itertools.dropwhile(lambda v:v<4, l))
list(itertools.filterfalse(None, l))
list(itertools.compress(l, l))
list(itertools.repeat(l, 1))
[(k, list(g)) for k, g in itertools.groupby(l)]
[(k, list(g)) for k, g in itertools.groupby(l, key=lambda v:v>3)]
list(itertools.islice(itertools.cycle(l), 3)) if l else 0
functools.reduce(operator.add, l, 0)
functools.reduce(max, l) if l else 1
math.prod(l)
math.fsum(l)
math.dist(l, l)
math.hypot(*l)
heapq.nsmallest(1, l)
heapq.nlargest(2, l)
list(heapq.merge(l, l))
bisect.bisect(l, 2.5)
collections.Counter(l)
collections.deque(l)
list(collections.OrderedDict.fromkeys(l))
dict.fromkeys(l)
dict.fromkeys(l, 0)
statistics.mean(l) if l else 0
statistics.median(l) if l else 0
np.max(l) if l else 0
np.stack([l, l])
np.concatenate([l, l])
np.sort(l)
np.cumsum(l)
np.diff(l)
np.mean(l) if l else 0
np.where(np.array(l)>2, 1, 0)
np.dot(l, l)
np.zeros(len(l))
np.arange(len(l))
range(len(l))
list(range(len(l)))
[v for v in l]
[v for v in l if v>3]
[w for v in l for w in (v, v)]
{v:1 for v in l}
{v for v in l}
list(v for v in l)
[i for i, v in enumerate(l)]
[a+b for a, b in zip(l, l[1:])]
slice(len(l))
[l]
[l, l][0]
(l,)[0]
{'a':l}['a']
isinstance(l, list)
type(l)
l is l
(lambda *a:len(a))(*l)
(lambda a=l:a)()
min(l, default=None)
int(sum(l))
round(sum(l), 1)
divmod(len(l), 2)
pow(len(l), 2)
abs(len(l))
float(len(l))
complex(len(l))
bin(len(l))
chr(65+len(l))
'{}'.format(l)
str(len(l)).zfill(3)
'ab'*len(l)
[0]*len(l)
(0,)*len(l)
list(map(list, zip(l, l)))
list(zip(*[l, l]))
list(zip(*zip(l, l)))
list(zip(*[(v, v) for v in l]))
dict(a=l)
random.Random(1).sample(l, len(l))
operator.itemgetter(slice(1))(l)
list(map(operator.itemgetter(0), zip(l)))
l.__contains__(3.0)
list.copy(l)
list.__add__(l, l)
list.index(l, l[0]) if l else -1
sorted(set(l))
sorted(zip(l, l))
max(zip(l, l), default=0)
max(enumerate(l), default=0)
max(map(abs, l), default=0)
sum(map(abs, l))
sum(v*w for v, w in zip(l, l))
sum(1 for _ in l)
any(map(lambda v:v>3, l))
all(v>0 for v in l)
''.join(str(v)[0] for v in l)
bytes(map(int, l))
bytearray(map(int, l))
[*map(str, l)]
[*zip(l)]
tuple(zip(l))
set(zip(l))
len(list(zip(l)))
dict(zip(map(str, l), l))
list(itertools.islice(l, 1))
list(itertools.islice(l, 0, None, 2))
list(itertools.islice(l, 1, 9))
list(itertools.islice(x, 2))
list(itertools.islice(x[:int(x[0])], 2))
next(itertools.islice(l, 1, None), None)
list(map(l.__contains__, [3.0, 9.0]))
list(zip(itertools.islice(l, 2), l))
list(itertools.islice(enumerate(l), 1))
list(itertools.islice(zip(l, l), 1))
operator.contains(l, 4.0)
max([l, l[1:]])
sorted([l, l[:1]])
""".strip().splitlines()

SCOPE = {"np": np, "bisect": bisect, "collections": collections, "functools": functools,
         "heapq": heapq, "itertools": itertools, "math": math, "operator": operator,
         "random": random, "statistics": statistics, "count": lambda *args: len(args)}


def program(made: str, expression: str) -> Any:
    text = f"def f(x):\n    {LISTS[made]}\n    return {expression}\n"
    return function_of(text, f"<{made}: {expression}>", SCOPE)


def outcome(f: Any, x: Any) -> str:
    try:
        return repr(f(x))
    except (TypeError, ValueError, IndexError, ZeroDivisionError, StopIteration) as error:
        return f"{type(error)}: {error}".partition("\n")[0]


@pytest.mark.parametrize(("made", "expression"), sample(product(LISTS, EXPRESSIONS), 9))
def test_agrees_with_plain(made: str, expression: str) -> None:
    f = program(made, expression)
    traced = ag.function(f)
    for x in np.array([1.0, 3.0, 4.0, 3.0]), np.array([1.0, 0.0]), np.array([5.0]):
        assert outcome(traced, x) == outcome(f, x)
