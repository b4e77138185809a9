"""Entries of the cache on disk: bytes by a key, in a private folder of a bounded size.

A folder is used only if it belongs to the user of the process and nobody else may write into it; it
is opened anew, and looked at, for each operation, and files are found from there: a folder that
takes its place is looked at as well. An entry appears as a whole, by a rename, and holds a digest
of its key and its bytes: what does not agree is removed.
"""

from __future__ import annotations

import os
import secrets
import stat
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path

MAGIC = b"autograph cache 1\n"

HEAD = len(MAGIC) + sha256().digest_size
"""Bytes of an entry before what it is for."""

ENTRY, PART = ".entry", ".part"
"""The ends of the names of entries, and of files that are being written."""

ABANDONED = 3600.0
"""Seconds after which a file that is being written is one that a process left behind."""

LOW = 0.75
"""The share of the limit that is left when entries had to go."""


class FolderRefused(OSError):
    """A folder that does not belong to the user alone."""


class Entries:
    """The entries in a folder.

    limit      the bytes that they may have together; those used longest ago go.
    is_broken  True after an operation failed.
    """

    def __init__(self, path: str | os.PathLike[str], limit: int) -> None:
        self.path = Path(path).expanduser().absolute()
        self.limit = limit
        self.is_broken = False
        self._size: int | None = None

    def read(self, key: str) -> bytes | None:
        """Returns what is kept under a key; None if there is nothing, or it is damaged.

        Raises:
          OSError: the folder cannot be used.
        """
        with self._folder() as folder:
            try:
                data = _contents(folder, key + ENTRY, self.limit)
            except OSError:
                return None
            if data[:HEAD] == _head(key, data[HEAD:]):
                with suppress(OSError):  # it was used now
                    os.utime(key + ENTRY, dir_fd=folder)
                return data[HEAD:]
            with suppress(OSError):
                os.unlink(key + ENTRY, dir_fd=folder)
        return None

    def write(self, key: str, data: bytes) -> None:
        """Keeps bytes under a key, unless they are more than fit.

        Raises:
          OSError: the folder cannot be used, or the disk is full.
        """
        if len(data) + HEAD > self.limit * LOW:
            return
        with self._folder() as folder:
            part = f"{secrets.token_hex(16)}{PART}"
            try:
                _write(folder, part, _head(key, data) + data)
                os.rename(part, key + ENTRY, src_dir_fd=folder, dst_dir_fd=folder)
            except BaseException:
                with suppress(OSError):
                    os.unlink(part, dir_fd=folder)
                raise
            self._make_room(folder, len(data) + HEAD)

    def remove(self, key: str) -> None:
        """Removes an entry.

        Raises:
          OSError: the folder cannot be used.
        """
        with self._folder() as folder, suppress(FileNotFoundError):
            os.unlink(key + ENTRY, dir_fd=folder)

    @contextmanager
    def _folder(self) -> Iterator[int]:
        """Opens the folder, made if need be."""
        if os.open not in os.supports_dir_fd or not hasattr(os, "geteuid"):
            raise FolderRefused("this system does not open files by their folder")
        flags = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC
        try:
            folder = os.open(self.path, flags)
        except FileNotFoundError:
            os.makedirs(self.path, 0o700, exist_ok=True)
            folder = os.open(self.path, flags)
        try:
            found = os.fstat(folder)
            if found.st_uid != os.geteuid():
                raise FolderRefused("it belongs to another user")
            if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
                raise FolderRefused("other users may write into it: chmod 700 it")
            yield folder
        finally:
            os.close(folder)

    def _make_room(self, folder: int, added: int) -> None:
        """Removes entries if they are too many; other processes add some, too, which each counts
        when it has filled the folder by itself."""
        if self._size is not None and self._size + added <= self.limit:
            self._size += added
            return
        found = sorted(_listed(folder), key=lambda entry: entry[1], reverse=True)
        total, bound = 0, self.limit
        if sum(size for _, _, size in found) > self.limit:
            bound = int(self.limit * LOW)
        for name, _, size in found:
            if total + size > bound:
                with suppress(FileNotFoundError):
                    os.unlink(name, dir_fd=folder)
            else:
                total += size
        self._size = total


def _head(key: str, data: bytes) -> bytes:
    """Returns what an entry begins with."""
    return MAGIC + sha256(key.encode() + b"\0" + data).digest()


def _contents(folder: int, name: str, limit: int) -> bytes:
    """Returns the bytes of a file of the user's own.

    Raises:
      OSError: there is none.
    """
    handle = os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK,
                     dir_fd=folder)
    with os.fdopen(handle, "rb") as stream:
        found = os.fstat(handle)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid() or (
                found.st_size > limit):
            raise FolderRefused("it is no entry")
        return stream.read()


def _write(folder: int, name: str, data: bytes) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    with os.fdopen(os.open(name, flags, 0o600, dir_fd=folder), "wb") as stream:
        stream.write(data)


def _listed(folder: int) -> Iterator[tuple[str, int, int]]:
    """Yields (name, time of last use, size) of the entries; removes what processes left behind."""
    for name in os.listdir(folder):
        if not name.endswith((ENTRY, PART)):
            continue
        try:
            found = os.stat(name, dir_fd=folder, follow_symlinks=False)
            if name.endswith(ENTRY):
                yield name, found.st_mtime_ns, found.st_size
            elif time.time() - found.st_mtime > ABANDONED:
                os.unlink(name, dir_fd=folder)
        except FileNotFoundError:  # another process removed it
            pass
