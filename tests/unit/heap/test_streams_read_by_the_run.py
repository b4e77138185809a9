"""Streams, files and other objects of Python's library as iterators: what reads one where the graph
decides if, or how often, is done by the run, or refused. It is never done while tracing."""

import itertools

import pytest

from tests.corpus.state.small_programs import MODES, Small, verdict
from tests.support.amount import sample

MAKES = [
    "io.StringIO('a\\nb\\nc\\nd\\ne\\nf\\n')", "io.BytesIO(b'a\\nb\\nc\\nd\\ne\\nf\\n')",
    "io.TextIOWrapper(io.BytesIO(b'a\\nb\\nc\\nd\\ne\\n'))",
    "io.BufferedReader(io.BytesIO(b'a\\nb\\nc\\nd\\ne\\n'))", "Mine('a\\nb\\nc\\nd\\n')",
    "csv.DictReader(['k,l', 'a,b', 'c,d', 'e,f'])", "shlex.shlex('a b c d e')"]

READS = [
    "list(zip('ab', v))", "list(zip(v, 'ab'))", "next(v)", "next(v, 0)", "list(islice(v, 2))",
    "[k for k, _ in zip(v, 'ab')]", "list(enumerate(v))", "next(iter(v))", "list(v)", "max(v)",
    "[k for k in v]", "sum(1 for k in v)", "'b\\n' in v", "len(list(v))", "(lambda *a: len(a))(*v)",
    "v.readline()", "dict(zip(v, v))", "list(map(len, v))", "deque(v, 1)", "any(k for k in v)",
    "L.extend(v)", "L.append(next(v))", "list(itertools.chain(v, 'ab'))", "v.__next__()",
    "[next(v) for j in range(2)]", "reduce(lambda a, b: a + b, v)", "dict.fromkeys(v)", "first(v)",
    "list(csv.reader(v)) if type(v) is io.StringIO else v is p", "list(zip(v, p))",
    "list(zip(q, v))", "list(zip(enumerate(v), p))", "next(zip(v, v))",
    "next(itertools.zip_longest(v, p))",
    "next(itertools.tee(v)[0])", "next(itertools.pairwise(v))", "dict(enumerate(v))"]

CHOICES = ["v = {0: p, 1: q}[int(x) % 2]", "v = p if x > 1 else q", "v = p", "v = [p, q][x > 1]"]

FORMS = {
    "branch": "if x > 1.5:\n r = {0}", "while": "n = 0\nwhile n < x:\n r = {0}\n n += 2",
    "twice": "r = {0}\nif x > 1.5:\n s = {0}", "after": "if x > 1.5:\n r = {0}\ns = {0}",
    "now": "r = {0}\ns = {0}", "and": "r = x > 1 and {0}",
    "for": "for i in range(int(x)):\n r = {0}",
    "try": "try:\n if x > 1.5: raise ValueError\n r = {0}\nexcept ValueError:\n s = {0}",
    "function": "def g():\n return {0}\nif x > 1:\n r = g()",
    "loop": "for k in v:\n r += 1\n if r > x:\n  break",
    "numbered": "for i, k in enumerate(v):\n r += i\n if r > x:\n  break",
    "zipped": "for i, k in zip(range(5), v):\n r += i\n if r > x:\n  break"}

PROGRAM = """
import shlex
from itertools import islice
class Mine(io.StringIO):
    tag = 1
def first(v):
    for k in v:
        return k
L, P, Q = [], {make}, {make}
def kept(): return L, where(P), where(Q)
def where(stream):
    try:
        return stream.tell()
    except OSError:
        return "in a loop"
    except AttributeError:
        return [v for v in vars(stream).values() if type(v) in (int, str)]
def make(): return HeldBy(P), HeldBy(Q)
class HeldBy:
    def __init__(self, stream): self.stream = stream
def f(x, p, q):
    p, q, r, s = {given}, 0, 0
    {choice}
{form}
    return str(r), str(s)
"""


@pytest.mark.parametrize(("make", "read", "choice", "form", "mode"), sample(
    itertools.product(MAKES, READS, CHOICES, FORMS, MODES), 240))
def test_streams_are_read_as_often_as_python_does(
        make: str, read: str, choice: str, form: str, mode: str) -> None:
    lines = "\n".join("    " + line for line in FORMS[form].format(read).splitlines())
    text = PROGRAM.format(make=make, choice=choice, form=lines, given="p.stream, q.stream")
    if form in ("twice", "after", "now", "try"):  # some of it is done while tracing, if not given
        text = text.replace("HeldBy(P), HeldBy(Q)", "P, Q").replace("p.stream, q.stream", "p, q")
    name = ", ".join([make, read, choice, form, mode])
    found = verdict(Small(name, text), **MODES[mode])
    assert found == "right" or found.startswith(("plain: ", "refused: ")), found


ABANDONED = """
STREAM = io.StringIO()
def kept(): return STREAM.getvalue()
def f(x):
    STREAM.write("a")
    return [k for k in __import__("gc").get_objects(0)[:0]] if x > 1 else eval("x > 1 and x")
"""


def test_what_an_abandoned_trace_wrote_is_not_written_twice() -> None:
    found = verdict(Small("abandoned", ABANDONED))
    assert found == "right" or found.startswith(("plain: ", "refused: ")), found


CHOSEN = """
P, Q = io.StringIO("1\\n2\\n3\\n4\\n5\\n6\\n7\\n8\\n9\\n"), io.StringIO("a\\nb\\nc\\nd\\ne\\nf\\n")
def kept(): return P.tell(), Q.tell()
def f(x):
    v = [P, Q][int(x) % 2]
    return next(v), next(P), v.readline()
"""


@pytest.mark.parametrize("mode", MODES)
def test_a_stream_that_the_run_chooses_is_read_in_order(mode: str) -> None:
    assert verdict(Small("chosen", CHOSEN), **MODES[mode]) == "right"
