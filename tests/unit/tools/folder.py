"""A folder with one program of every kind that a command-line tool meets, and a way to call it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

FILES = {
    "one.py": """\
        import autograph as ag
        import numpy as np

        def helper(x):
            return not x

        @ag.function
        def marked(x):
            # the way up
            return helper(x) and 1

        def other(x):
            while x < 10:
                x = x * 2
            return x
        """,
    "call.py": """\
        from autograph import function as compiled

        def slow(x):
            return 1 if x else 2

        def left(x):
            return 1 if x else 2

        fast = compiled(
            slow,
        )
        faster = compiled(slow, jit_compile=True)
        """,
    "counters.py": """\
        class Counter:
            def up(self):
                return 1 if self.n else 2

            def down(self):
                return not self.n

            def each(self):
                yield self

        def free(x):
            return not x
        """,
    "bad.py": """\
        import autograph as ag

        @ag.function
        def produce(x):
            yield x
        """,
    "broken.py": "def f(:\n",
    "tree/a.py": "def a(x):\n    return not x\n",
    "tree/sub/b.py": "def b(x):\n    return not x\n",
    "tree/ignored/c.py": "def c(x):\n    return not x\n",
    "tree/sub/d_generated.py": "def d(x):\n    return not x\n",
    "tree/.gitignore": "ignored/\n*_generated.py\n",
    ".git/HEAD": "ref: refs/heads/main\n",
}


def make(folder: Path) -> None:
    """Write the files."""
    from textwrap import dedent
    for name, text in FILES.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text))


@dataclass(frozen=True)
class Said:
    """What a command came to."""

    code: int
    out: str
    err: str


def caller(main: Callable[[Sequence[str]], int], captured: Callable[[], tuple[bytes, bytes]]
           ) -> Callable[..., Said]:
    """Calls a command's `main` with words; an exit is a code too."""
    def call(*words: str) -> Said:
        try:
            code = main(words)
        except SystemExit as exit:
            code = int(exit.code or 0)
        out, err = captured()
        return Said(code, out.decode(), err.decode())

    return call
