"""The words of our own that the field's words replace, and where a text still says them."""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class OldWord:
    """A term that is not used any more, and what to say."""

    parts: str
    """Words that may not be a part of an identifier: `kept` in `_is_kept` and `KeptState`."""
    say: str
    names: str = ""
    """Identifiers that are not used, as they are written."""
    prose: str = ""
    """A pattern that docstrings, comments, strings and pages do not hold."""


OLD_WORDS = (
    OldWord("owed owing debt debts pay payer paid ledger", "pending writes, frame state",
            prose=r"owed|owing|debts?|ledger"),
    OldWord("session", "persistent state",
            names="Kept KEPT state_kept"),
    OldWord("place places slot slots", "location", prose="slots?"),
    OldWord("twin twins", "replacement", prose="[Tt]wins?"),
    OldWord("rounds", "iterations", names="note_round next_round",
            prose=r"(?:each|every|first|second|next|last|another|this|previous|per|in a) round"
                  r"|rounds of (?:a|the) loop|rounds"),
    OldWord("whole", "by-reference container, axis-major, line offset"),
    OldWord("apart", "axis-major, by value"),
    OldWord("leaving", "escaping", prose="what leaves the|leaving objects?"),
    OldWord("reach", "reachability"),
    OldWord("origins", "allocation sites", names="Known"),
    OldWord("telling", "site-instrumented", prose="telling"),
    OldWord("", "selected object, flattened object", names="Chosen Either Made ChosenBackend"),
    OldWord("stays", "pinned"),
    OldWord("lost", "invalidated"),
    OldWord("rival rivals", "may-alias set", prose="rivals?"),
    OldWord("traffic", "live-in and live-out variables", prose="traffic"),
    OldWord("stock", "node inventory"),
    OldWord("fence", "supported syntax, barrier", prose="fenced?"),
    OldWord("spelling spellings", "original literals"),
    OldWord("", "decorator detection", names="Marks _marks"),
    OldWord("unsure doubt doubts", "maybe-unbound", prose="unsure"),
    OldWord("handing", "block results", prose="handing back|hands? back"),
    OldWord("folds", "constant folding, reduction, short-axis sum"),
    OldWord("gather", "fusion groups"),
    OldWord("scatter", "scalar replacement"),
    OldWord("exits rolls stacks totals", "break recovery, roll, stack, tiled reductions"),
    OldWord("loud quiet dear", "may raise, may warn, expensive", prose="loud"),
)

ALLOWED = {
    "tools": {"quiet"},                                  # the option --quiet
    "autograph/syntax/verbosity.py": {"quiet"},
    "runtime/symbolic/tensor_array.py": {"gather", "scatter"},      # TensorFlow's names
    "runtime/symbolic/variables.py": {"gather", "scatter"},
    "runtime/ops/state.py": {"gather", "scatter"},
    "docs/tf-function": {"gather", "scatter"},
    "runtime/native": {"stacks"},                       # what loops keep for derivatives
    "runtime/tensor_methods/ndarray.py": {"place"},      # np.place
    "benchmarks/cpython_suites.py": {"session"},         # the option of subprocess
    "benchmarks/engines.py": {"session"},                # the class of onnxruntime
}
"""Words that a file or folder may say: there they are the public names of others."""

IDENTIFIER = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
PARTS = {part: old for old in OLD_WORDS for part in old.parts.split()}
NAMES = {name: old for old in OLD_WORDS for name in old.names.split()}
WITH_PROSE = [old for old in OLD_WORDS if old.prose]
PROSE = re.compile("|".join(rf"(?<![\w`])({old.prose})(?!\w)" for old in WITH_PROSE))
ROUNDING = ("to", "up", "down", "its", "the", "half", "differ")
"""What follows `rounds` where a number is rounded."""

STRINGS = {tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)}


@dataclass(frozen=True)
class Found:
    """An old word in a file."""

    file: str
    line: int
    word: str
    say: str


def old_words(file: str, text: str) -> Iterator[Found]:
    """The old words that a Python file or a page says, in order of line."""
    allowed = {word for path, words in ALLOWED.items() for word in words
               if file == path or file.startswith(f"{path}/")}
    found = _in_python(text) if file.endswith(".py") else _in_prose(text, 1)
    for line, word, say in found:
        if word not in allowed:
            yield Found(file, line, word, say)


def _in_python(text: str) -> Iterator[tuple[int, str, str]]:
    tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    for token, following in zip(tokens, [*tokens[1:], tokens[-1]], strict=True):
        if token.type == tokenize.NAME:
            if token.string not in ("slots", "weakref_slot") or following.string != "=":
                yield from _in_name(token.string, token.start[0])
        elif token.type in STRINGS:
            yield from _in_prose(token.string, token.start[0])


def _in_name(name: str, line: int) -> Iterator[tuple[int, str, str]]:
    if name in NAMES:
        yield line, name, NAMES[name].say
        return
    banned = {part.lower() for part in IDENTIFIER.findall(name)} & PARTS.keys()
    if banned and not _is_standard(name, banned):
        yield line, min(banned), PARTS[min(banned)].say


def _is_standard(name: str, banned: set[str]) -> bool:
    """Returns True for names that Python or the field gave: `__slots__`, `in_place`."""
    return name == "__slots__" or (banned == {"place"} and "in_place" in name.lower())


def _in_prose(text: str, first: int) -> Iterator[tuple[int, str, str]]:
    for found in PROSE.finditer(text):
        after = text[found.end():found.end() + 8]
        if found.group() != "rounds" or not after.lstrip().startswith(ROUNDING):
            old = WITH_PROSE[(found.lastindex or 1) - 1]
            yield first + text.count("\n", 0, found.start()), found.group(), old.say


def texts(root: Path, folders: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    """The Python files and pages below some folders of a checkout, with their text."""
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in (".py", ".md") and path.name != "words.py" and (
                    not _through_a_link(path, root)):
                yield path.relative_to(root).as_posix(), path.read_text(encoding="utf-8")


def _through_a_link(path: Path, root: Path) -> bool:
    return any(parent.is_symlink() for parent in path.parents if root in parent.parents)
