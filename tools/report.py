"""The command `autograph report`: what became of a function, line by line."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from autograph.explain.report import TraceReport
from autograph.runtime.symbolic.source_locations import raised_at
from autograph.tools.output import write_file, write_out
from autograph.tools.parser import Parser
from autograph.tools.running import (
    ARGUMENTS,
    add_function,
    arguments,
    exit_code,
    found,
    parsed,
    prints_on_stderr,
)
from autograph.tools.targets import UsageError

DESCRIPTION = f"""\
Traces a function and says what became of each of its lines: nodes of the graph, loops and branches
in it or decided while tracing, what is copied and what is written in place, what the optimiser
removed, and the time per line.

{ARGUMENTS}"""


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    p = Parser("autograph report", description=DESCRIPTION,
               formatter_class=argparse.RawDescriptionHelpFormatter)
    add_function(p)
    p.add_argument("--html", metavar="FILE",
                   help="write a page with source, converted and graph (- is stdout)")
    p.add_argument("--traceback", action="store_true", help="the whole traceback of an error")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; the exit code is 0, 1 if the function or its file raises, 2 for usage."""
    args = parsed(parser(), argv)
    return exit_code("autograph report", lambda: run(args))


def run(args: argparse.Namespace) -> int:
    """Explain, and print or write."""
    explanation = explained(args)
    if explanation is None:
        return 1
    if args.html:
        write_file(explanation.html(), args.html)
    else:
        write_out(str(explanation))
    return 0


def explained(args: argparse.Namespace) -> Any:
    """Returns the explanation; if there is none, prints the error and returns None."""
    try:
        with prints_on_stderr():
            module, function = found(args.function)
            fn: Any = function
            if args.args is None:
                return fn.explain()
            positional, named = arguments(args.args, module, function)
            found_out = fn.explain(*positional, **named)
        return replace(found_out, traces=tuple(map(_without_this_call, found_out.traces)))
    except UsageError:
        raise
    except Exception as error:  # the user's program raised
        tell(error, args.traceback)
        return None


def _without_this_call(trace: TraceReport) -> TraceReport:
    """Returns the report of a trace without the location of a call that is the command's own."""
    return replace(trace, reason=trace.reason.partition(
        f", called at {os.path.abspath(sys.argv[0])}:")[0])


def tell(error: Exception, with_traceback: bool) -> None:
    """Prints an exception of the user's program, in short or with its traceback."""
    lines = traceback.format_exception(error) if with_traceback else (
        traceback.format_exception_only(error))
    if not with_traceback and "line " not in "".join(lines) and (location := raised_at(error)):
        lines.append(f"at {location}, in {location.function}\n{location.caret()}\n")
    print("".join(lines), end="", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
