"""The file: a zip archive of stored members, `graph.json` and then `arrays/0.npy` and so on.

Nothing is compressed, members stand one behind the other, and there is nothing else: so a file
can be no larger inside than outside, and each byte belongs to one member. The archive's comment is
its seal: a digest of all bytes but those of the arrays, whose check sums are among them.
"""

from __future__ import annotations

import errno
import glob
import hashlib
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

from autograph.runtime.ir.errors import LoadError
from autograph.runtime.serialize.arrays import array_of_member, member_bytes

GRAPH = "graph.json"
MAX_JSON = 2 ** 26
"""The bytes that `graph.json` may have: some 400,000 equations."""

HEADER, ENTRY, END, END_64 = 30, 46, 22, 98
"""The bytes of zip's records: before a member, in the directory, and at the end."""

SEAL = 64
"""The length of the seal: a SHA-256 in hexadecimal."""

UNSEALED = 1
"""The version whose files have no seal yet."""

MAX_EXTRA = 32
"""The bytes that a member of more than 4 GiB has for its size."""


def array_name(number: int) -> str:
    return f"arrays/{number}.npy"


def canonical(data: Any) -> str:
    """Returns plain data as JSON text, always in the same form."""
    return json.dumps(data, separators=(",", ":"), allow_nan=False)


def archive_bytes(data: Any, arrays: list[np.ndarray[Any, Any]]) -> bytes:
    """Returns the bytes of a file."""
    buffer = io.BytesIO()
    write_archive(buffer, data, arrays)
    return buffer.getvalue()


def write_archive(stream: BinaryIO, data: Any, arrays: list[np.ndarray[Any, Any]]) -> None:
    """Writes a file to a stream: the same bytes for the same contents."""
    with zipfile.ZipFile(stream, "w") as archive:
        _write(archive, GRAPH, canonical(data).encode())
        for number, x in enumerate(arrays):
            _write(archive, array_name(number), member_bytes(x))
        archive.comment = bytes(SEAL)
    seal(stream)


def seal(stream: BinaryIO) -> None:
    """Writes the seal of an archive into its comment, which is there already."""
    with zipfile.ZipFile(stream) as archive:
        made = _seal_of(archive, stream, archive.read(GRAPH))
    stream.seek(-SEAL, os.SEEK_END)
    stream.write(made)


def _seal_of(archive: zipfile.ZipFile, stream: BinaryIO, text: bytes) -> bytes:
    """Returns the digest of `graph.json`, of the members' headers and of the directory."""
    digest = hashlib.sha256(text)
    for info in archive.infolist():
        stream.seek(info.header_offset)
        header = stream.read(HEADER)
        digest.update(header + stream.read(sum(_lengths(header))))
    stream.seek(archive.start_dir)
    digest.update(stream.read()[:-len(archive.comment) or None])
    return digest.hexdigest().encode()


def _lengths(header: bytes) -> list[int]:
    """Returns the lengths of the name and of the extra field behind a member's header."""
    return [int.from_bytes(header[k:k + 2], "little") for k in (26, 28)]


def _write(archive: zipfile.ZipFile, name: str, data: bytes) -> None:
    info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
    info.create_system, info.external_attr = 3, 0o600 << 16
    archive.writestr(info, data)


OTHERS = "\n  hint: ag.load reads what ag.save writes; .npy and .npz files are read by np.load"


def read_archive(stream: BinaryIO) -> tuple[Any, list[np.ndarray[Any, Any]]]:
    """Returns the plain data and the arrays of a file.

    Raises:
      LoadError: it is not a file that `write_archive` writes.
    """
    try:
        archive = zipfile.ZipFile(stream)
        names = _checked(archive, stream)
        text = archive.read(GRAPH)
    except LoadError:
        raise
    except Exception as error:  # zipfile raises many things
        raise LoadError(f"this is no file of ag.save, or a part of it is missing "
                        f"({type(error).__name__}: {error}){OTHERS}") from None
    data = _parsed(text)
    unsealed = type(data) is dict and data.get("version") == UNSEALED
    if archive.comment != (b"" if unsealed else _seal_of(archive, stream, text)):
        raise LoadError("the file was changed after it was written: its seal is not that of its "
                        "contents")
    return data, [array_of_member(_member(archive, name), name) for name in names[1:]]


