"""The command `autograph`: one sub-command per tool."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from autograph.syntax.suggestions import nearest
from autograph.tools import check, export, graph, report, run, saved_files, to_code
from autograph.tools.options import version

COMMANDS: dict[str, tuple[Callable[[Sequence[str]], int], str]] = {
    "to-code": (to_code.main, "print what the compiler makes of a program"),
    "report": (report.main, "say what became of a function, line by line"),
    "check": (check.main, "compare a function's graph with the plain function"),
    "graph": (graph.main, "print the graph of a function"),
    "export": (export.main, "write a function as an ONNX model"),
    "inspect": (saved_files.inspect, "tell what a file of ag.save holds"),
    "run": (run.main, "run a saved function, or a program with whole packages converted"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a sub-command; the result is its exit code."""
    name, *rest = [*(sys.argv[1:] if argv is None else argv), ""]
    if name in COMMANDS:
        return COMMANDS[name][0](rest[:-1])
    if name == "--version":
        print(version())
        return to_code.DONE
    if name and not name.startswith("-"):
        near = nearest(name, COMMANDS)
        hint = f"did you mean {near}?" if near else f"there are {', '.join(COMMANDS)}"
        print(f"autograph: there is no command {name!r} ({hint})", file=sys.stderr)
        return to_code.USAGE
    wanted_help = name in ("-h", "--help")
    print(usage(), file=sys.stdout if wanted_help else sys.stderr)
    return to_code.DONE if wanted_help else to_code.USAGE


def usage() -> str:
    """The sub-commands, one a line."""
    lines = [f"  {name:<10} {text}" for name, (_, text) in COMMANDS.items()]
    return "\n".join(["usage: autograph COMMAND [OPTIONS] (COMMAND --help tells more)", *lines])


if __name__ == "__main__":
    sys.exit(main())
