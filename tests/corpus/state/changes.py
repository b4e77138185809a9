"""What a branch or loop changes is state, wherever it is kept and however it is reached."""

import collections
import functools
import operator
import types
from dataclasses import dataclass

from tests.corpus.arguments import SCALARS
from tests.corpus.case import titled

LOG = [0]
SETTINGS = types.ModuleType("settings")


def partial_of_function(x):
    log = [0]

    def put(i, v):
        log[i] = v

    push = functools.partial(put, 0)
    if x > 0:
        push(1)
    return log


def partial_holds_list(x):
    log = [0]
    push = functools.partial(operator.setitem, log, 0)
    if x > 0:
        push(1)
    return log


def setitem_function(x):
    log = [0]
    if x > 0:
        operator.setitem(log, 0, 5)
    return log


def lambda_default(x):
    log = [0]
    f = lambda v, l=log: l.__setitem__(0, v)
    if x > 0:
        f(3)
    return log


def kwonly_default(x):
    log = [0]

    def f(v, *, l=log):
        l[0] = v

    if x > 0:
        f(3)
    return log


def function_attribute(x):
    def f():
        f.count += 1

    f.count = 0
    if x > 0:
        f()
    return f.count


class K:
    total = 0
    log = [0]

    def add(self, v):
        K.total += v

    @classmethod
    def bump(cls):
        cls.total += 1

    @staticmethod
    def put(v):
        K.log[0] = v


def class_attr(x):
    K.total = 0
    if x > 0:
        K.total = 5
    return K.total


def class_attr_method(x):
    K.total = 0
    if x > 0:
        K().add(2)
    return K.total


def class_attr_classmethod(x):
    K.total = 0
    if x > 0:
        K.bump()
    return K.total


def class_attr_list(x):
    K.log[0] = 0
    if x > 0:
        K.put(4)
    return K.log[0]


def instance_class_list(x):
    k = K()
    k.log[0] = 0
    if x > 0:
        k.log[0] = 3
    return k.log[0]


class Sl:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a
        self.b = [0]


def slots_attr(x):
    s = Sl(1)
    if x > 0:
        s.a = 2
    return s.a


def slots_list(x):
    s = Sl(1)
    if x > 0:
        s.b[0] = 2
    return s.b


def slots_loop(x):
    s = Sl(0.0)
    for i in range(10):
        s.a += x
        if s.a > 9:
            break
    return s.a


@dataclass(slots=True)
class DS:
    a: float
    b: float = 0.0


def dataclass_slots(x):
    d = DS(1.0)
    if x > 0:
        d.a = x
    else:
        d.b = x
    return d.a, d.b


def exc_attr(x):
    e = ValueError("a")
    e.code = 0
    if x > 0:
        e.code = 1
    return e.code


def namespace(x):
    n = types.SimpleNamespace(a=1)
    if x > 0:
        n.a = 2
    return n.a


def defaultdict_(x):
    d = collections.defaultdict(int, a=0)
    if x > 0:
        d["a"] += 1
    return dict(d)


def ordered_dict(x):
    d = collections.OrderedDict(a=0)
    if x > 0:
        d["a"] = 1
    return dict(d)


def counter_(x):
    d = collections.Counter(a=0)
    if x > 0:
        d["a"] += 1
    return d["a"]


def userdict(x):
    d = collections.UserDict(a=0)
    if x > 0:
        d["a"] = 1
    return d["a"]


def userlist(x):
    d = collections.UserList([0])
    if x > 0:
        d[0] = 1
    return d[0]


def deque_(x):
    d = collections.deque([1, 2])
    if x > 0:
        d[0] = 5
    return list(d)


def chainmap(x):
    a = {"k": 1}
    c = collections.ChainMap(a, {"m": 2})
    if x > 0:
        c["k"] = 3
    return a


def dict_view(x):
    d = {"a": 1}
    items = d.items()
    if x > 0:
        d["a"] = 2
    return list(items)


def dict_held_by_view(x):
    d = {"a": [0]}
    vals = d.values()

    def f():
        for l in vals:
            l[0] = 9

    if x > 0:
        f()
    return d


def setattr_method(x):
    n = types.SimpleNamespace(a=1)
    s = n.__setattr__
    if x > 0:
        s("a", 2)
    return n.a


