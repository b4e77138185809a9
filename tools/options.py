"""The options of `to_code`: its parser, and what they come to."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from typing import Any

from autograph.passes.pipeline import OPTIONAL, PASSES
from autograph.tools import annotate, diagnostics, formatters
from autograph.tools.jobs import Settings
from autograph.tools.parser import Parser
from autograph.tools.settings import apply_config
from autograph.tools.targets import UsageError
from autograph.version import __version__

PASS_NAMES = tuple(step.name for step in PASSES)
FORMS = ("code", "diff", "json", "html", "map")
TO_FILE = {"--html": (".html", ".htm"), "--line-map": (".json",)}
"""Options that may be followed by the file to write, and how its name ends."""

DESCRIPTION = """\
Prints Python source with its functions converted: those marked @ag.function or @ag.convert, and
what they call in the same file. Files are read, never imported or run.

SRC is FILE.py, FILE.py::function, FILE.py::Class, FILE.py::Class.method, a folder, a glob, - for
stdin, or package.module:name (the only form that imports).
"""
EPILOG = """\
exit codes: 0 done; 1 something does not convert; 2 usage; 3 a fault of the compiler; 130 Ctrl-C
defaults can be kept in pyproject.toml, in the table [tool.autograph]
"""


def parser() -> argparse.ArgumentParser:
    """The command's options."""
    p = Parser("to_code", description=DESCRIPTION, epilog=EPILOG,
                                formatter_class=argparse.RawDescriptionHelpFormatter)
    _sources(p.add_argument_group("what to convert"))
    _results(p.add_argument_group("what to print"))
    _passes(p.add_argument_group("the compiler's passes"))
    _manners(p.add_argument_group("how to work"))
    return p


def _sources(group: Any) -> None:
    add = group.add_argument
    add("sources", nargs="*", metavar="SRC", help="see above")
    add("-c", dest="code", metavar="CODE", help="convert a program given as text")
    add("--all", action="store_true",
        help="convert every function, marked or not, of what is named without ::function")
    add("--stdin-filename", metavar="NAME", default="<stdin>", help="what - is called in messages")
    add("--exclude", metavar="GLOB", action="append", default=[],
        help="leave files of folders out; what .gitignore says is left out anyway")


def _results(group: Any) -> None:
    add = group.add_argument
    add("-o", "--output", metavar="PATH", default="-",
        help="a file or a folder, made if it is missing; - is stdout")
    form = group.add_mutually_exclusive_group()
    form.add_argument("--format", choices=FORMS, default="code", help="of the result (code)")
    for name, what in (("diff", "a unified diff"), ("json", "results and line maps as JSON")):
        form.add_argument(f"--{name}", dest="format", action="store_const", const=name, help=what)
    form.add_argument("--html", metavar="FILE", nargs="?", const="-",
                      help="a page: the source beside what it became, linked line by line")
    form.add_argument("--line-map", metavar="FILE", nargs="?", const="-",
                      help="rows of generated and source positions, as JSON")
    form.add_argument("--check", action="store_true", help="print nothing; the exit code tells")
    add("--annotate", choices=annotate.FORMS,
        help="say where lines come from (on a terminal: line, else none)")
    add("--formatter", choices=formatters.NAMES, default="none", help="of the printed code (none)")


def _passes(group: Any) -> None:
    add = group.add_argument
    add("--list-passes", action="store_true", help="print the names of the passes")
    add("--show-pass", metavar="PASS[,PASS]", help="print the text after passes")
    add("--stop-after", metavar="PASS", choices=PASS_NAMES, help="leave the later passes out")
    add("--feature", metavar="NAME", action="append", default=[], choices=OPTIONAL,
        help="an optional pass to run after all")
    add("--no-feature", metavar="NAME", action="append", default=[], choices=OPTIONAL,
        help=f"an optional pass to leave out ({', '.join(OPTIONAL)})")


def _manners(group: Any) -> None:
    add = group.add_argument
    add("-j", "--jobs", metavar="N", type=number, default=1, help="processes (0: all processors)")
    add("--watch", action="store_true", help="do it again whenever a file changes")
    add("--error-format", choices=diagnostics.FORMATS, default="text", help="form of the messages")
    add("--color", choices=("auto", "always", "never"), default="auto", help="colour on terminals")
    add("--config", metavar="FILE", help="read [tool.autograph] of this file")
    add("-q", "--quiet", action="store_true", help="no warnings, no progress")
    add("-v", "--verbose", action="store_true", help="a summary; tracebacks of internal errors")
    add("--traceback", action="store_true", help="tracebacks of internal errors")
    add("--version", action="version", version=version())


def number(text: str) -> int:
    """Returns a number of processes; argparse names this function where the text is none."""
    if not text.isdecimal():
        raise ValueError
    return int(text)


def version() -> str:
    """The version of the package."""
    return f"autograph {__version__}"


def parsed(argv: Sequence[str]) -> argparse.Namespace:
    """The options of a command line, over those of the configuration file.

    Raises:
      UsageError: the configuration file is wrong. SystemExit: the command line is.
    """
    p, argv = parser(), _with_files(argv)
    apply_config(p, p.parse_intermixed_args(argv).config)
    args = p.parse_intermixed_args(argv)
    for form in ("html", "line_map"):
        if (file := getattr(args, form)) is not None:
            args.format = {"line_map": "map"}.get(form, form)
            args.output = args.output if file == "-" else file
    if args.format == "html" and args.output == "-" and sys.stdout.isatty():
        args.output = _beside(args.sources)
    if args.annotate is None:
        plain = args.format == "code" and args.output == "-" and not args.check
        args.annotate = "line" if plain and sys.stdout.isatty() else "none"
    return args


def _beside(sources: Sequence[str]) -> str:
    """A file for a page that a terminal cannot show: it is named, so that it can be opened."""
    first = next(iter(sources), "page").partition("::")[0]
    name = f"{os.path.basename(os.path.abspath(first)).removesuffix('.py')}.html"
    print(f"to_code: writing {name}", file=sys.stderr)
    return name


def _with_files(argv: Sequence[str]) -> list[str]:
    """`--html x.html` as `--html=x.html`, so that in `--html x.py` the file is a source."""
    found: list[str] = []
    for word in argv:
        last = found[-1] if found else ""
        if last in TO_FILE and word.endswith(TO_FILE[last]):
            found[-1] = f"{last}={word}"
        elif last in TO_FILE:
            found[-1:] = [f"{last}=-", word]
        else:
            found.append(word)
    return found


def settings_of(args: argparse.Namespace) -> Settings:
    """How texts are to be converted.

    Raises:
      UsageError: `--show-pass` names a pass that there is not.
    """
    show = tuple(args.show_pass.split(",")) if args.show_pass else ()
    if unknown := [name for name in show if name not in PASS_NAMES]:
        raise UsageError(f"there is no pass {unknown[0]!r} (there are: {', '.join(PASS_NAMES)})")
    return Settings(
        args.all, args.stop_after, show, args.annotate,
        frozenset(args.no_feature) - frozenset(args.feature),
        args.formatter if args.format in ("code", "diff") else "none",
        maps=args.format in ("json", "map", "html"))


def in_color(args: argparse.Namespace, stream: Any) -> bool:
    """Returns True if a stream gets colours: by option, NO_COLOR, FORCE_COLOR, or as it is a
    terminal."""
    if args.color != "auto":
        return bool(args.color == "always")
    if os.environ.get("NO_COLOR"):
        return False
    return bool(os.environ.get("FORCE_COLOR")) or stream.isatty()
