"""Debuggers, coverage and `breakpoint()` on the user's lines, also while a body is traced."""

from __future__ import annotations

import bdb
import io
import pdb
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import CodeType, FrameType, ModuleType
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.diagnostics.tracebacks import entry_of
from autograph.runtime.symbolic.tensor import Tensor
from tests.support.program_files import program

PROGRAM = """
    import pdb
    import numpy as np

    def collatz(n):
        steps = 0
        while n != 1:
            if n % 2 == 0:
                n = n // 2
            else:
                n = 3 * n + 1
            steps += 1
        return steps

    def total(x):
        s = 0
        for value in x:
            if value > 0:
                s = s + value
        return s

    def early(x):
        for value in x:
            if value < 0:
                return value
        return None

    def fails(x):
        s = 0
        for value in x:
            s = s + 1 // value
        return s

    def over_lines(x):
        y = (x * 10
             if x > 0
             else
             x - 10)
        z = (x > 1
             and y > 1
             or x < -1)
        if (x and
                y):
            z = not z
        assert x != 7, (
            "seven")
        return [
            v for v in (x, y)
            if v > 0
        ], z

    def stops(n):
        while n > 0:
            if n > 1:
                breakpoint()
            n = n - 1
        return n
    """


@pytest.fixture
def module(tmp_path: Path) -> ModuleType:
    return program(tmp_path, PROGRAM)


def line_of(module: ModuleType, text: str) -> int:
    """The number of the first line that holds a text."""
    lines = Path(module.__file__ or "").read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if text in line)


def forms(f: Callable[..., Any]) -> dict[str, tuple[Callable[..., Any], Callable[[Any], Any]]]:
    """A function in each of its forms, and what makes a value symbolic there."""
    return {"plain": (f, lambda v: v), "converted": (ag.convert(f), lambda v: v),
            "traced": (ag.function(f), np.asarray)}


# -- breakpoints -----------------------------------------------------------------------------------

def session(call: Callable[..., Any], argument: object, *commands: str,
            skip: tuple[str, ...] = ()) -> str:
    """What pdb prints when it is given the commands."""
    out = io.StringIO()
    debugger = pdb.Pdb(stdin=io.StringIO("\n".join([*commands, "c", ""])), stdout=out,
                       nosigint=True, readrc=False, skip=skip)
    debugger.use_rawinput = False
    debugger.prompt = "\n"
    try:
        debugger.runcall(call, argument)
    except bdb.BdbQuit:
        out.write("quit")
    finally:
        sys.settrace(None)
    return out.getvalue()


@pytest.mark.parametrize("form", ["plain", "converted", "traced"])
def test_pdb_stops_in_a_loop(module: ModuleType, form: str) -> None:
    f, value = forms(module.collatz)[form]
    place = f"{module.__file__}:{line_of(module, 'n = 3 * n + 1')}"
    said = session(f, value(5), f"tbreak {place}", "c", "p type(n).__name__", "w", "q")
    assert f"> {module.__file__}({line_of(module, 'n = 3 * n + 1')})" in said
    assert "-> n = 3 * n + 1" in said
    assert ("'Tensor'" if form == "traced" else "'int'") in said


@pytest.mark.parametrize("form", ["plain", "converted"])
def test_pdb_conditions_and_variables(module: ModuleType, form: str) -> None:
    f, value = forms(module.collatz)[form]
    place = f"{module.__file__}:{line_of(module, 'steps += 1')}"
    said = session(f, value(7), f"b {place}, steps == 11", "c", "p 'at', n, steps", "p undefined")
    assert "('at', 16, 11)" in said and "NameError" in said


def test_pdb_steps_over_the_users_lines_only(module: ModuleType) -> None:
    """With `skip`, which debuggers have for libraries."""
    said = session(ag.convert(module.total), [1, -1], *["s"] * 13,
                   skip=("autograph", "autograph.*", "bdb"))
    shown = [line.split(" ", 1)[1] for line in said.splitlines() if line.startswith("-> ")]
    assert {"s = 0", "for value in x:", "if value > 0:"} <= set(shown)
    stops = [line for line in said.splitlines() if line.startswith("> ")]
    others = [stop for stop in stops if not stop.startswith(f"> {module.__file__}(")]
    assert any(stop.endswith(")total()->1") for stop in stops)
    assert [stop for stop in others if "runcall" not in stop] == []


def test_post_mortem(module: ModuleType) -> None:
    for call in (lambda: ag.convert(module.fails)([1, 0]),
                 lambda: ag.convert(module.fails)([2, 1, 0])):
        with pytest.raises(ZeroDivisionError) as caught:
            call()
        trace = caught.value.__traceback__
        while trace.tb_next is not None:
            trace = trace.tb_next
        assert trace.tb_frame.f_code.co_filename == module.__file__
        assert trace.tb_lineno == line_of(module, "1 // value")
        assert trace.tb_frame.f_locals["value"] == 0


@pytest.fixture
def hooked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[FrameType]]:
    """The frames in which `breakpoint()` was called."""
    frames: list[FrameType] = []
    monkeypatch.setattr(sys, "breakpointhook", lambda: frames.append(sys._getframe(1)))
    return frames


@pytest.mark.parametrize("form", ["converted", "traced"])
def test_breakpoint_call(module: ModuleType, hooked: list[FrameType], form: str) -> None:
    f, value = forms(module.stops)[form]
    assert f(value(3)) == 0
    assert {frame.f_code.co_filename for frame in hooked} == {module.__file__}
    assert {frame.f_code.co_qualname.partition(".")[0] for frame in hooked} == {"stops"}
    assert len(hooked) == 2 if form == "converted" else hooked


