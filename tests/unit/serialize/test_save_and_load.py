"""Functions that are saved, loaded, run, and saved again."""

import io
import os
import subprocess
import sys
import textwrap
import threading
import zipfile
from enum import Enum, Flag, IntEnum
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.functions.execution import EXECUTORS
from autograph.runtime.native.machine import missing
from autograph.runtime.serialize.archive import seal, write_atomically
from autograph.runtime.serialize.samples import difference
from autograph.runtime.serialize.save import dumps, loads
from tests.support.outcome import run

WEIGHTS = np.arange(9.0).reshape(3, 3).T


@ag.function
def newton(x, steps):
    guess = x
    for _ in range(steps):
        if np.any(guess > 0):
            guess = 0.5 * (guess + x / guess)
    x[0] = 0.0
    return {"roots": guess, "all": (guess @ WEIGHTS, [steps])}


@ag.function(input_signature=[ag.TensorSpec(["n", 2]), ag.TensorSpec(["n"])])
def scaled_rows(x, w):
    return x * w[:, None]


def both(f, *arguments):
    """The outcomes of a function and of what is loaded of it, for all argument tuples."""
    loaded = loads(dumps(f))
    return [(run(f, a).describe(True), run(loaded, a).describe(True)) for a in arguments]


def test_a_loaded_function_does_what_the_function_did() -> None:
    calls = [(np.array([4.0, 9.0, 2.0]), 3), (np.array([1.0, 2.0, 3.0]), 2)]
    for args in calls:
        newton(*[np.copy(a)[()] if isinstance(a, np.ndarray) else a for a in args])
    assert all(a == b for a, b in both(newton, *calls))


def test_it_is_saved_again_byte_for_byte() -> None:
    newton.get_concrete_function(np.ones(3), 3)
    data = dumps(newton, samples=[(np.ones(3), 3)])
    assert dumps(loads(data)) == data == dumps(loads(dumps(loads(data))))


def test_other_versions_save_it_again_byte_for_byte(monkeypatch: pytest.MonkeyPatch) -> None:
    data = dumps(newton, (np.ones(3), 3))
    monkeypatch.setattr(np, "__version__", "99.0")
    assert dumps(loads(data)) == data != dumps(newton, (np.ones(3), 3))


@pytest.mark.parametrize("executor", ["python", "interpreter"])
def test_it_runs_on_every_executor(executor: str) -> None:
    loaded = loads(dumps(newton, (np.ones(3), 3)), executor=executor)
    x = np.array([4.0, 9.0, 2.0])
    assert np.array_equal(loaded(x.copy(), 3)["roots"], newton(x.copy(), 3)["roots"])


def test_named_dims_are_kept() -> None:
    loaded = loads(dumps(scaled_rows))
    assert loaded(np.ones((4, 2)), np.arange(4.0)).shape == (4, 2)
    with pytest.raises(ag.SignatureError):
        loaded(np.ones((4, 2)), np.arange(3.0))


def test_a_call_that_no_signature_fits_is_refused() -> None:
    loaded = loads(dumps(newton, [(np.ones(3), 3), (np.ones(3), 2)]))
    with pytest.raises(ag.SignatureError, match=r"It takes:\n  \(x: f64\[3\], steps: 3\)\n"):
        loaded(np.ones(4), 3)
    with pytest.raises(ag.SignatureError):
        loaded(np.ones(3))  # steps could be 3 or 2


def test_defaults_are_kept() -> None:
    def power(x, n=2, offset=WEIGHTS[0]):
        return x ** n + offset

    f = ag.function(power)
    f(np.ones(3))
    assert np.array_equal(loads(dumps(f))(np.full(3, 2.0)), power(np.full(3, 2.0)))


PROGRAM = """
    import sys
    import numpy as np
    import autograph as ag
    loaded = ag.load(sys.argv[1], verify=True)
    print(loaded(np.array([4.0, 9.0, 2.0]), 3)["roots"].tolist())
"""


