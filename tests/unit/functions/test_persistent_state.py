"""What a function keeps outside itself from call to call: every call reads it and writes it."""

import gc
import io
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import autograph as ag

TOTAL: Any = 0.0
TABLE = np.zeros(4)
HISTORY: list[Any] = []
WAITING: list[Any] = [0.0, 0.0, 0.0]


class Thing:
    """An object with some of each."""

    def __init__(self) -> None:
        self.total: Any = 0.0
        self.count = 0
        self.cache: Any = None
        self.pair: Any = (0.0, 1)
        self.buffer = np.zeros(3)
        self.history: list[Any] = []
        self.table: dict[str, Any] = {"a": 0.0}
        self.inner: Any = None

    def add(self, x: Any) -> None:
        self.total += x


def global_variable(_: Thing, x: Any) -> Any:
    global TOTAL
    TOTAL = TOTAL + x
    return TOTAL


def global_array(_: Thing, x: Any) -> Any:
    TABLE[0] += x
    TABLE[1:3] = TABLE[0]
    return TABLE.sum()


def global_out(_: Thing, x: Any) -> Any:
    np.copyto(TABLE[:2], x)
    np.add(TABLE, x, out=TABLE)
    return np.multiply.accumulate(TABLE, out=TABLE)


def global_list(_: Thing, x: Any) -> Any:
    HISTORY.append(x * 2)
    return len(HISTORY)


def global_items(_: Thing, x: Any) -> Any:
    WAITING[1] = WAITING[1] + x
    return WAITING[1] - WAITING[0]


def attribute(o: Thing, x: Any) -> Any:
    o.total = o.total + x
    return o.total


def attribute_and_counter(o: Thing, x: Any) -> Any:
    o.total += x
    o.count += 1
    return o.total / o.count


def method(o: Thing, x: Any) -> Any:
    o.add(x)
    o.add(1)
    return o.total


def in_a_branch(o: Thing, x: Any) -> Any:
    if x > 2:
        o.total = o.total + x
    return o.total


def in_a_loop(o: Thing, x: Any) -> Any:
    for _ in range(20):
        o.total = o.total * 0.5 + x
    return o.total


def made_once(o: Thing, x: Any) -> Any:
    if o.cache is None:
        o.cache = x * 10
    return o.cache + x


def tuple_attribute(o: Thing, x: Any) -> Any:
    low, high = o.pair
    o.pair = min(low, x), max(high, x)
    return o.pair


def swapped(o: Thing, x: Any) -> Any:
    o.total, o.cache = x, o.total
    return o.cache


def array_attribute(o: Thing, x: Any) -> Any:
    o.buffer += x
    return o.buffer.sum()


def item_of_an_array_attribute(o: Thing, x: Any) -> Any:
    o.buffer[o.count] = x
    o.buffer[-1] += x
    return o.buffer.copy()


def array_attribute_rebound(o: Thing, x: Any) -> Any:
    o.buffer = np.append(o.buffer[1:], x)
    return o.buffer


def argument_is_kept(o: Thing, x: Any) -> Any:
    before = o.cache
    o.cache = x
    return 0 if before is None else before


def appended(o: Thing, x: Any) -> Any:
    o.history.append(x)
    return len(o.history), o.history[0], sum(o.history)


def appended_and_cut(o: Thing, x: Any) -> Any:
    o.history.append(x)
    if len(o.history) > 2:
        o.history.pop(0)
    return o.history[-1], len(o.history)


def dict_attribute(o: Thing, x: Any) -> Any:
    o.table["a"] += x
    o.table["b"] = x
    return sum(o.table.values())


def raises_on_the_way(o: Thing, x: Any) -> Any:
    o.total = o.total + x
    if x > 3:
        raise ValueError("too much")
    return o.total


PROGRAMS = [
    global_variable, global_array, global_out, global_list, global_items, attribute,
    attribute_and_counter,
    method, in_a_branch, in_a_loop, made_once, tuple_attribute, swapped, array_attribute,
    item_of_an_array_attribute, array_attribute_rebound, argument_is_kept, appended,
    appended_and_cut, dict_attribute, raises_on_the_way,
]


def shown(x: Any) -> Any:
    """A value as text that tells types apart."""
    if isinstance(x, Thing):
        return {k: shown(v) for k, v in vars(x).items()}
    if isinstance(x, dict):
        return {k: shown(v) for k, v in x.items()}
    if type(x) in (list, tuple):
        return type(x), [shown(v) for v in x]
    return repr(x)


def run(function: Callable[..., Any], arguments: list[Any]) -> list[Any]:
    """What five calls give and leave behind; a user's own change comes between two of them."""
    globals().update(TOTAL=0.0)
    TABLE[:], HISTORY[:], WAITING[:] = 0, [], [0.0, 0.0, 0.0]
    o = Thing()
    seen = []
    for k, x in enumerate(arguments):
        if k == 3:
            o.total, o.buffer = 100.0, o.buffer + 5
            o.table["a"] = 7
        try:
            made = shown(function(o, x))
        except ValueError as error:
            made = str(error)
        seen += [made, shown([o, TOTAL, TABLE, HISTORY, WAITING])]
    return seen


