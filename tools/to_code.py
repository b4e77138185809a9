"""The command `to_code`: prints what the compiler makes of a program."""

from __future__ import annotations

import argparse
import os
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from autograph.conversion.convert import to_code
from autograph.conversion.module import Follow
from autograph.syntax.errors import ConversionError, InternalError
from autograph.tools import diagnostics
from autograph.tools.highlight import highlighted
from autograph.tools.jobs import Result, convert_all
from autograph.tools.options import PASS_NAMES, in_color, parsed, settings_of
from autograph.tools.output import FORMS, as_code, paths_for, write_file, write_out, write_to
from autograph.tools.parser import DONE, FAILED, INTERNAL, INTERRUPTED, USAGE
from autograph.tools.progress import progress
from autograph.tools.targets import (
    Target,
    UsageError,
    in_its_file,
    is_live,
    live_function,
    targets_of,
)
from autograph.tools.watch import watch


def main(argv: Sequence[str] | None = None) -> int:
    """Runs the command; the result is its exit code."""
    args = argparse.Namespace(verbose=False, traceback=False)
    try:
        args = parsed(sys.argv[1:] if argv is None else argv)
        args.sources = list(map(in_its_file, args.sources))
        if args.watch:
            targets_of([s for s in args.sources if s != "-" and not is_live(s)],
                       exclude=args.exclude)  # a file that is missing is a mistake
            return watch(lambda: guarded(args), lambda: files_of(args))
    except UsageError as error:
        return complain(error)
    except KeyboardInterrupt:
        return INTERRUPTED
    return guarded(args)


def guarded(args: argparse.Namespace) -> int:
    """Runs the command once and returns its exit code, whatever fails."""
    try:
        return run(args)
    except UsageError as error:
        return complain(error)
    except KeyboardInterrupt:
        if args.watch:
            raise
        return INTERRUPTED
    except BrokenPipeError:
        # The reader went away. Python would complain once more when it closes stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return DONE
    except Exception as error:
        print(f"to_code: internal error: {type(error).__name__}: {error}\n"
              "please report it with the program; -v shows the traceback", file=sys.stderr)
        if args.verbose or args.traceback:
            traceback.print_exc()
        return INTERNAL


def complain(error: UsageError) -> int:
    """Prints the mistake in the command's usage; returns the exit code."""
    print(f"to_code: {error}", file=sys.stderr)
    return USAGE


def run(args: argparse.Namespace) -> int:
    """Carries out what the options ask for."""
    if args.list_passes:
        write_out("".join(f"{name}\n" for name in PASS_NAMES))
        return DONE
    live = [s for s in args.sources if is_live(s)]
    targets = all_targets(args)
    if not (targets or live):
        if any(os.path.isdir(s) for s in args.sources):
            raise UsageError("there is no Python file to convert in what is named")
        raise UsageError("give a file, a folder, - for stdin, or -c CODE (see --help)")
    errors = [error for source in live if (error := show_live(source, args)) is not None]
    paths = output_paths(targets, args)
    results = list(progress(
        convert_all(targets, settings_of(args), args.jobs, followed(targets, args.quiet)),
        len(targets), lambda result: result.target.name, args.quiet))
    write(results, args, paths)
    errors += tell(results, args)
    if any(isinstance(error, InternalError) for error in errors):
        return INTERNAL
    return FAILED if errors else DONE


def followed(targets: Sequence[Target], quiet: bool) -> Follow:
    """Returns what shows the functions of a file as they are converted, if there is one file."""
    if len(targets) != 1:
        return iter
    return lambda functions: progress(functions, len(functions), lambda f: f.qualname, quiet)


def all_targets(args: argparse.Namespace) -> list[Target]:
    """Returns the texts that the command line names, without the functions to import."""
    targets = targets_of([s for s in args.sources if not is_live(s)], exclude=args.exclude,
                         stdin_name=args.stdin_filename)
    if args.code is not None:
        targets.append(Target("<code>", args.code.rstrip("\n") + "\n", relative="code.py",
                              is_code=True))
    return targets


def files_of(args: argparse.Namespace) -> list[str]:
    """Returns the files to watch: those that exist now."""
    sources = [s for s in args.sources if s != "-" and not is_live(s)]
    try:
        targets = targets_of(sources, exclude=args.exclude)
    except UsageError:
        return []
    return [str(target.path) for target in targets]


def show_live(source: str, args: argparse.Namespace) -> ConversionError | None:
    """Prints an imported function."""
    try:
        text = to_code(live_function(source))
    except ConversionError as error:
        diagnostics.report(error, source, args.error_format, in_color(args, sys.stderr))
        return error
    if not args.check:
        write_out(highlighted(text) if in_color(args, sys.stdout) else text)
    return None


def output_paths(targets: Sequence[Target], args: argparse.Namespace) -> list[Path]:
    """Returns the files to write converted code to, one for each target if there are any."""
    if args.output == "-" or args.format != "code" or args.show_pass or args.check:
        return []
    several = len(targets) > 1 or any(os.path.isdir(s) for s in args.sources)
    return paths_for(targets, args.output, several)


def write(results: Sequence[Result], args: argparse.Namespace, paths: Sequence[Path]) -> None:
    """Writes the results in the form that the options ask for."""
    one = args.format in ("code", "diff") and len(results) == 1
    encoding = results[0].target.encoding if one else "utf-8"  # a page and JSON say that they are
    if args.show_pass:
        write_out("".join(result.shown for result in results))
    elif args.check or not results:
        return
    elif args.format != "code":
        color = args.output == "-" and in_color(args, sys.stdout)
        write_file(FORMS[args.format](results, color), args.output, encoding)
    elif paths:
        for result, path in zip(results, paths, strict=True):
            if result.text is not None:
                write_to(path, result.printed.encode(result.target.encoding))
    else:
        text = as_code(results)
        if in_color(args, sys.stdout):
            write_out(highlighted(text))
        else:
            write_out(text, encoding)


def tell(results: Sequence[Result], args: argparse.Namespace) -> list[ConversionError]:
    """Writes warnings and errors to stderr, and returns the errors."""
    errors: list[ConversionError] = []
    color = in_color(args, sys.stderr)
    for result in results:
        for warning in result.warnings:
            diagnostics.warn(warning, args.quiet)
        for error in result.errors:
            diagnostics.report(error, result.target.name, args.error_format, color,
                               result.target.cell)
            errors.append(error)
    if args.verbose:
        count = sum(len(result.converted) for result in results)
        diagnostics.say(f"{len(results)} files: {count} functions converted, {len(errors)} refused")
    return errors


if __name__ == "__main__":
    sys.exit(main())