class Stops(bdb.Bdb):
    """A debugger that notes the values of a variable at its breakpoints, and goes on."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name, self.seen = name, []

    def user_line(self, frame: FrameType) -> None:
        if self.break_here(frame):
            self.seen.append(frame.f_locals[self.name])
        self.set_continue()


@pytest.mark.parametrize("name", ["total", "early"])
def test_breakpoint_in_a_staged_body(module: ModuleType, name: str) -> None:
    """While it is traced, with symbolic values; a call that only runs the graph does not stop."""
    text = "s = s + value" if name == "total" else "return value"
    debugger = Stops("value")
    assert debugger.set_break(module.__file__, line_of(module, text)) is None
    f = ag.function(getattr(module, name))
    first = debugger.runcall(f, np.array([1.0, -2.0, 3.0]))
    assert first == getattr(module, name)([1.0, -2.0, 3.0])
    assert debugger.seen and all(isinstance(value, Tensor) for value in debugger.seen)
    before = len(debugger.seen)
    debugger.runcall(f, np.array([1.0, -2.0, 4.0]))
    assert len(debugger.seen) == before


# -- coverage --------------------------------------------------------------------------------------

def lines_by_trace(module: ModuleType, call: Callable[[], object]) -> set[int]:
    seen: set[int] = set()

    def tracer(frame: FrameType, event: str, _: object) -> object:
        if frame.f_code.co_filename != module.__file__:
            return None
        if event == "line":
            seen.add(frame.f_lineno)
        return tracer

    old = sys.gettrace()
    sys.settrace(tracer)
    try:
        call()
    finally:
        sys.settrace(old)
    return seen


def lines_by_monitoring(module: ModuleType, call: Callable[[], object]) -> set[int]:
    seen: set[int] = set()

    def line(code: CodeType, number: int) -> object:
        if code.co_filename == module.__file__:
            seen.add(number)
            return None
        return monitoring.DISABLE

    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
    with monitored(monitoring.events.LINE, line):
        call()
    return seen


@contextmanager
def monitored(event: int, callback: Callable[..., object]) -> Iterator[None]:
    monitoring: Any = sys.monitoring  # type: ignore[attr-defined,unused-ignore]
    tool = monitoring.COVERAGE_ID
    monitoring.use_tool_id(tool, "test")
    monitoring.register_callback(tool, event, callback)
    monitoring.set_events(tool, event)
    try:
        yield
    finally:
        monitoring.set_events(tool, 0)
        monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)
        monitoring.restart_events()


HOW = [lines_by_trace, pytest.param(lines_by_monitoring, marks=pytest.mark.skipif(
    sys.version_info < (3, 12), reason="sys.monitoring came with Python 3.12"))]


@pytest.mark.parametrize("lines", HOW)
@pytest.mark.parametrize(("name", "argument"), [
    ("collatz", 1), ("collatz", 8), ("collatz", 27), ("total", [1, -1]), ("total", [-1]),
    ("early", [1, -1]), ("early", [1]), ("early", []), *(
        ("over_lines", x) for x in (-3, 0, 1, 2, 5))])
def test_coverage(module: ModuleType, lines: Any, name: str, argument: Any) -> None:
    """The lines that count as run are those of the plain function."""
    f = getattr(module, name)
    converted = ag.convert(f)
    expected = lines(module, lambda: f(argument))
    started = {f.__code__.co_firstlineno}  # where flags get their first values; run by the import
    assert lines(module, lambda: converted(argument)) - started == expected


@pytest.mark.parametrize("lines", HOW)
@pytest.mark.parametrize("name", ["collatz", "total", "early"])
def test_coverage_while_tracing(module: ModuleType, lines: Any, name: str) -> None:
    """Both branches are traced, so both count as run; nothing is missing that the run needs."""
    f = getattr(module, name)
    argument = np.int64(27) if name == "collatz" else np.array([1.0, -1.0])
    expected = lines(module, lambda: f(argument))
    traced = lines(module, lambda: ag.function(f)(argument))
    assert traced >= expected
    start = f.__code__.co_firstlineno
    assert traced <= set(range(start, start + 12))


def test_frames_made_for_a_traceback_are_seen_by_no_watcher(module: ModuleType) -> None:
    """A debugger stopped in them: at a breakpoint on the line, with variables that were None."""
    graph = ag.function(module.total).get_concrete_function(np.array([1.0, -1.0])).graph
    location = next(e.location for e in graph.equations if e.location.filename == module.__file__)
    started: list[str] = []

    def start(code: CodeType, *_: object) -> None:
        started.append(code.co_filename)

    monitoring: Any = getattr(sys, "monitoring", None)
    old = sys.gettrace()
    sys.settrace(lambda frame, *_: start(frame.f_code))
    try:
        with monitored(monitoring.events.PY_START, start) if monitoring else nullcontext():
            entry_of(location, {"value": 1.0})
    finally:
        sys.settrace(old)
    assert started
    assert module.__file__ not in started


def test_functions_that_a_profiler_sees(module: ModuleType) -> None:
    """The frames of generated functions are named after the user's function, in the user's file."""
    names: list[str] = []

    def profile(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and frame.f_code.co_filename == module.__file__:
            names.append(frame.f_code.co_qualname)

    converted = ag.convert(module.collatz)
    sys.setprofile(profile)
    try:
        converted(4)
    finally:
        sys.setprofile(None)
    assert names[0] == "collatz"
    assert {name.partition(".<locals>")[0] for name in names} == {"collatz"}