@pytest.mark.parametrize("arguments", [
    [np.float64(v) for v in (1, 2, 3.5, 4, 5)], [np.int64(v) for v in (1, 3, 2, 5, 4)]],
    ids=["floats", "ints"])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_every_call_sees_what_the_last_one_left(program, arguments):
    assert run(ag.function(program), arguments) == run(program, arguments)


def test_methods_keep_state_for_each_instance():
    class Mean:
        def __init__(self):
            self.total, self.n = np.zeros(2), 0

        @ag.function
        def __call__(self, x):
            self.total = self.total + x
            self.n += 1
            return self.total / self.n

    a, b = Mean(), Mean()
    for n in range(1, 6):
        assert a(np.full(2, 2.0 * n)).tolist() == [n + 1, n + 1]
        assert b(np.full(2, 3.0)).tolist() == [3, 3]
    assert a.n == b.n == 5 and type(a.n) is int


def test_closure_variables():
    def counter():
        total, seen = 0.0, []

        def step(x):
            nonlocal total
            total += x
            seen.append(total)
            return total, len(seen)

        return step

    f, g = counter(), ag.function(counter())
    for x in np.arange(5.0):
        assert shown(f(x)) == shown(g(x))


def test_traces_settle():
    o = Thing()
    f = ag.function(attribute)
    for n in range(20):
        f(o, np.float64(n))
    assert f.experimental_get_tracing_count() == 1
    assert o.total == sum(range(20))


def test_an_object_that_is_gone_is_forgotten():
    f = ag.function(attribute)
    o = Thing()
    for n in range(4):
        f(o, np.float64(n))
    gone = weakref.ref(o)
    del o
    gc.collect()
    assert gone() is None
    assert f.cache_info().traces == 0


def test_a_dict_that_grows_without_end_runs_as_plain_python_after_some_traces():
    table = {}

    @ag.function
    def remember(x):
        table[len(table)] = x
        return len(table)

    with pytest.warns(ag.RetracingWarning, match="remember.* run as plain Python"):
        made = [remember(np.float64(n)) for n in range(40)]
    assert made == list(range(1, 41))
    assert list(table.values()) == list(range(40))
    assert remember.experimental_get_tracing_count() <= 16


def test_a_failed_trace_leaves_the_objects_as_they_were():
    o = Thing()

    @ag.function
    def f(x):
        o.total = x + 1
        log = io.StringIO()
        if x[0] > 0:
            log.write("positive")

    with pytest.raises(TypeError, match="a StringIO is written to"):
        f(np.ones(2))
    assert o.total == 0.0


def test_concrete_functions_read_and_write_state():
    o = Thing()
    o.total = np.float64(0)
    f = ag.function(lambda x: attribute(o, x)).get_concrete_function(np.float64(0))
    assert o.total == 0.0
    assert [f(np.float64(2)), f(np.float64(3))] == [2, 5]
    o.total = "text"
    with pytest.raises(ag.SignatureError, match="persistent state"):
        f(np.float64(2))


def test_runtime_effects_read_what_they_change():
    o = Thing()

    @ag.function(effects="runtime")
    def f(x):
        o.count += 1
        return x * o.count

    assert [f(np.float64(2)) for _ in range(4)] == [2, 4, 6, 8]
    assert f.experimental_get_tracing_count() == 1


def test_only_read_attributes_stay_as_they_were():
    o = Thing()
    f = ag.function(lambda x: o.total + x)
    assert f(np.float64(1)) == 1
    o.total = 5.0
    assert f(np.float64(1)) == 1


@pytest.mark.parametrize("captures", ["guard", "error"])
def test_what_the_function_changes_itself_is_no_change_of_captures(captures):
    o = Thing()

    def f(x):
        o.total = o.total + x * o.count
        return o.total

    o.count = 2
    traced = ag.function(f, captures=captures)
    assert [traced(np.float64(n)) for n in range(5)] == [0, 2, 6, 12, 20]
    assert traced.experimental_get_tracing_count() == 1
    o.count = 3
    if captures == "guard":
        assert traced(np.float64(1)) == 23
    else:
        with pytest.raises(ag.CaptureError, match="count"):
            traced(np.float64(1))


def test_what_a_trace_that_is_given_up_did_is_undone():
    o = Thing()

    @ag.function
    def f(x):
        o.count += 1  # by Python, while tracing
        o.total = x[0]
        o.buffer[1] = x[1]  # which needs another trace
        return o.buffer

    f(np.ones(2))
    assert (o.count, o.total, o.buffer.tolist()) == (1, 1, [0, 1, 0])


def test_a_parameter_may_be_called_persistent_state() -> None:
    counter = [0]

    def f(persistent_state: float, x: float) -> float:
        counter[0] += 1
        return persistent_state * x + counter[0]

    g = ag.function(f, effects="runtime")
    assert [g(np.float64(2), 3.0), g(np.float64(2), 4.0), counter] == [7.0, 10.0, [2]]


def test_inputs_are_called_what_the_state_is() -> None:
    o = SimpleNamespace(total=np.float64(0), seen={"last": np.float64(1)})

    def f(x: float) -> None:
        o.total += x
        o.seen["last"] = x + o.total

    f = ag.function(f, effects="runtime")
    f(np.float64(2))
    assert "total" in f.get_concrete_function(np.float64(2)).source.partition("\n")[0]
