"""What asks the world outside the program, however deep in Python's library, does so at each call.

Each program is called, what it asks about is changed, and it is called again, beside plain Python.
"""

import argparse
import configparser
import csv
import getpass
import glob
import io
import itertools
import json
import locale
import os
import pathlib
import random
import secrets
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable
from sys import argv
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.replacements.outside_world import asks_outside
from tests.support.outcome import run


def lines(x: Any) -> Any:
    total = 0.0
    with open("text", encoding="utf-8") as file:
        for line in file:
            total += float(line)
    return x * total


def in_a_branch(x: Any) -> Any:
    k = 0.0
    if x > 1:
        with open("text", encoding="utf-8") as file, pathlib.Path("text").open() as other:
            k = float(file.readline()) + float(other.readline())
    return x * k


def rows(x: Any) -> Any:
    with open("text", newline="", encoding="utf-8") as file:
        return x * sum(float(row[0]) for row in csv.reader(file))


def in_a_loop(x: Any) -> Any:
    total = 0.0
    for i in range(3):
        with open("text", encoding="utf-8") as file:
            total += float(file.readline()) * i
    return x * total


def without_a_file(x: Any) -> Any:
    try:
        with open("maybe", encoding="utf-8") as file:
            k = float(file.read() or "3")
    except FileNotFoundError:
        k = -1.0
    return x * k


def left_open(x: Any) -> Any:
    file = open("text", encoding="utf-8")  # noqa: SIM115
    k = float(file.readline())
    file.close()
    return x * k


def archive(x: Any) -> Any:
    with np.load("archive.npz") as found:
        return x * found["a"]


def scanned(x: Any) -> Any:
    with os.scandir(".") as entries:
        return x + len([e for e in entries if e.name.startswith("maybe")])


def walked(x: Any) -> Any:
    n = 0
    for _, _, files in os.walk("."):
        n += len(files)
    return x + n


def if_there(x: Any) -> Any:
    return x + 1 if pathlib.Path("maybe").exists() else x


def written(x: Any) -> Any:
    with open("out", "w", encoding="utf-8") as file:
        file.write(f"{x:.2f}")
    with tempfile.NamedTemporaryFile("w+") as other:
        other.write(str(x))
        other.seek(0)
        return pathlib.Path("out").read_text(), other.read()


def loop_by_environment(x: Any) -> Any:
    for i in range(int(os.environ.get("AUTOGRAPH_TEST", "0"))):
        x = x + i + 1
    return x


def numbers() -> Any:
    file = open("text", encoding="utf-8")  # noqa: SIM115
    for line in file:
        yield float(line)
    file.close()


def in_a_block() -> Any:
    with open("text", encoding="utf-8") as file, open("json", encoding="utf-8") as other:
        for line in file:
            yield float(line)
        yield len(other.read())


def of_a_generator_with_a_block(x: Any) -> Any:
    total = 0.0
    for value in in_a_block():
        if value > 10:
            break
        total += value
    try:
        for value in in_a_block():
            if value * x > 2:
                raise KeyError(value)
            total += value
    except KeyError as error:
        total = total + error.args[0]
    return x * total + sum(in_a_block())


def configured(x: Any) -> Any:
    pathlib.Path("settings").write_text(f"[a]\nb = {float(x) + len(sys.argv[1])}")
    parser = configparser.ConfigParser()
    parser.read("settings")
    return x, parser["a"]["b"]


def of_a_generator(x: Any) -> Any:
    total = 0.0
    for value in numbers():
        total += value
    return x * total + sum(numbers())


def program(*options: Any, **more: Any) -> Any:
    return subprocess.run([sys.executable, "-c", "print(open('text').read())"], *options,
                          check=True, **more)


def moved(x: Any) -> Any:
    pathlib.Path("a").write_text(str(x))
    shutil.move("a", "b")
    os.makedirs("folder", exist_ok=True)
    shutil.copy("b", "folder/c")
    there = os.path.exists("a"), os.path.exists("b"), pathlib.Path("folder/c").read_text()
    shutil.rmtree("folder")
    return x, there, os.path.exists("folder")


