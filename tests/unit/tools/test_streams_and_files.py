"""The commands with links, devices, pipes, notebooks, unreadable files and wrong words."""

from __future__ import annotations

import io
import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from autograph.source_lines import with_caret
from autograph.tools import cli, to_code
from tests.house.checkout import ROOT

GOOD = "import autograph as ag\n\n@ag.function\ndef f(x):\n    return x and 1\n"
BAD = "import autograph as ag\n\n@ag.function\ndef f(x):\n    yield x\n"
PROGRAM = """
print('imported')
import numpy as np

def f(x):
    print('traced')
    return x + 1
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "good.py").write_text(GOOD, "utf-8")
    (tmp_path / "other.py").write_text(GOOD, "utf-8")
    (tmp_path / "program.py").write_text(PROGRAM, "utf-8")
    return tmp_path


@pytest.fixture
def run(capfdbinary: Any) -> Any:
    def call(main: Any, *args: str) -> SimpleNamespace:
        try:
            code = main(args)
        except SystemExit as end:
            code = end.code
        out, err = capfdbinary.readouterr()
        return SimpleNamespace(code=code, data=out, out=out.decode("utf-8", "replace"),
                               err=err.decode())
    return call


def test_output_goes_through_a_link(run: Any, folder: Path) -> None:
    (folder / "real.txt").write_text("old", "utf-8")
    (folder / "link").symlink_to("real.txt")
    assert run(to_code.main, "good.py", "-o", "link").code == 0
    assert (folder / "link").is_symlink() and "ag.and_" in (folder / "real.txt").read_text("utf-8")


def test_output_into_a_fifo_and_a_device_replaces_neither(run: Any, folder: Path) -> None:
    os.mkfifo(folder / "pipe")
    read: list[str] = []
    reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_text("utf-8")))
    reader.start()
    assert run(to_code.main, "good.py", "-o", "pipe").code == 0
    reader.join(10)
    assert "ag.and_" in read[0] and stat.S_ISFIFO((folder / "pipe").stat().st_mode)
    assert run(to_code.main, "good.py", "-o", "/dev/null").code == 0
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="the system has no /dev/full")
def test_a_full_disk_is_told_in_the_systems_words(run: Any) -> None:
    done = run(to_code.main, "good.py", "-o", "/dev/full")
    assert done.code == 2 and "No space left on device" in done.err
    with open("/dev/full", "w") as full:
        piped = subprocess.run([sys.executable, "-m", "autograph.tools.to_code", "good.py"],
                               stdout=full, stderr=subprocess.PIPE, text=True, check=False,
                               env={**os.environ, "PYTHONPATH": str(ROOT)})
    assert piped.returncode == 2 and "No space left on device" in piped.stderr
    assert "internal" not in piped.stderr and "Traceback" not in piped.stderr


def test_files_that_cannot_be_read_are_reported_and_the_others_done(run: Any, folder: Path
                                                                    ) -> None:
    (folder / "binary.py").write_bytes(b"\x00\xff\xfe\x80")
    (folder / "wrong.py").write_bytes(b"# coding: nonsense\nx = 1\n")
    (folder / "no_text.py").write_bytes(b"# coding: rot13\nx = 1\n")
    (folder / "wide.py").write_bytes(b"# coding: utf-16\nx = 1\n")
    (folder / "folder.py").symlink_to("nowhere")
    done = run(to_code.main, "binary.py", "wrong.py", "good.py", "no_text.py", "wide.py")
    assert done.code == 1 and "ag.and_" in done.out and "Traceback" not in done.err
    for name in ("binary.py", "wrong.py", "no_text.py", "wide.py"):
        assert f"cannot decode '{name}'" in done.err
    os.mkfifo(folder / "fifo.py")  # nobody writes to it
    done = run(to_code.main, ".")
    assert done.code == 1 and done.out.count("ag.and_") == 2 and "folder.py" in done.err


def test_a_folder_that_cannot_be_read_is_exit_2(run: Any, folder: Path,
                                                monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    def refusing(path: Any) -> Any:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", str(path))
        return real(path)

    (folder / "closed").mkdir()
    monkeypatch.setattr(os, "scandir", refusing)
    done = run(to_code.main, "closed")
    assert done.code == 2 and "Permission denied" in done.err and "internal" not in done.err


def notebook(*cells: str) -> str:
    made = [{"cell_type": "code", "source": cell.splitlines(keepends=True)} for cell in cells]
    text = {"cell_type": "markdown", "source": "text"}
    return json.dumps({"nbformat": 4, "cells": [text, *made]})


def test_notebooks_are_read_cell_by_cell(run: Any, folder: Path) -> None:
    (folder / "good.ipynb").write_text(notebook("%%time\n" + GOOD, "!ls\nx = 1"), "utf-8")
    (folder / "bad.ipynb").write_text(notebook("x = 1", BAD), "utf-8")
    (folder / "no.ipynb").write_text("{}", "utf-8")
    assert run(to_code.main, "--check", "good.ipynb").code == 0
    assert "ag.and_" in run(to_code.main, "good.ipynb").out
    done = run(to_code.main, "--check", "bad.ipynb")
    assert done.code == 1 and "bad.ipynb:cell 2:4:1: AG104" in done.err
    done = run(to_code.main, "--check", "no.ipynb")
    assert done.code == 1 and "no notebook" in done.err
    assert run(to_code.main, "good.ipynb", "-o", "x.py").code == 2


OWN_TO_IPYTHON = [
    "files = !ls\nx = 1", "a.b, c[0] = !ls", "took = %timeit -o 1 + 1", "?len", "len?", "len??",
    "%%bash\necho it's", "\n%%writefile a.txt\nno Python", "%%time\n%matplotlib inline",
    "if x:\n    !ls\nelse:\n    %time y = 1", "%load_ext a\n\n%config A.b = {'c'}",
]


@pytest.mark.parametrize("cell", OWN_TO_IPYTHON)
def test_what_is_ipythons_own_is_no_mistake(run: Any, folder: Path, cell: str) -> None:
    (folder / "own.ipynb").write_text(notebook(cell, GOOD), "utf-8")
    done = run(to_code.main, "--check", "own.ipynb")
    assert (done.code, done.err) == (0, "")


def test_python_in_cells_stays_as_it_is(run: Any, folder: Path) -> None:
    cells = 'text = """\n%d files\n?\n"""', "x = (7\n% 2)", "%%time\nx = = 2", "%%bash\n%%time\n("
    (folder / "kept.ipynb").write_text(notebook(*cells), "utf-8")
    out = run(to_code.main, "--all", "kept.ipynb").out
    assert '"""\n%d files\n?\n"""' in out and "(7\n% 2)" in out
    done = run(to_code.main, "--check", "kept.ipynb")
    assert done.code == 1 and "kept.ipynb:cell 3:2:5: AG102" in done.err
    assert "cell 4" not in done.err


@pytest.mark.parametrize("words", [("check", "a.ipynb"), ("report", "a.ipynb::f", "--args", "1")])
def test_a_notebook_is_not_run_as_a_program(run: Any, folder: Path, words: list[str]) -> None:
    (folder / "a.ipynb").write_text(notebook("f = None"), "utf-8")
    done = run(cli.main, *words)
    assert done.code == 2 and "'a.ipynb' is a notebook: call ag.check(f, x)" in done.err


def test_notebooks_of_other_languages_are_left_alone(run: Any, folder: Path) -> None:
    text = {**json.loads(notebook("f(x) = 2x")), "metadata": {"language_info": {"name": "julia"}}}
    (folder / "other.ipynb").write_text(json.dumps(text), "utf-8")
    assert run(to_code.main, "--check", "other.ipynb").code == 0


def test_one_file_for_two_results_is_refused(run: Any, folder: Path) -> None:
    done = run(to_code.main, "good.py", "other.py", "-o", "both.py")
    assert done.code == 2 and "is one file" in done.err and not (folder / "both.py").exists()
    (folder / "sub").mkdir()
    (folder / "sub" / "good.py").write_text(GOOD, "utf-8")
    done = run(to_code.main, "good.py", "sub/good.py", "-o", "out")
    assert done.code == 2 and "two results" in done.err


def test_mistakes_with_the_output_are_told_before_anything_is_converted(
        run: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(to_code, "convert_all", lambda *_: pytest.fail("it converts"))
    for output in "both.py", "good.py":
        assert run(to_code.main, "good.py", "other.py", "-o", output).code == 2
    assert run(to_code.main, "good.py", "-o", "good.py").code == 2


def test_each_of_several_folders_has_its_own(run: Any, folder: Path) -> None:
    for name in "one", "two":
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(GOOD, "utf-8")
    assert run(to_code.main, "one", "two/", "good.py", "-o", "out").code == 0
    assert run(to_code.main, "one", "-o", "alone").code == 0
    written = {p.relative_to(folder).as_posix() for p in folder.glob("out/**/*.py")}
    written |= {p.relative_to(folder).as_posix() for p in folder.glob("alone/**/*.py")}
    assert written == {"out/one/__init__.py", "out/two/__init__.py", "out/good.py",
                       "alone/__init__.py"}


def test_a_latin_1_source_keeps_its_bytes(run: Any, folder: Path) -> None:
    text = "# coding: latin-1\n" + GOOD + "name = 'é'\n"
    (folder / "latin.py").write_bytes(text.encode("latin-1"))
    assert b"'\xe9'" in run(to_code.main, "latin.py").data


@pytest.mark.parametrize("command", ["report", "graph"])
def test_args_do_not_eat_the_file(run: Any, command: str) -> None:
    done = run(cli.main, command, "--args", "np.ones(2)", "program.py::f")
    assert done.code == 0 and "f" in done.out
    done = run(cli.main, command, "--args", "np.ones(2)")
    assert done.code == 2 and "say which function" in done.err


def test_what_the_program_prints_is_not_in_the_result(run: Any) -> None:
    done = run(cli.main, "graph", "program.py::f", "--args", "np.ones(2)", "--format", "dot")
    assert done.out.startswith("digraph") and "imported" in done.err and "traced" in done.err


def test_the_page_on_standard_output(run: Any, folder: Path) -> None:
    done = run(cli.main, "report", "program.py::f", "--args", "np.ones(2)", "--html", "-")
    assert done.out.lstrip().lower().startswith("<!doctype html") and not (folder / "-").exists()


@pytest.mark.parametrize(("words", "said"), [
    (["grph"], "did you mean graph?"), (["zzz"], "there is no command 'zzz'"),
    (["graph", "--fromat", "dot", "x.py::f"], "see autograph graph --help"),
    (["report"], "say which function"), (["to-code", "--nonsense", "x.py"], "see to_code --help")])
def test_mistakes_are_one_line_with_a_hint(run: Any, words: list[str], said: str) -> None:
    done = run(cli.main, *words)
    assert done.code == 2 and said in done.err and done.err.count("\n") == 1 and not done.out


def test_watch_of_a_missing_file_fails(run: Any) -> None:
    done = run(to_code.main, "--watch", "missing.py")
    assert done.code == 2 and "there is no file" in done.err


def test_github_format_escapes_and_names_the_range(run: Any, folder: Path) -> None:
    (folder / "a,b:c%.py").write_text(BAD, "utf-8")
    done = run(to_code.main, "--check", "--error-format", "github", "a,b:c%.py")
    assert done.code == 1
    [line] = done.err.splitlines()
    assert line.startswith("::error file=a%2Cb%3Ac%25.py,line=4,endLine=5,title=AG104::")


def test_github_format_names_the_notebook_and_the_cell(run: Any, folder: Path) -> None:
    cells = [{"cell_type": "code", "source": [BAD]}]
    (folder / "a.ipynb").write_text(json.dumps({"cells": cells}), "utf-8")
    done = run(to_code.main, "--check", "--error-format", "github", "a.ipynb")
    [line] = done.err.splitlines()
    assert line.startswith("::error file=a.ipynb,title=AG104::cell 1, line 4: ")


@pytest.mark.parametrize("command", ["graph", "report", "check", "export"])
def test_files_that_cannot_be_read_are_named(run: Any, folder: Path, command: str,
                                             monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(path: Path) -> bytes:
        raise PermissionError(13, "Permission denied", str(path))
    monkeypatch.setattr(Path, "read_bytes", refuse)
    options = ["--python"] if command == "export" else []
    done = run(cli.main, command, "program.py::f", *options, "--args", "np.ones(2)")
    assert done.code == 2
    assert done.err == f"autograph {command}: cannot read 'program.py': Permission denied\n"


def test_the_pre_commit_hook_runs_a_command_that_there_is(run: Any, folder: Path) -> None:
    hook = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    [entry] = [line.split(": ", 1)[1] for line in hook.splitlines() if "entry:" in line]
    command, *options = entry.split()
    assert command == "to_code" and "to_code = " in (ROOT / "pyproject.toml").read_text("utf-8")
    assert run(to_code.main, *options, "good.py", "other.py").code == 0
    (folder / "bad.py").write_text(BAD, "utf-8")
    assert run(to_code.main, *options, "good.py", "bad.py").code == 1


def test_stdin_that_cannot_be_decoded_is_exit_2(run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BytesIO(b"\xff\xfe\x00")))
    assert run(to_code.main, "-").code == 2


def test_output_through_the_name_of_standard_output(folder: Path) -> None:
    """A pipe has no path that leads to it."""
    done = subprocess.run([sys.executable, "-m", "autograph", "to-code", "good.py", "-o",
                           "/dev/stdout"], capture_output=True, text=True)
    assert done.returncode == 0 and "ag.and_" in done.stdout, done.stderr


def test_a_circle_of_links_is_not_replaced(run: Any, folder: Path) -> None:
    (folder / "one").symlink_to("two")
    (folder / "two").symlink_to("one")
    done = run(to_code.main, "good.py", "-o", "one")
    assert done.code == 2 and "cannot write 'one'" in done.err and (folder / "one").is_symlink()


@pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser may become somebody else")
def test_closed_folders_for_somebody_who_may_not_read_them(folder: Path) -> None:
    """The folder itself, and one inside a folder that can be read."""
    (folder / "tree" / "closed").mkdir(parents=True)
    (folder / "tree" / "closed").chmod(0)
    folder.chmod(0o755)
    code = ("import os, sys\nfrom autograph.tools.to_code import main\nos.setuid(65534)\n"
            "sys.exit(main(sys.argv[1:]))")
    for name in ("tree", "tree/closed"):
        done = subprocess.run([sys.executable, "-c", code, name], capture_output=True, text=True)
        assert done.returncode == 2 and "Permission denied" in done.stderr, done.stderr
        assert "internal" not in done.stderr


def test_a_watch_of_nothing_ends(run: Any) -> None:
    assert run(to_code.main, "--watch").code == 2


def test_help_on_a_full_disk_is_told_in_the_systems_words(folder: Path) -> None:
    if not os.path.exists("/dev/full"):
        pytest.skip("the system has no /dev/full")
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "autograph", "--help"], stdout=full,
                              stderr=subprocess.PIPE, text=True)
    assert done.returncode == 2 and done.stderr.startswith("autograph: cannot write")


def test_what_goes_past_sys_stdout_is_not_in_the_result(run: Any, folder: Path) -> None:
    (folder / "loud.py").write_text("import os\nos.write(1, b'low')\nos.system('echo child')\n"
                                    "def f(x):\n    return x + 1\n", "utf-8")
    done = run(cli.main, "graph", "loud.py::f", "--format", "dot", "--args", "np.float64(2)")
    assert done.code == 0 and done.out.startswith("digraph"), done.out
    assert "low" in done.err and "child" in done.err


def test_a_program_that_is_not_there_is_one_line(run: Any, folder: Path) -> None:
    (folder / "empty").mkdir()
    for name in ("missing.py", "empty"):
        done = run(cli.main, "run", name)
        assert done.code == 2 and done.err == f"autograph run: there is no program {name!r}\n"


def test_a_diff_of_a_latin_1_source_has_its_bytes(run: Any, folder: Path) -> None:
    text = "# -*- coding: latin-1 -*-\n" + GOOD.replace("    return", "    'caf\xe9'\n    return")
    (folder / "latin.py").write_bytes(text.encode("latin-1"))
    assert b"caf\xe9" in run(to_code.main, "--diff", "latin.py").data


def test_what_is_printed_at_the_end_is_not_in_the_result(folder: Path) -> None:
    (folder / "program.py").write_text(
        "import atexit\natexit.register(print, 'at the end')\ndef f(x):\n    return x + 1\n")
    done = subprocess.run(
        [sys.executable, "-m", "autograph", "graph", "program.py::f", "--args", "np.ones(3)",
         "--format", "dot"], capture_output=True, text=True, check=True)
    assert (done.stdout[:7], done.stdout[-2:], done.stderr) == ("digraph", "}\n", "at the end\n")


RAISES = """
import autograph as ag, numpy as np, pickle, sys
class Own: pass
pickle.dumps(Own())
@ag.function
def inverse(x):
    return np.linalg.inv(x)
