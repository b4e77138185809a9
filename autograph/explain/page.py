"""The HTML page: source, converted source and graph side by side, in one file."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib.resources import files

from autograph.explain.coloring import colored_lines
from autograph.explain.notes import Note
from autograph.explain.report import NO_TRACE, Report, TraceReport
from autograph.explain.shown import Line, Shown, without_margin
from autograph.explain.text import duration, percent
from autograph.runtime.drawings import html as boxes
from autograph.runtime.ir.location import Location
from autograph.syntax.verbosity import many

GRIP = '<div class="grip" role="separator" aria-orientation="vertical" tabindex="0"></div>'
"""What is dragged between two panes."""

HOTTEST = 8
"""So many lines are listed by their time."""

POLICY = ("default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; "
          "worker-src blob:")
"""What the browser may load for the page: nothing that is not in it."""

TAGS = {"graph": "", "loop": "loop", "branch": "branch", "unrolled": "unrolled",
        "in place": "in place", "copied": "copy", "opaque": "effect", "numbers": "numbers",
        "fused": "fused", "folded": "folded", "pruned": "pruned", "optimised": "optimised",
        "decision": "decided", "python": "Python"}
"""The short form of a note's kind; that of "graph" is the number of nodes."""

WORDS = (
    ("3 nodes", "operations of the graph that this line became"),
    ("loop, branch", "a part of the graph: the run decides"),
    ("unrolled", "the loop is in the graph as copies of its body"),
    ("in place", "an update that writes the old array's memory"),
    ("copy", "an update that needs a copy of the array"), ("effect", "it prints, reads or writes"),
    ("numbers", "computed on Python's numbers"), ("fused", "runs with its neighbours, in tiles"),
    ("folded", "computed once, while tracing"), ("pruned", "nothing uses it, so it does not run"),
    ("optimised", "the optimiser changed it"), ("decided", "a choice that the line needed"),
    ("Python", "ran while tracing, and left nothing in the graph"),
    ("48 %", "of the time, as an estimate: the reference interpreter has the clock"))
"""What the words beside the lines mean."""

KEYS = (("↑ ↓", "the line or node before, after"), ("← →", "what it is linked to, a pane aside"),
        ("Enter", "pin it, and bring what it is linked to into view"), ("Esc", "unpin"),
        ("d", "draw the graph, or show its boxes"),
        ("+ - f", "nearer, farther, the whole drawing; also wheel and mouse"),
        ("/", "search; Enter goes to the next place"),
        ("c o", "close or open all loops and branches"),
        ("t", "dark or light"), ("?", "this list"))


@dataclass(frozen=True)
class Failure:
    """The error of a function that does not convert, or of a file that does not parse."""

    shown: Shown
    message: str


@cache
def asset(name: str) -> str:
    """Returns the text of one of the page's scripts or styles."""
    text = files("autograph.explain").joinpath("assets", name).read_text(encoding="utf-8")
    return text.partition("//# sourceMappingURL")[0]


def page(explanation: Report) -> str:
    """Returns the page of an explanation."""
    return document(explanation.name, explanation.functions, explanation.traces, with_graph=True)


def frame(html: str) -> str:
    """Returns the page as a frame for a notebook, whose style it does not change."""
    return (f'<iframe srcdoc="{escape(html)}" style="width:100%;height:34em;border:1px solid #888"'
            ' title="What became of the function"></iframe>')


CALLER = re.compile(r", called at (?:.*[/\\])?([^/\\]+:\d+)$")


def document(title: str, functions: Sequence[Shown], traces: Sequence[TraceReport] = (),
             failures: Sequence[Failure] = (), with_graph: bool = False) -> str:
    """Returns the page: two panes, or three with the graph. The user's text is escaped."""
    return "".join(_Page(title, functions, traces, failures, with_graph).parts())


