"""Damaged files: mutations of the JSON tree of a saved function, and of the bytes and zip records.

    python -m tests.support.fuzzed_files 100000 [sealed | damaged] [seed]

makes so many, tries to load each, and says what became of them. Sealed files have a seal that is
right, and may be other programs; damaged files keep the seal of the file that they were made of.
"""

import codecs
import copy
import io
import json
import os
import random
import resource
import signal
import sys
import time
import warnings
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout, suppress
from typing import Any

import numpy as np
import numpy.ma  # NumPy imports them when a call needs them
import numpy.polynomial

import autograph as ag
from autograph.runtime.interpret import interpreter
from autograph.runtime.ir.errors import LoadError
from autograph.runtime.ir.graph import Value
from autograph.runtime.ir.types import ArrayType, PyType
from autograph.runtime.ops import OPS
from autograph.runtime.serialize import allowed
from autograph.runtime.serialize.archive import SEAL, archive_bytes, seal
from autograph.runtime.serialize.loaded import LoadedFunction
from autograph.runtime.serialize.save import dumps, loads, written
from tests.support import saved_programs

NASTY: list[Any] = [
    None, True, False, 0, 1, -1, 2, 7, 255, 2 ** 31, 2 ** 62, 2 ** 63, -(2 ** 63), 10 ** 30, 1.5,
    -0.0, 1e308, "", "%0", "%1", "%999", "%-1", "%01", "x", "f8", "<f8", "|O", "O", "object",
    "<f16", "builtins.open", "builtins.eval", "os.system", "numpy.load", "numpy.fromfile",
    "call builtins.open", "call numpy.load", "call builtins.sorted", "../../etc/passwd", "a" * 600,
    "\ud800", "\0", "__class__", "__globals__", [], {}, [[]], {"ref": "builtins.open"},
    {"ref": "builtins.len"}, {"list": []}, {"str": "os.system('x')"}, {"str": "{0.__class__}"},
    {"slice": [None, None, 0]}, {"range": [0, 10 ** 18, 1]}, {"tuple": [{"tuple": []}]},
    {"array": 0}, {"array": 10 ** 9}, {"dtype": "|O8"}, {"float": "nan"}, {"int": "0x1"},
    {"dynamic": True}, {"dtype": "<f8", "shape": [2 ** 40, 2 ** 40]},
    {"dtype": "<f8", "shape": [10 ** 17]}, {"py": "int"}, {"py": "list"}, {"leaf": 0},
    {"given": 0}, {"again": 0}, {"scalar": ["<f8", "00" * 8]}, {"class": "os:system"},
    {"error": ["builtins.SystemExit", []]}, {"unbound": ["x"]}, {"op": "add"},
]
"""Data that goes where it does not belong."""


def places(x: Any) -> Iterator[tuple[Any, Any]]:
    """Yields (container, key) of everything in plain data."""
    rest = [x]
    while rest:
        x = rest.pop()
        for key in x if isinstance(x, dict) else range(len(x)):
            yield x, key
            if isinstance(x[key], (dict, list)):
                rest.append(x[key])


def words() -> list[str]:
    """The names of ops and of what may be named."""
    return [*OPS, *(f"call {n}" for n in allowed.by_name()), *allowed.by_name()]


def tables(data: bytes) -> dict[str, Any]:
    """Returns what the graph.json of a file says, and the bytes of its arrays."""
    archive = zipfile.ZipFile(io.BytesIO(data))
    first, *members = archive.namelist()
    read: dict[str, Any] = json.loads(archive.read(first))
    return read | {"members": list(map(archive.read, members))}


