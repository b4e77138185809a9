"""`autograph run`: a script or module with whole packages converted, or a function of a file."""

from __future__ import annotations

import argparse
import os
import runpy
import sys
from collections.abc import Sequence

from autograph.conversion.import_hook import convert_imports
from autograph.tools import saved_files
from autograph.tools.to_code import DONE, USAGE


def main(argv: Sequence[str]) -> int:
    """Runs a program; the result is the exit code, unless the program exits by itself."""
    if saved_files.is_for_saved_file(argv):
        return saved_files.run(argv)
    parser = argparse.ArgumentParser(
        "autograph run", description="Runs a program in which every function of some packages is "
        "converted, as ag.convert does it. Or calls a saved function: autograph run FILE.agz "
        "--args ARG … (autograph run FILE.agz --help tells more).")
    parser.add_argument("--convert", metavar="PACKAGE", action="append", default=[],
                        help="a package to convert; may be given several times")
    parser.add_argument("-m", dest="module", metavar="MODULE", nargs=argparse.REMAINDER,
                        help="run a module, as python -m does, with the arguments after it")
    parser.add_argument("script", nargs=argparse.REMAINDER,
                        help="the file to run, and its arguments")
    given = parser.parse_args(argv)
    program = given.module or given.script
    if not program:
        parser.print_usage(sys.stderr)
        return USAGE
    if given.script and not _can_run(given.script[0]):
        print(f"autograph run: there is no program {given.script[0]!r}", file=sys.stderr)
        return USAGE
    try:
        convert_imports(*given.convert)
    except ImportError as error:
        print(f"autograph run: {error}", file=sys.stderr)
        return USAGE
    if given.module:
        sys.argv = program
        sys.path[0] = os.getcwd()
        runpy.run_module(program[0], run_name="__main__", alter_sys=True)
    else:
        sys.argv = program
        sys.path[0] = os.path.dirname(os.path.abspath(program[0]))
        runpy.run_path(program[0], run_name="__main__")
    return DONE


def _can_run(path: str) -> bool:
    """Returns True for a file, and for a folder with a `__main__.py`."""
    return os.path.isfile(os.path.join(path, "__main__.py") if os.path.isdir(path) else path)