def test_another_process_needs_no_source(tmp_path: Path) -> None:
    path = tmp_path / "newton.agz"
    ag.save(path, newton, (np.ones(3), 3), samples=[(np.arange(3.0) + 1, 3)])
    out = subprocess.run([sys.executable, "-c", textwrap.dedent(PROGRAM), str(path)], text=True,
                         capture_output=True, check=True, cwd=tmp_path,
                         env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}).stdout
    assert out.strip() == str(newton(np.array([4.0, 9.0, 2.0]), 3)["roots"].tolist())


def test_a_crash_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f.agz"
    ag.save(path, newton, (np.ones(3), 3))
    before = path.read_bytes()
    monkeypatch.setattr(os, "fsync", lambda fd: (_ for _ in ()).throw(OSError("disk full")))
    with pytest.raises(OSError, match="disk full"):
        ag.save(path, newton, (np.ones(3), 4))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["f.agz"]


KILLED = """
import os, signal, sys
from pathlib import Path
from autograph.runtime.serialize.archive import write_atomically
os.fsync = lambda handle: os.kill(os.getpid(), signal.SIGKILL)
write_atomically(Path(sys.argv[1]), lambda stream: stream.write(b"half"))
"""


@pytest.mark.skipif(os.name != "posix", reason="there are no such locks")
def test_a_save_removes_what_a_killed_one_left(tmp_path: Path) -> None:
    path = tmp_path / "kept"
    subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    (left,) = tmp_path.iterdir()
    assert left.suffix == ".part"

    def write(stream: BinaryIO) -> None:  # another save meanwhile leaves this one alone
        write_atomically(path, lambda inner: inner.write(b"first"))
        assert path.read_bytes() == b"first"
        stream.write(b"second")

    write_atomically(path, write)
    assert list(tmp_path.iterdir()) == [path]
    assert path.read_bytes() == b"second"



def test_samples_are_verified(tmp_path: Path) -> None:
    path = tmp_path / "f.agz"
    ag.save(path, newton, (np.ones(3), 3), samples=[(np.arange(3.0) + 1, 3)])
    assert ag.load(path, verify=True).samples[0].after[0][0] == 0.0
    data = path.read_bytes()
    wrong = data.replace(b'"args":[0.5,', b'"args":[0.7,')
    assert wrong != data
    with pytest.raises(ag.errors.LoadError, match="CRC"):
        loads(wrong)


@pytest.mark.parametrize("make", [lambda: np.ones(3), lambda: [np.ones(3), 1.0]])
def test_a_sample_keeps_what_is_given_twice(make, tmp_path: Path) -> None:
    @ag.function
    def first_of_both(a, b):
        a[0] = b[1] + 5.0
        return b[0]

    traced, once = make(), make()
    first_of_both(traced, traced)
    ag.save(tmp_path / "f.agz", first_of_both, samples=[(once, once)])
    loaded = ag.load(tmp_path / "f.agz", verify=True)
    arguments = loaded.samples[0].arguments
    assert arguments[0] is arguments[1] is not once
    with pytest.raises(ag.SignatureError, match=r"b is the same (array|container) as a in this"):
        loaded(make(), make())


def test_ends_of_slices_have_their_types() -> None:
    assert not difference(slice(1, 3), slice(1, 3))
    assert difference(slice(1, 3), slice(True, 3))


def test_a_call_of_python_is_refused_with_its_line() -> None:
    @ag.function
    def noisy(x):
        y = x + 1
        return ag.py_function(lambda v: v, [y], np.float64)

    with pytest.raises(ag.errors.SaveError, match=r"return ag\.py_function") as caught:
        dumps(noisy, (np.ones(2),))
    assert caught.value.code == "AG301"


@ag.function
def silent(x):
    with np.errstate(divide="ignore", invalid="ignore"):
        x /= x.sum()
        y = np.log(x) if x[0] > 0 else 1 / x
    return y


def test_a_block_that_lets_exceptions_pass_is_no_handler() -> None:
    calls = [(np.array([1.0, 0.0]),), (np.array([0.0, 0.0]),), (np.array([-1.0, 2.0]),)]
    silent(*calls[0])
    assert all(a == b for a, b in both(silent, *calls))


