"""NumPy's settings, and filters of warnings, hold in the graph where the program made them."""

import warnings
from collections.abc import Callable
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.errors import TracingError
from autograph.libraries import is_closed


def nested_blocks(x):
    with np.errstate(divide="warn"):
        with np.errstate(all="ignore"):
            y = np.log(x)
        return y, np.log(x), np.sqrt(-x)


def from_a_line_on(x):
    old = np.seterr(all="ignore")
    try:
        y = np.log(x)
    finally:
        np.seterr(**old)
    return y


def positional(x):
    old = np.seterr("ignore")
    y = np.log(x)
    np.seterr(**old)
    return y, np.log(x + 1)


@np.errstate(divide="ignore", invalid="ignore")
def decorated(x):
    return np.log(x) if x[0] < 2 else x


def calls_decorated(x):
    return decorated(x), np.log(x)


def raises_in_a_block(x):
    with np.errstate(divide="raise"):
        try:
            return np.log(x)
        except FloatingPointError as error:
            return str(error)


def texts(x):
    with np.printoptions(precision=2, suppress=True):
        first = str(x)
        for _ in range(2):
            first += f" {x / 3}"
    return first, str(x / 3)


def texts_from_a_line_on(x):
    old = np.get_printoptions()
    np.set_printoptions(3, suppress=True)
    try:
        return repr(x / 3)
    finally:
        np.set_printoptions(**old)


def ignores(x):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        y = np.log(x)
    return y, np.sqrt(x)


def as_errors(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            np.log(x)
        except RuntimeWarning as error:
            return x, str(error)
    return x, ""


def collects(x):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        y = np.log(x)
        if x[0] < 0:
            warnings.warn("negative", stacklevel=1)
    return y, [str(w.message) for w in found], len(found) > 1


def of_python_code(x):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        y = np.mean(x[x > 100])
    return y, len(found)


def in_a_loop(x):
    seen = 0
    for v in x:
        with warnings.catch_warnings(action="error"):
            try:
                if np.log(v) > 0:
                    seen += 1
            except RuntimeWarning:
                seen += 10
    return seen


def nothing_of_the_graph(x):
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        warnings.warn("one", stacklevel=1)
    return x + len(found), str(found[0].message)


@contextmanager
def quiet():
    with np.errstate(all="ignore"), np.printoptions(precision=1):
        yield


@contextmanager
def without_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def blocks_of_the_users(x):
    with quiet():
        y = np.log(x), str(x)
    with without_warnings():
        if x[0] < 0:
            warnings.warn("negative", stacklevel=1)
        return y, np.sqrt(x), np.log(x)


def entered_by_hand(x):
    with ExitStack() as stack:
        stack.enter_context(np.errstate(all="ignore"))
        state = np.errstate(divide="warn")
        with state:
            y = np.log(x)
        return y, np.log(x)


class Logarithm:
    @np.errstate(divide="ignore", invalid="ignore")
    def of(self, x):
        return np.log(x)

    @staticmethod
    @np.errstate(divide="ignore")
    def of_some(x):
        return [np.log(v) if v < 2 else v for v in x]


def methods(x):
    return Logarithm().of(x), Logarithm.of_some(x)


def told_each_time(x):
    with np.errstate(divide="warn"):
        y = 1 / x
        np.log(x)
    with np.errstate(divide="warn"):
        for _ in range(2):
            y = y + 1 / x
    return y


def test_each_line_that_asked_to_be_told_is_told() -> None:
    def told(f: Callable[..., Any], x: np.ndarray) -> list[tuple[str, int]]:
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            f(x)
        return [(str(w.message), w.lineno) for w in found]

    for options in OPTIONS.values():
        f = ag.function(told_each_time, **options)
        for x in (np.array([1.0, 0.0]), np.array([1.0, 2.0])):
            assert told(f, x) == told(told_each_time, x)


def sets_back(x):
    old = np.geterr()
    np.seterr(all="ignore")
    try:
        return x / 0.0
    finally:
        np.seterr(**old)


def sets_one_back(x):
    old = np.geterr()
    np.seterr(divide="ignore")
    y = x / 0.0
    np.seterr(divide=old["divide"])
    return y, x / 0.0


def sets_back_from_a_list(x):
    olds = [np.get_printoptions(), {**np.get_printoptions()}]
    np.set_printoptions(precision=3)
    text = str(x)
    np.set_printoptions(**olds.pop())
    return text, str(x)


def sets_back_in_loops_and_calls(x):
    def text(y):
        old = np.get_printoptions()
        np.set_printoptions(precision=3)
        made = str(y)
        np.set_printoptions(**old)
        return made

    found = ""
    for v in x:
        found += text(x * v) + str(x / 3)
    return found


def block_of_the_settings_outside(x):
    old = np.get_printoptions()
    with np.printoptions(precision=2):
        first = str(x)
        with np.printoptions(**old):
            first += str(x)
        return first + str(x)


def asks_what_it_set(x):
    before = np.geterr()
    np.seterr(all="ignore")
    within = np.geterr()
    np.seterr(**before)
    return before == within, before, within, np.get_printoptions()["precision"]


def sets_what_it_computes(x):
    old = np.get_printoptions()
    np.set_printoptions(precision=old["precision"] - 2)
    text = str(x / 3)
    np.set_printoptions(**old)
    return text


PROGRAMS = [
    blocks_of_the_users, entered_by_hand, methods, nested_blocks, from_a_line_on, positional,
    decorated, calls_decorated, raises_in_a_block, texts, texts_from_a_line_on, ignores,
    as_errors, collects, of_python_code, in_a_loop, nothing_of_the_graph, sets_back, sets_one_back,
    sets_back_from_a_list, sets_back_in_loops_and_calls, block_of_the_settings_outside,
    asks_what_it_set]
OPTIONS: dict[str, dict[str, Any]] = {
    "default": {}, "runtime": {"effects": "runtime", "captures": "guard"},
    "strict": {"strict": True}, "interpreter": {"executor": "interpreter"}}


OUTSIDE: tuple[tuple[str, int], ...] = ("warn", 8), ("ignore", 5), ("warn", 3)


def outcome(f: Callable[..., Any], x: np.ndarray, errors: str, precision: int) -> str:
    """What a call returns, what it warns of, and which settings it leaves."""
    with warnings.catch_warnings(record=True) as found, np.errstate(all=errors), \
            np.printoptions(precision=precision):
        warnings.simplefilter("always")
        result = f(x)
        settings = np.geterr(), np.get_printoptions()
    return repr((result, sorted({str(w.message) for w in found}), settings))


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda p: p.__name__)
def test_as_in_python(program: Callable[..., Any], options: str) -> None:
    f = ag.function(program, **OPTIONS[options])
    for values in ([1.0, 2.0], [0.0, 1.0], [-1.0, 0.0], [1.23456789, 2.0]):
        for outside in OUTSIDE:
            x = np.array(values)
            assert outcome(f, x, *outside) == outcome(program, x, *outside)


