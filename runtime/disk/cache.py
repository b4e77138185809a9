"""The cache on disk of this process: off unless a folder is named, and never a reason to fail."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, TypeVar

from autograph.runtime.ir.errors import CacheWarning

if TYPE_CHECKING:  # where no folder is named, its modules are not loaded
    from autograph.runtime.disk.entries import Entries

T = TypeVar("T")

SIZE = 1 << 28
"""The bytes that a folder may have if nobody says how many."""


class Switch:
    """The folder, and the bytes that it may have.

    AUTOGRAPH_CACHE and AUTOGRAPH_CACHE_BYTES set them at the start.
    """

    def __init__(self) -> None:
        self.entries: Entries | None = None
        self.size = _size(os.environ.get("AUTOGRAPH_CACHE_BYTES") or str(SIZE))
        self.use(os.environ.get("AUTOGRAPH_CACHE") or None)

    def use(self, path: str | os.PathLike[str] | None) -> None:
        """Uses a folder from now on; None: no cache."""
        self.entries = None if path is None else _entries(path, self.size)

    def bound(self, size: int) -> None:
        """Bounds the bytes of the folder."""
        self.size = size
        if self.entries is not None:
            self.entries = _entries(self.entries.path, size)


def _entries(path: str | os.PathLike[str], size: int) -> Entries:
    from autograph.runtime.disk.entries import Entries

    return Entries(path, size)


def _size(text: str) -> int:
    """Returns the number of bytes in the environment; if it is none, warns, and returns `SIZE`."""
    try:
        return int(text)
    except ValueError:
        with suppress(CacheWarning):
            warnings.warn(f"AUTOGRAPH_CACHE_BYTES is {text!r}, which is no number of bytes: the "
                          f"cache on disk may have {SIZE}", CacheWarning, stacklevel=2)
        return SIZE


SWITCH = Switch()


def key_of(kind: str, *parts: str | bytes) -> str:
    """Returns the key of what is made of these parts alone.

    >>> key_of("a", "bc") == key_of("a", "b", "c")
    False
    """
    from hashlib import sha256  # loads OpenSSL: where a folder is used alone

    digest = sha256()
    for part in (kind, *parts):
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.hexdigest()


def find(key: str) -> bytes | None:
    """Returns what is kept under a key; None if nothing is, or there is no cache."""
    return _tried(lambda entries: entries.read(key))


def keep(key: str, data: bytes) -> None:
    """Keeps bytes under a key, if there is a cache."""
    _tried(lambda entries: None if entries.is_broken else entries.write(key, data))


def forget(key: str) -> None:
    """Removes what is kept under a key."""
    _tried(lambda entries: entries.remove(key))


def _tried(use: Callable[[Entries], T]) -> T | None:
    """Uses the folder; if that fails, warns once and goes on: without it, or where it cannot be
    written, with what is in it."""
    entries = SWITCH.entries
    if entries is None:
        return None
    try:
        return use(entries)
    except OSError as error:
        if not entries.is_broken:
            entries.is_broken = True
            _warn(entries, error)
        return None


def _warn(entries: Entries, error: OSError) -> None:
    with suppress(CacheWarning):  # where warnings are errors: a cache is no reason for one
        warnings.warn(
            f"nothing more is kept in the cache on disk, {entries.path}: "
            f"{error.strerror or error}\n  hint: ag.config.cache_dir names the folder, None "
            "switches the cache off", CacheWarning, stacklevel=2)
