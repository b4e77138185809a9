"""Calls that are recognised: by which code, at what cost in steps, and that nothing is lost by
it."""

import dataclasses
import functools
import gc
import inspect
import sys
import threading
import traceback
import typing
import warnings
import weakref
from collections import OrderedDict, defaultdict

import numpy as np
import pytest

import autograph as ag

ONE = np.float64(1)


class Pair(typing.NamedTuple):
    left: typing.Any
    right: typing.Any


@dataclasses.dataclass
class Box:
    inside: typing.Any
    size: int


class SlowPath(AssertionError):
    """A call got past all guards."""


def settled(f, *calls):
    """Call often enough that the function is no longer watched for retracing; the results."""
    for _ in range(3):
        results = [f(*args) for args in calls]
    for _ in range(12):
        f(*calls[-1])
    return results


def without_slow_path(f, monkeypatch):
    def refuse(names, *arguments):
        raise SlowPath(arguments)

    monkeypatch.setattr(f.__ag_dispatcher__.entry_point, "slow_path", refuse)
    f.__ag_dispatcher__.entry_point.changed(anew=True)


NESTS = {
    "array": np.ones(2),
    "scalar": np.float32(2),
    "number": 3,
    "text": "ab",
    "none": None,
    "list": [np.ones(2), [np.ones(3), 1]],
    "tuple": (np.ones(2), (), (np.ones(1),)),
    "dict": {"b": np.ones(2), "a": {"c": np.ones(3)}, "spaced key": 1},
    "dict of one": {"x": np.ones(1)},
    "empty": {},
    "many keys": {f"k{i}": np.ones(1) for i in range(20)},
    "numbers as keys": {1: np.ones(1), 2: np.ones(2)},
    "ordered": OrderedDict(b=np.ones(1), a=np.ones(2)),
    "defaultdict": defaultdict(list, a=np.ones(2)),
    "namedtuple": Pair(np.ones(2), {"k": Pair(np.ones(1), 2)}),
    "dataclass": Box(Box(np.ones(2), 1), 2),
    "deep": functools.reduce(lambda x, _: [x], range(60), np.ones(2)),
    "variable": ag.Variable(np.ones(2)),
}


@pytest.mark.parametrize("name", NESTS)
def test_known_signature_is_recognised_by_guards(name, monkeypatch):
    f = ag.function(lambda x, y: y * 2)
    settled(f, (NESTS[name], ONE))
    without_slow_path(f, monkeypatch)
    assert f(NESTS[name], np.float64(4)) == 8


OTHERS = {
    "dtype": (np.ones(2), np.ones(2, np.float32)),
    "shape": (np.ones(2), np.ones(3)),
    "scalar": (np.ones(()), np.float64(1)),
    "subclass": (np.ones(2), np.ones(2).view(np.recarray)),
    "bool": (1, True),
    "float": (1, 1.0),
    "zero": (0.0, -0.0),
    "text": ("a", b"a"),
    "list": ([ONE], (ONE,)),
    "length": ([ONE], [ONE, 2]),
    "order of keys": ({"a": ONE, "b": ONE}, {"b": ONE, "a": ONE}),
    "order of many": ({str(i): i for i in range(12)}, {str(i): i for i in range(12)[::-1]}),
    "key": ({"a": ONE}, {"b": ONE}),
    "class of dict": ({"a": ONE}, OrderedDict(a=ONE)),
    "factory": (defaultdict(list, a=ONE), defaultdict(int, a=ONE)),
    "namedtuple": (Pair(ONE, 1), (ONE, 1)),
    "object": (object(), object()),
}


@pytest.mark.parametrize("name", OTHERS)
def test_other_signature_is_not_mistaken(name):
    made = []

    @ag.function
    def f(x):
        made.append(1)

    first, second = OTHERS[name]
    settled(f, (first,))
    settled(f, (second,))
    settled(f, (first,), (second,))
    assert len(made) == 2


def test_same_array_twice_and_another_time_not():
    f = ag.function(lambda d: d["a"] + d["b"][0])
    x, y = np.ones(2), np.zeros(2)
    settled(f, ({"a": x, "b": [x]},))
    assert f({"a": x, "b": [y]}).tolist() == [1, 1]


# -- many signatures ------------------------------------------------------------------------------


def test_signatures_that_differ_in_types_and_literals_share_a_table(monkeypatch):
    f = ag.function(lambda x, n: x * n)
    calls = [(np.ones(size, dtype), n) for size in (1, 2, 3, 4) for dtype in ("f4", "f8")
             for n in (0, 1, 2, 3)]
    plain = [x * n for x, n in calls]
    settled(f, *calls)
    without_slow_path(f, monkeypatch)
    for got, wanted in zip([f(*c) for c in calls], plain, strict=True):
        assert got.dtype == wanted.dtype and got.tolist() == wanted.tolist()


