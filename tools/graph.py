"""The command `autograph graph`: the graph of a function as text, as DOT or as HTML."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from typing import Any

from autograph.runtime.drawings.html import document
from autograph.runtime.ir.graph import Graph
from autograph.runtime.ir.printer import to_text
from autograph.tools.output import write_file
from autograph.tools.parser import Parser
from autograph.tools.report import tell
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

FORMS: dict[str, Callable[[Graph], str]] = {
    "text": lambda graph: to_text(graph) + "\n",
    "lines": lambda graph: to_text(graph, locations=True) + "\n",
    "dot": Graph.to_dot,
    "html": lambda graph: f'<!doctype html>\n<meta charset="utf-8">{document(graph)}\n',
}
"""text; with the user's lines; for Graphviz; nested boxes. And "python": what runs the graph."""


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    p = Parser("autograph graph", description="Prints the graph of a function.\n\n"
                                + ARGUMENTS, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_function(p)
    p.add_argument("--format", choices=(*FORMS, "python"), default="text",
                   help="text, text with the user's lines, DOT, HTML, or the generated Python")
    p.add_argument("-o", "--output", metavar="FILE", default="-", help="- is stdout")
    p.add_argument("--traceback", action="store_true", help="the whole traceback of an error")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; the exit code is 0, 1 if the function or its file raises, 2 for usage."""
    args = parsed(parser(), argv)
    return exit_code("autograph graph", lambda: run(args))


def run(args: argparse.Namespace) -> int:
    """Trace, and print or write."""
    try:
        with prints_on_stderr():
            module, function = found(args.function)
            positional, named = arguments(args.args, module, function)
            fn: Any = function
            concrete = fn.get_concrete_function(*positional, **named)
    except UsageError:
        raise
    except Exception as error:  # the user's program raised
        tell(error, args.traceback)
        return 1
    text = concrete.source if args.format == "python" else FORMS[args.format](concrete.graph)
    write_file(text, args.output)
    return 0


if __name__ == "__main__":
    sys.exit(main())
