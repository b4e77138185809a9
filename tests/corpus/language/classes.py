"""Objects with arrays inside: attributes as state, properties, inheritance, `super`."""

from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np

from tests.corpus.arguments import VECTORS
from tests.corpus.case import Case


@dataclass
class Point:
    """A point in the plane."""

    x: float
    y: float

    def length(self):
        return np.sqrt(self.x * self.x + self.y * self.y)


class Shape:
    """Something with a size."""

    def __init__(self, size):
        self.size = size

    @property
    def area(self):
        return self.size * self.size

    def grow(self, factor):
        if factor > 1:
            self.size = self.size * factor
        return self.size


class Ring(Shape):
    """A shape with a hole."""

    def __init__(self, size, hole):
        super().__init__(size)
        self.hole = hole

    @property
    def area(self):
        return super().area - self.hole * self.hole

    def grow(self, factor):
        if factor > 2:
            self.hole = self.hole * factor
        return super().grow(factor)


class Private:
    """Has a name that Python mangles."""

    __step = 3

    def advance(self, x):
        if x > 0:
            x = x + self.__step
        return x


def makes_points(x):
    p = Point(x, x + 1)
    if p.length() > 5:
        p.x = p.x - 1
    return p.x, p.y, p.length()


def inheritance(x, factor):
    ring = Ring(x, 1)
    ring.grow(factor)
    return ring.area, ring.size, ring.hole


def attribute_in_loop(x):
    p = Point(x, 0)
    while p.x > 1:
        p.x = p.x / 2
        p.y = p.y + 1
    return p.x, p.y


def private_name(x):
    return Private().advance(x)


def object_chosen_by_branch(x):
    if x > 0:
        shape = Shape(x)
    else:
        shape = Ring(x, 2)
    return shape.area


def attribute_in_branch(x):
    shape = Shape(x)
    if x > 2:
        shape.size = 2 * x
    else:
        shape.size = x - 1
    return shape.area


class Growing(Shape):
    """A shape whose method changes it, and whose other methods differ."""

    def grow(self, by):
        if by > 0:
            self.size = self.size + by
        return self.size


class Square(Shape):
    def grow(self, by):
        self.size = self.size * 2
        return -self.size


class Node:
    def __init__(self, value, following):
        self.value = value
        self.following = following


def chosen_object_is_used(x):
    shape = Growing(x) if x > 0 else Square(-x)
    first = shape.grow(1)
    shape.size = shape.size + 10
    return first, shape.size, shape.grow(x), isinstance(shape, Square)


def alias_of_one_of_two(x):
    a, b = Shape(1.0), Shape(2.0)
    c = a if x > 0 else b
    c.size = c.size + x
    return a.size, b.size, c.size


def object_or_none(x):
    shape = None
    if x > 0:
        shape = Shape(x)
    if shape is not None:
        return shape.area
    return x


def object_maybe_unbound(x):
    if x > 0:
        shape = Shape(x)
    return shape.area


def rebound_in_loops(x):
    shape = Shape(0.0)
    for k in range(3):
        if x > k:
            shape = Shape(shape.size + x)
    i = x
    while i > 0:
        if i > 1:
            shape = Shape(shape.size + i)
        i = i - 1
    return shape.size


def linked_list(x):
    head = None
    for k in (1, 2, 3):
        if x > k:
            head = Node(k * x, head)
    total = 0.0
    while head is not None:
        total = total + head.value
        head = head.following
    return total


def class_chosen_by_branch(x):
    made = (Growing if x > 0 else Square)(x)
    return made.grow(1), made.size


def function_chosen_by_branch(x):
    def less(v):
        return v - 1 if v > 3 else v

    f = (lambda v: v + 1) if x > 0 else less
    g = f if x > 10 else less
    return f(x), g(x)


def best_of_objects(x):
    shapes = [Shape(1.0), Shape(5.0), Shape(3.0)]
    best = shapes[0]
    for shape in shapes:
        best = shape if shape.size * x > best.size * x else best
    best.size = 0.0
    return [shape.size for shape in shapes]


def object_in_one_attribute(x):
    holder = Shape(None)
    if x > 0:
        holder.size = Shape(x)
    else:
        holder.size = Shape(x - 1)
    holder.size.size = holder.size.size * 2
    return holder.size.area


SCALARS = [(np.float64(3.5),), (np.float64(-2.0),), (np.float64(40.0),), (2,), (-3.5,),
           (np.int64(6),)]
GRID = np.arange(6.0).reshape(2, 3)

class Field:
    """A grid, and a view of its first row."""

    def __init__(self, grid):
        self.grid = grid.copy()
        self.row = self.grid[0]


def rebound_or_written(grid, x):
    a = Field(grid)
    if x > 0:
        a.grid = a.grid + 1
        a.row = a.row * 3
    elif x == 0:
        a.grid[0] = x - 5
    else:
        a.row[:] = a.grid[1]
        a.grid[1] = 7
    return a.grid, a.row


def item_rebound_or_written(grid, x):
    rows = [grid[0] + 1, grid[1] + 1]
    if x > 0:
        rows[0] = rows[1] * 2
    else:
        rows[0][:] = x
        rows[0][0] = rows[1][0]
    return rows, rows[0]


class Held:
    def __init__(self, value):
        self.value = value


def condition_is_written_by_a_side(x):
    one, other = Held(x[0]), Held(x[1] + 5.0)
    positive = x[:1] > 0
    if positive:
        positive[0] = False
        found = one
    else:
        found = other
    found.value = found.value + 1
    return found.value * 2, positive


T = TypeVar("T")


class Stack(Generic[T]):
    def __init__(self) -> None:
        self.items: list[T] = []

    def push(self, item: T) -> None:
        self.items.append(item)

    def __bool__(self) -> bool:
        return bool(self.items)


def generic_class_with_its_parameter(x):
    stack, total = Stack[float](), 0.0
    for v in x:
        if v > 1:
            stack.push(v)
    while stack:
        total = total * 10 + stack.items.pop()
    return total


CASES = [
    Case(generic_class_with_its_parameter, *VECTORS),
    Case(makes_points, *SCALARS),
    Case(inheritance, *[(*s, 2.5) for s in SCALARS], (np.float64(1.0), np.float64(1.5)),
         (np.float64(1.0), np.float64(0.5))),
    Case(attribute_in_loop, *SCALARS),
    Case(private_name, *SCALARS),
    Case(object_chosen_by_branch, *SCALARS),
    Case(attribute_in_branch, *SCALARS),
    Case(chosen_object_is_used, *SCALARS),
    Case(alias_of_one_of_two, *SCALARS),
    Case(object_or_none, *SCALARS),
    Case(object_maybe_unbound, *SCALARS),
    Case(rebound_in_loops, *SCALARS),
    Case(linked_list, *SCALARS),
    Case(class_chosen_by_branch, *SCALARS),
    Case(function_chosen_by_branch, *SCALARS),
    Case(best_of_objects, *SCALARS),
    Case(object_in_one_attribute, *SCALARS),
    Case(rebound_or_written, *[(GRID, *s) for s in SCALARS], (GRID, np.float64(0.0))),
    Case(item_rebound_or_written, *[(GRID, *s) for s in SCALARS]),
    Case(condition_is_written_by_a_side, (np.array([1.0, 2.0]),), (np.array([-1.0, 2.0]),)),
]
