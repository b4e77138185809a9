"""The operators: Python's constructs on Python's values, and the backend's on its own."""

import builtins
import itertools
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.operators import OPERATORS, dispatch
from autograph.operators.builtins import BUILTIN_REPLACEMENTS


class Sym:
    """A value of a toy backend."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __bool__(self) -> bool:
        raise AssertionError("a symbolic value was asked for its truth")


class Recorder:
    """A toy backend: it notes what it is asked and answers with a new value."""

    def __init__(self) -> None:
        self.asked: list[tuple[Any, ...]] = []

    def note(self, *what: Any) -> Sym:
        self.asked.append(what)
        return Sym(what[0])

    def cond(self, pred, true_fn, false_fn, operands):
        return self.note("cond", pred, true_fn(*operands), false_fn(*operands))

    def while_loop(self, test, body, loop_vars, options):
        return self.note("while", loop_vars, dict(options)),

    def for_loop(self, iterable, body, loop_vars, test, unroll=None):
        return self.note("for", iterable, loop_vars),

    def and_(self, first, lazy):
        return self.note("and", first, [f() for f in lazy])

    def or_(self, first, lazy):
        return self.note("or", first, [f() for f in lazy])

    def not_(self, x):
        return self.note("not", x)

    def in_(self, item, container):
        return self.note("in", item, container)

    def is_(self, x, other):
        return self.note("is", x)

    def is_none(self, x):
        return self.note("is_none", x)

    def bound(self, value, free):
        return self.note("bound", value)

    def builtin(self, function, args, kwargs):
        return self.note(function.__name__, args, dict(kwargs))


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    backend = Recorder()
    dispatch.register(Sym, backend)
    yield backend
    del dispatch.BACKENDS[Sym]


class Odd:
    """Truth that is neither True nor False, and counts how often it is asked for."""

    def __init__(self, truth: object) -> None:
        self.truth, self.asked = truth, 0

    def __bool__(self) -> bool:
        self.asked += 1
        if self.truth == "raises":
            raise ValueError("no truth")
        return bool(self.truth)


VALUES = [True, False, 0, 1, "", "x", None, [], [0], 0.0, float("nan"), (), 1j]


@pytest.mark.parametrize("a", VALUES, ids=repr)
def test_cond_is_if(a: object) -> None:
    assert ag.cond(a, lambda: 1, lambda: 2) == (1 if a else 2)
    assert ag.cond(a, lambda x, y: (x, y), ag.identity, 3, 4) == (3, 4)
    assert ag.cond(a, lambda x: x + 1, ag.identity, 3) == (4 if a else 3)
    assert ag.cond(a, lambda: None) == (None if a else ())


def test_truth_is_asked_once_and_may_raise() -> None:
    odd = Odd(1)
    assert ag.cond(odd, lambda: "yes") == "yes" and odd.asked == 1
    assert ag.and_(odd, lambda: 5) == 5 and ag.or_(odd, lambda: 5) is odd and odd.asked == 3
    for f in (lambda x: ag.cond(x, int), ag.not_, lambda x: ag.and_(x, int),
              lambda x: ag.while_loop(lambda: x, tuple, ())):
        with pytest.raises(ValueError, match="no truth"):
            f(Odd("raises"))


@pytest.mark.parametrize(("a", "b", "c"), list(itertools.product([0, 1, "", "x", None], repeat=3)))
def test_logic_is_pythons(a: object, b: object, c: object) -> None:
    seen: list[object] = []

    def lazy(x):
        return lambda: seen.append(x) or x
    assert ag.and_(a, lazy(b), lazy(c)) == (a and b and c)
    assert seen == ([b, c] if a and b else [b] if a else [])
    seen.clear()
    assert ag.or_(a, lazy(b), lazy(c)) == (a or b or c)
    assert seen == ([] if a else [b] if b else [b, c])
    assert ag.not_(a) is (not a)
    assert ag.is_none(a) is (a is None) and ag.is_not_none(a) is (a is not None)


def test_in() -> None:
    class Container:
        def __contains__(self, x):
            return "truthy"
    assert ag.in_(1, [1]) is True and ag.not_in(1, [1]) is False
    assert ag.in_(1, Container()) is True and ag.not_in(1, Container()) is False
    assert ag.in_("a", "abc") is True and ag.in_(2, iter([1, 2, 3])) is True
    with pytest.raises(TypeError, match="not iterable"):
        ag.in_(1, 1)


def test_while_loop() -> None:
    trips = []

    def body(i, s):
        trips.append(i)
        return i + 1, s + i
    assert ag.while_loop(lambda i, s: i < 4, body, (0, 0)) == (4, 6) and trips == [0, 1, 2, 3]
    assert ag.while_loop(lambda: False, lambda: (), ()) == ()
    assert ag.while_loop(lambda x: x < 3, lambda x: (x + 1,), [0]) == (3,)


def test_for_loop() -> None:
    assert ag.for_loop("abc", lambda c, s: (s + c,), ("",)) == ("abc",)
    assert ag.for_loop([], lambda c: (), ()) == ()
    with pytest.raises(TypeError, match="not iterable"):
        ag.for_loop(3, lambda c: (), ())
    with pytest.raises(TypeError, match="not iterable"):
        ag.for_loop(3, lambda c: (), (), test=lambda: True)


def test_for_loop_stops_before_the_next_item() -> None:
    taken = []

    def items():
        for i in range(5):
            taken.append(i)
            yield i
    result = ag.for_loop(items(), lambda i, s, stop: (s + i, i == 2), (0, False),
                         test=lambda s, stop: not stop)
    assert result == (3, True) and taken == [0, 1, 2]


def test_stop_iteration_of_a_body_is_not_the_loops() -> None:
    def body(x):
        raise StopIteration("mine")
    for test in (None, lambda: True):
        with pytest.raises(StopIteration, match="mine"):
            ag.for_loop([1], body, (), test=test)


@pytest.mark.parametrize("loop", [
    lambda body: ag.while_loop(lambda i: i < 1, body, (0,)),
    lambda body: ag.for_loop([1], lambda x, i: body(i), (0,)),
    lambda body: ag.for_loop([1], lambda x, i: body(i), (0,), test=lambda i: True),
])
@pytest.mark.parametrize(("result", "said"), [
    (1, "it returned int"), (None, "it returned NoneType"), ((1, 2), "it returned a tuple of 2"),
    ([1], "it returned list")])
def test_body_of_the_wrong_form(loop: Any, result: object, said: str) -> None:
    with pytest.raises(TypeError, match=r"as many values as there are loop variables \(1\)") as e:
        loop(lambda i: result)
    assert said in str(e.value)


def test_undefined() -> None:
    y = ag.Undefined("y")
    assert repr(y) == "<undefined 'y'>" and ag.bound(3) == 3
    with pytest.raises(UnboundLocalError, match="'y' where it is not associated with a value"):
        ag.bound(y)

    def python():
        if False:
            y = 1
        return y
    with pytest.raises(UnboundLocalError) as theirs:
        python()
    with pytest.raises(UnboundLocalError) as ours:
        ag.bound(y)
    assert str(ours.value) == str(theirs.value)


BUILTIN_CALLS = {
    "len": [([1, 2],), ("",)], "range": [(3,), (1, 5, 2)], "int": [("7",), ("11", 2), ()],
    "float": [("1.5",), (2,)], "bool": [([],), (1,)], "complex": [(1, 2)],
    "chr": [(97,)], "ord": [("a",)], "bin": [(5,), (-5,)], "oct": [(9,)], "hex": [(30,)],
    "ascii": [("\xe9",)], "abs": [(-3,)],
    "round": [(2.567, 2), (2.5,)], "pow": [(2, 5), (2, 5, 7)], "divmod": [(7, 2)],
    "str": [(2,), (b"a", "utf-8"), ()], "repr": [("a",)], "format": [(2.5, ".2f"), ("a",)],
    "isinstance": [(1, int), (1, (str, bytes))],
    "hasattr": [(1, "real"), (1, "other")], "getattr": [(1, "real"), (1, "other", 2)],
    "callable": [(len,), (3,)], "id": [(len,)], "bytes": [([1, 2],), (b"a",), ()],
    "bytearray": [([1, 2],), (3,), ()], "memoryview": [(b"ab",)],
    "iter": [([1],)], "next": [(iter([4]),), ((), 1)],
    "sum": [([1, 2],), ([[1]], [])], "any": [([0, 1],)], "all": [([0, 1],)],
    "enumerate": [("ab",), ("ab", 1)], "zip": [("ab", [1, 2])], "reversed": [([1, 2],)],
    "list": [("ab",), ()], "tuple": [([1],), ()],
    "dict": [([(1, 2)],), ()], "set": [("ab",), ()], "frozenset": [("ab",), ()],
    "map": [(str, [1, 2])],
    "filter": [(None, [0, 1])],
    "min": [([3, 1],), (2, 1)], "max": [([3, 1],), (2, 1)], "sorted": [([3, 1, 2],)],
    "type": [(3,), ("a",)],
}


def test_every_twin_is_called_here() -> None:
    assert list(BUILTIN_CALLS) == list(BUILTIN_REPLACEMENTS)


@pytest.mark.parametrize("name", [n for n in BUILTIN_CALLS if n not in ("iter", "next")])
def test_twins_do_as_the_builtins(name: str) -> None:
    for args in BUILTIN_CALLS[name]:
        ours, theirs = getattr(ag, name)(*args), getattr(builtins, name)(*args)
        assert type(ours) is type(theirs)
        assert ours == theirs or list(ours) == list(getattr(builtins, name)(*args))
    with pytest.raises(TypeError):
        getattr(ag, name)(*[object()] * 9)


def test_twins_of_iterators() -> None:
    assert type(ag.iter([1])) is type(iter([1]))
    assert ag.next(ag.iter([4])) == 4 and ag.next(ag.iter([]), 1) == 1
    with pytest.raises(StopIteration):
        ag.next(ag.iter([]))
    calls = iter([1, 2, 0])
    assert list(ag.iter(lambda: next(calls), 0)) == [1, 2]


def test_classes_that_type_makes() -> None:
    ours, theirs = ag.type("Made", (int,), {"a": 1}), type("Made", (int,), {"a": 1})
    assert ours.__module__ == theirs.__module__ and list(vars(ours)) == list(vars(theirs))


def test_identity() -> None:
    x = object()
    assert ag.is_(x, x) and ag.is_not(x, object()) and not ag.is_(1, True)


def test_keywords_of_twins() -> None:
    assert ag.sorted([1, 3, 2], key=lambda x: -x, reverse=True) == [1, 2, 3]
    assert ag.max([], default=5) == 5 and ag.min([1, 2], key=None) == 1
    assert ag.int("ff", base=16) == 255 and ag.sum([1], start=2) == 3
    assert list(ag.zip([1], [2], strict=True)) == [(1, 2)]
    assert list(ag.enumerate("a", start=3)) == [(3, "a")]


def test_backend_takes_the_whole_call(recorder: Recorder) -> None:
    s = Sym("s")
    assert ag.cond(s, lambda x: x + 1, lambda x: x - 1, 5).name == "cond"
    assert recorder.asked == [("cond", s, 6, 4)]
    recorder.asked.clear()
    assert ag.and_(1, lambda: s, lambda: 2).name == "and"
    assert ag.or_(0, lambda: s, lambda: 3).name == "or"
    assert recorder.asked == [("and", s, [2]), ("or", s, [3])]
    recorder.asked.clear()
    results = (ag.not_(s), ag.in_(s, [1]), ag.in_(1, s), ag.is_none(s), ag.bound(s),
               ag.is_(s, 1), ag.is_(1, s))
    assert [r.name for r in results] == ["not", "in", "in", "is_none", "bound", "is", "is"]
    recorder.asked.clear()
    assert ag.not_in(1, s).name == ag.is_not_none(s).name == "not"
    assert [a[0] for a in recorder.asked] == ["in", "not", "is_none", "not"]


def test_last_operand_is_not_asked_for_its_truth(recorder: Recorder) -> None:
    s = Sym("s")
    assert ag.and_(1, lambda: s) is s and ag.or_(0, lambda: s) is s and not recorder.asked


def test_loop_is_staged_from_where_its_test_turns_symbolic(recorder: Recorder) -> None:
    (out,) = ag.while_loop(lambda i: i < 3 or Sym("t"), lambda i: (i + 1,), (0,), unroll=False)
    assert out.name == "while" and recorder.asked == [("while", (3,), {"unroll": False})]
    recorder.asked.clear()
    (out,) = ag.for_loop([5, 6, 7], lambda x, i: (x,), (0,),
                         test=lambda i: True if i < 6 else Sym("t"))
    name, rest, state = recorder.asked[0]
    assert (out.name, name, list(rest), state) == ("for", "for", [7], (6,))


def test_for_loop_over_a_symbolic_value(recorder: Recorder) -> None:
    s = Sym("s")
    assert ag.for_loop(s, lambda x: (), ())[0].name == "for" and recorder.asked == [("for", s, ())]


@pytest.mark.parametrize("name", BUILTIN_REPLACEMENTS)
def test_twins_hand_over(recorder: Recorder, name: str) -> None:
    args = (Sym("x"),) if name not in ("map", "filter") else (str, Sym("x"))
    assert getattr(ag, name)(*args).name == name
    assert recorder.asked[0][0] == name and recorder.asked[0][1][-1] is args[-1]


class Declines(Recorder):
    """A backend that leaves to Python what it may leave."""

    def for_loop(self, *args):
        return NotImplemented

    in_ = builtin = for_loop

    def closed(self, function, as_written):
        return None


def test_active_backend_sees_what_may_hide_symbolic_values() -> None:
    backend = Recorder()
    with dispatch.activate(backend):
        assert dispatch.active() is backend
        assert ag.for_loop([1], lambda x: (), ())[0].name == "for"
        assert ag.in_(1, [2]).name == "in" and ag.sum([1]).name == "sum"
        assert ag.len([1]) == 1 and ag.cond(True, lambda: 1) == 1
    assert dispatch.active() is None and ag.sum([1]) == 1


def test_active_backend_may_decline() -> None:
    with dispatch.activate(Declines()):
        assert ag.for_loop([1, 2], lambda x, s: (s + x,), (0,)) == (3,)
        assert ag.in_(1, [1]) is True and ag.not_in(1, [1]) is False and ag.sum([1, 2]) == 3
        assert list(ag.map(str, [1])) == ["1"] and ag.max([1, 2], key=lambda x: -x) == 1


def test_active_backend_is_a_threads_own() -> None:
    seen = []
    with dispatch.activate(Recorder()):
        thread = threading.Thread(target=lambda: seen.append(dispatch.active()))
        thread.start()
        thread.join()
    assert seen == [None]


def test_exact_type_decides(recorder: Recorder) -> None:
    class Derived(Sym):
        def __bool__(self):
            return True
    assert ag.cond(Derived("d"), lambda: 1, lambda: 2) == 1 and not recorder.asked
    assert dispatch.backend_for(1, Sym("s")) is recorder and dispatch.backend_for(1) is None


def test_operators_are_reached_through_the_package() -> None:
    assert [name for name in OPERATORS if not hasattr(ag, name)] == []


def test_of_a_dict_only_the_keys_are_iterated_over():
    """They are known though the values are not."""
    @ag.function
    def f(x):
        d = {"b": x, "a": 2.0}
        return sorted(d), max(d), any({"": x}), sorted(d, reverse=True), sum({1: x, 2: x}, 3)

    assert f(np.float64(2.0)) == (["a", "b"], "b", False, ["b", "a"], 6)