class Fuzzer:
    """Makes damaged files; the same seed makes the same ones.

    sealed: they get a seal that is right, as who knows the format makes them; else they keep the
      one that they had.
    """

    def __init__(self, seed: int, sealed: bool = True) -> None:
        self.draw = random.Random(seed)
        self.sealed = sealed
        self.words = words()
        made = [written(f, None, samples, (), True) for f, samples in saved_programs.saved()]
        self.files = [(json.dumps(data), arrays, archive_bytes(data, arrays))
                      for data, arrays in made]

    def file(self) -> bytes:
        """Returns a damaged file."""
        data, arrays, self.old = self.draw.choice(self.files)
        made = self.damaged(data, arrays, self.old)
        while made == self.old:
            made = self.damaged(data, arrays, self.old)
        return made

    def changed(self, data: bytes) -> str:
        """Returns the tables of the latest file that another one has otherwise, once it is read."""
        new, old = tables(dumps(loads(data))), tables(self.old)
        return ", ".join(key for key in old if old[key] != new.get(key)) or "nothing"

    def damaged(self, text: str, arrays: list[np.ndarray], old: bytes) -> bytes:
        """Returns a file with a change, which may be none."""
        if self.draw.random() < 0.75:
            data = json.loads(text)
            with suppress(RecursionError):  # what is nested too deeply to be changed again
                for _ in range(self.draw.choice((1, 1, 1, 1, 2, 3))):
                    self.draw.choice(TREE)(self, data)
            made = self.packed(data, arrays)
            same = made == old or self.sealed
            return made if same else made[:-SEAL] + old[-SEAL:]
        return self.draw.choice(BYTES)(self, old)

    def packed(self, data: Any, arrays: list[np.ndarray]) -> bytes:
        try:
            return archive_bytes(data, arrays)
        except (ValueError, RecursionError):  # what JSON cannot say
            return b""

    # -- the tree ---------------------------------------------------------------------------------

    def place(self, data: Any) -> tuple[Any, Any]:
        """Returns a place, in the functions mostly: they are the largest part."""
        return self.draw.choice(list(places(data)))

    def replace(self, data: Any) -> None:
        owner, key = self.place(data)
        owner[key] = copy.deepcopy(self.draw.choice(NASTY))

    def delete(self, data: Any) -> None:
        owner, key = self.place(data)
        del owner[key]

    def duplicate(self, data: Any) -> None:
        owner, key = self.place(data)
        if isinstance(owner, list):
            owner.insert(self.draw.randrange(len(owner) + 1), copy.deepcopy(owner[key]))

    def swap(self, data: Any) -> None:
        (a, i), (b, k) = self.place(data), self.place(data)
        a[i], b[k] = copy.deepcopy(b[k]), copy.deepcopy(a[i])

    def rename(self, data: Any) -> None:
        owner, key = self.place(data)
        if isinstance(owner[key], str):
            owner[key] = self.draw.choice(self.words)

    def rename_key(self, data: Any) -> None:
        owner, key = self.place(data)
        if isinstance(owner, dict):
            owner[self.draw.choice(("op", "v", "list", "tuple", "x", "regions", "ref"))] = (
                owner.pop(key))

    def nudge(self, data: Any) -> None:
        owner, key = self.place(data)
        x = owner[key]
        if isinstance(x, (int, float)) and not isinstance(x, bool):
            owner[key] = x + self.draw.choice((-1, 1, 2 ** 20))
        elif isinstance(x, str) and x[:1] == "%":
            owner[key] = f"%{int(x[1:]) + self.draw.choice((-2, -1, 1, 2))}" if (
                x[1:].isdecimal()) else "%0"

    def deepen(self, data: Any) -> None:
        owner, key = self.place(data)
        for _ in range(self.draw.choice((3, 150, 900))):
            owner[key] = {"list": [owner[key]]}

    def lengthen(self, data: Any) -> None:
        owner, key = self.place(data)
        if isinstance(owner[key], list):
            owner[key] = owner[key] * self.draw.choice((2, 50))

    # -- bytes and zip records --------------------------------------------------------------------

    def flip(self, data: bytes) -> bytes:
        made = bytearray(data)
        for _ in range(self.draw.choice((1, 2, 8))):
            made[self.draw.randrange(len(made))] = self.draw.randrange(256)
        return bytes(made)

    def cut(self, data: bytes) -> bytes:
        return data[:self.draw.randrange(len(data))]

    def slice_out(self, data: bytes) -> bytes:
        a, b = sorted((self.draw.randrange(len(data)), self.draw.randrange(len(data))))
        return data[:a] + data[b:]

    def surround(self, data: bytes) -> bytes:
        more = bytes(self.draw.randrange(256) for _ in range(self.draw.choice((1, 22, 100))))
        return self.draw.choice((data + more, more + data, data + data))

    def repack(self, data: bytes) -> bytes:
        """The same members in an archive that ag.save does not write."""
        how = self.draw.choice(("deflated", "order", "twice", "extra", "path", "comment", "npy",
                                "bomb", "flag"))
        made, old = io.BytesIO(), zipfile.ZipFile(io.BytesIO(data))
        members = [(i.filename, old.read(i)) for i in old.infolist()]
        kind = zipfile.ZIP_DEFLATED if how in ("deflated", "bomb") else zipfile.ZIP_STORED
        if how == "order":
            self.draw.shuffle(members)
        elif how == "twice":
            members.append(self.draw.choice(members))
        elif how in ("extra", "path"):
            name = "more.txt" if how == "extra" else "../../evil"
            members.insert(self.draw.randrange(len(members) + 1), (name, b"x"))
        elif how == "bomb":
            members[-1] = members[-1][0], bytes(10 ** 6)
        elif how == "npy":
            members[-1] = members[-1][0], self.header(members[-1][1])
        with zipfile.ZipFile(made, "w", kind) as new, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for name, held in members:
                info = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                info.compress_type = kind
                new.writestr(info, held)
            new.comment = b"x" if how == "comment" else bytes(SEAL)
        if self.sealed and how != "comment":
            seal(made)
        return made.getvalue()

    def header(self, data: bytes) -> bytes:
        """A member whose header declares something else."""
        shape = self.draw.choice(("(10000000000000,)", "(-1,)", "(2, 3)", "()", "(1, 10**9)"))
        kind = self.draw.choice(("<f8", "|O", "|V0", "<U999999999", "[('a','<f8')]"))
        text = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}, }}"
        head = text.ljust(117) + "\n"
        made = b"\x93NUMPY\x01\x00" + len(head).to_bytes(2, "little") + head.encode()
        return made + data[128:]

    def sizes(self, data: bytes) -> bytes:
        """Other sizes or offsets in the directory."""
        made = bytearray(data)
        at = data.rfind(b"PK\x01\x02")
        field = self.draw.choice((8, 10, 16, 20, 24, 28, 30, 32, 42))
        made[at + field:at + field + 2] = self.draw.randrange(65536).to_bytes(2, "little")
        return bytes(made)