inverse(np.ones((2, 3)))
"""


@pytest.mark.parametrize(
    "program", [RAISES, "x = (\n", "import no_such_module\n", "raise SystemExit(3)"])
def test_errors_of_a_program_look_as_under_python(folder: Path, program: str) -> None:
    (folder / "raises.py").write_text(program, "utf-8")
    plain, under = (
        subprocess.run([sys.executable, *words, "raises.py"], capture_output=True, text=True)
        for words in ([], ["-m", "autograph", "run"]))
    assert plain.returncode != 0 and (under.returncode, under.stdout) == (
        plain.returncode, plain.stdout)
    assert (under.stderr.replace(f"{folder}{os.sep}", "")
            == plain.stderr.replace(f"{folder}{os.sep}", ""))


@pytest.mark.parametrize("command", ["graph", "report", "check", "export"])
def test_a_file_that_imports_nothing_of_ours(folder: Path, command: str) -> None:
    """In a process of its own: no test has loaded the runtime's half of the compiler there."""
    (folder / "bare.py").write_text("def f(x):\n    return x + 1 if x.sum() > 0 else -x\n", "utf-8")
    more = ["--python"] if command == "export" else []
    subprocess.run([sys.executable, "-m", "autograph", command, "bare.py::f", *more, "--args",
                    "np.ones(3)"], check=True, capture_output=True)


