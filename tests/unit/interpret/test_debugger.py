"""`ag.config.debug`: breakpoints, variables and rounds while a graph runs; bad numbers; errors."""

import bdb
import contextlib
import copy
import io
import linecache
import pdb
import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import autograph as ag
from tests.corpus.cases import PROGRAMS
from tests.support import explained_programs as programs
from tests.support.outcome import describe

THIS = __file__


@pytest.fixture
def debug() -> Iterator[None]:
    ag.config.debug = True
    yield
    ag.config.debug = False


class Recorder(bdb.Bdb):
    """Notes where it stops: function, source line, the user's variables, the rounds."""

    def __init__(self) -> None:
        super().__init__()
        self.stops: list[tuple[str, str, dict[str, Any], Any]] = []

    def user_line(self, frame: Any) -> None:
        local = frame.f_locals
        if "__graph__" in local and frame.f_code.co_name != "__call__":
            mine = {k: np.copy(v)[()] if isinstance(v, (np.ndarray, np.generic)) else v
                    for k, v in local.items() if not k.startswith("__")}
            line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
            self.stops.append((frame.f_code.co_name, line, mine, local.get("__iteration__")))


def stops(function: Callable[..., Any], *args: Any) -> list[tuple[str, str, dict[str, Any], Any]]:
    """Where a debugger stops when it steps through the graph."""
    function(*[np.copy(a)[()] if isinstance(a, np.ndarray) else a for a in args])  # trace
    recorder = Recorder()
    recorder.user_line, note = recorder.user_line, recorder.user_line  # type: ignore[method-assign]
    recorder.set_step()

    def every(frame: Any) -> None:
        note(frame)
        recorder.set_step()

    recorder.user_line = every  # type: ignore[method-assign]
    recorder.runcall(function, *args)
    return recorder.stops


@ag.function
def halve(x, limit):
    y = x
    rounds = 0
    while y.sum() > limit:
        y = y / 2
        if y[0] > 1:
            y = y - 1
        rounds += 1
    total = y.sum()
    return total, rounds


def test_lines_in_order_with_variables_and_rounds(debug: None) -> None:
    found = stops(halve, np.array([8.0, 4.0]), 4)
    lines = [(line, rounds) for _, line, _, rounds in found if not line.startswith("def ")]
    round_0 = [("while y.sum() > limit:", None), ("y = y / 2", (0,)), ("if y[0] > 1:", (0,)),
               ("y = y - 1", (0,)), ("rounds += 1", (0,)), ("while y.sum() > limit:", (0,))]
    assert lines == [
        ("y = x", None), ("rounds = 0", None), *round_0, ("total = y.sum()", ()),
        ("return total, rounds", ())]
    at = {line: local for _, line, local, _ in found}
    assert at["y = x"]["limit"] == 4 and at["y = x"]["x"].tolist() == [8, 4]
    assert at["y = y / 2"]["y"].tolist() == [8, 4] and at["y = y / 2"]["rounds"] == 0
    assert at["if y[0] > 1:"]["y"].tolist() == [4, 2]
    assert at["rounds += 1"]["y"].tolist() == [3, 1]
    assert at["return total, rounds"]["total"] == 4
    assert at["return total, rounds"]["rounds"] == 1


def test_calls_have_frames_of_their_own(debug: None) -> None:
    found = stops(programs.settle, programs.GRID.copy(), 30)
    names = [(name, line) for name, line, _, _ in found]
    call = names.index(("settle", "grid = smooth(grid)"))
    assert names[call + 1:call + 7] == [
        ("smooth", "def smooth(x):"), ("smooth", "x = x * weights[k]"),
        ("smooth", "for k in range(3):"), ("smooth", "x = x * weights[k]"),
        ("smooth", "for k in range(3):"), ("smooth", "x = x * weights[k]")]
    assert found[call + 2][2]["x"].tolist() == [100, 3, -50]
    after = next(local for _, line, local, _ in found if line == "if grid[0] > 1:")
    assert after["grid"].tolist() == [3.125, 0.09375, -1.5625]


@ag.function
def renamed(x):
    y = np.sort(x)
    y = given_back(y)
    x = y
    z = x + 1
    return z


