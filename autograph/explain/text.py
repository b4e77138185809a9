"""Writes an explanation as text for a terminal."""

from __future__ import annotations

import os
from collections.abc import Iterator

from autograph.explain.notes import counted
from autograph.explain.report import NO_TRACE, Report, TraceReport
from autograph.explain.shown import Shown
from autograph.syntax.verbosity import many

WIDTH = 44
"""Columns for the user's line; a longer one pushes its notes to the next line."""


def to_text(explanation: Report) -> str:
    """Returns the explanation as text; equal explanations give equal texts, but for the times."""
    return "\n".join(_lines(explanation)) + "\n"


def _lines(explanation: Report) -> Iterator[str]:
    main = explanation.functions[0]
    traces = explanation.traces
    count = many(len(traces), "trace") if traces else NO_TRACE
    yield f"{explanation.name}, {os.path.basename(main.filename)}:{main.first}: {count}"
    for number, trace in enumerate(traces, 1):
        yield ""
        yield f"trace {number}: {trace.signature}"
        yield from _facts(trace)
        for shown in explanation.functions:
            yield ""
            yield from listing(shown, trace, shown is not main)


def _facts(trace: TraceReport) -> Iterator[str]:
    if trace.reason:
        yield f"  why: {trace.reason}"
    yield f"  graph: {many(trace.ops.total(), 'node')}" + (
        f" ({counted(trace.ops)})" if trace.ops else "")
    yield f"  runs: {trace.executor}"
    for capture in trace.captures:
        yield f"  captured: {capture.name}: {capture.type}, {capture.nbytes:,} bytes{capture.used}"
    if trace.seconds:
        took = f"{duration(trace.run_seconds)} a run; " if trace.run_seconds else ""
        yield (f"  time: {took}by line below, in the interpreter's operations: "
               f"{duration(sum(trace.seconds.values()))}")
    elif trace.profiled:
        yield f"  time: not measured, {trace.profiled}"


def listing(shown: Shown, trace: TraceReport, titled: bool) -> Iterator[str]:
    """Yields the user's lines with the notes beside them."""
    if titled:
        yield f"  {shown.name}, {os.path.basename(shown.filename)}:{shown.first}"
    for number, text in enumerate(shown.lines, shown.first):
        line = shown.filename, number
        notes = [note.text for note in trace.notes.get(line, ())]
        if line in trace.seconds:
            notes.append(f"{percent(trace.share(line))} of the time: "
                         f"{duration(trace.seconds[line])}, {many(trace.runs[line], 'node run')}")
        head = f"{number:>5} | {text}"
        if not notes:
            yield head.rstrip()
            continue
        pad = " " * (WIDTH + 8)
        first = f"{head:<{WIDTH + 8}}" if len(head) <= WIDTH + 8 else f"{head}\n{pad}"
        yield f"{first} | " + f"\n{pad} | ".join(notes)


def percent(share: float) -> str:
    """Returns a share as text.

    >>> percent(0.251), percent(0.004), percent(0)
    ('25 %', 'under 1 %', '0 %')
    """
    return "under 1 %" if 0 < share < 0.005 else f"{100 * share:.0f} %"


def duration(seconds: float) -> str:
    """Returns a time as text.

    >>> duration(0.00125), duration(2.5), duration(3e-7)
    ('1.25 ms', '2.5 s', '0.3 us')
    """
    for unit, factor in (("s", 1), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"