def property_object(x):
    class A:
        def __init__(self):
            self._v = 1

        v = property(lambda s: s._v, lambda s, v: setattr(s, "_v", v))

    a = A()
    if x > 0:
        a.v = 3
    return a.v


def descriptor(x):
    class D:
        def __set_name__(self, o, n):
            self.n = "_" + n

        def __get__(self, o, t=None):
            return getattr(o, self.n, 0)

        def __set__(self, o, v):
            setattr(o, self.n, v)

    class A:
        v = D()

        def __init__(self):
            self.v = 1

    a = A()
    if x > 0:
        a.v = 3
    return a.v


def getattr_delegation(x):
    class A:
        def __init__(self):
            object.__setattr__(self, "d", {"v": 1})

        def __getattr__(self, n):
            return self.d[n]

        def __setattr__(self, n, v):
            self.d[n] = v

    a = A()
    if x > 0:
        a.v = 3
    return a.v


def list_subclass(x):
    class L(list):
        pass

    l = L([1, 2])
    if x > 0:
        l[0] = 5
    return list(l)


def dict_subclass(x):
    class L(dict):
        def __setitem__(self, k, v):
            super().__setitem__(k, v * 2)

    l = L(a=1)
    if x > 0:
        l["a"] = 5
    return dict(l)


def module_global_list(x):
    LOG[0] = 0
    if x > 0:
        LOG[0] = 4
    return LOG[0]


def imported_module_attr(x):
    SETTINGS.v = 0
    if x > 0:
        SETTINGS.v = 5
    return SETTINGS.v


def nested_object_graph(x):
    class Node:
        def __init__(self, v, nxt=None):
            self.v, self.next = v, nxt

    n = Node(1, Node(2, Node(3)))
    p = n
    while p is not None:
        if x > p.v:
            p.v = 0
        p = p.next
    return n.v, n.next.v, n.next.next.v


def instance_method_closure(x):
    log = [0]

    class A:
        def put(self, v):
            log[0] = v

    a = A()
    if x > 0:
        a.put(3)
    return log


def inner_function_object(x):
    import autograph as ag

    log = [0]

    @ag.function
    def inner(v):
        log[0] = 5
        return v

    if x > 0:
        y = inner(x)
    else:
        y = x
    return y, log


CASES = [
    titled("partial of function", partial_of_function, *SCALARS),
    titled("partial holds list", partial_holds_list, *SCALARS),
    titled("setitem function", setitem_function, *SCALARS),
    titled("lambda default", lambda_default, *SCALARS),
    titled("kwonly default", kwonly_default, *SCALARS),
    titled("function attribute", function_attribute, *SCALARS),
    titled("class attr", class_attr, *SCALARS),
    titled("class attr method", class_attr_method, *SCALARS),
    titled("class attr classmethod", class_attr_classmethod, *SCALARS),
    titled("class attr list", class_attr_list, *SCALARS),
    titled("instance class list", instance_class_list, *SCALARS),
    titled("slots attr", slots_attr, *SCALARS),
    titled("slots list", slots_list, *SCALARS),
    titled("slots loop", slots_loop, *SCALARS),
    titled("dataclass slots", dataclass_slots, *SCALARS),
    titled("exc attr", exc_attr, *SCALARS),
    titled("namespace", namespace, *SCALARS),
    titled("defaultdict", defaultdict_, *SCALARS),
    titled("ordered dict", ordered_dict, *SCALARS),
    titled("counter", counter_, *SCALARS),
    titled("userdict", userdict, *SCALARS),
    titled("userlist", userlist, *SCALARS),
    titled("deque", deque_, *SCALARS),
    titled("chainmap", chainmap, *SCALARS),
    titled("dict view", dict_view, *SCALARS),
    titled("dict held by view", dict_held_by_view, *SCALARS),
    titled("setattr method", setattr_method, *SCALARS),
    titled("property object", property_object, *SCALARS),
    titled("descriptor", descriptor, *SCALARS),
    titled("getattr delegation", getattr_delegation, *SCALARS),
    titled("list subclass", list_subclass, *SCALARS),
    titled("dict subclass", dict_subclass, *SCALARS),
    titled("module global list", module_global_list, *SCALARS),
    titled("imported module attr", imported_module_attr, *SCALARS),
    titled("nested object graph", nested_object_graph, *SCALARS),
    titled("instance method closure", instance_method_closure, *SCALARS),
    titled("inner function object", inner_function_object, *SCALARS),
]