def test_a_setting_that_is_computed_is_no_part_of_a_graph() -> None:
    x = np.array([1.0, 2.0])
    with pytest.raises(TracingError, match="the setting precision is computed in the graph"):
        ag.function(sets_what_it_computes).get_concrete_function(x)
    assert np.get_printoptions()["precision"] == 8


def leaves_settings(x):
    np.seterr(all="ignore")
    return np.log(x)


def test_settings_that_stay_are_set_while_tracing() -> None:
    before = np.seterr(all="warn")
    try:
        f = ag.function(leaves_settings)
        assert np.isinf(f(np.array([0.0])))
        assert set(np.geterr().values()) == {"ignore"}
        with pytest.raises(TracingError, match="stay changed after the call"):
            np.seterr(all="warn")
            ag.function(leaves_settings, effects="runtime")(np.array([0.0]))
    finally:
        np.seterr(**before)


def in_a_branch(x):
    if x > 0:
        np.seterr(all="ignore")
    return np.log(x)


def prints_and_catches(x):
    print("x")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if x > 0:
            print(x)
        return ag.print(np.log(x))


@pytest.mark.parametrize(("program", "message"), [
    (in_a_branch, "stay changed after a branch or loop"),
    (prints_and_catches, "a block catches warnings, in a function that also prints"),
    (lambda x: np.errstate(call=print).__enter__(), "call=.* cannot be part of a graph"),
])
def test_refusals(program: Callable[..., Any], message: str) -> None:
    before = np.geterr()
    try:
        with pytest.raises(TracingError, match=message):
            ag.function(program)(np.float64(1.0))
    finally:
        np.seterr(**before)


def test_settings_are_saved(tmp_path: Any) -> None:
    path = tmp_path / "f.agz"
    x = np.array([0.0, 1 / 3])
    for program in (nested_blocks, texts):
        ag.save(path, ag.function(program), signatures=[(x,)])
        assert outcome(ag.load(path), x, *OUTSIDE[0]) == outcome(program, x, *OUTSIDE[0])


def test_the_generated_code() -> None:
    source = ag.function(texts).get_concrete_function(np.array([1.0])).source
    assert "with np.printoptions(precision=2, suppress=True):" in source


def test_numpy_stays_a_closed_library() -> None:
    ag.function(decorated)(np.array([1.0, 3.0]))
    assert is_closed(np.lib.stride_tricks.as_strided)
