"""`to_python`: files that give the plain function's results where there is nothing but NumPy."""

import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.ir.errors import StandaloneError
from tests.corpus.cases import PROGRAMS
from tests.support.amount import one_of
from tests.support.outcome import run
from tests.unit.examples.test_examples import CALLS, load

# What a file of its own cannot have, and why, in the words of the error.
REFUSED = [
    "has a `try` or `with` around what may raise", "keeps arrays outside itself",
    "changes something outside itself", "changes a list or dict inside another argument",
    "which a file with NumPy alone cannot have", "a file with NumPy alone takes",
    "would hide a helper",
]

# Runs in a bare Python: loads each file and calls it.
RUNNER = '''
import importlib.abc, pickle, sys, types, warnings
sys.path.insert(0, sys.argv[1])
class Nothing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in ("autograph", "gast", "astunparse"):
            raise ImportError(f"{name} is not here")
sys.meta_path.insert(0, Nothing())
import numpy as np
warnings.simplefilter("ignore")
results = []
for text, name, arguments in map(pickle.loads, pickle.load(open(sys.argv[2], "rb"))):
    sys.modules["made"] = types.ModuleType("made")  # data classes ask their module
    scope = vars(sys.modules["made"])
    try:
        exec(compile(text, name, "exec"), scope)
        made = ("returned", scope[name](*arguments), arguments)
    except Exception as error:
        made = ("raised", type(error).__name__, str(error))
    try:
        results.append(pickle.dumps(made))
    except Exception as error:
        results.append(pickle.dumps(("raised", "cannot be pickled", str(error))))
assert not any(m.split(".")[0] == "autograph" for m in sys.modules)
pickle.dump(results, open(sys.argv[3], "wb"))
'''


def bare(jobs, folder: Path) -> list:
    """(text, name, arguments) -> what a Python with NumPy alone made of each."""
    given, found = folder / "given", folder / "found"
    given.write_bytes(pickle.dumps([pickle.dumps(job) for job in jobs]))
    packages = str(Path(np.__file__).parents[1])
    assert not (Path(packages) / "made").exists()
    subprocess.run([sys.executable, "-I", "-S", "-c", RUNNER, packages, str(given), str(found)],
                   check=True, timeout=300)
    return [pickle.loads(x) for x in pickle.loads(found.read_bytes())]


def copied(arguments):
    return pickle.loads(pickle.dumps(arguments))


def described(made):
    """Values, dtypes and bits."""
    if isinstance(made, (tuple, list)):
        return [type(made).__name__, *map(described, made)]
    if isinstance(made, dict):
        return {k: described(v) for k, v in made.items()}
    if isinstance(made, (np.ndarray, np.generic)):
        return type(made).__name__, made.dtype.str, made.shape, made.tobytes()
    return repr(made)


def plain(function, arguments):
    """What the plain function does, in the runner's words."""
    call = run(function, arguments)
    if call.error is not None:
        return "raised", type(call.error).__name__
    return "returned", described(call.result), described(list(call.arguments))


def standard(arguments) -> bool:
    """Whether the arguments can be sent to a Python that has none of our classes."""
    try:
        return b"tests." not in pickle.dumps(arguments)
    except Exception:
        return False


def jobs_of(function, argument_tuples):
    """(text, name, arguments, function) for the calls that `to_python` can write a file for."""
    jobs, refused = [], []
    for arguments in filter(standard, argument_tuples):
        try:
            traced = ag.function(function).get_concrete_function(*copied(arguments))
        except Exception:
            continue  # what cannot be traced has tests of its own
        try:
            text = traced.to_python()
            jobs.append((text, text.rpartition("\ndef ")[2].partition("(")[0], arguments, function))
        except StandaloneError as error:
            assert any(words in str(error) for words in REFUSED), error
            refused.append(str(error))
    return jobs, refused


PARTS = 8
PARTS_RUN = range(0, PARTS, one_of(PARTS))
REFUSED_FILE = Path(__file__).with_name("not_standalone.txt")
"""A name on each line: the programs of the corpus with a call that is refused."""


