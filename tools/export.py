"""The command `autograph export`: a function of a file as an ONNX model or a file of Python."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from autograph.runtime.export.onnx import export_onnx
from autograph.tools.output import write_out, write_to
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


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    p = Parser(
        "autograph export", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Writes a function for another engine.\n\n" + ARGUMENTS)
    add_function(p)
    p.add_argument("--onnx", action="store_true", help="an ONNX model (needs the extra onnx)")
    p.add_argument("--python", action="store_true",
                   help="a file of Python that needs NumPy alone, its large constants in an .npz "
                        "beside it")
    p.add_argument("-o", "--output", metavar="FILE",
                   help="default: NAME.onnx or NAME.py; - is stdout")
    p.add_argument("--drop-checks", action="store_true",
                   help="leave out what may raise, instead of refusing it")
    p.add_argument("--traceback", action="store_true", help="the whole traceback of an error")
    return p


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; the exit code is 0, 1 if the export is refused, 2 for usage."""
    args = parsed(parser(), argv)
    return exit_code("autograph export", lambda: run(args))


def run(args: argparse.Namespace) -> int:
    """Trace, and write."""
    if args.onnx == args.python:
        raise UsageError("say to which form: --onnx or --python")
    try:
        name = args.function.rpartition("::")[2].rpartition(".")[2]
        write = write_python if args.python else write_onnx
        with prints_on_stderr():
            module, function = found(args.function)
            positional, named = arguments(args.args, module, function)
            data, said = write(args, function, name, positional, named)
        if args.output == "-":
            write_out(data)
    except UsageError:
        raise
    except Exception as error:  # the user's program raised, or the export is refused
        tell(error, args.traceback)
        return 1
    print(said, file=sys.stderr)
    return 0


def write_onnx(args: argparse.Namespace, function: Any, name: str, positional: Any, named: Any
               ) -> tuple[bytes, str]:
    """Writes the model, unless it goes to stdout; returns it, and what there is to say."""
    path = args.output or f"{name}.onnx"
    made: Any = export_onnx(None, function, *positional,
                            checks="drop" if args.drop_checks else "refuse", **named)
    data = made.SerializeToString()
    if path != "-":
        write_to(Path(path), data)
    return data, (
        f"{path}: {len(made.graph.node)} nodes, opset {made.opset_import[0].version}")


def write_python(args: argparse.Namespace, function: Any, name: str, positional: Any, named: Any
                 ) -> tuple[bytes, str]:
    """Writes the file of Python, unless it goes to stdout; returns it, and what there is to say."""
    path = args.output or f"{name}.py"
    if Path(path).exists() and Path(path).samefile(args.function.rpartition("::")[0]):
        raise UsageError(f"{path} is the file that the function is in: name another with -o")
    made = function.to_python(*positional, **named)
    if path == "-":
        return made.encode(), f"{len(made.splitlines())} lines, constants in it"
    try:
        made.save(path)
    except OSError as error:
        raise UsageError(f"cannot write {path!r}: {error.strerror}") from None
    return made.encode(), (
        f"{path}: {len(made.splitlines())} lines, {len(made.arrays)} arrays beside it")


if __name__ == "__main__":
    sys.exit(main())