class Norm(Enum):
    SUM = 1
    LARGEST = 2


class Axis(IntEnum):
    ROWS = 0
    COLUMNS = 1


class Ends(Flag):
    LOW = 1
    HIGH = 2


@ag.function
def measured(x, norm, axis, ends):
    made = x.sum(axis) if norm is Norm.SUM else np.max(x, axis)
    return made[:1] if ends & Ends.LOW else made, norm


def test_members_of_enumerations_are_arguments_and_results() -> None:
    measured(WEIGHTS, Norm.SUM, Axis.ROWS, Ends.LOW)
    classes = [Norm, Axis, Ends]
    data = dumps(measured, classes=classes)
    loaded = loads(data, classes=classes)
    for x in (WEIGHTS, -WEIGHTS):
        wanted, found = (f(x, Norm.SUM, Axis.ROWS, Ends.LOW) for f in (measured, loaded))
        assert np.array_equal(found[0], wanted[0]) and found[1] is Norm.SUM
    assert dumps(loaded, classes=classes) == data
    with pytest.raises(ag.SignatureError):
        loaded(WEIGHTS, Norm.LARGEST, Axis.ROWS, Ends.LOW)
    for there, other in ((b'"SUM"', b'"ALL"'), (b"LOW", b"L_W")):
        with pytest.raises(ag.errors.LoadError, match="no member"):
            loads(changed(data, there, other), classes=classes)
    with pytest.raises(ag.errors.LoadError, match="pass it"):
        loads(data)
    measured(WEIGHTS, Norm.SUM, Axis.ROWS, Ends.LOW | Ends.HIGH)
    with pytest.raises(ag.errors.SaveError, match="'Ends' cannot be saved"):
        dumps(measured, classes=classes)


