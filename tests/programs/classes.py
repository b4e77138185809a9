"""Objects with arrays inside: attributes as state, properties, inheritance, `super`."""

from dataclasses import dataclass

import numpy as np

from tests.programs.case import Case


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


SCALARS = [(np.float64(3.5),), (np.float64(-2.0),), (np.float64(40.0),), (2,), (-3.5,),
           (np.int64(6),)]

CASES = [
    Case(makes_points, *SCALARS),
    Case(inheritance, *[(*s, 2.5) for s in SCALARS], (np.float64(1.0), np.float64(1.5)),
         (np.float64(1.0), np.float64(0.5))),
    Case(attribute_in_loop, *SCALARS),
    Case(private_name, *SCALARS),
    Case(object_chosen_by_branch, *SCALARS),
    Case(attribute_in_branch, *SCALARS),
]
