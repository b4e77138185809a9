"""`match` on symbolic subjects."""

from dataclasses import dataclass

import numpy as np

from tests.corpus.arguments import NUMBERS, SCALARS
from tests.corpus.case import titled

VECTORS = [(np.array([1.0, -2.0, 3.0]),), (np.array([1.0, 0.5, 8.0]),)]


class Level:
    LOW = 0
    HIGH = 12


def values(n):
    match n:
        case 0:
            return "zero"
        case 5 | 6:
            return "five"
        case Level.HIGH:
            return "high"
    return "other"


def guards(x):
    match x:
        case 0.0:
            kind = "zero"
        case v if v > 10:
            kind = "big"
        case v if v > 1 and v < 3:
            kind = "mid"
            v = v * 2
        case _:
            kind = "rest"
    return kind, v


def in_a_loop(n):
    out = []
    for i in range(6):
        match (n + i) % 4:
            case 0:
                continue
            case 1 if i > 4:
                break
            case 2 | 3 as k:
                out.append(k)
            case k:
                out.append(-k)
    return out, i


def returns_and_falls_through(x):
    match x > 0:
        case True:
            match x > 10:
                case True:
                    return "very"
                case False:
                    y = x
        case False:
            y = -x
    return y * 2


def sequences(x):
    match (x, 1.0):
        case (0.0, 1.0):
            return "zero"
        case (v, 1.0) if v > 10:
            return v
        case (-1.0, v):
            return "minus", v
        case (v, w):
            return v, w


def sequences_of_symbolic_items(x, y):
    match [x, y]:
        case [0.0, 0.0]:
            return "origin"
        case [0.0, v] | [v, 0.0]:
            return "axis", v
        case [a, b, *rest] if a == b:
            return "diagonal", a, rest
        case [_, *others]:
            return others


def rows_of_an_array(x):
    match x:
        case [a, b]:
            return a, b
        case [a, *rest]:
            return a, rest
        case _:
            return "array"


def mappings(x):
    match {"x": x, "kind": "p", "more": 1}:
        case {"x": 0.0}:
            return "zero"
        case {"x": v, "kind": "p", **rest} if v > 1:
            return v, rest
        case {"kind": str(kind)}:
            return kind


@dataclass
class Point:
    x: object
    y: object


def classes(x):
    match Point(x, 0.0):
        case Point(0.0, 0.0):
            return "origin"
        case Point(x=v, y=0.0) if v > 1:
            return "right", v
        case Point(x=-1.0):
            return "minus one"
        case Point(v, w):
            return v, w


def chosen_objects(x):
    shape = Point(x, 1.0) if x > 0 else [x, 2.0]
    match shape:
        case Point(a, b):
            return "point", a, b
        case [a, b]:
            return "list", a, b


def none_and_booleans(x):
    y = None if x < 0 else x > 1
    match y:
        case None:
            return "none"
        case True:
            return "true"
        case False:
            return "false"


def words(x):
    match "low" if x < 0 else "high" if x > 10 else "middle":
        case "low":
            return 1
        case "high":
            return 2
        case word:
            return word


def builtin_classes(x):
    match x:
        case bool():
            return "bool"
        case int() | np.integer():
            return "int"
        case float(v):
            return "float", v
        case np.ndarray():
            return "array", x.sum() > 0
    return "other"


class Shapes:
    Point = Point
    key = "x"


def dotted_names(x):
    found = []
    for value in (Point(x, 1.0), {"x": x}, [x, 1], x):
        match value:
            case Shapes.Point(x=v, y=1.0) if v > 1:
                found.append(v)
            case {Shapes.key: v, **rest}:
                found.append((v, rest))
            case [np.floating() as v, *rest] | np.ndarray(shape=(v, *rest)):
                found.append((v, rest))
            case _:
                found.append("other")
    return found


def attributes_of_values(x):
    match x:
        case np.ndarray(ndim=2, T=turned):
            return turned
        case np.ndarray(shape=(n,), dtype=np.dtype(kind="f")) as whole if n > 1:
            return n, whole
        case np.ndarray(size=n):
            return n
        case np.floating(real=v) if v > 1:
            return "above", v
        case float(v) | np.integer(real=v):
            return "at most", v
    return "other"


def effects_in_order(x):
    log = []

    def seen(v):
        log.append(v)
        return True

    match x:
        case 0.0 if seen(1):
            pass
        case _ if seen(2) and x > 2:
            log.append("big")
        case _ if seen(3):
            log.append("rest")
    return log


def returned_from_a_loop(m):
    for row in m:
        match row[0]:
            case 0:
                continue
            case v if v > 2:
                return "found", row
            case _:
                pass
    return None


CASES = [
    titled("value patterns", values, *NUMBERS),
    titled("guards", guards, *SCALARS),
    titled("match in a loop", in_a_loop, *NUMBERS),
    titled("match in match, with return", returns_and_falls_through, *SCALARS),
    titled("sequence patterns", sequences, *SCALARS),
    titled("sequence patterns on symbolic items", sequences_of_symbolic_items,
        *[(np.float64(a), np.float64(b)) for a, b in ((0, 0), (0, 2), (3, 0), (4, 4), (5, 6))]),
    titled("sequence patterns on arrays", rows_of_an_array, *VECTORS, ([1.0, 2.0],)),
    titled("mapping patterns", mappings, *SCALARS),
    titled("class patterns", classes, *SCALARS),
    titled("objects chosen", chosen_objects, *SCALARS),
    titled("None and booleans", none_and_booleans, *SCALARS),
    titled("words", words, *SCALARS),
    titled("classes of values", builtin_classes, *SCALARS, *NUMBERS, (True,), *VECTORS),
    titled("dotted names in patterns", dotted_names, *SCALARS, *VECTORS),
    titled("attributes of values in patterns", attributes_of_values, *SCALARS, *NUMBERS, *VECTORS,
        (np.ones((2, 3)),), (np.array([1, 2]),), ("text",)),
    titled("guards are asked in order", effects_in_order, *SCALARS),
    titled("match in a loop, with return", returned_from_a_loop, (np.array([[0, 1], [3, 4]]),),
        (np.array([[0, 1], [1, 4]]),)),
]
