"""The command `autograph`: one sub-command per tool."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence

from autograph.suggestions import nearest
from autograph.tools import check, export, graph, report, run, saved_files, to_code
from autograph.tools.options import version
from autograph.tools.output import write_out
from autograph.tools.running import exit_code

COMMANDS: dict[str, tuple[Callable[[Sequence[str]], int], str]] = {
    "to-code": (to_code.main, "print what the compiler makes of a program"),
    "report": (report.main, "say what became of a function, line by line"),
    "check": (check.main, "compare a function's graph with the plain function"),
    "graph": (graph.main, "print the graph of a function"),
    "export": (export.main, "write a function as an ONNX model, or as a file of Python"),
    "inspect": (saved_files.inspect, "tell what a file of ag.save holds"),
    "run": (run.main, "run a saved function, or a program with whole packages converted"),
}


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a sub-command; the result is its exit code."""
    name, *rest = [*(sys.argv[1:] if argv is None else argv), ""]
    if name.replace("_", "-") in COMMANDS:  # to_code, as the command of its own is called
        return COMMANDS[name.replace("_", "-")][0](rest[:-1])
    if name in TOLD:
        return exit_code("autograph", lambda: tell(TOLD[name]()))
    if name and not name.startswith("-"):
        near = nearest(name, COMMANDS)
        hint = f"did you mean {near}?" if near else f"there are {', '.join(COMMANDS)}"
        print(f"autograph: there is no command {name!r} ({hint})", file=sys.stderr)
        return to_code.USAGE
    print(usage(), file=sys.stderr)
    return to_code.USAGE


def tell(text: str) -> int:
    """Prints what the command says of itself; the result is the exit code."""
    write_out(text + "\n")
    return to_code.DONE


def usage() -> str:
    """The sub-commands, one a line."""
    lines = [f"  {name:<10} {text}" for name, (_, text) in COMMANDS.items()]
    return "\n".join(["usage: autograph COMMAND [OPTIONS] (COMMAND --help tells more)", *lines])


TOLD = {"-h": usage, "--help": usage, "help": usage, "--version": version}
"""What the command tells of itself."""


if __name__ == "__main__":
    sys.exit(main())
