"""The commands `to_code` and `autograph`: options, output, messages and exit codes."""

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from autograph.passes.pipeline import PASSES
from autograph.tools import cli, options, to_code
from tests.support.program_files import write

PROGRAM = """
    import autograph as ag

    @ag.function
    def f(x):
        # why
        return x and 1

    class A:
        def method(self, x):
            return not x

    def gen(x):
        yield x
    """
OUT = """\
import autograph as ag

@ag.function(autograph=False)
def f(x):
    # why
    return ag.and_(x, lambda: 1)

class A:
    def method(self, x):
        return not x

def gen(x):
    yield x
"""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    return write(tmp_path, PROGRAM, "f").name


@pytest.fixture
def run(capfdbinary):
    def call(*args: str) -> SimpleNamespace:
        code = to_code.main(args)
        out, err = capfdbinary.readouterr()
        return SimpleNamespace(code=code, out=out.decode(), err=err.decode())
    return call


def test_file(run, path: str) -> None:
    result = run(path)
    assert (result.code, result.out, result.err) == (0, OUT, "")


def test_functions_by_name(run, path: str) -> None:
    result = run(f"{path}::A.method", f"{path}::f")
    assert result.code == 0 and result.out == (
        "@ag.function(autograph=False)\ndef f(x):\n    # why\n"
        "    return ag.and_(x, lambda: 1)\n\n\nclass A:\n    def method(self, x):\n"
        "        return ag.not_(x)\n")
    assert run(f"{path}::f").out.startswith("@ag.function(autograph=False)\ndef f(x):\n")


def test_a_class_by_name_is_printed_with_all_that_is_in_it(run, tmp_path: Path) -> None:
    file = write(tmp_path, """\
        import dataclasses

        @dataclasses.dataclass
        class Step:
            size: float = 1.0  # each

            def f(self, x):
                return not x

            def g(self, x):
                return not x


        class Other:
            def h(self): return 3
        """)
    assert run(f"{file}::Step").out == (
        "@dataclasses.dataclass\nclass Step:\n    size: float = 1.0  # each\n\n"
        "    def f(self, x):\n        return ag.not_(x)\n\n"
        "    def g(self, x):\n        return ag.not_(x)\n")
    assert run(f"{file}::Step.f", f"{file}::Step.g").out == (
        "@dataclasses.dataclass\nclass Step:\n"
        "    def f(self, x):\n        return ag.not_(x)\n\n"
        "    def g(self, x):\n        return ag.not_(x)\n")


def test_unknown_function(run, path: str) -> None:
    result = run(f"{path}::g")
    assert result.code == 2 and "no function 'g' (it has: f, A.method, gen)" in result.err


def test_all(run, path: str) -> None:
    assert "return ag.not_(x)" in run("--all", path).out


def test_nothing_is_marked(run, tmp_path: Path, path: str) -> None:
    other = write(tmp_path, "def f(x):\n    return not x\n")
    result = run(str(other))
    assert result.code == 0 and result.out == other.read_text()
    assert "no function is marked" in result.err and run("-q", str(other)).err == ""


def test_code(run) -> None:
    assert run("-c", "def f(x): return not x").out == (
        "import autograph as ag\n\n\ndef f(x):\n    return ag.not_(x)\n")


def test_stdin(run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"def f(:\n")))
    result = run("-", "--stdin-filename", "typed.py")
    assert result.code == 1 and result.err.startswith("typed.py:1:7: AG102 ")


def test_live_function(run, path: str) -> None:
    result = run("f:A.method")
    assert (result.code, result.out) == (0, "def method(self, x):\n    return ag.not_(x)\n")
    assert run("f:nothing").code == 2 and run("no_such_module:f").code == 2
    failed = run("f:gen")
    assert failed.code == 1 and "AG104" in failed.err


def test_file_is_not_run(run, tmp_path: Path, path: str) -> None:
    marker = tmp_path / "ran"
    file = write(tmp_path, f"open({str(marker)!r}, 'w')\nimport no_such_module\n")
    assert run("--all", str(file)).code == 0 and not marker.exists()


