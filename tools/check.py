"""The command `autograph check`: functions at every stage, from plain Python to generated code."""

from __future__ import annotations

import argparse
import runpy
import sys
from collections.abc import Sequence
from typing import Any

from autograph.checking import check
from autograph.checking.stages import Check, checking_calls
from autograph.function.dispatcher import Dispatcher
from autograph.tools.output import write_out
from autograph.tools.parser import Parser
from autograph.tools.report import tell
from autograph.tools.running import ARGUMENTS, arguments, exit_code, found, parsed, readable
from autograph.tools.targets import UsageError

DESCRIPTION = f"""\
Calls functions plainly, rewritten, as a graph, as the optimised graph and as generated code, and
compares results, exceptions and changed arguments. Where they differ it names the stage, the pass,
and the first line and equation.

  autograph check FILE.py                     runs the program, and checks its calls as they come
  autograph check FILE.py::NAME               the same, the calls of one function
  autograph check FILE.py::NAME --args ...    checks one call

{ARGUMENTS}
The exit code is 0 if all is the same, 1 if not or if the program raises, 2 for wrong usage.
"""


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    p = Parser("autograph check", description=DESCRIPTION,
               formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("target", metavar="FILE.py[::NAME]", nargs="?",
                   help="a program, or a function of it")
    p.add_argument("--args", nargs="*", metavar="ARG", help="call arguments (see above)")
    p.add_argument("--traceback", action="store_true", help="the whole traceback of an error")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; the result is its exit code."""
    args = parsed(parser(), argv, "target")
    return exit_code("autograph check", lambda: run(args))


def run(args: argparse.Namespace) -> int:
    """Checks one call, or those of a program, and prints the outcome."""
    path, _, name = args.target.partition("::")
    checks: list[Check] = []
    try:
        if args.args is not None:
            module, function = found(args.target)
            positional, named = arguments(args.args, module, function)
            checks.append(check(function, *positional, **named))
        else:
            run_program(path, name, checks)
    except UsageError:
        raise
    except Exception as error:  # the user's program raised
        tell(error, args.traceback)
        write_out("".join(f"{each}\n" for each in checks))
        return 1
    if not checks:
        raise UsageError(f"{path} calls no {name or 'function of autograph'}: give --args")
    write_out("".join(f"{each}\n" for each in checks))
    return 0 if all(checks) else 1


def run_program(path: str, name: str, checks: list[Check]) -> None:
    """Runs a file as the main program, and checks the calls that it makes."""
    file = readable(path)

    def collect(dispatcher: Dispatcher, outcome: Check) -> None:
        function: Any = dispatcher.python_function
        if name in ("", dispatcher.name, getattr(function, "__qualname__", "")):
            checks.append(outcome)

    words, folder = sys.argv, str(file.resolve().parent)
    sys.argv = [path]
    sys.path.insert(0, folder)
    try:
        with checking_calls(collect):
            runpy.run_path(path, run_name="__main__")
    except SystemExit as end:
        if end.code not in (None, 0):
            raise RuntimeError(f"{path} ended with exit code {end.code}") from None
    finally:
        sys.argv = words
        sys.path.remove(folder)


if __name__ == "__main__":
    sys.exit(main())
