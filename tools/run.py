"""`autograph run`: a script or module with whole packages converted, or a function of a file."""

from __future__ import annotations

import argparse
import builtins
import os
import runpy
import sys
from collections.abc import Sequence
from types import ModuleType

from autograph.conversion.import_hook import convert_imports
from autograph.tools.parser import DONE, INTERRUPTED, SAVED, USAGE, Parser
from autograph.traceback_filter import is_ours


def main(argv: Sequence[str]) -> int:
    """Runs a program; the result is the exit code, unless the program exits by itself."""
    if is_for_saved_file(argv):
        from autograph.tools import saved_files  # and with it all the rest

        return saved_files.run(argv)
    parser = Parser(
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
        after = "; --convert is followed by a package, then the script" if given.convert else ""
        parser.error(f"say what to run: a script, or -m MODULE, with its arguments{after}")
    if given.script and not _can_run(given.script[0]):
        print(f"autograph run: there is no program {given.script[0]!r}", file=sys.stderr)
        return USAGE
    try:
        convert_imports(*given.convert)
    except ImportError as error:
        print(f"autograph run: {error}", file=sys.stderr)
        return USAGE
    sys.argv = program
    try:
        run_module(program[0]) if given.module else run_script(program[0])
    except SystemExit:
        raise
    except BaseException as error:
        return raised(error)
    return DONE


def is_for_saved_file(argv: Sequence[str]) -> bool:
    """Returns True if the arguments of `autograph run` name a saved file, and no program.

    >>> is_for_saved_file(["f.agz", "--args", "1"]), is_for_saved_file(["train.py", "f.agz"])
    (True, False)
    """
    return bool(argv) and (SAVED.match(argv[0]) is not None
                           or argv[0] in ("--args", "--verify", "--executor"))


def run_module(name: str) -> None:
    """Runs a module as `python -m` does."""
    sys.path[0] = os.getcwd()
    runpy.run_module(name, run_name="__main__", alter_sys=True)


def run_script(path: str) -> None:
    """Runs a file, or a folder with a `__main__.py`, as `python` does."""
    if os.path.isdir(path):
        sys.path[0] = os.path.abspath(path)
        runpy.run_path(path, run_name="__main__")
        return
    full = os.path.abspath(path)
    sys.path[0] = os.path.dirname(full)
    main = sys.modules["__main__"] = ModuleType("__main__")  # by which others find it
    main.__dict__.update(__file__=full, __builtins__=builtins)
    with open(full, "rb") as file:
        code = compile(file.read(), full, "exec", dont_inherit=True)
    exec(code, main.__dict__)  # the user's own program


def raised(error: BaseException) -> int:
    """Shows what a program raised, from its own first frame on; the result is the exit code."""
    entry = error.__traceback__
    while entry is not None and (is_ours(entry.tb_frame) or (
            entry.tb_frame.f_code.co_filename == "<frozen runpy>")):
        entry = entry.tb_next
    sys.excepthook(type(error), error.with_traceback(entry), entry)
    return INTERRUPTED if isinstance(error, KeyboardInterrupt) else 1


def _can_run(path: str) -> bool:
    """Returns True for a file, and for a folder with a `__main__.py`."""
    return os.path.isfile(os.path.join(path, "__main__.py") if os.path.isdir(path) else path)
