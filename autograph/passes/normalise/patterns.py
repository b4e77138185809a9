"""Splits a pattern into the structure that Python matches, tests that can be staged, and bindings.

The structure of a subject (its length, its class, its keys) is known; its items may be symbolic.
So a pattern for an item becomes a capture, and what it demands of the item becomes a test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import gast

from autograph.syntax.gast_conversion import copied
from autograph.syntax.node_builders import at, call, load, operator

Fresh = Callable[[], str]


@dataclass
class SplitPattern:
    """The three parts of a pattern, or alternatives.

    structure  a pattern without values, None if there is no structure to look at.
    tests      conditions on the subject, and on what the structure captured.
    bindings   (name, value) pairs, to be assigned if the structure and the tests match.
    others     instead of these three: patterns of which one has to match.
    """

    structure: Any = None
    tests: list[Any] = field(default_factory=list)
    bindings: list[tuple[str, Any]] = field(default_factory=list)
    others: list[SplitPattern] = field(default_factory=list)

    def add(self, other: SplitPattern) -> None:
        """Adds the tests and the bindings of another pattern."""
        self.tests += other.tests
        self.bindings += other.bindings


class PatternSplitter:
    """Splits the patterns of one `match`.

    `fresh` returns a new name for a capture; `is_class` returns True for one of Python's classes
    that match a value itself, such as `float`.
    """

    def __init__(self, ag: str, fresh: Fresh, is_class: Callable[[Any], bool]) -> None:
        self.ag, self.fresh, self.is_class = ag, fresh, is_class

    def case_pattern(self, pattern: Any, subject: str) -> SplitPattern | None:
        """Splits the pattern of a case; None if it has to stay as it is."""
        found = self.split(copied(pattern), subject)
        if found is not None or not isinstance(pattern, gast.MatchOr):
            return found
        others = [self.split(copied(p), subject) for p in pattern.patterns]
        known = [p for p in others if p is not None]
        return SplitPattern(others=known) if len(known) == len(others) else None

    def split(self, pattern: Any, subject: str) -> SplitPattern | None:
        """Splits the pattern of a part; None if it has to stay as it is."""
        made: SplitPattern | None = KINDS[pattern.__class__](self, pattern, subject)
        return made

    def value(self, pattern: Any, subject: str) -> SplitPattern:
        """`0`, `"a"`, `Color.RED`."""
        return SplitPattern(tests=[gast.Compare(load(subject), [gast.Eq()], [pattern.value])])

    def singleton(self, pattern: Any, subject: str) -> SplitPattern:
        """`None`, `True`, `False`."""
        value = gast.Constant(pattern.value, None)
        return SplitPattern(tests=[gast.Compare(load(subject), [gast.Is()], [value])])

    def alternatives(self, pattern: Any, subject: str) -> SplitPattern | None:
        """`a | b`: of values, or of structures in which there are none."""
        parts = [self.split(copied(p), subject) for p in pattern.patterns]
        if any(p is None or p.structure is not None or p.bindings for p in parts):
            return None if any(map(_is_value, gast.walk(pattern))) else self.renamed(pattern)
        tests = [all_of(p.tests) for p in parts if p is not None and p.tests]
        if len(tests) < len(parts):
            return SplitPattern()
        return SplitPattern(tests=[gast.BoolOp(gast.Or(), tests)])

    def renamed(self, pattern: Any) -> SplitPattern:
        """Keeps a structure, but captures into new names, which are assigned to its own later."""
        names: dict[str, str] = {}
        for node in gast.walk(pattern):
            key = "rest" if isinstance(node, gast.MatchMapping) else "name"
            if isinstance(node, NAMING) and (name := getattr(node, key)) is not None:
                if name not in names:
                    names[name] = self.fresh()
                setattr(node, key, names[name])
        return SplitPattern(pattern, [], [(name, load(new)) for name, new in names.items()])

    def capture(self, pattern: Any, subject: str) -> SplitPattern | None:
        """`name`, `_`, `pattern as name`."""
        inside = SplitPattern() if pattern.pattern is None else self.split(pattern.pattern, subject)
        if inside is not None and pattern.name is not None:
            inside.bindings.append((pattern.name, load(subject)))
        return inside

    def sequence(self, pattern: Any, subject: str) -> SplitPattern | None:
        """`[a, 0, *rest]`."""
        return self.container(pattern, ("patterns",))

    def mapping(self, pattern: Any, subject: str) -> SplitPattern | None:
        """`{"key": 0, **rest}`."""
        split = self.container(pattern, ("patterns",))
        if split is not None and pattern.rest is not None:
            name, pattern.rest = pattern.rest, self.fresh()
            split.bindings.append((name, load(pattern.rest)))
        return split

    def of_class(self, pattern: Any, subject: str) -> SplitPattern | None:
        """`Point(x=0)`, `float(value)`, `int()`."""
        inside = pattern.patterns
        if not inside and not pattern.kwd_patterns:
            return SplitPattern(tests=[self.instance(pattern, subject)])
        if len(inside) == 1 and not pattern.kwd_patterns and self.is_class(pattern.cls):
            split = self.split(inside[0], subject)
            if split is not None:
                split.tests.insert(0, self.instance(pattern, subject))
            return split
        return self.container(pattern, ("patterns", "kwd_patterns"))

    def instance(self, pattern: Any, subject: str) -> Any:
        return at(pattern, call(operator(self.ag, "isinstance"), load(subject), pattern.cls))

    def container(self, pattern: Any, fields: tuple[str, ...]) -> SplitPattern | None:
        """Splits a pattern that holds others: each becomes a capture, and tests of that."""
        made = SplitPattern(pattern)
        for name in fields:
            for i, inside in enumerate(patterns := getattr(pattern, name)):
                if isinstance(inside, gast.MatchStar):
                    if inside.name is not None:
                        made.bindings.append((inside.name, load(new := self.fresh())))
                        inside.name = new
                    continue
                item = self.fresh()
                split = self.split(inside, item)
                if split is None:
                    return None
                patterns[i] = at(inside, _item(inside, split, item))
                made.add(split)
        return made


def _item(pattern: Any, split: SplitPattern, name: str) -> Any:
    """Returns the pattern that replaces one inside another."""
    if split.structure is None:
        return gast.MatchAs(None, name if split.tests or split.bindings else None)
    return gast.MatchAs(split.structure, name) if isinstance(pattern, gast.MatchAs) else (
        split.structure)


def all_of(tests: list[Any]) -> Any:
    """Returns `a and b`, or the only test."""
    return tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests)


def _is_value(node: Any) -> bool:
    return isinstance(node, (gast.MatchValue, gast.MatchSingleton))


NAMING = (gast.MatchAs, gast.MatchStar, gast.MatchMapping)

KINDS: dict[type, Any] = {
    gast.MatchValue: PatternSplitter.value, gast.MatchSingleton: PatternSplitter.singleton,
    gast.MatchOr: PatternSplitter.alternatives, gast.MatchAs: PatternSplitter.capture,
    gast.MatchSequence: PatternSplitter.sequence, gast.MatchMapping: PatternSplitter.mapping,
    gast.MatchClass: PatternSplitter.of_class,
}
