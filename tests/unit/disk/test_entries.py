"""The folder of the cache on disk: who may use it, what is in it, how much."""

import errno
import os
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import autograph as ag
from autograph.runtime.disk import cache, entries
from autograph.runtime.disk.entries import ENTRY, PART, Entries
from tests.house.checkout import ROOT

pytestmark = pytest.mark.skipif(os.open not in os.supports_dir_fd, reason="needs openat")


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A folder that is not there yet, for the cache of this process."""
    path = tmp_path / "a cache"
    ag.config.cache_dir = path
    yield path
    ag.config.cache_dir = None
    ag.config.cache_bytes = cache.SIZE


def test_it_is_off_unless_a_folder_is_named() -> None:
    assert ag.config.cache_dir is None
    cache.keep("a", b"x")
    assert cache.find("a") is None


def test_what_is_kept_is_found_and_private(folder: Path) -> None:
    for key, data in (("a", b""), ("b", bytes(range(256)) * 100)):
        cache.keep(key, data)
        assert cache.find(key) == data
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert {stat.S_IMODE(p.stat().st_mode) for p in folder.iterdir()} == {0o600}
    cache.forget("a")
    assert cache.find("a") is None


def test_damaged_entries_are_ignored_and_removed(folder: Path) -> None:
    cache.keep("a", b"what is kept")
    file = folder / f"a{ENTRY}"
    whole = file.read_bytes()
    damaged = [b"", whole[:-1], whole + b"x", b"x" + whole, whole[:40]]
    damaged += [whole[:k] + bytes([whole[k] ^ 1]) + whole[k + 1:] for k in range(len(whole))]
    for data in damaged:
        file.write_bytes(data)
        assert cache.find("a") is None
        assert not file.exists()
    (folder / f"b{ENTRY}").write_bytes(whole)  # under another key
    assert cache.find("b") is None


def test_no_file_of_another_kind_is_read(folder: Path, tmp_path: Path) -> None:
    cache.keep("a", b"x")
    whole = (folder / f"a{ENTRY}").read_bytes()
    (tmp_path / "elsewhere").write_bytes(whole)
    (folder / f"a{ENTRY}").unlink()
    (folder / f"a{ENTRY}").symlink_to(tmp_path / "elsewhere")
    assert cache.find("a") is None
    (folder / f"a{ENTRY}").unlink()
    os.mkfifo(folder / f"a{ENTRY}")  # opening it does not wait for a writer
    assert cache.find("a") is None
    (folder / f"a{ENTRY}").unlink()
    (folder / f"a{ENTRY}").mkdir()
    assert cache.find("a") is None


@pytest.mark.parametrize("mode", [0o770, 0o707, 0o777, 0o1777])
def test_a_folder_that_others_may_write_is_refused_once(folder: Path, mode: int) -> None:
    folder.mkdir()
    folder.chmod(mode)
    with pytest.warns(ag.CacheWarning, match="other users may write into it") as caught:
        for _ in range(3):
            cache.keep("a", b"x")
            assert cache.find("a") is None
    assert len(caught) == 1
    assert list(folder.iterdir()) == []


def test_a_folder_of_another_user_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch
                                             ) -> None:
    folder.mkdir(0o700)
    monkeypatch.setattr(os, "geteuid", lambda: folder.stat().st_uid + 1)
    with pytest.warns(ag.CacheWarning, match="it belongs to another user"):
        cache.keep("a", b"x")
    assert list(folder.iterdir()) == []


def test_a_file_where_the_folder_should_be(folder: Path) -> None:
    folder.write_bytes(b"")
    with pytest.warns(ag.CacheWarning, match="Not a directory"):
        cache.keep("a", b"x")


def test_a_full_disk_is_a_warning_and_what_is_there_is_found(
        folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cache.keep("a", b"kept")

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(entries, "_write", full)
    with pytest.warns(ag.CacheWarning, match="No space left") as caught:
        for key in ("b", "c"):
            cache.keep(key, b"x")
    assert len(caught) == 1
    assert cache.find("a") == b"kept"
    assert [p.name for p in folder.iterdir()] == [f"a{ENTRY}"]


@pytest.mark.filterwarnings("error")
def test_where_warnings_are_errors_nothing_fails(folder: Path) -> None:
    folder.write_bytes(b"")
    cache.keep("a", b"x")


def test_what_was_used_longest_ago_goes(folder: Path) -> None:
    ag.config.cache_bytes = 10_000
    for k in range(8):
        cache.keep(str(k), bytes(1000))
        os.utime(folder / f"{k}{ENTRY}", (k, k))
    cache.find("0")  # it was used now
    cache.keep("8", bytes(2000))
    left = {p.name.removesuffix(ENTRY) for p in folder.iterdir()}
    assert {"0", "8", "7"} <= left
    assert not {"1", "2"} & left
    assert sum(p.stat().st_size for p in folder.iterdir()) <= 10_000
    cache.keep("9", bytes(9000))  # more than fits
    assert cache.find("9") is None


def test_what_a_process_left_behind_is_removed(folder: Path) -> None:
    cache.keep("a", b"x")
    old, new = folder / f"old{PART}", folder / f"new{PART}"
    for path, age in ((old, 1e5), (new, 0)):
        path.write_bytes(b"half")
        os.utime(path, (time.time() - age,) * 2)
    (folder / "of the user").write_bytes(b"x")
    os.utime(folder / "of the user", (0, 0))
    again = Entries(folder, 1000)
    again.write("b", b"x")
    assert sorted(p.name for p in folder.iterdir()) == [
        f"a{ENTRY}", f"b{ENTRY}", f"new{PART}", "of the user"]


WRITER = """
import sys
from autograph.runtime.disk.entries import Entries
entries = Entries(sys.argv[1], 200_000)
for turn in range(40):
    for k in range(10):
        data = bytes([k]) * (1000 * k)
        entries.write(str(k), data)
        assert entries.read(str(k)) in (data, None), "another's bytes"
"""


def test_processes_beside_each_other(folder: Path) -> None:
    """They write, read and evict the same entries: what is read is whole."""
    runs = [subprocess.Popen([sys.executable, "-c", WRITER, str(folder)],
                             env={**os.environ, "PYTHONPATH": str(ROOT)}) for _ in range(4)]
    assert [run.wait() for run in runs] == [0] * 4
    assert not [p for p in folder.iterdir() if p.name.endswith(PART)]
    assert sum(p.stat().st_size for p in folder.iterdir()) <= 200_000


def test_the_environment_names_the_folder(tmp_path: Path) -> None:
    code = "import autograph as ag; print(ag.config.cache_dir, ag.config.cache_bytes)"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "AUTOGRAPH_CACHE": str(tmp_path / "c"),
           "AUTOGRAPH_CACHE_BYTES": "12345"}
    said = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    assert said.stdout.decode().split() == [str(tmp_path / "c"), "12345"]
    assert not (tmp_path / "c").exists()


def test_a_number_of_bytes_that_is_none_is_a_warning(tmp_path: Path) -> None:
    code = "import autograph as ag; print(ag.config.cache_bytes)"
    env = {**os.environ, "PYTHONPATH": str(ROOT), "AUTOGRAPH_CACHE_BYTES": "much"}
    said = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, check=True)
    assert said.stdout.decode() == f"{1 << 28}\n"
    assert b"AUTOGRAPH_CACHE_BYTES is 'much', which is no number of bytes" in said.stderr
