"""`f.explain()`: every line's fate, every trace's reason, captures and times."""

import re

import numpy as np
import pytest

import autograph as ag
from autograph.explain import profile
from autograph.explain.notes import KINDS
from tests.support import explained_programs as programs
from tests.support.explained_programs import GRID


def fate(explanation: object, text: str, trace: int = -1) -> str:
    """The notes of the line that holds a text."""
    traces = explanation.traces[trace]
    for shown in explanation.functions:
        for number, line in enumerate(shown.lines, shown.first):
            if text in line:
                return "; ".join(n.text for n in traces.notes.get((shown.filename, number), ()))
    raise AssertionError(f"no line holds {text!r}")


@pytest.fixture(scope="module")
def settled() -> object:
    programs.settle.cache_clear()
    return programs.settle.explain(GRID, 0.5)


FATES = [
    ("scale = limit * 2", "done while tracing"),
    ("if verbose", "decided while tracing"),
    ("while np.max", "one `while` node; it carries grid, steps"),
    ("while np.max", "3 nodes: absolute, max, greater"),
    ("grid = smooth", "traced into smooth"),
    ("if grid[0] > 1", "one `cond` node"),
    ("try:", "stays a Python statement"),
    ("grid[-1] += 1", "writes grid itself"),
    ("grid[-1] += 1", "by reference: which array a variable stands for is decided when"),
    ("return grid, history", "gives the result back"),
    ("return grid, None", "gives the result back, or not reached"),
    ("for k in range(3)", "unrolled: 3 iterations"),
    ("x = x * weights[k]", "traced 3 times: unrolled"),
]


@pytest.mark.parametrize(("line", "expected"), FATES)
def test_fate_of_a_line(settled: object, line: str, expected: str) -> None:
    assert expected in fate(settled, line)


def test_updates_in_place() -> None:
    assert "writes y in place" in fate(programs.fade.explain(np.ones(3)), "y[i % 3] = ")
    assert "20 iterations" in fate(programs.fade.explain(np.ones(3)), "for i in")


def test_kinds_are_known(settled: object) -> None:
    kinds = {n.kind for notes in settled.traces[0].notes.values() for n in notes}
    assert kinds <= set(KINDS) and {"graph", "loop", "branch", "in place", "python"} <= kinds


def test_time_per_line(settled: object) -> None:
    (trace,) = settled.traces
    assert 0.99 < sum(map(trace.share, trace.seconds)) < 1.01
    lines = {line: runs for (_, line), runs in trace.runs.items()}
    first = settled.functions[0].first
    whiles = next(i for i, t in enumerate(settled.functions[0].lines, first) if "while" in t)
    assert lines[whiles] == 3 * 3 + 1  # two iterations are three tests of three nodes, and the loop


def test_a_loop_has_the_time_of_its_test_alone() -> None:
    @ag.function
    def total(x):
        for i in range(100):
            x = x * i
        return x

    explanation = total.explain(np.ones(2))
    (trace,), first = explanation.traces, explanation.functions[0].first
    assert [line - first for (_, line), runs in trace.runs.items()] == [3, 2]
    assert [line - first for _, line in trace.seconds] == [3]


def test_a_first_run_that_loads_things_is_no_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    @ag.function
    def slope(x):
        y = np.sin(x)
        return np.cos(y)
    clocked, clocks = profile._clocked, []

    def slow_at_first(*arguments):
        clocks.append(clock := clocked(*arguments))
        if len(clocks) == 1:
            clock.seconds.update(dict.fromkeys(clock.seconds, 0.3))
        return clock
    monkeypatch.setattr(profile, "_clocked", slow_at_first)
    trace = slope.explain(np.ones(3)).traces[0]
    assert len(clocks) > 2 and max(trace.seconds.values()) < 0.3


def test_a_first_run_that_compiles_is_no_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    clocked, run, runs = profile._clocked, profile._run_seconds, []

    def slow_at_first(*arguments):
        runs.append(run(*arguments))
        return 4.0 if len(runs) == 1 else runs[-1]

    def slow_interpreter(*arguments):
        clock = clocked(*arguments)
        clock.seconds.update(dict.fromkeys(clock.seconds, 0.3))
        return clock
    monkeypatch.setattr(profile, "_run_seconds", slow_at_first)
    monkeypatch.setattr(profile, "_clocked", slow_interpreter)
    trace = ag.function(lambda x: np.sin(x) + 1).explain(np.ones(3)).traces[0]
    assert len(runs) > 1 and trace.run_seconds < 4