def zipped(x: Any) -> Any:
    with zipfile.ZipFile("z", "w") as file:
        file.writestr("a", str(x))
    with zipfile.ZipFile("z") as file:
        return x, file.read("a")


def parsed(x: Any) -> Any:
    parser = argparse.ArgumentParser()
    parser.add_argument("n", type=float)
    return x * parser.parse_args().n


def in_a_database(x: Any) -> Any:
    base = sqlite3.connect(":memory:")
    base.execute("create table t(a)")
    base.execute("insert into t values (?)", (float(x) * len(sys.argv[1]),))
    return base.execute("select a from t").fetchall()


def environment(x: Any) -> Any:
    if os.environ["AUTOGRAPH_TEST"] == "1":
        x = x + 1
    for name, value in os.environ.items():
        if name == "AUTOGRAPH_TEST":
            x = x * float(value)
    return x, "AUTOGRAPH_NONE" in os.environ, dict(os.environ)["AUTOGRAPH_TEST"]


def sets_the_environment(x: Any) -> Any:
    os.environ["AUTOGRAPH_SET"] = str(float(x) + len(sys.argv[1]))
    return x, os.environ["AUTOGRAPH_SET"]


def loop_by_arguments(x: Any) -> Any:
    for i in range(int(sys.argv[1])):
        x = x + i + 1
    for name in argv:
        x = x + len(name)
    return x


PROGRAMS: dict[str, Callable[..., Any]] = {
    "arguments": lambda x: (x, list(sys.argv), sys.argv[1]),
    "environ": lambda x: x * float(os.environ["AUTOGRAPH_TEST"]),
    "stdin": lambda x: (x, sys.stdin.readline()),
    "run": lambda x: (x, program(capture_output=True, text=True).stdout),
    "output": lambda x: (x, subprocess.check_output(["cat", "text"])),
    "which": lambda x: (x, shutil.which("cat"), shutil.disk_usage(".").total > 0),
    "getenv": lambda x: x * float(os.getenv("AUTOGRAPH_TEST", "0")),
    "environ.copy": lambda x: x * float(os.environ.copy()["AUTOGRAPH_TEST"]),
    "expandvars": lambda x: x * float(os.path.expandvars("$AUTOGRAPH_TEST")),
    "home": lambda x: (x, str(pathlib.Path.home()), os.path.expanduser("~/a")),
    "user": lambda x: (x, getpass.getuser()),
    "here": lambda x: (x, os.getcwd(), pathlib.Path.cwd(), os.path.abspath("a")),
    "resolved": lambda x: (x, str(pathlib.Path("a").resolve())),
    "read_text": lambda x: x * float(pathlib.Path("text").read_text()[0]),
    "loadtxt": lambda x: x * np.loadtxt("text"),
    "load": lambda x: x * np.load("array.npy"),
    "json": lambda x: x * json.loads(pathlib.Path("json").read_text())["a"],
    "sizes": lambda x: x + os.path.getsize("json") + os.stat("json").st_size,
    "is a file": lambda x: x + os.path.isfile("maybe"),
    "list": lambda x: x + len(os.listdir(".")) + len(glob.glob("*")),
    "paths": lambda x: x + len([*pathlib.Path().iterdir(), *pathlib.Path().glob("*")]),
    "umask": lambda x: x + os.umask(os.umask(0o22)),
    "locale": lambda x: (x, locale.setlocale(locale.LC_NUMERIC)),
    "settings": lambda x: (x, np.geterr(), np.get_printoptions()["precision"]),
    "temporary": lambda x: (x, tempfile.gettempdir()),
    "input": lambda x: x + float(input()),
    **{f.__name__: f for f in (lines, in_a_branch, rows, in_a_loop, without_a_file, left_open,
                               archive, scanned, walked, if_there, written, loop_by_environment,
                               of_a_generator, of_a_generator_with_a_block, configured, moved,
                               zipped, parsed, in_a_database, environment,
                               sets_the_environment, loop_by_arguments)}}