def test_failures_do_not_stop_the_rest(run, tmp_path: Path, path: str) -> None:
    bad = write(tmp_path, "import autograph as ag\n@ag.function\ndef g(x):\n    yield x\n", "bad")
    worse = write(tmp_path, "def f(:\n", "worse")
    result = run(bad.name, path, worse.name)
    assert result.code == 1 and OUT in result.out
    assert "bad.py:3:1: AG104 g cannot be converted: it is a generator" in result.err
    assert "    def g(x):\n    ^^^" in result.err and "  hint: " in result.err
    assert "worse.py:1:7: AG102" in result.err


def test_check(run, path: str) -> None:
    assert (run("--check", path).code, run("--check", path).out) == (0, "")
    assert run("--check", f"{path}::gen").code == 1


def test_diff(run, path: str) -> None:
    lines = run("--diff", path).out.splitlines()
    assert lines[:2] == ["--- f.py", "+++ f.py (converted)"]
    assert "-@ag.function" in lines and "+    return ag.and_(x, lambda: 1)" in lines
    assert "\033[32m+    return" in run("--diff", "--color", "always", path).out


def test_json(run, path: str) -> None:
    data = json.loads(run("--json", path, f"{path}::gen").out)
    (file,) = data["files"]
    (function,) = file["functions"]
    assert data["version"] == 1 and file["status"] == function["status"] == "converted"
    assert (file["path"], file["text"], function["lines"]) == ("f.py", OUT, [3, 6])
    assert function["map"] == [[4, 0, 4, 0], [6, 4, 6, 4]]
    failed = json.loads(run("--json", f"{path}::gen").out)["files"][0]["functions"][0]
    (diagnostic,) = failed["diagnostics"]
    assert failed["status"] == "failed"
    assert (diagnostic["code"], diagnostic["line"], diagnostic["col"]) == ("AG104", 12, 1)


def test_line_map_of_loops(run, tmp_path: Path, path: str) -> None:
    text = "def f(n):\n    s = 0\n    while n > 0:\n        s += n\n        n -= 1\n    return s\n"
    data = json.loads(run("--json", "--all", str(write(tmp_path, text))).out)["files"][0]
    printed, source = data["text"].splitlines(), text.splitlines()
    rows = data["functions"][0]["map"]
    for new, _, old, _ in rows:
        if "s += n" in printed[new - 1]:
            assert source[old - 1].strip() == "s += n"
    assert {row[2] for row in rows} == {1, 2, 3, 4, 5, 6} or {row[2] for row in rows} == {
        1, 2, 3, 4, 5, 6} - {5}


def test_error_formats(run, path: str) -> None:
    bad = json.loads(run("--error-format", "json", f"{path}::gen").err)
    assert (bad["path"], bad["code"], bad["line"]) == ("f.py", "AG104", 12)
    line = run("--error-format", "github", f"{path}::gen").err
    assert line.startswith(
        "::error file=f.py,line=12,endLine=13,title=AG104::gen cannot be converted: ")
    assert "\033[1;31mAG104" in run("--color", "always", f"{path}::gen").err


def test_passes(run, path: str) -> None:
    names = [step.name for step in PASSES]
    assert run("--list-passes").out.split() == names
    assert "return x and 1" in run("--stop-after", names[0], f"{path}::f").out
    shown = run("--show-pass", f"{names[0]},{names[-1]}", path).out
    assert f"# f after {names[0]}\n" in shown and f"# f after {names[-1]}\n" in shown
    assert "x and 1" in shown and "ag.and_" in shown
    result = run("--show-pass", "nonsense", path)
    assert result.code == 2 and "there is no pass 'nonsense'" in result.err


def test_showing_a_pass_changes_nothing_of_the_later_ones(run, tmp_path: Path) -> None:
    file = tmp_path / "jumping.py"
    file.write_text("def f(xs):\n    for x in xs:\n        if x:\n            continue\n"
                    "        if x > 1:\n            break\n        print(x)\n", encoding="utf-8")
    names = [step.name for step in PASSES]
    alone = [run("--show-pass", name, f"{file}::f").out for name in names]
    assert run("--show-pass", ",".join(names), f"{file}::f").out == "".join(alone)