def _member(archive: zipfile.ZipFile, name: str) -> bytes:
    try:
        return archive.read(name)
    except Exception as error:
        raise LoadError(f"the member cannot be read ({type(error).__name__}: {error})",
                        name) from None


def _checked(archive: zipfile.ZipFile, stream: BinaryIO) -> list[str]:
    """Returns the members' names, after it is certain that the file holds them and nothing else."""
    infos = archive.infolist()
    names = [GRAPH, *map(array_name, range(len(infos) - 1))]
    if [i.filename for i in infos] != names or [i.orig_filename for i in infos] != names:
        raise LoadError(f"a file has the members {GRAPH}, {array_name(0)}, … and no others{OTHERS}")
    at = directory = 0
    for info in infos:
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits or (
                info.file_size != info.compress_size) or info.header_offset != at or (
                info.comment or len(info.extra) > MAX_EXTRA):
            raise LoadError("the member is compressed, encrypted, or not where it should be",
                            info.filename)
        stream.seek(at)
        header = stream.read(HEADER)
        name, extra = _lengths(header)
        if len(header) != HEADER or name != len(info.filename) or extra > MAX_EXTRA:
            raise LoadError("the member's header is not well formed", info.filename)
        at += HEADER + name + extra + info.file_size
        directory += ENTRY + len(info.filename) + len(info.extra)
    size = stream.seek(0, os.SEEK_END) - len(archive.comment)
    if archive.start_dir != at or size - at - directory not in (END, END_64):
        raise LoadError("the file has more in it than its members")
    if infos[0].file_size > MAX_JSON:
        raise LoadError(f"it is longer than {MAX_JSON} bytes", GRAPH)
    return names


def _parsed(text: bytes) -> Any:
    """Returns the data of canonical JSON: no key is there twice, no number in another form."""
    try:
        data = json.loads(text.decode("ascii"))
        same = canonical(data).encode() == text
    except (ValueError, RecursionError) as error:
        raise LoadError(f"no JSON of ours: {error}", GRAPH) from None
    if not same:
        raise LoadError("the JSON is not in the form that ag.save gives it", GRAPH)
    return data


def write_atomically(path: Path, write: Callable[[BinaryIO], Any],
                     check: Callable[[BinaryIO], Any] = lambda stream: None) -> None:
    """Writes a file next to its place and moves it there: a crash leaves the old file.

    Args:
      path: the file.
      write: writes the contents to a stream.
      check: reads the new file before it takes the old one's place; what it raises goes through.

    Raises:
      OSError: the disk is full, or the folder cannot be written.
    """
    target = path.resolve()  # a link stays a link
    if target.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    if target.exists() and not target.is_file():  # a device or a pipe stays one
        buffer = io.BytesIO()
        write(buffer)
        with open(target, "wb") as stream:
            stream.write(buffer.getvalue())
        return
    _remove_left_parts(target)
    try:
        handle, name = _locked_part(target)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(path)) from None
    held = os.dup(handle)  # the lock lasts until the file is in its place
    try:
        with os.fdopen(handle, "w+b") as stream:
            write(stream)
            stream.flush()
            os.fsync(stream.fileno())
        with open(name, "rb") as written:
            check(written)
        os.chmod(name, _mode(target))
        os.replace(name, target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    finally:
        os.close(held)


PART = ".part"
"""The end of the name of a file that is being written."""


def _locked_part(target: Path) -> tuple[int, str]:
    """Opens a new file beside another, and locks it: the system lets go of the lock when the
    process ends, however that is."""
    while True:
        handle, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=PART, dir=target.parent)
        if fcntl is not None:
            with suppress(OSError):  # some network disks have no locks
                fcntl.flock(handle, fcntl.LOCK_EX)
        if os.name != "posix" or os.fstat(handle).st_nlink:  # else it was taken for a left one
            return handle, name
        os.close(handle)


def _remove_left_parts(target: Path) -> None:
    """Removes what processes left that were killed while they wrote a file: what nobody locks."""
    for left in target.parent.glob(f".{glob.escape(target.name)}.*{PART}"):
        if fcntl is not None and left.is_file():
            with suppress(OSError), open(left, "rb") as stream:
                fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
                left.unlink()


def _mode(target: Path) -> int:
    """Returns the permissions of the file that is replaced, or those of a new file."""
    try:
        return target.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