def changed(data: bytes, there: bytes, other: bytes) -> bytes:
    """A file with another text in its graph, and a seal that is right."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            new.writestr(name, text.replace(there, other) if name.endswith(".json") else text)
        new.comment = old.comment
    seal(made)
    return made.getvalue()


def test_no_trace_is_refused() -> None:
    with pytest.raises(ag.errors.SaveError, match="has no trace yet"):
        dumps(ag.function(lambda x: x + 1))


def test_a_file_that_cannot_be_read_back_is_not_kept(
        tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "f.agz"
    ag.save(path, newton, (np.ones(3), 3))
    before = path.read_bytes()
    monkeypatch.setattr("autograph.runtime.serialize.archive.MAX_JSON", 100)
    with pytest.raises(ag.errors.SaveError, match="cannot be read back: it is longer than 100"):
        ag.save(path, newton, (np.ones(3), 4))
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["f.agz"]


@pytest.mark.parametrize("count", [150, 400])
def test_a_long_chain_is_refused_with_the_line_that_is_too_deep(
        tmp_path: Path, count: int) -> None:
    lines = ["def chain(x):", "    if x < 0:", "        return -x"]
    for k in range(count):
        lines += [f"    elif x < {k}:", f"        return x * {k}"]
    scope: dict[str, object] = {}
    path = tmp_path / "chain.py"
    path.write_text("\n".join([*lines, "    return x", ""]))
    exec(compile(path.read_text(), str(path), "exec"), scope)
    with pytest.raises(ag.errors.SaveError, match=r"nested more than 100 deep\n.*\n +elif x < 99"):
        ag.save(tmp_path / "f.agz", ag.function(scope["chain"]), (np.float64(3.0),))


def test_arguments_that_are_no_tuple_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ag.errors.SaveError, match=r"are a tuple, not ndarray\n.*f, \(x,\)"):
        ag.save(tmp_path / "f.agz", ag.function(lambda x: x), np.ones(3))


def test_a_plain_function_is_refused_by_its_name(tmp_path: Path) -> None:
    with pytest.raises(ag.errors.SaveError, match=r"plain is a plain function.*\n.*ag\.function"):
        ag.save(tmp_path / "f.agz", plain, (np.ones(3),))


def plain(x):
    return x


def test_an_error_of_loading_names_the_file(tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.ones(3))
    with pytest.raises(ag.errors.LoadError, match=r"AG302 \S+a\.npy: this is no file of ag\.save"):
        ag.load(tmp_path / "a.npy")


def test_a_pipe_stays_a_pipe(tmp_path: Path) -> None:
    path, read = tmp_path / "pipe", []
    os.mkfifo(path)
    reader = threading.Thread(target=lambda: read.append(path.read_bytes()))
    reader.start()
    ag.save(path, ag.function(lambda x: x + 1), (np.ones(3),))
    reader.join(30)
    assert path.is_fifo() and loads(read[0])(np.ones(3)).tolist() == [2.0, 2.0, 2.0]


def shifted(x, y):
    x[1:] = y[:-1]
    return x.sum()


def test_calls_like_earlier_ones_look_at_what_differs() -> None:
    """A call with different arrays of dtypes and shapes that were met is run at once."""
    made = loads(dumps(ag.function(shifted), (np.ones(3), np.ones(3))))
    total = loads(dumps(ag.function(lambda x, y: x + y), [
        (np.ones(3), np.ones(3)), (np.ones(3), np.ones(3, np.float32)), (np.ones(2), 2)]))
    for k in range(3):
        x, y = np.arange(3.0), np.arange(3.0) + k
        assert made(x, y) == shifted(np.arange(3.0), y) and x.tolist() == [0.0, y[0], y[1]]
        assert total(y, y.copy()).tolist() == (y + y).tolist()
        assert total(y, x.astype(np.float32)).dtype == np.float64
        assert total(np.ones(2), 2).tolist() == [3.0, 3.0]
        with pytest.raises(ag.InvalidArgumentError, match="shares memory"):
            made((whole := np.arange(4.0))[:3], whole[1:])
        with pytest.raises(ag.SignatureError):
            total(np.ones(3), np.ones(4))


def test_half_characters_are_refused(tmp_path: Path) -> None:
    """In JSON two of them are one character: the text would be another one."""
    for text in ("\ud83d\ude00", "a\ud800"):
        f = ag.function(lambda x, t=text: (x, t))
        f(1.0)
        with pytest.raises(ag.errors.SaveError, match="half a character"):
            ag.save(tmp_path / "f.agz", f)
    g = ag.function(lambda x: (x, "\U0001f600"))
    assert loads(dumps(g, (1.0,)))(1.0) == (1.0, "\U0001f600")


@pytest.mark.parametrize("executor", EXECUTORS)
def test_every_executor_runs_what_a_file_holds(executor: str) -> None:
    if executor == "native" and (reason := missing()):
        pytest.skip(reason)
    made = loads(dumps(newton, (np.ones(3), 3)), executor=executor)
    assert made.executor == made.concrete(0).executor == executor
    wanted = run(newton, (np.arange(1.0, 4.0), 3)).describe()
    assert run(made, (np.arange(1.0, 4.0), 3)).describe() == wanted
    assert dumps(made) == dumps(loads(dumps(made)))


def test_what_is_no_executor_and_no_function(tmp_path: Path) -> None:
    ag.save(tmp_path / "f.agz", newton, (np.ones(3), 3))
    with pytest.raises(ag.InvalidArgumentError, match="no executor is named 'fast'"):
        ag.load(tmp_path / "f.agz", executor="fast")
    with pytest.raises(ag.errors.SaveError, match="the class Module cannot be saved"):
        dumps(ag.Module)


def test_a_view_by_a_function_without_a_record_is_still_a_view() -> None:
    @ag.function
    def windows(x: np.ndarray) -> np.ndarray:
        seen = np.lib.stride_tricks.sliding_window_view(x, 2)
        x[0] = 9.0
        return seen

    windows(np.arange(4.0))
    data = dumps(windows)
    assert dumps(loads(data)) == data
    assert loads(data)(np.arange(4.0)).tolist() == windows(np.arange(4.0)).tolist()
