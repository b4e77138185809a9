"""The command `autograph export`: a function of a file as an ONNX model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from typing import Any

from autograph.runtime.export.onnx import export_onnx
from autograph.tools.report import tell
from autograph.tools.running import ARGUMENTS, add_function, arguments, exit_code, found, parsed
from autograph.tools.targets import UsageError


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    p = argparse.ArgumentParser(
        "autograph export", formatter_class=argparse.RawDescriptionHelpFormatter,
        description="Writes a function for another engine.\n\n" + ARGUMENTS)
    add_function(p)
    p.add_argument("--onnx", action="store_true", help="an ONNX model (needs the extra onnx)")
    p.add_argument("-o", "--output", metavar="FILE", help="default: NAME.onnx")
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
    if not args.onnx:
        raise UsageError("say to which form: --onnx")
    try:
        module, function = found(args.function)
        positional, named = arguments(args.args, module)
        path = args.output or f"{args.function.rpartition('::')[2].rpartition('.')[2]}.onnx"
        made: Any = export_onnx(path, function, *positional,
                                checks="drop" if args.drop_checks else "refuse", **named)
    except UsageError:
        raise
    except Exception as error:  # the user's program raised, or the export is refused
        tell(error, args.traceback)
        return 1
    print(f"{path}: {len(made.graph.node)} nodes, opset {made.opset_import[0].version}",
          file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
