"""How readable the output is: lines of converted code per line of source, blank lines included."""

from __future__ import annotations

from collections.abc import Iterator
from types import FunctionType

import autograph as ag
from benchmarks.conversion import EXAMPLES, functions, lines, load
from tests.corpus.cases import THEMES

Row = tuple[str, int, int]


def row(name: str, function: FunctionType) -> Row:
    """A function's name, the lines of its source, and those of the converted source."""
    return name, lines(function), len(ag.to_code(function).strip().splitlines())


def examples() -> Iterator[Row]:
    """Every function of the examples."""
    for path in EXAMPLES:
        for function in functions(load(path)):
            yield row(f"{path.stem}.{function.__name__}", function)


def programs() -> Iterator[Row]:
    """Every test program."""
    for theme in THEMES:
        for function in {case.function: None for case in theme.CASES}:
            yield row(f"{theme.__name__.rpartition('.')[2]}.{function.__name__}", function)


def summary(title: str, rows: list[Row]) -> str:
    """The totals, and the mean over the functions of lines out per line in."""
    before, after = sum(r[1] for r in rows), sum(r[2] for r in rows)
    mean = sum(r[2] / r[1] for r in rows) / len(rows)
    return (f"{title:<36}{before:>5} -> {after:>5}  {after / before:.2f}   "
            f"mean of {len(rows)} functions {mean:.2f}")


def main() -> None:
    """A line for every function of the examples, and the totals of examples and programs."""
    found = list(examples())
    for name, before, after in found:
        print(f"{name:<36}{before:>5} -> {after:>5}  {after / before:.2f}")
    tested = list(programs())
    print(summary("examples", found))
    print(summary("test programs", tested))
    print(summary("both together", found + tested))


if __name__ == "__main__":
    main()