class _Page:
    def __init__(self, title: str, functions: Sequence[Shown], traces: Sequence[TraceReport],
                 failures: Sequence[Failure], with_graph: bool) -> None:
        self.title, self.functions, self.traces = title, functions, traces
        self.failures, self.with_graph = failures, with_graph
        names = [f.filename for f in functions] + [f.shown.filename for f in failures]
        self.files = {name: number for number, name in enumerate(dict.fromkeys(names))}

    def parts(self) -> Iterator[str]:
        yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        yield f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        yield '<meta name="viewport" content="width=device-width">'
        yield f"<title>{escape(self.title)}: what became of it</title>"
        yield f"<style>{boxes.CSS}{asset('page.css')}</style></head>\n<body>"
        yield from self.header()
        timed = ' class="timed"' if any(t.seconds for t in self.traces) else ""
        yield f"\n<main{timed}>"
        yield from self.pane("source", "Your source", self.sources(), self.hottest())
        yield GRIP
        yield from self.pane("converted", "Converted", self.conversions())
        if self.with_graph:
            yield GRIP
            yield from self.pane("graph", "Graph", self.graphs(), self.chooser())
        yield '</main>\n<aside id="about" aria-live="polite"></aside>'
        yield from self.help()
        yield f"\n<script>{asset('page.js')}</script>"
        if self.with_graph:
            yield f"\n<script id=\"layout\">{asset('layout.js')}</script>"  # a worker's, too
            yield f"\n<script>{asset('drawing.js')}</script>"
        yield "</body></html>\n"

    def header(self) -> Iterator[str]:
        yield f"<header><h1>{escape(self.title)}</h1>"
        if self.with_graph:
            count = len(self.traces)
            yield f"<p>{many(count, 'trace')}</p>" if count else f"<p>{NO_TRACE}</p>"
        if self.failures:
            yield (f'<p class="error"><a class="error" href="#failed">'
                   f"not converted: {len(self.failures)}</a></p>")
        yield '<nav><input id="search" type="search" placeholder="Search" aria-label="Search">'
        for name, title in self.titles().items():
            yield f'<button class="tab" data-pane="{name}" aria-pressed="true">{title}</button>'
        if self.with_graph and self.traces:
            yield ('<button id="smaller" aria-label="smaller" hidden>&minus;</button>'
                   '<button id="larger" aria-label="larger" hidden>+</button>'
                   '<button id="fit" hidden>Fit</button>'
                   '<button id="draw">Draw</button><button id="fold">Close all</button>'
                   '<button id="unfold">Open all</button>')
        yield ('<button id="theme">Dark / light</button><button id="keys">Help</button>'
               "</nav></header>")

    def titles(self) -> dict[str, str]:
        """Returns the names of the panes, and what they are called."""
        panes = {"source": "Source", "converted": "Converted", "graph": "Graph"}
        return panes if self.with_graph else {k: v for k, v in panes.items() if k != "graph"}

    def pane(self, name: str, title: str, inside: Iterable[str], bar: str = "") -> Iterator[str]:
        yield (f'\n<section class="pane" id="{name}" aria-label="{title}">'
               f'<div class="bar"><h2>{title}</h2>{bar}</div><div class="scroll">')
        yield from inside
        yield "</div></section>"

    def help(self) -> Iterator[str]:
        yield '<dialog id="help"><h2>Words</h2><table>'
        for word, meaning in WORDS:
            yield f'<tr><td><span class="tag">{word}</span></td><td>{meaning}</td></tr>'
        yield "</table><h2>Keys</h2><table>"
        for keys, meaning in KEYS:
            shown = " ".join(f"<kbd>{key}</kbd>" for key in keys.split())
            yield f"<tr><td>{shown}</td><td>{meaning}</td></tr>"
        yield '</table><form method="dialog"><button>Close</button></form></dialog>'

    # -- lines ------------------------------------------------------------------------------------

    def key(self, filename: str, line: int) -> str:
        """Returns the text that links the elements of one of the user's lines."""
        return f"{self.files[filename]}:{line}"

    def heading(self, shown: Shown) -> str:
        line = f"{os.path.basename(shown.filename)}:{shown.first}"
        return f"<h3>{escape(shown.name)} <small>{escape(line)}</small></h3>"

    def sources(self) -> Iterator[str]:
        for shown in (*self.functions, *(f.shown for f in self.failures)):
            yield self.heading(shown)
            lines = colored_lines("\n".join(shown.lines))
            for number, html in enumerate(lines, shown.first):
                yield from self.source_line(shown, number, html)

    def source_line(self, shown: Shown, number: int, html: str) -> Iterator[str]:
        yield (f'<div class="line" tabindex="0" data-l="{self.key(shown.filename, number)}">'
               f'<span class="no">{number}</span>')
        yield from self.heats((shown.filename, number))
        yield f"<code>{html}</code>"
        for index, trace in enumerate(self.traces):
            line = shown.filename, number
            notes = trace.notes.get(line, [])
            if notes:
                tags = "".join(map(_tag, _by_kind(notes)))
                yield f'<span class="tags" data-trace="{index}">{tags}</span>'
            texts = [note.text for note in notes]
            if line in trace.seconds:
                texts.append(f"about {percent(trace.share(line))} of the time: "
                             f"{duration(trace.seconds[line])} in the interpreter, "
                             + many(trace.runs[line], "node run"))
            if texts:
                items = "".join(f"<li>{escape(text)}</li>" for text in texts)
                yield f'<ul class="notes" data-trace="{index}">{items}</ul>'
        yield "</div>"

    def heats(self, line: Line) -> Iterator[str]:
        """Yields the shares of the time beside the number of a line, one for each trace."""
        for index, trace in enumerate(self.traces):
            share = trace.share(line)
            if share >= 0.005:
                yield (f'<span class="heat" data-trace="{index}" style="--share:{share:.3f}">'
                       f"{100 * share:.0f} %</span>")

    def hottest(self) -> str:
        """Returns a list of the lines that take most of the time, for each trace."""
        return "".join(
            f'<select class="hottest" data-trace="{i}" aria-label="Hottest lines">'
            f"<option>Hottest lines</option>{''.join(self.hot_lines(trace))}</select>"
            for i, trace in enumerate(self.traces) if trace.seconds)

    def hot_lines(self, trace: TraceReport) -> Iterator[str]:
        texts = {(f.filename, f.first + i): text.strip() for f in self.functions
                 for i, text in enumerate(f.lines)}
        hot = sorted((x for x in trace.seconds if x in texts), key=trace.share, reverse=True)
        for line in hot[:HOTTEST]:
            text = f"{percent(trace.share(line))}: line {line[1]}, {texts[line][:40]}"
            yield f'<option value="{self.key(*line)}">{escape(text)}</option>'

    def conversions(self) -> Iterator[str]:
        for shown in self.functions:
            yield self.heading(shown)
            if not shown.converted:
                yield '<p class="facts">as it is</p>'
                continue
            known = dict(reversed(shown.rows))
            for number, html in enumerate(colored_lines(_text(shown)), 1):
                key = self.key(shown.filename, known[number]) if number in known else ""
                link = f' tabindex="0" data-l="{key}"' if key else ""
                yield (f'<div class="line"{link}><span class="no">{number}</span>'
                       f"<code>{html}</code></div>")
        if self.failures:
            yield '<div id="failed">'
            for failure in self.failures:
                yield f'{self.heading(failure.shown)}<p class="error">{escape(failure.message)}</p>'
            yield "</div>"

    # -- graphs -----------------------------------------------------------------------------------

    def chooser(self) -> str:
        if not self.traces:
            return ""
        last = len(self.traces) - 1
        options = "".join(
            f'<option value="{i}"{" selected" * (i == last)}>{i + 1}: {escape(t.signature)}'
            "</option>" for i, t in enumerate(self.traces))
        return f'<select id="traces" aria-label="Trace">{options}</select>'

    def overview(self) -> Iterator[str]:
        """Yields the table of all traces, with the reason of each."""
        yield (f'<details id="overview"><summary>{many(len(self.traces), "trace")}: why each was '
               "made</summary><table><thead><tr><th></th><th>for</th><th>why</th><th>nodes</th></tr>"
               "</thead><tbody>")
        for index, trace in enumerate(self.traces):
            cells = (str(index + 1), trace.signature, _reason(trace), str(trace.ops.total()))
            yield f'<tr data-number="{index}">' + "".join(
                f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>"
        yield "</tbody></table></details>"

    def graphs(self) -> Iterator[str]:
        if len(self.traces) > 1:
            yield from self.overview()
        for index, trace in enumerate(self.traces):
            yield f'<div class="trace" data-trace="{index}">'
            yield f'<ul class="facts">{"".join(_facts(trace))}</ul><div class="boxes">'
            yield boxes.boxes(trace.graph, self.graph_key, prefix=f"t{index}.")
            yield ('<details class="code-of-graph"><summary>The Python that runs it</summary><pre>'
                   f"{chr(10).join(colored_lines(trace.source))}</pre></details></div></div>")

    def graph_key(self, location: Location | None) -> str:
        if location is None or location.filename not in self.files:
            return ""
        return self.key(location.filename, location.line)


def _reason(trace: TraceReport) -> str:
    """Returns why a trace was made, without the folder of the caller: pages are handed on."""
    return CALLER.sub(r", called at \1", trace.reason)


def _text(shown: Shown) -> str:
    return without_margin(shown.converted).rstrip("\n")


def _by_kind(notes: Sequence[Note]) -> list[Note]:
    """Returns one note of each kind."""
    return list({note.kind: note for note in reversed(notes)}.values())[::-1]


def _tag(note: Note) -> str:
    text = TAGS[note.kind] or note.text.partition(":")[0]
    kind = note.kind.replace(" ", "-")
    return f'<span class="tag {kind}">{escape(text)}</span>'


def _facts(trace: TraceReport) -> Iterator[str]:
    yield f"<li><b>{escape(trace.signature)}</b></li>"
    if trace.reason:
        yield f"<li>why: {escape(_reason(trace))}</li>"
    yield f"<li>{many(trace.ops.total(), 'node')}, {escape(trace.executor)}</li>"
    for c in trace.captures:
        yield f"<li>captured: {escape(f'{c.name}: {c.type}, {c.nbytes:,} bytes{c.used}')}</li>"
    if trace.seconds:
        if trace.run_seconds:
            yield f"<li>a run takes {duration(trace.run_seconds)}</li>"
        yield (f"<li>shares of lines are estimates: the reference interpreter takes "
               f"{duration(sum(trace.seconds.values()))}</li>")
