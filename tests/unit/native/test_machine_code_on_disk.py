"""Machine code in the cache on disk: the same text in every process, loaded by its symbols."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

import autograph as ag
from tests.house.checkout import ROOT
from tests.support.native import compile_short_loops, finish_compiling, tell_modules
from tests.unit.native.test_processors import arguments, mixed, same

pytest.importorskip("llvmlite", reason="native code needs llvmlite")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    compile_short_loops(monkeypatch)
    ag.config.cache_dir = tmp_path / "cache"
    yield tmp_path / "cache"
    ag.config.cache_dir = None


def run() -> None:
    native = ag.function(mixed, jit_compile=True)
    for _ in range(2):
        assert same(native(*arguments()), mixed(*arguments()))
    finish_compiling()


def test_code_is_compiled_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    compiled = tell_modules(monkeypatch)
    run()
    count = len(compiled)
    assert count >= 2
    compiled = tell_modules(monkeypatch)
    run()
    assert not compiled


def test_another_processor_has_code_of_its_own(folder: Path, monkeypatch: pytest.MonkeyPatch
                                               ) -> None:
    from autograph.runtime.native import compiler

    run()
    compiled = tell_modules(monkeypatch)
    monkeypatch.setattr(compiler, "processor", lambda: ("x86-64", ""))
    run()
    assert compiled


@pytest.mark.parametrize("damage", [
    lambda x: b"", lambda x: x[:70], lambda x: x[50:], lambda x: x[:-100], lambda x: b"no" * 400])
def test_what_is_no_object_file_is_compiled_anew(damage: Callable[[bytes], bytes], folder: Path,
                                                 monkeypatch: pytest.MonkeyPatch) -> None:
    """LLVM would end the process over it."""
    from autograph.runtime.disk import cache
    from autograph.runtime.native.compiler import compile_module

    text = "define i64 @kernel() {\n  ret i64 7\n}\n"
    compile_module(text)
    (path,) = folder.iterdir()
    cache.keep(path.stem, damage(cache.find(path.stem) or b""))
    compiled = tell_modules(monkeypatch)
    _, address = compile_module(text)
    assert compiled == [(text, "all")] and address


PROCESS = """
import sys
import autograph as ag, pytest
from tests.support.native import compile_short_loops, tell_modules
from tests.unit.native.test_processors import arguments, mixed, same
compile_short_loops(pytest.MonkeyPatch())
compiled = tell_modules(pytest.MonkeyPatch())
f = ag.function(mixed, jit_compile=True)
assert same(f(*arguments()), mixed(*arguments()))
sys.stdout.write(f"{len(compiled)}\\n{f.to_llvm(*arguments())}")
"""


def another_process(folder: Path) -> tuple[int, str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), "AUTOGRAPH_CACHE": str(folder)}
    said = subprocess.run([sys.executable, "-c", PROCESS], env=env, capture_output=True, text=True,
                          check=True).stdout
    count, _, text = said.partition("\n")
    return int(count), text


def test_another_process_has_the_same_text_and_compiles_nothing(tmp_path: Path) -> None:
    """Addresses differ from process to process: none is in the text."""
    (first, text), (second, again) = (another_process(tmp_path / "cache") for _ in range(2))
    assert first >= 2
    assert second == 0
    assert text == again
    assert "inttoptr" not in text


def test_names_that_mean_two_things_are_kept_apart() -> None:
    from autograph.runtime.native.symbols import addresses_of, symbol, thing

    class Twin:
        pass

    first = Twin
    second = type("Twin", (), {"__qualname__": Twin.__qualname__, "__module__": Twin.__module__})
    text = f"{thing(first)} {thing(second)} {thing(first)} {thing(np.float64)}"
    assert [address for _, address in addresses_of(text)] == [
        id(first), id(second), id(np.float64)]
    with pytest.raises(AssertionError):
        symbol('a" = external global i8', 1)