def refused_now(request, part: int, names: set[str]) -> set[str]:
    """The refused programs of a part that the file knows; `--update-golden` writes what is so."""
    known = set(REFUSED_FILE.read_text(encoding="utf-8").split())
    of_part = {case.name for case in PROGRAMS[part::PARTS]}
    if request.config.getoption("--update-golden"):
        known = known - of_part | names
        REFUSED_FILE.write_text("".join(f"{name}\n" for name in sorted(known)), encoding="utf-8")
    return known & of_part


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("part", PARTS_RUN)
def test_the_corpus_in_a_bare_python(request, tmp_path, part):
    """An eighth of the corpus; all of it with `AUTOGRAPH_TESTS=1000`."""
    found = {c.name: jobs_of(c.function, c.arguments) for c in PROGRAMS[part::PARTS]}
    jobs = [job for made, _ in found.values() for job in made]
    assert len(jobs) > 1600 // PARTS, "most of the corpus can be written"
    refused = {name for name, (_, errors) in found.items() if errors}
    assert refused == refused_now(request, part, refused)
    check(jobs, tmp_path)


def check(jobs, folder):
    results = bare([job[:3] for job in jobs], folder)
    wrong = []
    for (text, name, arguments, function), made in zip(jobs, results, strict=True):
        expected = plain(function, copied(arguments))
        got = made[:2] if made[0] == "raised" else (
            "returned", described(made[1]), described(list(made[2])))
        if got != expected:
            wrong.append(f"{name}{arguments}: {made} instead of {expected}\n{text}")
    assert wrong == [], f"{len(wrong)} differ; the first: {wrong[0]}"


@pytest.mark.filterwarnings("ignore")
def test_the_examples_in_a_bare_python(tmp_path):
    jobs = [job for file, name, calls in CALLS
            for job in jobs_of(getattr(load(file), name).python_function, calls)[0]]
    assert len(jobs) > 20
    check(jobs, tmp_path)


def scaled(x, times=2, *, by=1.5):
    # a comment
    for _ in range(times):
        x = x * by
    return x


def test_text_has_the_users_lines_and_parameters():
    text = ag.function(scaled).to_python(np.arange(3.0))
    assert "def scaled(x, times=2, *, by=1.5):" in text
    assert "# x = x * by" in text
    assert "autograph." not in text
    scope = {}
    exec(text, scope)
    np.testing.assert_array_equal(scope["scaled"](np.arange(3.0)), scaled(np.arange(3.0)))
    for wrong in [(np.arange(4.0),), (np.arange(3),), ([1.0],), (np.arange(3.0), 3)]:
        with pytest.raises(TypeError):
            scope["scaled"](*wrong)


def test_large_arrays_run_in_tiles_there_too(tmp_path):
    def softmax(x):
        e = np.exp(x - np.max(x, axis=-1, keepdims=True))
        return e / np.sum(e, axis=-1, keepdims=True)

    x = np.random.default_rng(3).normal(size=(700, 600))
    jobs, _ = jobs_of(softmax, [(x,), (x[::-1],)])
    assert "def in_tiles(" in jobs[0][0]
    check(jobs, tmp_path)


def test_slices_are_written_into_the_file(tmp_path):
    parts = [slice(0, 1), slice(1, None)]

    def f(x):
        part = parts[int(x[0])]
        return x[part], part is parts[1]

    check(jobs_of(f, [(np.array([1.0, 2.0, 3.0]),), (np.zeros(3),)])[0], tmp_path)


def test_captured_arrays_are_written_into_the_file(tmp_path):
    small, large = np.array([1.5, -np.inf, np.nan]), np.arange(300, dtype=np.int16)

    def f(x):
        return x + small, large[:3] * x.astype(np.int64)

    check(jobs_of(f, [(np.ones(3),)])[0], tmp_path)


def test_one_signature_is_needed():
    f = ag.function(scaled)
    with pytest.raises(ValueError, match=r"0 traces(.|\n)*get_concrete_function"):
        f.to_python()
    f(np.arange(3.0))
    assert f.to_python() == f.get_concrete_function(np.arange(3.0)).to_python()
    f(np.arange(4.0))
    with pytest.raises(ValueError, match="2 traces"):
        f.to_python()
    assert "(None,)" in f.to_python(ag.TensorSpec([None], np.float64))