def test_annotate(run, path: str) -> None:
    assert "lambda: 1)  # f.py:6\n" in run("--annotate", "line", path).out
    assert "    # return x and 1\n    return ag.and_" in run("--annotate", "source", path).out


def test_output_file_and_folder(run, tmp_path: Path, path: str) -> None:
    assert run(path, "-o", "out.py").code == 0 and Path("out.py").read_text() == OUT
    Path("src/pkg").mkdir(parents=True)
    Path("src/pkg/a.py").write_bytes("# -*- coding: latin-1 -*-\nx = 'é'\r\n".encode("latin-1"))
    Path("src/b.py").write_text("x = 1\n")
    assert run("-q", "src", "-o", "out").code == 0
    assert Path("out/pkg/a.py").read_bytes() == Path("src/pkg/a.py").read_bytes()
    assert Path("out/b.py").read_text() == "x = 1\n"
    assert sorted(p.name for p in Path("out").iterdir()) == ["b.py", "pkg"]
    result = run(path, "-o", f"{path}/x.py")
    assert result.code == 2 and "cannot write" in result.err


def test_folders(run, path: str) -> None:
    for name in ("src/z.py", "src/a.py", "src/.hidden/h.py", "src/__pycache__/c.py",
                 "src/venv/v.py", "src/skip/s.py", "src/t_test.py", "src/text.txt"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(f"name = {name!r}\n")
    Path("src/venv/pyvenv.cfg").touch()
    result = run("-q", "src", "--exclude", "skip", "--exclude", "*_test.py")
    assert result.out == ("# src/a.py\nname = 'src/a.py'\n# src/z.py\nname = 'src/z.py'\n")
    assert run("-q", "src/?.py").out == result.out


@pytest.mark.parametrize("args", [(), ("no_such_file.py",), ("f.py", "--stop-after", "x"),
                                  ("--nonsense",), ("--diff", "--json", "f.py")])
def test_usage_errors(capfd: pytest.CaptureFixture[str], args: tuple[str, ...]) -> None:
    try:
        code = to_code.main(args)
    except SystemExit as exit:
        code = exit.code
    assert code == 2 and capfd.readouterr().err.startswith(("to_code: ", "usage: "))


def test_undecodable_file(run, tmp_path: Path, path: str) -> None:
    Path("bad.py").write_bytes(b"x = '\xff'\n")
    assert run("bad.py").code == 1


def test_internal_error(run, path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("boom")
    monkeypatch.setattr(to_code, "convert_all", broken)
    result = run(path)
    assert result.code == 3 and "please report" in result.err and "Traceback" not in result.err
    assert "Traceback" in run("-v", path).err
    monkeypatch.setattr(to_code, "convert_all", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    assert run(path).code == 130


def test_closed_pipe_ends_quietly(path: str) -> None:
    command = f"{sys.executable} -m autograph to-code {path} | true; exit ${{PIPESTATUS[0]}}"
    root = str(Path(__file__).parents[3])
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False,
                          env={"PYTHONPATH": root, "PATH": os.environ["PATH"]})
    assert (done.returncode, done.stderr) == (0, "")


def test_color_follows_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    args = options.parser().parse_args(["x"])
    stream = SimpleNamespace(isatty=lambda: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.delenv("FORCE_COLOR", raising=False)
    assert options.in_color(args, stream) and not to_code.in_color(args, io.StringIO())
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert options.in_color(args, io.StringIO())
    monkeypatch.setenv("NO_COLOR", "1")
    assert not options.in_color(args, stream)


def test_autograph_command(path: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["to-code", path]) == 0 and capfd.readouterr().out == OUT
    assert cli.main(["--version"]) == 0 and cli.main(["--help"]) == 0
    assert cli.main([]) == 2 and cli.main(["nonsense"]) == 2


@pytest.mark.parametrize("module", ["autograph", "autograph.tools.cli", "autograph.tools.to_code"])
def test_started_as_a_module(module: str, path: str) -> None:
    sub = [] if module.endswith("to_code") else ["to-code"]
    done = subprocess.run([sys.executable, "-m", module, *sub, path], capture_output=True,
                          text=True, check=True,
                          env={"PYTHONPATH": str(Path(__file__).parents[3])})
    assert done.stdout == OUT