def test_the_source_is_not_written_over(run: Any, folder: Path) -> None:
    done = run(to_code.main, "good.py", "-o", "good.py")
    assert done.code == 2 and "is the source itself" in done.err
    assert run(to_code.main, ".", "-o", ".").code == 2
    assert (folder / "good.py").read_text("utf-8") == GOOD


def test_a_file_of_python_on_standard_output(run: Any, folder: Path) -> None:
    done = run(cli.main, "export", "program.py::f", "--python", "-o", "-", "--args", "np.ones(2)")
    assert done.code == 0 and "imported" in done.err, done.err
    made: dict[str, Any] = {}
    exec(done.out, made)
    assert made["f"](np.ones(2)).tolist() == [2.0, 2.0]


def test_errors_of_files_name_them(run: Any) -> None:
    assert "good.py: this is no file of ag.save" in run(cli.main, "inspect", "good.py").err
    assert "invalid number value: 'x'" in run(to_code.main, "-j", "x", "good.py").err


def test_a_line_of_thousands_is_shown_in_part() -> None:
    line = f"x = {'é + ' * 3000}y + {'z + ' * 3000}1"
    column = len(line[:line.index("y")].encode())
    shown, carets = with_caret(line, column, column + 1).splitlines()
    assert "… " in shown and shown.endswith(" …") and len(shown) < 250
    assert [c for c, mark in zip(shown, carets, strict=False) if mark == "^"] == ["y"]
    shown, carets = with_caret(line, 0, None).splitlines()
    assert shown.startswith("    x = é") and len(carets) < 250


def test_streams_of_text_may_stand_for_those_of_the_process(
        monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.StringIO()
    monkeypatch.setattr("sys.stdin", io.StringIO("def f(x):\n    return 1 if x else 'ü'\n"))
    monkeypatch.setattr("sys.stdout", out)
    assert to_code.main(["--all", "-"]) == 0
    assert "return ag.cond(x, lambda: 1, lambda: 'ü')" in out.getvalue()