def test_explaining_changes_nothing(settled: object) -> None:
    grid = GRID.copy()
    programs.settle.explain(grid, 0.5)
    assert (grid == GRID).all()


def test_effects_are_not_run_for_the_clock(capsys: pytest.CaptureFixture[str]) -> None:
    explanation = programs.noisy.explain(np.ones(2))
    assert "not measured" in str(explanation) and "x is" not in capsys.readouterr().out
    assert "prints when the graph runs" in fate(explanation, "ag.print")
    assert "draws random numbers" in fate(explanation, "np.random")


def test_reasons_of_traces() -> None:
    @ag.function
    def f(x, n=2, extra=None):
        return x * n

    assert "no trace yet" in str(f.explain())
    f(np.ones(3))
    f(np.ones(5))
    f(np.ones(5), 7)
    f(np.ones(5), 7, [np.ones(2)])
    reasons = [t.reason for t in f.explain().traces]
    assert reasons[0].startswith("the first call, called at ") and __file__ in reasons[0]
    assert reasons[1].startswith("argument x: f64[3] before, f64[5] now, called at ")
    assert reasons[2].startswith("argument n: 2 before, 7 now")
    assert reasons[3].startswith("argument extra: None before, [f64[2]] now")


def test_captured_arrays_have_bytes() -> None:
    table = np.arange(100.0)

    @ag.function
    def look_up(i):
        return table[i]

    explanation = look_up.explain(np.int64(3))
    (capture,) = explanation.traces[0].captures
    assert (capture.name, capture.type, capture.nbytes) == ("table", "f64[100]", 800)
    assert "captured: table: f64[100], 800 bytes, used at test_explain.py:" in str(explanation)


def test_text_has_every_line_once(settled: object) -> None:
    text = str(settled)
    for shown in settled.functions:
        for number, line in enumerate(shown.lines, shown.first):
            assert len(re.findall(rf"^ *{number} \|{re.escape((' ' + line).rstrip())}(?: |$)", text,
                                  re.MULTILINE)) == 1


def test_an_explanation_is_as_good_as_its_source() -> None:
    made: dict[str, object] = {}
    exec("def f(x):\n    return x + 1\n", made)
    f = ag.function(made["f"], autograph=False)
    with pytest.raises(ag.SourceUnavailableError if hasattr(ag, "SourceUnavailableError") else
                       Exception, match="AG101"):
        f.explain(np.ones(2))


def test_functions_in_functions_are_shown_without_what_is_around_them() -> None:
    def helper(x):
        return x + 1

    @ag.function
    def total(x):
        def inner(y):
            return y * 2
        return helper(x) + inner(x)

    double = ag.function(lambda x: helper(x) * 2)
    shown = [(f.lines[0].strip(), len(f.lines)) for f in total.explain(np.ones(2)).functions]
    assert shown == [("@ag.function", 5), ("def helper(x):", 2)]
    shown = [(f.lines[0].strip(), len(f.lines)) for f in double.explain(np.ones(2)).functions]
    assert shown == [("double = ag.function(lambda x: helper(x) * 2)", 1), ("def helper(x):", 2)]


def test_lambdas_and_methods() -> None:
    class Scale:
        def __init__(self) -> None:
            self.by = 2.0

        @ag.function
        def times(self, x):
            return x * self.by

    double = ag.function(lambda x: x * 2)
    assert "1 node: multiply" in str(double.explain(np.ones(2)))
    assert "1 node: multiply" in fate(Scale.times.explain(Scale(), np.ones(2)), "x * self.by")


def test_page_of_a_notebook(settled: object) -> None:
    assert settled._repr_html_().startswith('<iframe srcdoc="&lt;!doctype html&gt;')
    assert len(programs.settle._repr_html_()) < 2000 and len(repr(settled)) < 100
    shown = programs.settle.get_concrete_function(programs.GRID, 0.5)._repr_html_()
    assert shown.startswith("<pre>ConcreteFunction") and 'class="ag-graph"' in shown