TREE: list[Callable[[Fuzzer, Any], None]] = [
    Fuzzer.replace, Fuzzer.replace, Fuzzer.replace, Fuzzer.delete, Fuzzer.duplicate, Fuzzer.swap,
    Fuzzer.swap, Fuzzer.rename, Fuzzer.rename, Fuzzer.rename_key, Fuzzer.nudge, Fuzzer.nudge,
    Fuzzer.deepen, Fuzzer.lengthen]
BYTES: list[Callable[[Fuzzer, bytes], bytes]] = [
    Fuzzer.flip, Fuzzer.flip, Fuzzer.cut, Fuzzer.slice_out, Fuzzer.surround, Fuzzer.repack,
    Fuzzer.repack, Fuzzer.sizes]


# -- what becomes of one --------------------------------------------------------------------------

FORBIDDEN = ("os.", "subprocess.", "socket.", "shutil.", "pickle.", "ctypes.")
seen: list[str] = []
"""What files have done that they must not do."""


def watch(event: str, args: tuple[Any, ...]) -> None:
    """Notes events of Python's audit that no file may bring about."""
    if not seen and watching and (event.startswith(FORBIDDEN) or (
            event == "exec" and args[0].co_filename.startswith("<graph")) or (
            event == "open" and (args[2] or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))):
        seen.append(f"WRONG: {event} {args}"[:100])


