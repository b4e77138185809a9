"""The commands on files of `ag.save`: `autograph inspect` and `autograph run FILE.agz`."""

import re
from pathlib import Path

import numpy as np
import pytest

import autograph as ag
from autograph.tools import cli


class Counter(ag.Module):
    def __init__(self) -> None:
        super().__init__("counter")
        self.total = ag.Variable(np.zeros(3), name="total")
        self.log = open  # a file cannot hold it

    @ag.function
    def add(self, x):
        self.total.assign_add(x)
        return self.total.value()


@ag.function
def doubled(x, by=2.0):
    x[0] = 5.0
    if np.sum(x) > 0:
        return x * by
    return -x


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ag.save("f.agz", doubled, (np.ones(3),), samples=[(np.arange(3.0),)])
    ag.save("m.agz", Counter(), {"add": (np.ones(3),)})
    data = Path("f.agz").read_bytes()
    Path("damaged.agz").write_bytes(data[:-30])
    Path("other.agz").write_bytes(data.replace(b'"fun', b'"fuN', 1))
    return tmp_path


CASES = [
    (["inspect", "f.agz"], 0, r"f\.agz: [\d,]+ bytes, version 2 .*NumPy.*\n3 arrays, 72 bytes\n"
     r"(?s:.*)function doubled: 1 signature, 1 sample\n  doubled\(x: f64\[3\], by: 2.0\): "
     r"\d operations: .*multiply 1(?s:.*)cond\(.*# <test_saved_files.py>:\d+"),
    (["inspect", "f.agz", "--brief"], 0, r"(?s:.*)setitem 1.*\n\Z"),
    (["inspect", "m.agz"], 0, r".*\nmodule counter: total, add\n  left out: log, an object of "
     r"class \w+\nvariable total: f64\[3\], 24 bytes\n(?s:.*)assign_variable"),
    (["inspect", "m.agz::add"], 0, r".*\n\nfunction add: 1 signature, 0 samples\n"),
    (["inspect", "m.agz::sub"], 2, r"autograph inspect: m.agz has no function 'sub' \(it has: add"),
    (["inspect", "damaged.agz"], 1, r".*LoadError: AG302"),
    (["inspect", "other.agz"], 1, r".*LoadError: AG302"),
    (["inspect", "none.agz"], 2, r"autograph inspect: cannot read 'none.agz': No such file"),
    (["run", "f.agz", "--args", "np.ones(3)"], 0,
     r"array\(\[10\.,  2\.,  2\.\]\)\nargument 0: array\(\[5\., 1\., 1\.\]\)\n\Z"),
    (["run", "--args", "x=np.ones(3)", "by=2.0", "f.agz"], 0, r"array\(\[10.*\nx: array\(\[5"),
    (["run", "f.agz", "--verify", "--executor", "interpreter", "--args", "-np.ones(3) * 9"], 0,
     r"array\(\[-5\.,  9\.,  9\.\]\)\n"),
    (["run", "f.agz", "--executor", "tiered", "--args", "np.ones(3)"], 0, r"array\(\[10\."),
    (["export", "f.agz", "--onnx"], 2, r"autograph export: f.agz is a file of ag.save, which"),
    (["export", "f.agz::doubled", "--onnx"], 2, r"autograph export: f.agz is a file of ag.save"),
    (["run", "m.agz::add", "--args", "np.ones(3)"], 0, r"array\(\[1\., 1\., 1\.\]\)\n\Z"),
    (["run", "m.agz", "--args", "np.ones(3)"], 2, r"autograph run: m.agz is a module: .*has: add"),
    (["run", "m.agz::add", "--verify", "--args", "np.ones(3)"], 2, r".*holds no samples"),
    (["run", "f.agz", "--args", "np.ones(4)"], 1, r".*SignatureError"),
    (["run", "f.agz", "--args", "1 +"], 2, r"autograph run: argument '1 \+': SyntaxError"),
    (["run", "f.agz", "--class", "nowhere:A"], 2, r"autograph run: --class nowhere:A: No module"),
    (["run", "--args", "1"], 2, r"autograph run: say which file"),
    (["run", "damaged.agz", "--args"], 1, r".*LoadError: AG302"),
]


@pytest.mark.parametrize(("words", "code", "text"), CASES, ids=lambda x: str(x)[:50])
def test_command(folder: Path, words: list[str], code: int, text: str,
                 capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    try:
        found = cli.main(words)
    except SystemExit as end:
        found = end.code
    out, err = (text.decode() for text in capsysbinary.readouterr())
    assert found == code, (out, err)
    assert re.match(text, err if code else out), (out, err)
    assert not code or not out


def test_a_strangers_names_cannot_steer_the_terminal(
        folder: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    ag.save("f.agz", ag.Module("m\x1b[31m\x9b1A"))
    assert cli.main(["inspect", "f.agz"]) == 0
    assert b"\x1b" not in capsysbinary.readouterr().out