def given_back(x):
    return x[::-1]


def test_variables_never_show_another_ones_value(debug: None) -> None:
    found = stops(renamed, np.array([2.0, 1.0]))
    at = {line: local for name, line, local, _ in found if name == "renamed"}
    assert at["y = given_back(y)"]["y"].tolist() == [1, 2]
    assert repr(at["x = y"]["y"]) == "<given by Python while tracing>"
    assert at["z = x + 1"]["x"].tolist() == [2, 1]


def test_pdb_breakpoint_in_a_loop(debug: None) -> None:
    halve(np.ones(2), 8)
    line = next(n for n, text in enumerate(linecache.getlines(THIS), 1) if "y = y - 1" in text)
    script = io.StringIO(f"b {THIS}:{line}, __iteration__ == (1,)\nc\np y.tolist(), rounds\nn\n"
                         "p y.tolist()\np np.round(2.5)\np __graph__\nc\n")
    out = io.StringIO()
    debugger = pdb.Pdb(stdin=script, stdout=out, nosigint=True, readrc=False)
    debugger.use_rawinput = False
    debugger.runcall(halve, np.array([64.0, 64.0]), 8)
    text = out.getvalue()
    assert "([15.5, 15.5], 1)" in text, text
    assert "[14.5, 14.5]" in text and "(Pdb) np.float64(2.0)" in text
    assert "<graph of halve, iteration (1,)>" in text


@ag.function
def stopping(x):
    for i in range(20):
        x = x * 2
        breakpoint()
        x = x - i
    return x


