"""Iterators with attributes, as csv.DictReader is, streams of a loop that ends early, and the
attributes of what the run reads or calls."""

import pytest

from tests.corpus.state.small_programs import MODES, Small, verdict

BEFORE = """
import csv, shlex, sqlite3, zlib
LINES = ["k,v", "a,1", "b,2", "c,3", "d,4", "e,5", "f,6", "g,7"]
def table(): return csv.DictReader(LINES)
class Log(io.StringIO):
    tag, n = 1, 0
    def more(self): self.n += 1; return self.n
class Loud(io.StringIO):
    def write(self, text): return super().write(text.upper())
L, U = Log("1\\n2\\n3\\n"), Loud()
T, R, S = table(), csv.reader(LINES), io.StringIO("a\\nb\\n")
D, Z = zlib.decompressobj(), zlib.compress(b"aaaa")
B = np.arange(20.0)
A = B.flat
def kept(): return T.line_num, R.line_num, D.eof, A.index, L.closed or L.tell(), L.n, U.getvalue()
"""

RIGHT = {
    "sum": "return sum(float(t['v']) for t in r) * x",
    "loop": "s = 0.0\nfor t in r:\n if float(t['v']) < x:\n  s += float(t['v']) * x\nreturn s",
    "helper": "def of(r): return [float(t['v']) for t in r]\nreturn np.array(of(r)) * x",
    "next in a branch": "if x > 1: return next(r)['k']\nreturn next(T)['v']",
    "outside": "s = 0.0\nfor t in T:\n s += float(t['v'])\n if s > x:\n  break\nreturn s",
    "chosen": "r = r if x > 1 else T\nreturn next(r)['k']",
    "made here": "s = 0.0\nfor t in table(): s += float(t['v']) * x\nreturn s",
    "made here, early end": "r = table()\nfor t in r:\n if float(t['v']) > x: break\n"
                            "return t['k'], list(r)",
    "made here, any": "r = table()\nreturn any(float(t['v']) > x for t in r), len(list(r))",
    "lexer, early end": "r, n = shlex.shlex('a b c d e f g h'), 0\nfor t in r:\n n += 1\n"
                        " if n > x: break\nreturn n, list(r)",
    "stream, early end": "s = io.StringIO('1\\n2\\n3\\n4\\n5\\n6\\n')\nfor t in s:\n"
                         " if float(t) > x: break\nreturn s.readline(), s.read()",
    "own class": "if x > 1: L.write('zz'); L.more()\nreturn L.readline(), next(L, 0), L.n",
    "own class, loop": "for k in L:\n if float(k) > x: break\nreturn L.read()",
    "own class, chosen": "v = L if x > 1 else S\nreturn next(v, 0), v.tell()",
    "stream, closed": "s = io.StringIO('a')\nif x > 1: s.close()\nreturn s.closed"}

NOT_WRONG = {
    "line after": "if x > 1: next(T)\nreturn T.line_num",
    "line before": "n = T.line_num\nnext(T)\nreturn T.line_num - n",
    "line of an argument": "for t in r: x = x + 1\nreturn r.line_num, x",
    "line of a reader": "if x > 1: next(R)\nreturn R.line_num",
    "fields": "n = T.fieldnames\nif x > 1: next(T)\nreturn n, T.fieldnames",
    "closed": "if x > 1: S.close()\nreturn S.closed",
    "closed, elsewhere": "if x > 1: S.close()\nreturn is_closed()",
    "with in a branch": "if x > 1:\n with S: return S.read()\nreturn x",
    "own write": "if x > 1: U.write('abc')\nreturn U.getvalue()",
    "print to an own one": "v = Log()\nprint(x, file=v)\nreturn v.getvalue()",
    "end": "if x > 1: D.decompress(Z)\nreturn D.eof",
    "index": "if x > 1: next(A)\nreturn A.index"}


def _program(body: str) -> str:
    lines = "\n".join("    " + line for line in body.splitlines())
    return (f"{BEFORE}def is_closed(): return S.closed\ndef make(): return (table(),)\n"
            f"def f(x, r):\n{lines}\n")


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", RIGHT)
def test_iterators_with_attributes_are_read_as_python_does(name: str, mode: str) -> None:
    assert verdict(Small(f"{name}, {mode}", _program(RIGHT[name])), **MODES[mode]) == "right"


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", NOT_WRONG)
def test_what_the_run_may_change_is_not_read_by_the_trace(name: str, mode: str) -> None:
    found = verdict(Small(f"{name}, {mode}", _program(NOT_WRONG[name])), **MODES[mode])
    assert found == "right" or found.startswith(("plain: ", "refused: ")), found