watching: list[bool] = []
"""Not empty while a file is being tried."""


class TooLong(BaseException):
    """A call takes longer than it may."""


def too_long(*_: Any) -> None:
    raise TooLong


def fate(data: bytes, run: bool = True) -> str:
    """Returns "refused", or "accepted"; else what is wrong."""
    codecs.lookup("cp437")  # the names in a zip: Python may list its folder to import the codec
    watching.append(True)
    try:
        told = _fate(data, run)
    finally:
        watching.clear()
    return seen.pop() if seen else told


def _fate(data: bytes, run: bool) -> str:
    try:
        made = loads(data)
    except LoadError:
        return "refused"
    except Exception as error:
        return f"WRONG: load raises {type(error).__name__}: {error}"[:200]
    try:
        again = dumps(made)
        if dumps(loads(again)) != again:
            return "WRONG: not the same when it is saved again"
    except Exception as error:
        return f"WRONG: saving raises {type(error).__name__}: {error}"[:200]
    return lie(made) if run and isinstance(made, LoadedFunction) else "accepted"


def lie(f: LoadedFunction) -> str:
    """Runs the graphs on some values; returns "accepted" unless a type in the file is wrong."""
    for s in f.signatures:
        graph = s.program.graph
        inputs = [example(v) for v in graph.inputs]
        if any(x is None for x in inputs):
            continue
        signal.signal(signal.SIGALRM, too_long)
        signal.setitimer(signal.ITIMER_REAL, 0.5)
        try:
            env = dict(zip(graph.inputs, inputs, strict=True))
            with redirect_stdout(io.StringIO()), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                interpreter.run_graph(graph, env)
        except (Exception, TooLong):
            continue  # the program's own affair
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
        for e in graph.equations:
            for v in e.outputs:
                if v in env and not v.type.admits(env[v]):
                    return f"WRONG: {e.op.name} gives {type(env[v])}, not {v.type}"
    return "accepted"


def example(v: Value) -> Any:
    t = v.type
    if isinstance(t, PyType) and t.cls in (int, float, bool, str, list, dict):
        return t.cls()
    if not isinstance(t, ArrayType) or t.dtype is None or t.shape is None or t.size > 10 ** 6:
        return None
    made = np.ones([d if isinstance(d, int) else 3 for d in t.shape], t.dtype)
    return made[()] if t.scalar else made


def report(count: int, sealed: bool, seed: int) -> Counter[str]:
    """Tries so many damaged files; returns how many had each fate."""
    fuzzer = Fuzzer(seed, sealed)
    fates: Counter[str] = Counter()
    longest = 0.0
    for number in range(count):
        data = fuzzer.file()
        began = time.process_time()
        told = fate(data)
        longest = max(longest, time.process_time() - began)
        if told == "accepted":
            told += f", changed: {fuzzer.changed(data)}"
        fates[told] += 1
        if told.startswith("WRONG") and fates[told] <= 2:
            with open(f"wrong_{seed}_{number}.agz", "wb") as stream:
                stream.write(data)
        if number % 1000 == 0:
            print(number, dict(fates), f"longest {longest:.2f} s",
                  resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, "MiB", flush=True)
    return fates


sys.addaudithook(watch)

if __name__ == "__main__":
    ag.config.check_graphs(False)
    np.seterr(all="ignore")
    resource.setrlimit(resource.RLIMIT_AS, (2 ** 31, 2 ** 31))
    count, kind, first = [*sys.argv[1:], *("sealed", "0")[len(sys.argv) - 2:]]
    print(report(int(count), {"sealed": True, "damaged": False}[kind], int(first)))
