"""`to_code`, row by row of its contract: the words, the exit code, what is said and what is
written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from autograph.tools import options, progress, to_code, watch
from autograph.tools.gitignore import Ignored, patterns_of
from autograph.tools.targets import targets_of
from tests.unit.tools import folder

ROOT = Path(__file__).parents[3]


@dataclass(frozen=True)
class Row:
    """A command line and what it must come to; texts must occur where they are named."""

    words: str
    code: int = 0
    out: tuple[str, ...] = ()
    err: tuple[str, ...] = ()
    not_out: tuple[str, ...] = ()
    file: tuple[str, str] | None = None


ROWS = [
    # -- sources
    Row("one.py", out=("def helper(x):\n    return ag.not_(x)", "helper(x)", "while x < 10")),
    Row("one.py::other", out=("ag.while_loop",), not_out=("helper",)),
    Row("one.py::helper one.py::other", out=("ag.not_", "ag.while_loop")),
    Row("one.py::nothing", 2, err=("has no function 'nothing' (it has: helper, marked, other)",)),
    Row("call.py", out=("return ag.cond(x, lambda: 1, lambda: 2)\n\ndef left",
                        "    slow, autograph=False,", "compiled(slow, autograph=False, jit_",
                        "def left(x):\n    return 1 if x else 2")),
    Row("tree -q", out=("# tree/a.py", "# tree/sub/b.py"), not_out=("c.py", "d_generated")),
    Row("tree --all --exclude sub", out=("def a(x)",), not_out=("def b(x)",)),
    Row("tree/ignored/c.py --all", out=("ag.not_",)),  # named, so wanted
    Row("tree/*.py --all", out=("def a(x)",)),
    Row("one.py::other --all", out=("ag.while_loop",), not_out=("helper",)),
    Row("counters.py::Counter", not_out=("free",), out=(
        "class Counter:\n    def up(self):\n        return ag.cond", "\n\n    def down")),
    Row("counters.py::Counter.up", out=("class Counter:\n    def up",), not_out=("down",)),
    Row("counters:Counter", out=("class Counter:\n    def up",), not_out=("free",)),
    Row("counters:Counter.up", out=("def up(self):\n    return",), not_out=("class",)),
    Row("counters.py::Count", 2, err=("has no function 'Count'",)),
    Row("one.py --diff call.py", out=("--- one.py", "--- call.py")),
    Row("-q one.py -j 1 call.py --check bad.py", 1, err=("AG104",)),
    Row("one.py::other bad.py::produce", 1, out=("# one.py\n",), not_out=("# bad.py",),
        err=("AG104",)),
    Row("math:sqrt", 1, err=("autograph has its own version of it",)),
    Row("one:other", out=("ag.while_loop",)),
    Row("-c 'lambda: 1'", out=("lambda: 1",)),
    Row("-c 'def f(x): return not x'", out=("return ag.not_(x)",)),
    Row("nothing.py", 2, err=("to_code: there is no file 'nothing.py'",)),
    Row("tree/ignored -q", out=("def c",)),
    Row("", 2, err=("give a file",)),
    # -- results
    Row("one.py -o out.py", file=("out.py", "ag.not_")),
    Row("one.py call.py -o out", file=("out/call.py", "autograph=False")),
    Row("tree --all -o out", file=("out/sub/b.py", "ag.not_")),
    Row("one.py --diff", out=("--- one.py", "+    return ag.not_(x)")),
    Row("one.py --format diff", out=("+++ one.py (converted)",)),
    Row("one.py --diff -o x.diff", file=("x.diff", "+    return ag.not_(x)")),
    Row("one.py --json", out=('"version": 1', '"qualname": "helper"', '"map": [[')),
    Row("one.py --format json", out=('"sha256"',)),
    Row("one.py --line-map", out=('"qualname": "marked"',), not_out=("ag.not_",)),
    Row("--line-map rows.json one.py", file=("rows.json", '"map"')),
    Row("--line-map one.py", out=('"map"',)),
    Row("--check one.py", not_out=("def",)),
    Row("--check bad.py one.py", 1, err=("bad.py:4:1: AG104",), not_out=("def",)),
    Row("one.py --annotate line", out=("ag.not_(x)  # one.py:5",)),
    Row("one.py --annotate source", out=("# return not x",)),
    Row("one.py", out=("# the way up",), not_out=("# one.py:",)),
    Row("one.py --diff --json", 2, err=("not allowed with",)),
    Row("one.py --formatter perl", 2, err=("invalid choice",)),
    # -- passes
    Row("--list-passes", out=("jumps\n", "calls\n")),
    Row("one.py::other --stop-after jumps", out=("while x < 10",)),
    Row("one.py::other --show-pass control_flow,calls",
        out=("# other after control_flow\n", "# other after calls\n")),
    Row("one.py --show-pass nonsense", 2, err=("there is no pass 'nonsense'",)),
    Row("one.py --stop-after nonsense", 2, err=("invalid choice",)),
    Row("one.py --no-feature logical", out=("return not x",), not_out=("ag.not_",)),
    Row("one.py --no-feature logical --feature logical", out=("ag.not_",)),
    Row("one.py --no-feature jumps", 2, err=("invalid choice",)),
    # -- messages
    Row("bad.py one.py", 1, out=("ag.not_",), err=("bad.py:4:1: AG104", "  hint: ")),
    Row("broken.py", 1, err=("broken.py:1:7: AG102",)),
    Row("bad.py --error-format json", 1, err=('"code": "AG104"',)),
    Row("bad.py --error-format github", 1, err=("::error file=bad.py,line=4",)),
    Row("bad.py --color always", 1, err=("\033[1;31mAG104",)),
    Row("one.py --color never", not_out=("\033[",)),
    Row("tree/a.py", err=("warning: tree/a.py: no function is marked",)),
    Row("tree -v --all", err=("2 files: 2 functions converted, 0 refused",)),
    Row("tree --all -j 2", out=("def a(x)", "def b(x)")),
    Row("tree --all -j -1", 2, err=("invalid",)),
    Row("--version", out=("autograph",)),
    Row("--help", out=("exit codes: 0 done", "--watch", "--config")),
    Row("--nonsense", 2, err=("see to_code --help",)),
]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
        capfdbinary: pytest.CaptureFixture[bytes]) -> Callable[..., folder.Said]:
    folder.make(tmp_path)
    monkeypatch.chdir(tmp_path)
    return folder.caller(to_code.main, capfdbinary.readouterr)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.words)
def test_row(row: Row, run: Callable[..., folder.Said]) -> None:
    import shlex
    said = run(*shlex.split(row.words))
    assert said.code == row.code, said.err
    assert [text for text in row.out if text not in said.out] == []
    assert [text for text in row.err if text not in said.err] == []
    assert [text for text in row.not_out if text in said.out] == []
    if row.code == 0 and not row.err:
        assert "error" not in said.err
    if row.file is not None:
        assert row.file[1] in Path(row.file[0]).read_text() and said.out == ""


def test_every_option_has_a_row() -> None:
    words = {word for row in ROWS for word in row.words.split()}
    elsewhere = {"--stdin-filename", "--watch", "--config", "--traceback", "--html", "-h"}
    for action in options.parser()._actions:
        assert not action.option_strings or (words | elsewhere) & set(action.option_strings), (
            f"no row for {action.option_strings}")


def test_output_is_the_same_with_several_processes(run: Callable[..., folder.Said]) -> None:
    words = ("--all", "--json", "tree", "one.py", "bad.py", "call.py", "broken.py")
    one, three = run(*words), run(*words, "-j", "3")
    assert one == three and one.code == 1


def test_comprehensions_can_be_left_as_they_are(run: Callable[..., folder.Said]) -> None:
    Path("sums.py").write_text("def f(x):\n    return [v for v in g(x) if v > 0]\n")
    words = ("sums.py", "--all")
    assert "ag.list_comp(" in run(*words).out
    assert "[v for v in ag.converted(g)(x) if v > 0]" in run(
        *words, "--no-feature", "comprehensions").out


def test_config_of_the_project(run: Callable[..., folder.Said]) -> None:
    Path("pyproject.toml").write_text(
        '[tool.autograph]\nall = true\nexclude = ["sub"]\nannotate = "line"\njobs = 2\n')
    said = run("tree", "one.py")
    assert "while_loop" in said.out and "def b(" not in said.out and "# one.py:5" in said.out
    assert "# one.py:5" not in run("one.py", "--annotate", "none").out
    Path("tree/sub/deep").mkdir()
    os.chdir("tree/sub/deep")
    assert "while_loop" in run("../../../one.py").out


@pytest.mark.parametrize(("table", "message"), [
    ("colour = 'never'", "there is no option 'colour'"),
    ("color = 'pink'", "'pink' is no value of 'color' (one of auto, always, never)"),
    ("all = 'yes'", "'yes' is no value of 'all'"),
    ("exclude = 'sub'", "is no value of 'exclude'"),
    ("jobs = '2'", "is no value of 'jobs'"),
    ("check = true", "there is no option 'check'"),
])
def test_wrong_config(run: Callable[..., folder.Said], table: str, message: str) -> None:
    Path("settings.toml").write_text(f"[tool.autograph]\n{table}\n")
    said = run("one.py", "--config", "settings.toml")
    assert said.code == 2 and message in said.err and "settings.toml" in said.err


def test_config_that_cannot_be_read(run: Callable[..., folder.Said]) -> None:
    assert "cannot read 'no.toml'" in run("one.py", "--config", "no.toml").err
    Path("x.toml").write_text("a = \n")
    assert run("one.py", "--config", "x.toml").code == 2
    Path("y.toml").write_text("")
    assert "has no table [tool.autograph]" in run("one.py", "--config", "y.toml").err


def test_formatters(run: Callable[..., folder.Said]) -> None:
    pytest.importorskip("ruff", reason="ruff is not installed")
    said = run("-c", "def f(x): return  x and {'a':1}", "--formatter", "ruff")
    assert said.out.endswith('    return ag.and_(x, lambda: {"a": 1})\n')


def test_formatter_that_is_missing(run: Callable[..., folder.Said],
                                   monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("autograph.tools.formatters.COMMANDS", {"black": ("no_such_module",)})
    said = run("one.py", "--formatter", "black")
    assert said.code == 2 and "pip install black" in said.err


class Terminal:
    """A stream that is a terminal, and remembers."""

    def __init__(self) -> None:
        self.text = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> None:
        self.text += text

    def flush(self) -> None:
        pass


def test_progress_after_a_second() -> None:
    ticks, terminal = iter([0, 0.5, 1.5, 2.5]), Terminal()
    items = list(progress.progress("abc", 3, str, False, terminal, lambda: next(ticks)))
    assert items == ["a", "b", "c"]
    assert terminal.text == (
        "\r\033[K[================        ] 2/3 b\r\033[K[========================] 3/3 c\r\033[K")


def test_progress_while_a_file_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "CHUNK", 1 << 20)
    monkeypatch.chdir(tmp_path)
    Path("big").write_bytes(bytes(range(256)) * (3 << 12))
    for until, shown in ((9, False), (-9, True)):
        monkeypatch.setattr(progress, "PATIENCE", until)
        terminal = Terminal()
        with progress.Reading("big", terminal, lambda: 0) as stream:  # type: ignore[arg-type]
            assert stream.read(5) + stream.read() == Path("big").read_bytes()
            assert stream.seek(1) == 1 and stream.read(2) == b"\x01\x02"
        assert ("] 2/3 MB of big" in terminal.text) == shown
        assert terminal.text.endswith("\r\033[K" if shown else "")


def test_progress_on_the_functions_of_one_file(
        monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    terminal = Terminal()
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setattr(sys, "stderr", terminal)
    text = "def one(x):\n    return x\n\n\ndef two(x):\n    return x\n"
    assert to_code.main(["--all", "-c", text]) == 0
    assert "1/2 one" in terminal.text and "2/2 two" in terminal.text
    assert "def two" in capsys.readouterr().out


@pytest.mark.parametrize("quiet", [True, False])
def test_no_progress_when_it_is_quick_or_unwanted(quiet: bool) -> None:
    terminal = Terminal()
    ticks = iter([0, 5, 9] if quiet else [0, 0.1, 0.2])
    list(progress.progress("ab", 2, str, quiet, terminal, lambda: next(ticks)))
    assert terminal.text == ""


def test_watch(run: Callable[..., folder.Said], monkeypatch: pytest.MonkeyPatch) -> None:
    looks = iter(["", "x = 1\n", None])

    def sleep(seconds: float) -> None:
        text = next(looks)
        if text is None:
            raise KeyboardInterrupt
        if text:
            Path("one.py").write_text(text)

    monkeypatch.setattr(watch.time, "sleep", sleep)
    monkeypatch.setattr(watch.watch, "__defaults__", (sleep,))
    said = run("one.py", "--watch", "-q")
    assert said.code == 130 and said.err.count("watching 1 file; Ctrl-C ends") == 2
    assert "ag.not_" in said.out and said.out.endswith("x = 1\n")


def test_colour_with_pygments(run: Callable[..., folder.Said]) -> None:
    pytest.importorskip("pygments", reason="pygments is not installed")
    assert "\033[" in run("one.py", "--color", "always").out
    Path("out.py").unlink(missing_ok=True)
    run("one.py", "--color", "always", "-o", "out.py")
    assert "\033[" not in Path("out.py").read_text()


def test_line_numbers_on_a_terminal(run: Callable[..., folder.Said],
                                    monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    assert "# one.py:5" in run("one.py", "--color", "never").out
    assert "# one.py:5" not in run("one.py", "--diff", "--color", "never").out


IGNORED = [
    ("*.py", "a/b.py", False, True), ("/*.py", "a/b.py", False, False),
    ("/*.py", "b.py", False, True), ("a/", "a", True, True), ("a/", "a", False, False),
    ("a/**/c.py", "a/c.py", False, True), ("a/**/c.py", "a/x/y/c.py", False, True),
    ("**/x.py", "a/b/x.py", False, True), ("a/**", "a/b/c.py", False, True),
    ("?.py", "ab.py", False, False), ("[!a].py", "b.py", False, True),
    ("[!a].py", "a.py", False, False), ("# *.py", "a.py", False, False),
    ("\\#.py", "#.py", False, True), ("*.py\n!keep.py", "keep.py", False, False),
    ("a/*.py", "x/a/b.py", False, False), ("b.py  ", "b.py", False, True),
]


@pytest.mark.parametrize(("patterns", "path", "is_folder", "expected"), IGNORED)
def test_gitignore(patterns: str, path: str, is_folder: bool, expected: bool,
                   tmp_path: Path) -> None:
    ignored = Ignored(tuple(patterns_of(patterns.splitlines(), tmp_path)))
    assert ignored(tmp_path / path, is_folder) is expected
    # git itself is the judge
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / ".gitignore").write_text(patterns + "\n")
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    if is_folder:
        (tmp_path / path).mkdir()
    else:
        (tmp_path / path).touch()
    judged = subprocess.run(["git", "-C", str(tmp_path), "check-ignore", "-q", path], check=False)
    assert (judged.returncode == 0) is expected


def test_ignored_from_above_the_folder(run: Callable[..., folder.Said]) -> None:
    Path(".gitignore").write_text("/tree/a.py\n")
    names = [target.name for target in targets_of(["tree"])]
    assert names == ["tree/sub/b.py"]


@pytest.mark.slow
def test_output_does_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "autograph", "to-code", "--all", "--json",
               str(ROOT / "examples"), str(ROOT / "autograph" / "passes")]
    outputs = {subprocess.run(command, capture_output=True, check=True, cwd=tmp_path, env={
        "PYTHONPATH": str(ROOT), "PYTHONHASHSEED": seed}).stdout for seed in "012"}
    assert len(outputs) == 1 and json.loads(outputs.pop())["version"] == 1