table = np.arange(12.0).reshape(3, 4)


@ag.function
def work(x, n, verbose=False):
    scale = np.float64(2.0) * np.pi
    unused = x + 7  # noqa: F841
    plain = x * 1.0
    same = x * x
    again = x * x
    total = np.zeros(3)
    for i in range(3):
        total = total + x * i
    for _ in range(100):
        total = total + x * scale
    while total.sum() > 10:
        total = total / 2
    chain = np.sqrt(x * 3 + table[0, :3]) * total - 1
    z = ag.numpy_function(lambda q: q + 1, [chain], np.float64)
    return same + again, plain, total, z


@pytest.mark.parametrize(("line", "kind", "words"), [
    ("unused = ", "pruned",
     "pruned: nothing uses unused: f64[3] = add(x, 7) [optimize/dead_code.py:"),
    ("again = ", "optimised", "subexpressions: again: f64[3] = multiply(x, x) became same ["),
    ("total = np.zeros", "folded", "folded: total: f64[3] = zeros(3) is array([0.0, 0.0, 0.0], "),
    ("for i in range(3)", "unrolled", "unrolled: "),
    ("for _ in range(100)", "loop", "one `for` node, 100 iterations; it carries total"),
    ("while total", "loop", "one `while` node; it carries total"),
    ("total = total + x * scale", "optimised", "loop invariants: "),
    ("total = total + x * scale", "optimised", "; before the loop [optimize/loop_invariants.py:"),
    ("total = total / 2", "optimised", ": f64[3] = divide(total, 2) became "),
    ("total = total / 2", "optimised", "0.5) [optimize/algebraic_rules.py:"),
    ("z = ag.numpy_function", "opaque", "calls Python when the graph runs"),
])
def test_what_the_optimiser_and_the_tracer_did(line: str, kind: str, words: str) -> None:
    work.cache_clear()
    explanation = work.explain(np.ones(3), 2)
    notes = explanation.traces[0].notes
    (shown,) = explanation.functions
    number = next(n for n, text in enumerate(shown.lines, shown.first) if line in text)
    kinds = (kind, "python") if kind == "unrolled" else (kind,)
    found = [n.text for n in notes[shown.filename, number] if n.kind in kinds]
    assert any(words in text for text in found), notes[shown.filename, number]


def test_elementwise_runs_over_large_arrays_are_told() -> None:
    @ag.function
    def scaled(x):
        y = np.sqrt(x) + 1
        return y * x

    explanation = scaled.explain(np.ones(300_000))
    assert "one pass over large arrays, 3 nodes of lines " in fate(explanation, "y = np.sqrt")
    assert "one pass over large arrays" in fate(explanation, "return y * x")
    assert "one pass" not in fate(scaled.explain(np.ones(3)), "y = np.sqrt")


def test_what_runs_it() -> None:
    assert "runs: as generated Python over NumPy" in str(programs.collatz.explain(np.int64(3)))


def test_only_what_is_machine_code_is_said_to_run_as_such() -> None:
    pytest.importorskip("llvmlite", reason="native code needs llvmlite")
    summed, greeted = (ag.function(f, jit_compile=True) for f in (
        lambda x: sum_of(x), lambda name: name + "!"))
    summed(np.arange(2000.0))
    greeted(np.str_("you"))
    assert [" as native code" in str(f.explain()) for f in (summed, greeted)] == [True, False]


def sum_of(x: np.ndarray) -> float:
    s = 0.0
    for i in range(len(x)):
        s += x[i]
    return s


@pytest.mark.parametrize(("times", "taken", "tried"), [
    ([.02, 1.3, .001, .001, .001, .001, .001], .001, 6), ([1.3, .001], .001, 6), ([12.0], 12.0, 1),
    ([.3, .2], .2, 2), ([5.0, .002], .002, 6)], ids=str)
def test_a_run_that_compiles_is_not_what_a_run_takes(times: list[float], taken: float,
                                                     tried: int) -> None:
    runs: list[float] = []

    def measure() -> float:
        runs.append(times[min(len(runs), len(times) - 1)])
        return runs[-1]

    assert profile._quickest(measure, float, profile.VERY_SLOW) == taken
    assert len(runs) == tried
