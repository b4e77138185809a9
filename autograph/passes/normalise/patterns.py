"""Splits a pattern into the structure that Python matches, tests that can be staged, and bindings.

The items of a subject may be symbolic, in value or in structure (length, class, keys). So a pattern
for an item becomes a capture; what it demands of the item's value becomes a test, and what it
demands of its structure is matched in a step of its own. No structure is inside another.
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
    """The parts of a pattern.

    structure  a pattern of captures alone, None if there is no structure to look at.
    others     instead of a structure: patterns of which one has to match.
    tests      conditions on the subject, and on what the structure captured.
    inner      (name, pattern) pairs: what the structure captured and has a structure to look at.
    bindings   (name, value) pairs, to be assigned if all of these match.
    """

    structure: Any = None
    tests: list[Any] = field(default_factory=list)
    bindings: list[tuple[str, Any]] = field(default_factory=list)
    others: list[SplitPattern] = field(default_factory=list)
    inner: list[tuple[str, SplitPattern]] = field(default_factory=list)

    @property
    def has_steps(self) -> bool:
        """True if it takes more than tests to match it."""
        return self.structure is not None or bool(self.others) or bool(self.inner)

    def add(self, other: SplitPattern, name: str) -> None:
        """Adds the pattern of a captured item."""
        if other.has_steps:
            self.inner.append((name, other))
        else:
            self.tests += other.tests
            self.bindings += other.bindings


class PatternSplitter:
    """Splits the patterns of one `match`.

    `fresh` returns a new name for a capture; `is_class` returns True for one of Python's classes
    that match a value itself, such as `float`.
    """

    def __init__(self, ag: str, fresh: Fresh, is_class: Callable[[Any], bool]) -> None:
        self.ag, self.fresh, self.is_class = ag, fresh, is_class

    def split(self, pattern: Any, subject: str) -> SplitPattern:
        """Splits the pattern of a case, or of a part."""
        made: SplitPattern = KINDS[pattern.__class__](self, copied(pattern), subject)
        return made

    def value(self, pattern: Any, subject: str) -> SplitPattern:
        """`0`, `"a"`, `Color.RED`."""
        return SplitPattern(tests=[gast.Compare(load(subject), [gast.Eq()], [pattern.value])])

    def singleton(self, pattern: Any, subject: str) -> SplitPattern:
        """`None`, `True`, `False`."""
        value = gast.Constant(pattern.value, None)
        return SplitPattern(tests=[gast.Compare(load(subject), [gast.Is()], [value])])

    def alternatives(self, pattern: Any, subject: str) -> SplitPattern:
        """`a | b`: of values, or of structures."""
        parts = [self.split(p, subject) for p in pattern.patterns]
        if any(p.has_steps or p.bindings for p in parts):
            return SplitPattern(others=parts)
        tests = [all_of(p.tests) for p in parts if p.tests]
        if len(tests) < len(parts):
            return SplitPattern()
        return SplitPattern(tests=[gast.BoolOp(gast.Or(), tests)])

    def capture(self, pattern: Any, subject: str) -> SplitPattern:
        """`name`, `_`, `pattern as name`."""
        inside = SplitPattern() if pattern.pattern is None else self.split(pattern.pattern, subject)
        if pattern.name is not None:
            inside.bindings.append((pattern.name, load(subject)))
        return inside

    def sequence(self, pattern: Any, subject: str) -> SplitPattern:
        """`[a, 0, *rest]`."""
        return self.container(pattern, ("patterns",))

    def mapping(self, pattern: Any, subject: str) -> SplitPattern:
        """`{"key": 0, **rest}`."""
        split = self.container(pattern, ("patterns",))
        if pattern.rest is not None:
            name, pattern.rest = pattern.rest, self.fresh()
            split.bindings.append((name, load(pattern.rest)))
        return split

    def of_class(self, pattern: Any, subject: str) -> SplitPattern:
        """`Point(x=0)`, `float(value)`, `int()`."""
        inside = pattern.patterns
        if not inside and not pattern.kwd_patterns:
            return SplitPattern(tests=[self.instance(pattern, subject)])
        if len(inside) == 1 and not pattern.kwd_patterns and self.is_class(pattern.cls):
            split = self.split(inside[0], subject)
            is_one = SplitPattern(tests=[self.instance(pattern, subject)])
            is_one.add(split, subject)
            return is_one
        return self.container(pattern, ("patterns", "kwd_patterns"))

    def instance(self, pattern: Any, subject: str) -> Any:
        return at(pattern, call(operator(self.ag, "isinstance"), load(subject), pattern.cls))

    def container(self, pattern: Any, fields: tuple[str, ...]) -> SplitPattern:
        """Splits a pattern that holds others: each becomes a capture, and what that has to be."""
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
                asked = split.has_steps or split.tests or split.bindings
                patterns[i] = at(inside, gast.MatchAs(None, item if asked else None))
                made.add(split, item)
        return made


def all_of(tests: list[Any]) -> Any:
    """Returns `a and b`, or the only test."""
    return tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests)


NAMING = (gast.MatchAs, gast.MatchStar, gast.MatchMapping)

KINDS: dict[type, Any] = {
    gast.MatchValue: PatternSplitter.value, gast.MatchSingleton: PatternSplitter.singleton,
    gast.MatchOr: PatternSplitter.alternatives, gast.MatchAs: PatternSplitter.capture,
    gast.MatchSequence: PatternSplitter.sequence, gast.MatchMapping: PatternSplitter.mapping,
    gast.MatchClass: PatternSplitter.of_class,
}