def test_what_cannot_be_written_is_refused():
    variable = ag.Variable(1.0)

    def f(x):
        return x + variable

    with pytest.raises(StandaloneError, match=r"(.|\n)*hint: "):
        ag.function(f).to_python(np.float64(1))


class Layer:
    factory = float

    def __init__(self, weights, bias):
        self.weights, self.bias, self.calls = weights, bias, 0

    @ag.function
    def forward(self, x, gain=2):
        return np.maximum(self.weights @ x + self.bias, 0) * gain

    @ag.function
    def counted(self, x):
        self.calls = self.calls + x.sum()
        return x

    @ag.function
    def itself(self, x):
        return self, x

    @ag.function
    @classmethod
    def halved(cls, x):
        return x / 2 if cls.factory is float else x // 2


def test_the_instance_of_a_method_is_no_parameter(tmp_path):
    layer, x = Layer(np.eye(3), 0.5), np.array([1.0, -2.0, 3.0])
    jobs = [(layer.forward.to_python(x), "forward", (x,)),
            (Layer.forward.to_python(layer, x, 3), "forward", (x, 3)),
            (Layer.halved.to_python(x), "halved", (x,))]
    wanted = [layer.forward(x), layer.forward(x, 3), Layer.halved(x)]
    for (kind, result, _), value in zip(bare(jobs, tmp_path), wanted, strict=True):
        assert kind == "returned"
        np.testing.assert_array_equal(result, value, strict=True)


def test_an_object_beside_the_arguments_is_no_parameter():
    def scaled_by(x, layer, gain=1):
        return x * layer.bias * gain

    scope = {}
    exec(ag.function(scaled_by).to_python(np.ones(2), Layer(None, 0.5), gain=4), scope)
    np.testing.assert_array_equal(scope["scaled_by"](np.ones(2), gain=4), [2.0, 2.0])
    with pytest.raises(TypeError, match="gain has to be 4"):
        scope["scaled_by"](np.ones(2), 3)


@pytest.mark.parametrize(("name", "reason"), [
    ("counted", "keeps arrays outside itself"), ("itself", "an object of class 'Layer'")])
def test_methods_that_need_their_instance_are_refused(name, reason):
    with pytest.raises(StandaloneError, match=reason):
        getattr(Layer(np.eye(3), 0.5), name).to_python(np.ones(3))


def test_names_of_helpers_are_kept_apart(tmp_path):
    threads, LARGE = np.arange(3.0), np.arange(4.0)  # names that tiles use

    def f(x, constant=None):
        e = np.exp(x) * 2.0 + 1.0
        return e / 3.0, threads, LARGE

    x = np.random.default_rng(3).normal(size=(700, 600))
    check(jobs_of(f, [(x,)])[0], tmp_path)

    def g(np):
        return np + 1

    with pytest.raises(StandaloneError, match="'np' would hide"):
        ag.function(g).to_python(x)


def test_arguments_must_share_memory_as_they_did():
    def add_into(x, y):
        x += y
        return x

    scope = {}
    x = np.arange(6.0)
    exec(ag.function(add_into).to_python(x[:3], x[3:]), scope)
    with pytest.raises(TypeError, match="share no memory"):
        scope["add_into"](x[:3], x[1:4])
    exec(ag.function(add_into).to_python(x, x), scope)
    with pytest.raises(TypeError, match="same array"):
        scope["add_into"](x, x.copy())
    np.testing.assert_array_equal(scope["add_into"](x, x), np.arange(6.0) * 2)


def test_constants_of_every_kind(tmp_path):
    fortran = np.asfortranarray(np.random.default_rng(1).normal(size=(9, 11)))

    def f(x, name="a\n'b'", nothing=None, number=float("nan"), z=1 - 2j, shape=(2, 3)):
        if name.startswith("a") and nothing is None and number != number:
            return x.reshape(shape) @ fortran[:3] * z
        return x

    jobs, refused = jobs_of(f, [(np.arange(6.0),), (np.arange(6.0), "b", 1, 2, 3, (6,))])
    assert len(jobs) == 2 and not refused
    check(jobs, tmp_path)
    scope = {}
    exec(jobs[0][0], scope)
    with pytest.raises(TypeError, match="shape"):
        scope["f"](np.arange(6.0), shape=(3, 2))
