"""Iterators of the caller's that do not say how long they are: what Python or a library reads of
them, where the graph decides if it does, is refused or done by the run. Nothing is read ahead."""

import itertools

import pytest

from tests.corpus.state.small_programs import MODES, Small, verdict
from tests.support.amount import sample

MAKES = [
    "itertools.cycle([1, 2, 3])", "re.finditer('.', 'abcdefghijkl')", "itertools.repeat(4)",
    "csv.reader(io.StringIO('1,2\\n' * 12))", "iter(Items())", "itertools.product('ab', 'cdefgh')",
    "itertools.permutations([1, 2, 3, 4])", "iter(memoryview(b'abcdefghijkl'))",
    "iter(array.array('i', range(12)))", "map(abs, itertools.cycle([1, -2]))",
    "np.nditer(np.arange(12.0))", "np.broadcast(np.arange(12.0), 2)", "itertools.count(3)",
    "itertools.tee(itertools.cycle([1, 2, 3]))[1]", "iter(Steps().step, -1)",
    "itertools.combinations(range(9), 2)", "np.arange(12.0).flat"]

READS = [
    "v.__next__()", "next(v)", "dict(zip('ab', v))", "list(zip('ab', v))", "list(islice(v, 2))",
    "','.join(map(str, islice(v, 2)))", "(lambda *a: len(a))(*islice(v, 2))",
    "deque(islice(v, 3), 1)",
    "[k for k, _ in zip(v, 'ab')]", "list(map(lambda a, b: b, 'ab', v))",
    "any(k == 0 for k in islice(v, 2))", "str.join(',', map(str, islice(v, 1)))"]

FORMS = {
    "branch": "if x > 1.5:\n r = {0}", "loop": "for i in range(int(x)):\n r = {0}",
    "and": "r = x > 1.5 and {0}", "after": "if x > 1.5:\n r = {0}\nif x > 4:\n s = {0}",
    "function": "def g():\n return {0}\nr = g() if x > 1 else 0",
    "while": "n = 0\nwhile n < x:\n r = {0}\n n += 2"}

PROGRAM = """
from itertools import islice
class Items:
    def __getitem__(self, k): return k
class Steps:
    n = 0
    def step(self):
        self.n += 1
        return self.n
class Box: pass
B = Box()
B.v = {make}
def f(x):
    v, r, s = B.v, 0, 0
{form}
    return str(r), str(s)
"""


@pytest.mark.parametrize(("make", "read", "form", "mode"), sample(
    itertools.product(MAKES, READS, FORMS, MODES), 40))
def test_no_read_happens_while_tracing_that_the_graph_decides(
        make: str, read: str, form: str, mode: str) -> None:
    lines = "\n".join("    " + line for line in FORMS[form].format(read).splitlines())
    text = PROGRAM.format(make=make, form=lines)
    found = verdict(Small(f"{make}, {read}, {form}, {mode}", text), **MODES[mode])
    assert found == "right" or found.startswith(("plain: ", "refused: ")), found
