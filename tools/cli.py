"""The command `autograph`: one sub-command per tool."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from autograph.suggestions import nearest
from autograph.tools.parser import DONE, USAGE
from autograph.version import __version__

COMMANDS = {
    "to-code": ("to_code.main", "print what the compiler makes of a program"),
    "report": ("report.main", "say what became of a function, line by line"),
    "check": ("check.main", "compare a function's graph with the plain function"),
    "graph": ("graph.main", "print the graph of a function"),
    "export": ("export.main", "write a function as an ONNX model, or as a file of Python"),
    "inspect": ("saved_files.inspect", "tell what a file of ag.save holds"),
    "run": ("run.main", "run a saved function, or a program with whole packages converted"),
}
"""The name of a sub-command -> its module and function, loaded when it is used; what it does."""


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a sub-command; the result is its exit code."""
    name, *rest = [*(sys.argv[1:] if argv is None else argv), ""]
    if name.replace("_", "-") in COMMANDS:  # to_code, as the command of its own is called
        return _command(name.replace("_", "-"))(rest[:-1])
    if name in TOLD:
        from autograph.tools.running import exit_code  # and with it the runtime

        return exit_code("autograph", lambda: tell(TOLD[name]()))
    if name and not name.startswith("-"):
        near = nearest(name, COMMANDS)
        hint = f"did you mean {near}?" if near else f"there are {', '.join(COMMANDS)}"
        print(f"autograph: there is no command {name!r} ({hint})", file=sys.stderr)
        return USAGE
    print(usage(), file=sys.stderr)
    return USAGE


def _command(name: str) -> Callable[[Sequence[str]], int]:
    module, _, function = COMMANDS[name][0].partition(".")
    command: Callable[[Sequence[str]], int] = getattr(
        import_module(f"autograph.tools.{module}"), function)
    return command


def tell(text: str) -> int:
    """Prints what the command says of itself; the result is the exit code."""
    from autograph.tools.output import write_out

    write_out(text + "\n")
    return DONE


def version() -> str:
    """The version of the package."""
    return f"autograph {__version__}"


def usage() -> str:
    """The sub-commands, one a line."""
    lines = [f"  {name:<10} {text}" for name, (_, text) in COMMANDS.items()]
    return "\n".join(["usage: autograph COMMAND [OPTIONS] (COMMAND --help tells more)", *lines])


TOLD = {"-h": usage, "--help": usage, "help": usage, "--version": version}
"""What the command tells of itself."""


if __name__ == "__main__":
    sys.exit(main())
