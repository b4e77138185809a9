"""`while` and `for`: what is looped over, and what a loop may carry."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from tests.corpus.case import titled

NUMBERS = [(np.int64(5),), (np.int64(0),), (np.int64(12),), (4,)]
FLOATS = [(np.float64(20.0),), (np.float64(0.5),), (7.0,)]
VECTORS = [(np.array([1.0, -2.0, 3.0]),), (np.array([-1.0, 0.5, 8.0]),), ([1.0, 2.0],)]
ROWS_OF_TWO = [(np.array([[1, 2], [3, 4], [5, 0]]),), (np.zeros((0, 2), int),), ([(1, 2)],)]


def while_symbolic(n):
    s = 0
    while n > 0:
        s, n = s + n, n - 1
    return s


def while_python(x):
    i = 0
    while i < 3:
        x, i = x * 2, i + 1
    return x


def test_turns_symbolic(x):
    c, s = 3, 0.0
    while c > 0:
        c = c - x
        s = s + 1
    return c, s


def while_true_with_break(x):
    while True:
        x = x - 1
        if x < 0:
            break
    return x


def for_range(n):
    s = 0
    for i in range(n):
        s += i
    return s


def for_range_negative(n):
    s = []
    for i in range(n, -n, -2):
        s.append(i)
    return s


def index_after(n):
    for i in range(n):
        pass
    return i


def for_array(x):
    s = 0.0
    for v in x:
        s = s + v * v
    return s


def for_scalar(x):
    for v in x:
        return v
    return 0


def for_unpacking(x):
    s = 0
    for a, b in x:
        s += a * b
    return s


def for_enumerate(x):
    s = 0.0
    for i, v in enumerate(x):
        s += i * v
    for i, v in enumerate(x, 2):
        s -= i * v
    return s


def for_zip(x):
    s = 0.0
    for a, b in zip(x, x[::-1]):
        s += a * b
    return s


def for_reversed(x):
    s = 0.0
    for v in reversed(x):
        s = 2 * s + v
    return s


def for_map(x):
    s = 0.0
    for v in map(lambda v: v * 2 if v > 0 else 0.0, x):
        s += v
    return s


def for_containers(x):
    total = 0.0
    for v in [x, x + 1, x * 2]:
        total += v
    for v in (x, 1.0):
        total -= v
    for k, v in {"a": x, "b": 2.0}.items():
        total += v if k == "a" else -v
    return total


def steps(n):
    for i in range(n):
        yield i * i


def for_generator(x):
    s = x
    for v in steps(4):
        if s > v:
            s -= v
    return s


def python_for_break(x):
    for i in [3, 1, 4, 1, 5]:
        x = x - i
        if x < 0:
            break
    return x, i


def python_for_return(x):
    for i in [3, 1, 4, 1, 5]:
        x = x - i
        if x < 0:
            return "out", i
    return "in", x


def python_for_continue(x):
    s = 0
    for i in [3, 1, 4, 1, 5]:
        if x > i:
            continue
        s += i
    return s


class Batches:
    """A data set: an object that is iterated anew each time."""

    def __init__(self, arrays):
        self.arrays = arrays

    def __iter__(self):
        return iter(self.arrays)

    def __len__(self):
        return len(self.arrays)


def data_set(x):
    total = 0.0
    for batch in Batches([x, x * 2, x - 1]):
        if batch > 10:
            break
        y = batch
        total += y
    else:
        y = 0.0
    return total, y


def data_set_return(x):
    for batch in Batches([x, x * 2, x - 1]):
        if batch > 10:
            return batch
    return None


def data_set_iterator(x):
    batches = iter(Batches([x, x * 2, x - 1]))
    first = next(batches)
    s = 0.0
    for batch in batches:
        s += batch
        if s > 10:
            break
    return first, s, next(batches, None)


def data_set_functions(x):
    batches = Batches([x, x * 2, x - 1])
    out = [len(batches)]
    for i, b in enumerate(batches):
        out.append(i * b)
    for a, b in zip(batches, batches):
        out.append(a + b)
    return out, list(map(abs, batches)), any(b > 3 for b in batches), all(b > 3 for b in batches)


def ragged(x):
    rows = [x, np.concatenate([x, x]), x[:1]]
    s = 0.0
    for row in rows:
        for v in row:
            s += v
    return s


def tensor_array(x):
    out = []
    for v in x:
        out.append(v * 2)
    s = 0.0
    for v in out:
        s += v
    return s


def two_data_sets(x):
    total = 0.0
    for part in [x[:2], x[2:]]:
        for v in part:
            if v < 0:
                break
            total += v
    return total


class Holder:
    i = 0


def for_targets(x):
    h = Holder()
    d = {}
    total = 0.0
    for h.i in x:
        total += h.i
    for (a, (b, *c)) in [(x, (1, 2, 3)), (x, (4, 5))]:
        total = total + a[0] * b + sum(c)
    for (k, d["v"]) in [("p", x), ("q", x * 2)]:
        total += d["v"][0]
    return total, h.i, c, d, k


def reassigned_target(x):
    s = 0.0
    for v in x:
        v = v * 2
        if v > 3:
            v = 3.0
        s += v
    return s


def defined_in_body(x):
    for v in x:
        last = v * 2
    return last


def defined_from_the_previous_round(x):
    first = True
    for v in x:
        if first:
            y = v
        else:
            y = y * 2 + v
        first = False
    return y


def starts_as_none(x):
    best = None
    for v in x:
        if best is None or v > best:
            best = v
    return best


def dtype_change(x):
    s = 0
    for v in x:
        s = s + v
    n = 1
    while n < 5:
        n = n * 2.5
    return s, n


def shape_change(x):
    y = x[:1]
    for v in x:
        if v > 0:
            y = np.concatenate([y, x[:1] * v])
    return y


def structure_change(n):
    items, table = [], {}
    i = 0
    while i < n:
        items.append(i * 2)
        i += 1
    for k in range(3):
        table[k] = i + k
    return items, table


def key_added(x):
    table = {"a": x}
    i = 0
    while i < x:
        table["b"] = i
        i = i + 1
    return table


def python_values(n):
    i, f, b, s = 0, 1.0, True, "a"
    while i < n:
        i, f, b, s = i + 1, f / 2, not b, "b"
    return i, f, b, s


class Pair(NamedTuple):
    a: object
    b: object


def fixed_structures(x):
    d, l, t, p = {"k": x, "n": 0}, [x, 1.0], (x, (x, 2.0)), Pair(x, 0)
    while d["k"] > 1:
        d = {"k": d["k"] / 2, "n": d["n"] + 1}
        l = [l[0] + 1, l[1] * 2]
        t = (t[0] - 1, (t[1][0], t[1][1] + 1))
        p = Pair(p.a / 2, p.b + 1)
    return d, l, t, p.a, p.b, type(p) is Pair


@dataclass
class Data:
    a: object
    b: object = 0


class Plain:
    def __init__(self, a):
        self.a = a


def rebound_objects(x):
    d = Data(x)
    while d.a > 1:
        d = Data(d.a / 2, d.b + 1)
    return d.a, d.b


def rebound_plain_objects(x):
    p = Plain(x)
    n = 0
    while p.a > 1:
        p = Plain(p.a / 2)
        n += 1
    return p.a, n


def changed_attributes(x):
    p = Plain(x)
    while p.a > 1:
        p.a = p.a / 2
    return p.a


def while_else(x):
    n = 0
    while x > 1:
        x = x / 2
        n += 1
        if n > 3:
            break
    else:
        n = -n
    return x, n


def for_else(x):
    for v in x:
        if v > 5:
            found = v
            break
    else:
        found = None
    return found


def nested_with_jumps(x):
    total = 0.0
    for v in x:
        k = 0.0
        while k < v:
            k += 1
            if k > 5:
                break
            if k == 2:
                continue
            total += k
        if total > 40:
            break
    return total


def gradient_like(x):
    for _ in range(5):
        y = x * x - 2
        slope = 2 * x
        if np.all(abs(slope) > 0.1):
            x = x - y / slope
    return x


CASES = [
    titled("`while` tensor cond", while_symbolic, *NUMBERS),
    titled("`while` py cond", while_python, *FLOATS),
    titled("cond starts Python, becomes tensor", test_turns_symbolic, (np.float64(1.0),),
        (np.float64(0.25),), (2,)),
    titled("`while True:` + tensor `break`", while_true_with_break, *FLOATS),
    titled("`for` over `tf.range` / builtin `range(tensor…)`", for_range, *NUMBERS),
    titled("`for` over `range`, negative stop", for_range_negative, *NUMBERS, (np.int64(-3),)),
    titled("loop index after the loop", index_after, *NUMBERS),
    titled("`for x in tensor`", for_array, *VECTORS, (np.zeros(0),)),
    titled("`for x in tensor`, scalar", for_scalar, (np.float64(1.0),), (1.0,)),
    titled("`for a, b in tensor`", for_unpacking, *ROWS_OF_TWO, (np.zeros((2, 3), int),)),
    titled("`for … in enumerate(tensor)`", for_enumerate, *VECTORS),
    titled("`for … in zip(tensor, …)`", for_zip, *VECTORS),
    titled("`for … in reversed(tensor)`", for_reversed, *VECTORS),
    titled("`for … in map(f, tensor)`", for_map, *VECTORS),
    titled("`for` over list/tuple/dict/generator", for_containers, *FLOATS),
    titled("`for` over generator", for_generator, *FLOATS),
    titled("Python `for` + tensor `break`/`return`", python_for_break, *FLOATS),
    titled("Python `for` + tensor `return`", python_for_return, *FLOATS),
    titled("Python `for` + tensor `continue`", python_for_continue, *FLOATS),
    titled("`for` over `tf.data.Dataset`", data_set, *FLOATS),
    titled("`for` over `tf.data.Dataset`, `return` inside", data_set_return, *FLOATS),
    titled("`for` over Dataset iterator", data_set_iterator, *FLOATS),
    titled("enumerate/zip/map/filter/any/all/abs/len of Dataset", data_set_functions, *FLOATS),
    titled("RaggedTensor", ragged, *VECTORS[:2]),
    titled("TensorArray iteration", tensor_array, *VECTORS),
    titled("distributed datasets", two_data_sets, *VECTORS),
    titled("target forms `for a.i in`, `for a,*b in`, `for (k,v)`", for_targets, *VECTORS[:2]),
    titled("reassign loop target in the body", reassigned_target, *VECTORS),
    titled("variable first defined in the loop body, used after", defined_in_body, *VECTORS,
        (np.zeros(0),)),
    titled("variable first defined in the loop body, from the previous iteration",
        defined_from_the_previous_round, *VECTORS, (np.zeros(0),)),
    titled("loop var initialised None", starts_as_none, *VECTORS, (np.zeros(0),)),
    titled("dtype change", dtype_change, *VECTORS),
    titled("shape change", shape_change, *VECTORS[:2]),
    titled("structure change (list grows, dict key added)", structure_change, *NUMBERS),
    titled("structure change, dict key added in a staged loop", key_added, *NUMBERS),
    titled("Python int/float/bool/str loop var", python_values, *NUMBERS),
    titled("dict/list/tuple/namedtuple of fixed structure as loop var", fixed_structures, *FLOATS),
    titled("dataclass / custom object as loop var (rebinding)", rebound_objects, *FLOATS),
    titled("custom object as loop var (rebinding)", rebound_plain_objects, *FLOATS),
    titled("custom object as loop var, attributes changed", changed_attributes, *FLOATS),
    titled("`while…else`", while_else, *FLOATS),
    titled("`for…else`", for_else, *VECTORS),
    titled("nested staged loops, break/continue at several levels", nested_with_jumps, *VECTORS),
    titled("gradients through staged loops", gradient_like, *VECTORS[:2], *FLOATS),
]