def test_breakpoint_stops_with_real_arrays(debug: None, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys
    seen: list[Any] = []

    def look() -> None:
        x = sys._getframe(1).f_locals.get("x")
        seen.extend([x] if type(x) is np.ndarray else [])

    monkeypatch.setattr(sys, "breakpointhook", look)
    stopping(np.ones(2))
    assert len(seen) == 20
    assert seen[1].tolist() == [4, 4]


def test_debug_off_runs_as_ever() -> None:
    assert ag.config.debug is False
    assert not stops(halve, np.array([8.0, 4.0]), 4)
    ag.config.debug = True
    try:
        assert ag.config.debug is True
        assert stops(halve, np.array([8.0, 4.0]), 4)
    finally:
        ag.config.debug = False
    assert not stops(halve, np.array([8.0, 4.0]), 4)


STEPPED = {"nodes.groups", "searches.union_find"}
"""Programs that stepping lost a value of: loops in a function that a comprehension calls."""
CASES = [pytest.param(case, id=case.name) for case in PROGRAMS
         if case in PROGRAMS[::9] or case.name in STEPPED]


@pytest.mark.parametrize("case", CASES)
def test_programs_give_the_same(case: Any, debug: None) -> None:
    f = ag.function(case.function)
    outcomes = []
    for debugging in (False, True):
        ag.config.debug = debugging
        outcomes.append([outcome(f, copy.deepcopy(a)) for a in case.arguments])
    assert outcomes[0] == outcomes[1]


def outcome(f: Any, given: Any) -> tuple[str, str]:
    """What a call gives and leaves in its arguments, or the name of its error."""
    np.random.seed(1)  # noqa: NPY002  # the programs draw from the global state
    with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
        warnings.simplefilter("ignore")
        try:
            return describe(f(*given)), describe(given)
        except Exception as error:
            return type(error).__name__, ""


# -- numbers --------------------------------------------------------------------------------------


def logs(x):
    y = x - 1
    for i in range(20):
        if i > 2:
            z = np.log(y) * i
            y = z - y
    return y


def products(k):
    return (k * k) * 3


def halves(x):
    return np.divide(1.0, x) + np.log(x)


@pytest.mark.filterwarnings("ignore:divide by zero", "ignore:invalid value")
@pytest.mark.parametrize(("function", "array", "line", "words"), [
    (logs, np.array([5.0, 1.0]), "z = np.log(y) * i", [
        "the first infinity (-inf at [1]), in logs", "by np.log with y: float64(2,), 0.0 there",
        "in iteration 3 of the loop at"]),
    (logs, np.array([0.5, 9.0]), "z = np.log(y) * i", ["the first NaN (nan at [0])"]),
    (products, np.array([1, 2 ** 40]), "return (k * k) * 3", [
        "the first integer overflow (0 at [1])", "by multiply with k: int64(2,), 1099511627776"]),
    (halves, np.float64(0.0), "return np.divide(1.0, x) + np.log(x)", ["infinity (inf)"]),
])
def test_first_bad_number(debug: None, function: Callable[..., Any], array: Any, line: str,
                          words: list[str]) -> None:
    with pytest.warns(ag.NumericsWarning) as caught:
        ag.function(function)(array)
    (found,) = [w for w in caught if w.category is ag.NumericsWarning]
    assert linecache.getline(found.filename, found.lineno).strip() == line
    assert all(w in str(found.message) for w in words), str(found.message)


@pytest.mark.parametrize(("function", "array"), [
    (logs, np.array([np.nan, 9.0])), (products, np.array([3, -(2 ** 30)])),
    (lambda x: x ** -1, np.array([2.0])), (lambda x: np.isfinite(x), np.array([np.inf]))])
def test_good_numbers_are_not_told(debug: None, function: Callable[..., Any], array: Any) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error", ag.NumericsWarning)
        ag.function(function)(array)


def test_bad_numbers_can_be_errors(debug: None) -> None:
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("error", ag.NumericsWarning)
        with pytest.raises(ag.NumericsWarning, match="the first NaN") as caught:
            ag.function(logs)(np.array([0.5, 9.0]))
    told = [str(caught.value), *getattr(caught.value, "__notes__", [])]
    assert "\n".join(told).count("in iteration ") == 1


# -- errors ---------------------------------------------------------------------------------------


@ag.function
def runs_out(x):
    table = np.arange(4.0)
    while x.sum() < 100:
        x = x * 2
        x = x + table[x.max().astype(int)]
    return x


@pytest.mark.parametrize("debugging", [False, True])
def test_errors_know_line_operands_and_round(debugging: bool) -> None:
    ag.config.debug = debugging
    try:
        with pytest.raises(IndexError) as caught:
            runs_out(np.ones(3))
    finally:
        ag.config.debug = False
    notes = "\n".join(caught.value.__notes__)
    assert "in runs_out, at " in notes
    assert "x = x + table[x.max().astype(int)]\n                " in notes and "^^^^^" in notes
    assert "float64(4,)" in notes
    assert notes.count("in iteration 1 of the loop at ") == 1
    *_, last = caught.traceback
    assert (last.name, last.path.name) == ("runs_out", "test_debugger.py")
    assert str(last.statement).strip() == "x = x + table[x.max().astype(int)]"


# -- messages -------------------------------------------------------------------------------------


def test_traces_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    @ag.function
    def scaled(x, by=2):
        return x * by

    caplog.set_level("DEBUG", "autograph")
    scaled(np.ones(3))
    scaled(np.ones(3))
    scaled(np.ones(4), 3)
    told = [r.getMessage() for r in caplog.records if r.getMessage().startswith("traced")]
    assert [t.partition(" in ")[0] for t in told] == [
        "traced scaled(x: f64[3], by: 2)", "traced scaled(x: f64[4], by: 3)"]
    assert " ms, 1 node: the first call, called at " in told[0]
    assert "argument x: f64[3] before, f64[4] now; argument by: 2 before, 3 now" in told[1]
    assert {r.levelname for r in caplog.records} == {"DEBUG"}


def test_print_fills_in_f_strings_each_time(capsys: pytest.CaptureFixture[str]) -> None:
    @ag.function
    def shrink(x):
        k = 0
        while x.sum() > 1:
            ag.print(f"round {k:>2}: {x.sum():6.2f} {x[0]!r} {x=}")
            x = x / 4
            k += 1
        return x

    shrink(np.array([8.0, 4.0]))
    capsys.readouterr()
    shrink(np.array([8.0, 4.0]))
    assert capsys.readouterr().out.splitlines() == [
        "round  0:  12.00 np.float64(8.0) x=array([8., 4.])",
        "round  1:   3.00 np.float64(2.0) x=array([2., 1.])"]
