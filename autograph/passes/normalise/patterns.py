"""Takes a pattern apart: what Python's `match` decides, what can be staged, and what is bound.

The structure of a subject (its length, its class, its keys) is known; its items may be symbolic.
So a pattern for an item becomes a capture, and what it says of the item a test.
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
class Taken:
    """A pattern in three parts.

    structure  a pattern without values, None if there is no structure to look at.
    tests      what has to be true of the subject and of what the structure captured.
    bindings   (name, value), to be done once all of that holds.
    others     instead of all this: patterns of which one has to match.
    """

    structure: Any = None
    tests: list[Any] = field(default_factory=list)
    bindings: list[tuple[str, Any]] = field(default_factory=list)
    others: list[Taken] = field(default_factory=list)

    def add(self, other: Taken) -> None:
        """What another pattern says as well."""
        self.tests += other.tests
        self.bindings += other.bindings


class Taking:
    """Takes the patterns of one `match` apart; `is_class` knows the classes of plain values."""

    def __init__(self, ag: str, fresh: Fresh, is_class: Callable[[Any], bool]) -> None:
        self.ag, self.fresh, self.is_class = ag, fresh, is_class

    def whole(self, pattern: Any, subject: str) -> Taken | None:
        """The pattern of a case; None if it has to stay as it is."""
        found = self.taken(copied(pattern), subject)
        if found is not None or not isinstance(pattern, gast.MatchOr):
            return found
        others = [self.taken(copied(p), subject) for p in pattern.patterns]
        known = [p for p in others if p is not None]
        return Taken(others=known) if len(known) == len(others) else None

    def taken(self, pattern: Any, subject: str) -> Taken | None:
        """The pattern of a part; None if it has to stay as it is."""
        made: Taken | None = KINDS[pattern.__class__](self, pattern, subject)
        return made

    def value(self, pattern: Any, subject: str) -> Taken:
        """`0`, `"a"`, `Color.RED`."""
        return Taken(tests=[gast.Compare(load(subject), [gast.Eq()], [pattern.value])])

    def singleton(self, pattern: Any, subject: str) -> Taken:
        """`None`, `True`, `False`."""
        value = gast.Constant(pattern.value, None)
        return Taken(tests=[gast.Compare(load(subject), [gast.Is()], [value])])

    def alternatives(self, pattern: Any, subject: str) -> Taken | None:
        """`a | b`: of values, or of structures in which there are none."""
        parts = [self.taken(copied(p), subject) for p in pattern.patterns]
        if any(p is None or p.structure is not None or p.bindings for p in parts):
            return None if any(map(_is_value, gast.walk(pattern))) else self.renamed(pattern)
        tests = [all_of(p.tests) for p in parts if p is not None and p.tests]
        if len(tests) < len(parts):
            return Taken()
        return Taken(tests=[gast.BoolOp(gast.Or(), tests)])

    def renamed(self, pattern: Any) -> Taken:
        """A structure as it is, its names bound later."""
        names: dict[str, str] = {}
        for node in gast.walk(pattern):
            key = "rest" if isinstance(node, gast.MatchMapping) else "name"
            if isinstance(node, NAMING) and (name := getattr(node, key)) is not None:
                if name not in names:
                    names[name] = self.fresh()
                setattr(node, key, names[name])
        return Taken(pattern, [], [(name, load(new)) for name, new in names.items()])

    def capture(self, pattern: Any, subject: str) -> Taken | None:
        """`name`, `_`, `pattern as name`."""
        inside = Taken() if pattern.pattern is None else self.taken(pattern.pattern, subject)
        if inside is not None and pattern.name is not None:
            inside.bindings.append((pattern.name, load(subject)))
        return inside

    def sequence(self, pattern: Any, subject: str) -> Taken | None:
        """`[a, 0, *rest]`."""
        return self.container(pattern, ("patterns",))

    def mapping(self, pattern: Any, subject: str) -> Taken | None:
        """`{"key": 0, **rest}`."""
        taken = self.container(pattern, ("patterns",))
        if taken is not None and pattern.rest is not None:
            name, pattern.rest = pattern.rest, self.fresh()
            taken.bindings.append((name, load(pattern.rest)))
        return taken

    def of_class(self, pattern: Any, subject: str) -> Taken | None:
        """`Point(x=0)`, `float(value)`, `int()`."""
        inside = pattern.patterns
        if not inside and not pattern.kwd_patterns:
            return Taken(tests=[self.instance(pattern, subject)])
        if len(inside) == 1 and not pattern.kwd_patterns and self.is_class(pattern.cls):
            taken = self.taken(inside[0], subject)
            if taken is not None:
                taken.tests.insert(0, self.instance(pattern, subject))
            return taken
        return self.container(pattern, ("patterns", "kwd_patterns"))

    def instance(self, pattern: Any, subject: str) -> Any:
        return at(pattern, call(operator(self.ag, "isinstance"), load(subject), pattern.cls))

    def container(self, pattern: Any, fields: tuple[str, ...]) -> Taken | None:
        """A pattern with others inside: each becomes a capture and what it says of it."""
        made = Taken(pattern)
        for name in fields:
            for i, inside in enumerate(patterns := getattr(pattern, name)):
                if isinstance(inside, gast.MatchStar):
                    if inside.name is not None:
                        made.bindings.append((inside.name, load(new := self.fresh())))
                        inside.name = new
                    continue
                item = self.fresh()
                taken = self.taken(inside, item)
                if taken is None:
                    return None
                patterns[i] = at(inside, _item(inside, taken, item))
                made.add(taken)
        return made


def _item(pattern: Any, taken: Taken, name: str) -> Any:
    """The pattern that stands for one inside another."""
    if taken.structure is None:
        return gast.MatchAs(None, name if taken.tests or taken.bindings else None)
    return gast.MatchAs(taken.structure, name) if isinstance(pattern, gast.MatchAs) else (
        taken.structure)


def all_of(tests: list[Any]) -> Any:
    """`a and b`, or the only one."""
    return tests[0] if len(tests) == 1 else gast.BoolOp(gast.And(), tests)


def _is_value(node: Any) -> bool:
    return isinstance(node, (gast.MatchValue, gast.MatchSingleton))


NAMING = (gast.MatchAs, gast.MatchStar, gast.MatchMapping)

KINDS: dict[type, Any] = {
    gast.MatchValue: Taking.value, gast.MatchSingleton: Taking.singleton,
    gast.MatchOr: Taking.alternatives, gast.MatchAs: Taking.capture,
    gast.MatchSequence: Taking.sequence, gast.MatchMapping: Taking.mapping,
    gast.MatchClass: Taking.of_class,
}
