"""Damaged files: each is refused with one error, or is a file that means something else.

    AUTOGRAPH_TESTS=100 python -m pytest tests/unit/serialize/test_damaged_files.py
"""

import io
import warnings
import zipfile
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.errors import LoadError
from autograph.runtime.serialize.archive import SEAL, seal
from autograph.runtime.serialize.save import dumps, loads
from tests.support.amount import ALL, count
from tests.support.fuzzed_files import Fuzzer, fate
from tests.support.outcome import run
from tests.support.saved_programs import CALLS


@pytest.fixture(scope="module")
def data() -> bytes:
    f = ag.function(lambda x: np.sum(x * np.arange(3.0)))
    return dumps(f, (np.ones(3),))


def test_fuzzed_files_are_refused_or_mean_something() -> None:
    fuzzer = Fuzzer(seed=5)
    fates = Counter(fate(fuzzer.file()) for _ in range(count(1000)))
    assert {told: n for told, n in fates.items() if told.startswith("WRONG")} == {}
    assert fates["refused"] > fates["accepted"] > 0


def test_files_that_were_changed_after_they_were_sealed_are_refused() -> None:
    fuzzer = Fuzzer(seed=6, sealed=False)
    fates = Counter(fate(fuzzer.file()) for _ in range(count(1000)))
    assert set(fates) == {"refused"}


def test_every_flip_is_refused(data: bytes) -> None:
    for at in range(0, len(data), 1 if ALL else 5):
        made = bytearray(data)
        made[at] ^= 1 << at % 8
        with pytest.raises(LoadError):
            loads(bytes(made))


def test_every_truncation_is_refused(data: bytes) -> None:
    for length in range(0, len(data), 7):
        with pytest.raises(LoadError):
            loads(data[:length])


def packed(*members: tuple[str, bytes], kind: int = zipfile.ZIP_STORED) -> bytes:
    """Returns a file with these members and a seal that is right, as who knows the format makes."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", kind) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of a name that is there twice
        for name, held in members:
            archive.writestr(zipfile.ZipInfo(name), held, kind)
        archive.comment = bytes(SEAL)
    seal(made)
    return made.getvalue()


def members(data: bytes) -> list[tuple[str, bytes]]:
    archive = zipfile.ZipFile(io.BytesIO(data))
    return [(name, archive.read(name)) for name in archive.namelist()]


def test_half_a_character_in_a_result_is_refused() -> None:
    """Nothing could save what was loaded."""
    f = ag.function(lambda x: (x, "a text of this file"))
    held = [(name, data.replace(b"a text of this file", b"\\ud800"))
            for name, data in members(dumps(f, (1.0,)))]
    with pytest.raises(LoadError, match="half a character"):
        loads(packed(*held))


HOSTILE = {
    "a path out of the folder": lambda m: packed(*m, ("../../evil", b"x")),
    "a member twice": lambda m: packed(*m, m[-1]),
    "compressed": lambda m: packed(*m, kind=zipfile.ZIP_DEFLATED),
    "a bomb": lambda m: packed(m[0], (m[1][0], bytes(10 ** 8)), kind=zipfile.ZIP_DEFLATED),
    "a pickle": lambda m: packed(m[0], (m[1][0], b"\x80\x04N.")),
    "another version": lambda m: packed(
        (m[0][0], m[0][1].replace(b'"version":2', b'"version":3')), *m[1:]),
    "an older version, with a seal": lambda m: packed(
        (m[0][0], m[0][1].replace(b'"version":2', b'"version":1')), *m[1:]),
    "a key twice": lambda m: packed((m[0][0], b'{"format":1,' + m[0][1][1:]), *m[1:]),
    "an op that is not there": lambda m: packed(
        (m[0][0], m[0][1].replace(b'"op":"multiply"', b'"op":"call os.system"')), *m[1:]),
    "a type that is not true": lambda m: packed(
        (m[0][0], m[0][1].replace(b'"shape":[]', b'"shape":[9]')), *m[1:]),
    "nested deeply": lambda m: packed((m[0][0], b"[" * 10 ** 5 + b"]" * 10 ** 5)),
    "a value before it is made": lambda m: packed(
        (m[0][0], m[0][1].replace(b'"args":["%0"', b'"args":["%3"')), *m[1:]),
}


@pytest.mark.parametrize("title", HOSTILE)
def test_hostile_file_is_refused(data: bytes, title: str) -> None:
    made = HOSTILE[title](members(data))
    assert made != data
    with pytest.raises(LoadError) as caught:
        loads(made)
    assert caught.value.code == "AG302"


def test_a_huge_shape_in_an_equation_is_refused() -> None:
    v = ag.Variable(np.zeros(2), name="v")
    m = members(dumps(ag.function(lambda x: v + x), (np.ones(2),)))
    text = m[0][1].replace(b'{"tuple":[2]}', b'{"range":[0,1000000000000000000,1]}')
    assert text != m[0][1]
    with pytest.raises(LoadError, match="is no shape"):
        loads(packed((m[0][0], text), *m[1:]))


def test_a_declared_size_is_not_believed(data: bytes) -> None:
    m = members(data)
    header = m[1][1].replace(b"(3,), ", b"(10**12,)").replace(b"10**12", b"999999")
    with pytest.raises(LoadError, match="does not hold what its header says"):
        loads(packed(m[0], (m[1][0], header)))


def test_a_file_that_would_write_a_file_is_refused(tmp_path: Path) -> None:
    @ag.function
    def told(x):
        ag.print(x, output_stream=f"file://{tmp_path}/out")
        return x

    with pytest.raises(ag.errors.SaveError, match="writes to a stream or a file"):
        dumps(told, (np.ones(2),))


# -- files of older versions -----------------------------------------------------------------------

STORED = Path(__file__).parent
"""The files there are never written anew: newer versions have to read them."""


def test_a_module_of_version_1_is_read() -> None:
    model = ag.load(STORED / "version_1.agz")
    assert model.count.value() == 1
    assert model.step(np.ones(3)).tolist() == [1.0, 2.5, 4.0]


def test_programs_of_version_1_are_read() -> None:
    programs = ag.load(STORED / "version_1_programs.agz")
    for function, arguments in CALLS:
        if function.__name__ != "state":
            assert run(getattr(programs, function.__name__), arguments).describe() == run(
                function, arguments).describe()
    assert programs.state(np.ones(2)).tolist() == [2.0, 2.0]
    assert programs.state(np.ones(2)).tolist() == [4.0, 4.0]


def test_a_function_of_version_2_is_read() -> None:
    assert ag.load(STORED / "version_2.agz", verify=True)(np.ones(3)) == 3.0
