"""Attributes that an object has on one side of a branch only."""


from tests.corpus.arguments import SCALARS
from tests.corpus.case import titled


class K:
    n = 0
    label = "none"

    def __init__(self):
        self.v = 1


def attr_added_one_side(x):
    k = K()
    if x > 0:
        k.extra = x
    return k.v


def attr_added_read_guarded(x):
    k = K()
    if x > 0:
        k.extra = x
    if x > 0:
        return k.extra
    return k.v


def attr_added_read_unguarded(x):
    k = K()
    if x > 0:
        k.extra = x
    return k.extra + 1


def attr_added_caught(x):
    k = K()
    if x > 0:
        k.extra = x
    try:
        return k.extra
    except AttributeError as e:
        return str(e)


def attr_shadows_class(x):
    k = K()
    if x > 0:
        k.n += 1
        k.label = "pos"
    return k.n, k.label, K.n


def attr_shadows_loop(x):
    k = K()
    for i in range(10):
        if x > i:
            k.n += 1
    return k.n, K.n


def attr_hasattr(x):
    k = K()
    if x > 0:
        k.extra = 1
    return hasattr(k, "extra"), getattr(k, "extra", "missing"), hasattr(k, "v")


def attr_deleted(x):
    k = K()
    if x > 0:
        del k.v
    return hasattr(k, "v")


def attr_deleted_read(x):
    k = K()
    if x > 0:
        del k.v
    return k.v


def with_enter_attr(x):
    class C:
        def __enter__(self):
            self.inside = x
            return self

        def __exit__(self, *e):
            self.left = True

    c = C()
    if x > 0:
        with c as d:
            y = d.inside + 1
    else:
        y = -1.0
    return y, hasattr(c, "left")


class Sometimes:
    def __init__(self, x):
        self.x = x

    @property
    def root(self):
        if self.x < 0:
            raise AttributeError("no root")
        return self.x ** 0.5


def property_may_be_absent(x):
    return hasattr(Sometimes(x), "root"), getattr(Sometimes(x), "root", -1.0)


def lazy_attribute(x):
    class C:
        def get(self):
            if not hasattr(self, "_cache"):
                self._cache = x * 2
            return self._cache

    c = C()
    if x > 0:
        a = c.get()
    else:
        a = 0.0
    return a, c.get()


def none_attribute(x):
    class C:
        def __init__(self):
            self.c = None

        def get(self):
            if self.c is None:
                self.c = x * 2
            return self.c

    c = C()
    if x > 0:
        a = c.get()
    else:
        a = 0.0
    return a, c.get()


def class_attr_added(x):
    class C:
        pass

    if x > 0:
        C.extra = 1
    return getattr(C, "extra", 5), hasattr(C(), "extra")


def slot_unset(x):
    class C:
        __slots__ = ("a",)

    c = C()
    if x > 0:
        c.a = x
    return getattr(c, "a", None)


def exc_notes(x):
    e = ValueError("a")
    if x > 0:
        e.add_note("positive")
    return getattr(e, "__notes__", None)


def chosen_hasattr(x):
    class A:
        a = 1

    class B:
        b = 2

    c = A() if x > 0 else B()
    return hasattr(c, "a"), getattr(c, "b", "none"), getattr(c, "a", x)


def chosen_type_name(x):
    class A:
        pass

    class B:
        pass

    c = A() if x > 0 else B()
    return type(c).__name__, type(c) is A, isinstance(c, (A, int))


class Best:
    found = None


def attribute_shadows_none(x):
    best = Best()
    if x > 0:
        best.found = x
    return best.found is None, best.found, Best.found


CASES = [
    titled("attribute shadows None", attribute_shadows_none, *SCALARS),
    titled("attribute added one side", attr_added_one_side, *SCALARS),
    titled("attribute added read guarded", attr_added_read_guarded, *SCALARS),
    titled("attribute added read unguarded", attr_added_read_unguarded, *SCALARS),
    titled("attribute added caught", attr_added_caught, *SCALARS),
    titled("attribute shadows class", attr_shadows_class, *SCALARS),
    titled("attribute shadows loop", attr_shadows_loop, *SCALARS),
    titled("attribute hasattr", attr_hasattr, *SCALARS),
    titled("attribute deleted", attr_deleted, *SCALARS),
    titled("attribute deleted read", attr_deleted_read, *SCALARS),
    titled("property may be absent", property_may_be_absent, *SCALARS),
    titled("with enter attr", with_enter_attr, *SCALARS),
    titled("lazy attribute", lazy_attribute, *SCALARS),
    titled("none attribute", none_attribute, *SCALARS),
    titled("class attr added", class_attr_added, *SCALARS),
    titled("slot unset", slot_unset, *SCALARS),
    titled("exc notes", exc_notes, *SCALARS),
    titled("chosen hasattr", chosen_hasattr, *SCALARS),
    titled("chosen type name", chosen_type_name, *SCALARS),
]