def steps_taken(call):
    """How many instructions our own code runs in a call."""
    traced_steps(call)  # Python 3.12 tells of instructions from the second tracing on
    return traced_steps(call)


def traced_steps(call):
    count = 0

    def tracer(frame, event, argument):
        nonlocal count
        frame.f_trace_opcodes = True
        count += event == "opcode"
        return tracer

    old = sys.gettrace()
    sys.settrace(tracer)
    try:
        call()
    finally:
        sys.settrace(old)
    return count


def test_dispatch_takes_the_same_steps_for_any_number_of_signatures():
    steps = []
    for count in (10, 300):
        f = ag.function(lambda x, n: x)
        settled(f, *((ONE, n) for n in range(count)))
        steps.append({steps_taken(lambda n=n, f=f: f(ONE, n)) for n in (0, count // 2, count - 1)})
    assert steps[0] == steps[1] and len(steps[0]) == 1


def test_evicted_trace_is_found_by_no_table():
    f = ag.function(lambda x, n: x * n, max_traces=6)
    for _ in range(2):
        assert [f(ONE, n) for n in range(12)] == list(range(12))
    assert f.cache_info()[:4] == (6, 6, 24, 18)


def test_objects_of_tables_are_not_kept_alive():
    f = ag.function(lambda o, x: x)
    objects = [type("Thing", (), {})() for _ in range(20)]
    settled(f, *((o, ONE) for o in objects))
    gone = [weakref.ref(o) for o in objects]
    del objects
    gc.collect()
    assert [r() for r in gone] == [None] * 20
    assert f.cache_info().traces == 0


# -- bodies written into the entry point ----------------------------------------------------------


def code_names(f):
    """The names of the functions that the entry point calls."""
    return [getattr(c, "__name__", "") for c in f.__code__.co_consts]


def test_small_graph_is_written_into_the_entry_point():
    f = ag.function(lambda x: np.sqrt(x) + 1)
    settled(f, (np.ones(2),))
    assert f.get_concrete_function(np.ones(2)).run not in f.__code__.co_consts


def test_long_graph_and_loop_are_called():
    def long(x):
        for i in range(3):
            x = np.sort(x) + np.float64(i) * np.max(x)
        while np.sum(x) < 100:
            x = x + 1
        return x

    f = ag.function(long)
    settled(f, (np.ones(2),))
    assert f.get_concrete_function(np.ones(2)).run in f.__code__.co_consts


def test_parameters_may_have_the_names_of_what_the_body_uses():
    def named(np_, c, len, type, error, _0, x, x_1):
        y = c + len * type - error
        return y + _0[0] * x - x_1 + np.sqrt(np_)

    arguments = (ONE, np.arange(3.), np.arange(3.), ONE, ONE, [np.ones(3), 1], np.float64(2),
                 np.float64(3))
    f = ag.function(named)
    assert settled(f, arguments)[0].tolist() == named(*arguments).tolist()
    assert f(*arguments).tolist() == named(*arguments).tolist()


def test_parameter_called_like_a_module():
    f = ag.function(lambda np, x: np + x * 2)
    settled(f, (ONE, np.ones(2)))
    assert f(ONE, np.ones(2)).tolist() == [3, 3]


def test_error_in_a_written_in_body_tells_the_line_and_the_operands():
    @ag.function
    def f(x, i):
        return x[i]  # here

    settled(f, (np.arange(3), np.int64(1)))
    with pytest.raises(IndexError) as caught:
        f(np.arange(3), np.int64(7))
    text = "".join(traceback.format_exception(caught.value))
    assert "return x[i]" in text and "x: int64(3,)" in text and "i: np.int64(7)" in text
    assert caught.value.__notes__ and "c:" not in caught.value.__notes__[0]


def test_errors_of_two_bodies_are_not_mixed_up():
    @ag.function
    def f(x, i, first):
        if first:
            return x[i]
        return x[2 * i]

    for first in (True, False):
        settled(f, (np.arange(3), np.int64(0), first))
    for first, line in ((True, "return x[i]"), (False, "return x[2 * i]")):
        with pytest.raises(IndexError) as caught:
            f(np.arange(3), np.int64(7), first)
        assert line in "".join(caught.value.__notes__)


def test_entry_point_can_be_hashed():
    """Debuggers and profilers keep code objects in dicts."""
    table = np.arange(3.)
    f = ag.function(lambda x: x + table)
    settled(f, (np.ones(3),), (np.ones(1),), (1,))
    assert hash(f.__code__) == hash(f.__code__)


# -- calls from inside another trace --------------------------------------------------------------


@pytest.mark.parametrize("converted", [True, False])
def test_effects_of_a_known_call_inside_another_trace_are_recorded(converted):
    v = ag.Variable(0.0)
    table = np.ones(2)

    @ag.function
    def count(t):
        v.assign_add(1.0)
        return t

    settled(count, (3,), (table,))
    v.assign(0.0)

    @ag.function(autograph=converted)
    def outer(x):
        count(3), count(table)
        return x + v

    assert [outer(ONE) for _ in range(3)] == [3, 5, 7]


# -- what others do with functions ----------------------------------------------------------------


def test_signature_and_wrapping():
    def plain(x, /, y=2, *rest, z=3, **more):
        """Doc."""
        return x + y + z

    f = ag.function(plain)
    assert inspect.signature(f) == inspect.signature(plain)
    assert inspect.unwrap(f) is plain

    @functools.wraps(f)
    def outer(*args, **kwargs):
        return f(*args, **kwargs)

    assert settled(outer, (ONE,)) == [6]
    assert (outer.__name__, outer.__doc__) == ("plain", "Doc.")


def test_code_replaced_from_outside():
    """IPython's autoreload moves the code of a new definition into the old function object."""
    old = ag.function(lambda x: x + 1)
    new = ag.function(lambda x: x + 2)
    settled(old, (ONE,))
    old.__code__, old.__dict__ = new.__code__, dict(new.__dict__)
    assert [old(ONE) for _ in range(30)] == [3] * 30
    assert old(np.ones(2)).tolist() == [3, 3]


def test_tracer_set_by_a_debugger_or_coverage():
    seen = []

    def tracer(frame, event, argument):
        seen.append(event)
        return tracer

    f = ag.function(lambda x: x + 1)
    old = sys.gettrace()
    sys.settrace(tracer)
    try:
        results = [f(np.float64(i)) for i in range(30)]
    finally:
        sys.settrace(old)
    assert results == [i + 1 for i in range(30)] and "line" in seen


def test_threads_while_the_entry_point_changes():
    f = ag.function(lambda x, n: x * n)
    errors = []

    def run(seed):
        for k in range(400):
            n = (k * seed) % 23
            if f(np.float64(2), n) != 2 * n:
                errors.append(n)

    threads = [threading.Thread(target=run, args=(s,)) for s in range(1, 7)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors
    assert f.cache_info().traces == 23


def test_methods_share_nothing_but_the_code():
    class Model:
        def __init__(self, k):
            self.k = np.float64(k)

        @ag.function
        def times(self, x):
            return self.k * x

    models = [Model(k) for k in range(8)]
    for _ in range(15):
        assert [m.times(ONE) for m in models] == list(range(8))
    gone = weakref.ref(models[3])
    del models
    gc.collect()
    assert gone() is None


def test_nothing_is_parsed_when_an_object_goes(monkeypatch):
    class Model:
        @ag.function
        def plus(self, x):
            return x + 1

    models = [Model(), Model()]
    for _ in range(15):
        assert [m.plus(ONE) for m in models] == [2, 2]
    parsed = []
    monkeypatch.setattr("ast.parse", lambda *args: parsed.append(args))
    del models[0]
    gc.collect()
    assert parsed == []
    monkeypatch.undo()
    for _ in range(15):
        assert models[0].plus(ONE) == 2
    assert Model.plus.cache_info().traces == 1


# -- operators in written-in bodies ---------------------------------------------------------------


DTYPES = ["?", "i1", "u1", "i4", "i8", "u8", "f2", "f4", "f8", "c16"]
NUMBERS = ["1", "-3", "0", "300", "2.5", "1e300", "0.1", "-0.0", "float('nan')", "2**70", "True"]
OPERATORS = ["+", "-", "*", "/", "//", "%", "&", "|", "^", "**"]


def outcome_of(function, *args):
    with warnings.catch_warnings(record=True) as noted:
        warnings.simplefilter("always")
        try:
            found = function(*args)
            found = found.dtype, type(found), found.tobytes()
        except Exception as error:
            found = type(error), str(error).splitlines()[0]
    return found, [str(w.message) for w in noted]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("operator", OPERATORS)
def test_operator_with_a_number_gives_what_plain_python_gives(operator, dtype):
    x = np.array([0, 1, 3, 100]).astype(dtype)
    for text in (f"x {operator} {{}}", f"{{}} {operator} x", f"(x {operator} {{}}) {operator} x"):
        for number in NUMBERS:
            plain = eval(f"lambda x: {text.format(number)}")
            f = ag.function(plain, autograph=False)
            wanted = outcome_of(plain, x)
            for _ in range(14):
                found = outcome_of(f, x)
            assert found == wanted, (text, number)


def test_operators_on_what_a_branch_assigned():
    def plain(x, y, c):
        if c:
            y = y * 2
        else:
            y = np.float32(3)
        return (x + 1) * y

    f = ag.function(plain)
    x, y = np.arange(3, dtype=np.float32), np.arange(3.)
    for c in (np.True_, np.False_):
        settled(f, (x, y, c))
        got, wanted = f(x, y, c), plain(x, y, c)
        assert got.dtype == wanted.dtype and got.tolist() == wanted.tolist()