def change(k: int, folder: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Changes all that the programs ask about."""
    monkeypatch.chdir(folder / str(k))
    for name, x in (("AUTOGRAPH_TEST", str(k)), ("HOME", f"/h{k}"), ("LOGNAME", f"u{k}")):
        monkeypatch.setenv(name, x)
    pathlib.Path("text").write_text(f"{k}\n{k + 1}\n")
    pathlib.Path("json").write_text(json.dumps({"a": 10 ** k}))
    np.save("array.npy", np.arange(k + 1.0))
    np.savez("archive.npz", a=np.arange(k + 1.0))
    pathlib.Path("maybe").unlink(missing_ok=True)
    if k == 2:
        pathlib.Path("maybe").touch()
    monkeypatch.setattr(tempfile, "tempdir", f"{folder}/{k}")
    monkeypatch.setattr(sys, "stdin", io.StringIO(f"{k}\n"))
    sys.argv[:] = ["program", str(k)]
    np.seterr(divide="ignore" if k == 1 else "warn")
    np.set_printoptions(precision=8 - k)
    locale.setlocale(locale.LC_NUMERIC, "C" if k == 1 else "C.UTF-8")
    os.umask(0o22 if k == 1 else 0o77)


@pytest.fixture
def settings() -> Any:
    """Puts back what monkeypatch does not know."""
    modes, options, mask = np.geterr(), np.get_printoptions(), os.umask(0o22)
    arguments = [*sys.argv]
    yield
    sys.argv[:] = arguments
    np.seterr(**modes)
    np.set_printoptions(**options)
    locale.setlocale(locale.LC_NUMERIC, "C")
    os.umask(mask)


@pytest.mark.parametrize("name", PROGRAMS)
def test_each_call_asks_anew(name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch,
                             settings: Any) -> None:
    plain, traced = PROGRAMS[name], ag.function(PROGRAMS[name])
    for k in (1, 2):
        (tmp_path / str(k)).mkdir()
    for k in (1, 1, 2):
        found = []
        for f in (plain, traced):
            change(k, tmp_path, monkeypatch)
            found.append(run(f, (np.float64(1.5),)).describe())
        assert found[0] == found[1]
    assert traced.experimental_get_tracing_count() == 1


@pytest.mark.parametrize("ask", [
    lambda: random.SystemRandom().random(), lambda: secrets.choice(range(10 ** 9)),
    lambda: os.getrandom(8), lambda: np.asarray("now", "datetime64[ns]")])
def test_what_differs_each_time(ask: Callable[[], Any]) -> None:
    f = ag.function(lambda x: (x, ask()))
    assert repr(f(1.0)) != repr(f(1.0)) or "datetime" in repr(f(1.0))


def test_what_only_computes_is_a_constant() -> None:
    path = pathlib.Path("a")
    values = [os.path.join, os.path.splitext, os.fspath, path.with_suffix, json.dumps]
    assert not any(map(asks_outside, values))
    f = ag.function(lambda x: (x, os.path.join("a", "b"), path.with_suffix(".txt").name))
    assert f(1.0)[1:] == ("a/b", "a.txt")
    assert "path" not in str(f.graph(1.0)).partition("\n")[2]


def drawn() -> Any:
    while True:
        yield random.random() + np.random.rand()  # noqa: NPY002


def next_draws(x: Any) -> Any:
    values = drawn()
    return x + next(values) + next(values)


def zipped_with_draws(x: Any) -> Any:
    for i, value in zip(range(3), drawn(), strict=False):
        x = x + i * value
    return x


def draws_until(x: Any) -> Any:
    for value in drawn():
        x = x + value
        if x > 5:
            break
    return x


@pytest.mark.parametrize("plain", [next_draws, zipped_with_draws, draws_until,
                                   lambda x: x + sum(itertools.islice(drawn(), 4))])
def test_generators_draw_anew_in_each_call(plain: Callable[..., Any]) -> None:
    traced = ag.function(plain)
    for k in range(3):
        results = []
        for f in (plain, traced):
            random.seed(k)
            np.random.seed(k)  # noqa: NPY002
            results.append((f(np.float64(1.5)), random.random(), np.random.rand()))  # noqa: NPY002
        assert results[0] == results[1]
