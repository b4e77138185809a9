"""The command `to_code`: prints what the compiler makes of a program."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

from autograph.convert import to_code
from autograph.errors import ConversionError, InternalError
from autograph.module import Function, Module, Options
from autograph.pipeline import PASSES
from autograph.printing import to_text
from autograph.tools import annotate, diagnostics
from autograph.tools.output import Result, as_diff, as_json_text, write_files, write_out
from autograph.tools.targets import Target, UsageError, is_live, live_function, targets_of

DONE, FAILED, USAGE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 130

PASS_NAMES = tuple(step.name for step in PASSES)

DESCRIPTION = """\
Prints Python source with its functions converted: those marked @ag.function or @ag.convert, and
what they call in the same file. Files are read, never imported or run.

SRC is FILE.py, FILE.py::function, FILE.py::Class.method, a folder, a glob, - for stdin, or
package.module:name (the only form that imports).
"""
EPILOG = "exit codes: 0 done; 1 something does not convert; 2 usage; 3 a fault of the compiler"


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    p = argparse.ArgumentParser("to_code", description=DESCRIPTION, epilog=EPILOG,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    add = p.add_argument
    add("sources", nargs="*", metavar="SRC", help="what to convert (see above)")
    add("-c", dest="code", metavar="CODE", help="convert a program given as text")
    add("--all", action="store_true", help="convert every function, marked or not")
    add("-o", "--output", metavar="PATH", default="-", help="a file or a folder; - is stdout")
    form = p.add_mutually_exclusive_group()
    form.add_argument("--diff", action="store_true", help="print a unified diff")
    form.add_argument("--json", action="store_true", help="print results and line maps as JSON")
    form.add_argument("--check", action="store_true", help="print nothing; the exit code tells")
    form.add_argument("--list-passes", action="store_true", help="print the names of the passes")
    form.add_argument("--show-pass", metavar="PASS[,PASS]", help="print the text after passes")
    add("--stop-after", metavar="PASS", choices=PASS_NAMES, help="leave the later passes out")
    add("--annotate", choices=annotate.FORMS, default="none", help="say where lines come from")
    add("--stdin-filename", metavar="NAME", default="<stdin>", help="what - is called in messages")
    add("--exclude", metavar="GLOB", action="append", default=[], help="leave files of folders out")
    add("--error-format", choices=diagnostics.FORMATS, default="text", help="form of the messages")
    add("--color", choices=("auto", "always", "never"), default="auto", help="colour on terminals")
    add("-q", "--quiet", action="store_true", help="no warnings")
    add("-v", "--verbose", action="store_true", help="tracebacks of internal errors")
    add("--version", action="version", version=version())
    return p


def version() -> str:
    """The version of the installed package, or that this is a checkout."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed
    try:
        return f"autograph {installed('autograph-numpy')}"
    except PackageNotFoundError:
        return "autograph (a checkout that is not installed)"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command; the result is its exit code."""
    args = parser().parse_args(argv)
    try:
        return run(args)
    except UsageError as error:
        print(f"to_code: {error}", file=sys.stderr)
        return USAGE
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader went away. Python would complain once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        print(f"to_code: internal error: {type(error).__name__}: {error}\n"
              "please report it with the program; -v shows the traceback", file=sys.stderr)
        if args.verbose:
            traceback.print_exc()
        return INTERNAL


def run(args: argparse.Namespace) -> int:
    """Carry out what the options ask for."""
    if args.list_passes:
        write_out("".join(f"{name}\n" for name in PASS_NAMES))
        return DONE
    live = [s for s in args.sources if is_live(s)]
    targets = targets_of([s for s in args.sources if not is_live(s)], exclude=args.exclude,
                         stdin_name=args.stdin_filename)
    if args.code is not None:
        targets.append(Target("<code>", args.code.rstrip("\n") + "\n", relative="code.py"))
    if not (targets or live):
        raise UsageError("give a file, a folder, - for stdin, or -c CODE (see --help)")
    errors = [error for source in live if (error := show_live(source, args)) is not None]
    results = [convert(target, args) for target in targets]
    write(results, args)
    for result in results:
        for error in result.errors:
            diagnostics.report(error, result.target.name, args.error_format,
                               in_color(args, sys.stderr))
            errors.append(error)
    if any(isinstance(error, InternalError) for error in errors):
        return INTERNAL
    return FAILED if errors else DONE


def show_live(source: str, args: argparse.Namespace) -> ConversionError | None:
    """Print an imported function."""
    try:
        text = to_code(live_function(source))
    except ConversionError as error:
        diagnostics.report(error, source, args.error_format, in_color(args, sys.stderr))
        return error
    if not args.check:
        write_out(text)
    return None


def convert(target: Target, args: argparse.Namespace) -> Result:
    """Convert one file."""
    try:
        module = Module(target.text, target.name)
    except ConversionError as error:
        return Result(target, error=error)
    selected = select(module, target, args)
    observe = shower(args.show_pass) if args.show_pass else None
    options = Options(args.stop_after, observe, annotate.notes(args.annotate))
    return Result(target, module.convert(selected, options))


def select(module: Module, target: Target, args: argparse.Namespace) -> list[Function]:
    """The functions of a file that the user asks for."""
    if args.all:
        return module.every()
    if not target.functions:
        marked = module.marked()
        if not marked and args.code is None:
            diagnostics.warn(f"{target.name}: no function is marked with @ag.function or "
                             f"@ag.convert; use --all or {target.name}::NAME", args.quiet)
        return marked or (module.every() if target.name == "<code>" else [])
    found: list[Function] = []
    for name in target.functions:
        functions = module.named(name)
        if not functions:
            known = ", ".join(f.qualname for f in module.functions) or "none"
            raise UsageError(f"{target.name} has no function {name!r} (it has: {known})")
        found += functions
    return found


def shower(wanted: str) -> Any:
    """Prints each function after the passes named in a list with commas."""
    names = wanted.split(",")
    if unknown := [name for name in names if name not in PASS_NAMES]:
        raise UsageError(f"there is no pass {unknown[0]!r} (there are: {', '.join(PASS_NAMES)})")

    def show(function: Function, name: str, tree: Any) -> None:
        if name in names:
            write_out(f"# {function.qualname} after {name}\n{to_text(tree)}\n")

    return show


def write(results: Sequence[Result], args: argparse.Namespace) -> None:
    """Write the results in the form that the options ask for."""
    if args.check or args.show_pass:
        return
    if args.json:
        write_out(as_json_text(results))
    elif args.diff:
        write_out("".join(as_diff(r, in_color(args, sys.stdout)) for r in results))
    elif args.output != "-":
        several = len(results) > 1 or any(os.path.isdir(s) for s in args.sources)
        write_files([r for r in results if r.converted], args.output, several)
    else:
        for result in results:
            head = f"# {result.target.name}\n" if len(results) > 1 else ""
            write_out(head + result.text if result.converted else "")


def in_color(args: argparse.Namespace, stream: Any) -> bool:
    """Whether to colour a stream: by option, NO_COLOR, FORCE_COLOR, or being a terminal."""
    if args.color != "auto":
        return bool(args.color == "always")
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()


if __name__ == "__main__":
    sys.exit(main())
