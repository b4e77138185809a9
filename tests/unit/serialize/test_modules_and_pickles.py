"""Modules with variables, checkpoints, pickles and tokens."""

import copy
import pickle
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import autograph as ag
from autograph.runtime.serialize.save import dumps, loads


class Layer(ag.Module):
    def __init__(self, size: int, shared: ag.Variable) -> None:
        super().__init__()
        self.weights = ag.Variable(np.arange(float(size)), name="weights")
        self.shared = shared


class Model(ag.Module):
    def __init__(self) -> None:
        super().__init__("model")
        self.count = ag.Variable(0, name="count")
        self.layers = [Layer(3, self.count), Layer(3, self.count)]
        self.options = {"rate": 0.5, "names": ("a", "b")}
        self.table = np.arange(3)
        self.log = open  # a file cannot hold it

    @ag.function
    def step(self, x):
        self.count.assign_add(1)
        self.layers[0].weights.assign_add(x)
        return self.layers[0].weights * self.options["rate"] + self.layers[1].weights

    @ag.function(input_signature=[ag.TensorSpec([None])])
    def total(self, x):
        return np.sum(x) + self.count


@pytest.fixture
def model() -> Model:
    made = Model()
    made.step(np.ones(3))
    return made


def test_a_module_has_its_variables_and_methods(model: Model) -> None:
    loaded = loads(dumps(model))
    assert [v.name for v in loaded.variables] == [v.name for v in model.variables]
    assert loaded.count is loaded.layers[0].shared is loaded.layers[1].shared
    for _ in range(2):
        assert np.array_equal(loaded.step(np.ones(3)), model.step(np.ones(3)))
    assert loaded.count.value() == model.count.value() == 3
    assert loaded.total(np.ones(5)) == model.total(np.ones(5)) == 8.0
    assert loaded.options == model.options and loaded.table.tolist() == [0, 1, 2]
    with pytest.raises(AttributeError, match="an object of class builtin_function_or_method"):
        loaded.log  # noqa: B018


def test_a_loaded_module_is_saved_again_byte_for_byte(model: Model) -> None:
    data = dumps(model)
    assert dumps(loads(data)) == data


def test_modules_may_refer_to_one_another() -> None:
    a, b = ag.Module("a"), ag.Module("b")
    a.other, b.other = b, a
    a.values = [ag.Variable(1.0, name="v")]
    b.same = a.values[0]
    loaded = loads(dumps(a))
    assert loaded.other.other is loaded and loaded.other.same is loaded.values[0]


def test_methods_of_two_instances_are_told_apart() -> None:
    one, two = Model(), Model()
    two.layers[1].weights.assign(np.full(3, 7.0))
    first, second = one.step(np.ones(3)), two.step(np.ones(3))
    loaded = loads(dumps(two))
    assert len(loaded.step.signatures) == 1
    assert np.array_equal(loaded.step(np.zeros(3)), second) and not np.array_equal(first, second)


# -- checkpoints ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("wrong", "kind", "said"), [
    (lambda c: ag.Checkpoint(net=c, optimizer=c), TypeError,
     'write ag.Checkpoint(folder, {"net": net, "optimizer": optimizer})'),
    (lambda c: ag.Checkpoint(c.folder), TypeError, "write ag.Checkpoint(folder, {"),
    (lambda c: c.save("ck"), TypeError, "a number, not 'ck'"),
    (lambda c: c.restore("run/checkpoint-1.agz"), TypeError, "given to ag.Checkpoint"),
    (lambda c: c.save(-1), ValueError, "from 0 on, not -1")])
def test_checkpoints_called_as_in_tensorflow(
        wrong: Any, kind: type[Exception], said: str, tmp_path: Path) -> None:
    checkpoint = ag.Checkpoint(tmp_path / "run", {"v": ag.Variable(1.0)})
    with pytest.raises(kind) as caught:
        wrong(checkpoint)
    assert said in str(caught.value) and checkpoint.steps == []
    assert checkpoint.save(np.int64(7)) == 7 and checkpoint.restore(7) == 7


def test_checkpoints_keep_the_last(tmp_path: Path, model: Model) -> None:
    checkpoint = ag.Checkpoint(tmp_path / "run", model, keep=2)
    for _ in range(4):
        model.step(np.ones(3))
        checkpoint.save()
    assert checkpoint.steps == [3, 4]
    at_four = model.layers[0].weights.value()
    model.step(np.ones(3))
    assert checkpoint.restore() == 4
    assert np.array_equal(model.layers[0].weights.value(), at_four)
    assert checkpoint.restore(3) == 3 and model.count.value() == 4


def test_a_checkpoint_keeps_a_file_at_least(tmp_path: Path, model: Model) -> None:
    for keep in (0, -1, 1.5):
        with pytest.raises(ValueError, match="keep is a number of files from 1 on"):
            ag.Checkpoint(tmp_path, model, keep=keep)  # type: ignore[arg-type]


def test_a_checkpoint_of_other_variables_changes_nothing(tmp_path: Path) -> None:
    a, b = ag.Variable(np.zeros(2), name="a"), ag.Variable(np.zeros(2), name="b")
    ag.Checkpoint(tmp_path, {"a": a, "b": b}).save()
    c = ag.Variable(np.ones(3), name="c")
    with pytest.raises(ag.errors.LoadError, match="it cannot be given an array of shape"):
        ag.Checkpoint(tmp_path, {"a": a, "b": c}).restore()
    with pytest.raises(ag.errors.LoadError, match="other variables"):
        ag.Checkpoint(tmp_path, {"a": a}).restore()
    with pytest.raises(ag.errors.LoadError, match="has dtype float64 in the file"):
        ag.Checkpoint(tmp_path, {"a": a, "b": ag.Variable(np.zeros(2, "f4"))}).restore()
    assert c.value().tolist() == [1.0, 1.0, 1.0]


# -- pickles --------------------------------------------------------------------------------------


def scaled(x, n):
    while np.sum(x) < n:
        x = x * 2.0
    return x


def concrete(n: int = 9) -> ag.ConcreteFunction:
    return ag.function(scaled).get_concrete_function(np.ones(3), n)


def test_a_concrete_function_is_pickled() -> None:
    made = pickle.loads(pickle.dumps(concrete()))
    assert isinstance(made, ag.ConcreteFunction)
    assert made(np.ones(3)).tolist() == [4.0, 4.0, 4.0]
    again = pickle.loads(pickle.dumps(made))
    assert str(again.graph) == str(concrete().graph)


def test_tokens_tell_functions_apart() -> None:
    assert concrete().__dask_tokenize__() == concrete().__dask_tokenize__()
    assert concrete().__dask_tokenize__() != concrete(10).__dask_tokenize__()
    loaded = loads(dumps(concrete()))
    assert loaded.__dask_tokenize__() == concrete().__dask_tokenize__()


@pytest.mark.parametrize("copied", [
    copy.deepcopy, lambda x: pickle.loads(pickle.dumps(x)),
    lambda x: loads(dumps(x)), lambda x: pickle.loads(pickle.dumps(loads(dumps(x))))])
def test_a_copy_of_a_module_has_variables_of_its_own(model: Model, copied: Any) -> None:
    assert model.total(np.ones(5)) == 6.0
    made = copied(model)
    for mine, yours in zip(model.variables, made.variables, strict=True):
        assert repr(mine) == repr(yours) and mine is not yours
    made.step(np.ones(3))
    assert (model.total(np.ones(5)), made.total(np.ones(5))) == (6.0, 7.0)
    assert made.count is made.layers[1].shared
    assert model.layers[0].weights.value()[0] + 1.0 == made.layers[0].weights.value()[0]


def test_a_copy_of_a_variable_is_another_variable() -> None:
    v = ag.Variable([1.0, 2.0], name="v", trainable=False, shape=[None])
    for made in (copy.copy(v), copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        made.assign([7.0])
        assert (made.name, made.trainable, made.value()) == ("v", False, 7.0)
    assert v.value().tolist() == [1.0, 2.0]


def test_in_a_graph_a_copy_is_a_new_variable_which_has_to_be_kept() -> None:
    v = ag.Variable(1.0)

    @ag.function
    def doubled(x):
        v.assign_add(x)
        return copy.deepcopy(v) * 2

    with pytest.raises(ValueError, match="a variable that the function made is gone"):
        doubled(1.0)


def test_a_process_pool_runs_it() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(concrete(), np.ones(3)).result().tolist() == [4.0, 4.0, 4.0]


# -- in other traces ------------------------------------------------------------------------------


def test_a_loaded_function_is_called_in_a_trace() -> None:
    loaded = loads(dumps(concrete()))

    @ag.function
    def twice(x):
        y = loaded(x, 9)
        if np.sum(y) > 0:
            y = y + loaded(x, 9)
        return y

    assert twice(np.ones(3)).tolist() == [8.0, 8.0, 8.0]
    assert loads(dumps(twice))(np.ones(3)).tolist() == [8.0, 8.0, 8.0]


def test_a_loaded_function_writes_to_arrays_of_a_trace() -> None:
    def fill(x):
        x[1:] = np.sum(x)

    f = ag.function(fill)
    f(np.ones(3))
    loaded = loads(dumps(f))

    @ag.function
    def filled(x):
        loaded(x)
        return x * 2

    x = np.ones(3)
    assert filled(x).tolist() == [2.0, 6.0, 6.0] and x.tolist() == [1.0, 3.0, 3.0]


def test_a_loaded_function_is_differentiated() -> None:
    f = ag.function(lambda x: np.sum(np.sin(x) * x))
    f(np.ones(3))
    loaded = loads(dumps(f))
    x = np.array([0.1, 0.2, 0.3])
    assert np.allclose(ag.grad(loaded)(x), ag.grad(f)(x), rtol=1e-15)


@pytest.mark.parametrize("of", [loads, lambda data: loads(data).concrete_functions[0]])
def test_a_tape_hears_of_a_graph_alone(of: Any) -> None:
    @ag.function
    def loss(w, x):
        return np.sum(w * x) ** 2

    w, x = np.arange(1.0, 3), np.ones(2)
    f = of(dumps(loss, (w, x)))
    with ag.GradientTape() as outer:
        outer.watch(w)
        with ag.GradientTape() as tape:
            watched = tape.watch(w)
            y = f(watched, x=x) * 2
        slope = tape.gradient(y, watched)
        total = np.sum(slope)
    assert slope.tolist() == [12, 12] and outer.gradient(total, w).tolist() == [8, 8]
    for _ in range(4):
        assert type(f(watched, x)) is np.float64


def test_a_loaded_module_is_trained(model: Model) -> None:
    def steps(m: Any) -> list[float]:
        found = []
        for _ in range(3):
            with ag.GradientTape() as tape:
                y = np.sum(m.step(np.zeros(3)) ** 2)
            weights = m.layers[1].weights
            weights.assign_sub(0.1 * tape.gradient(y, weights))
            found.append(float(y))
        return found

    assert steps(loads(dumps(model))) == steps(model)


@pytest.mark.parametrize("of", [loads, lambda data: loads(data).concrete_functions[0]])
def test_the_numbers_of_a_graph_alone_are_checked(of: Any) -> None:
    f = of(dumps(ag.function(lambda x: np.sqrt(x)), (np.ones(2),)))
    ag.config.check_numerics(True)
    try:
        with pytest.raises(ag.errors.CheckError, match=r"np\.sqrt gave an Inf or NaN"), np.errstate(
                invalid="ignore"):
            f(-np.ones(2))
    finally:
        ag.config.check_numerics(False)
    assert f(np.ones(2)).tolist() == [1, 1]


def test_arrays_of_a_list_are_given_alone() -> None:
    """With a tape and in a trace, too, where the list is made anew."""
    f = ag.function(lambda xs, k: xs[0] * k + xs[1]).get_concrete_function(
        [np.ones(2), np.ones(2)], np.float64(2))
    a, b, k = np.arange(2.0), np.ones(2), np.float64(3)
    assert f(a, b, k).tolist() == ag.function(lambda a, b: f(a, b, k))(a, b).tolist() == [1, 4]
    with ag.GradientTape() as tape:
        watched = tape.watch(a)
        y = f(watched, b, k)
    assert tape.gradient(y, watched).tolist() == [3, 3]


@pytest.mark.parametrize("char", np.typecodes["AllInteger"] + np.typecodes["AllFloat"] + "?")
def test_arrays_of_each_class_of_numbers(char: str) -> None:
    """`longlong` and `int64` are equal dtypes with numbers of two classes."""
    held = np.array([1, 0, 1], char)

    @ag.function
    def f(x):
        return held[0], held * x, x.max(), held.dtype.type(1)

    for given, wanted in zip(loads(dumps(f, (held,)))(held), f(held), strict=True):
        assert type(given) is type(wanted)
        assert type(np.asarray(given).dtype) is type(np.asarray(wanted).dtype)
        assert np.array_equal(given, wanted)


def test_a_gradient_is_saved() -> None:
    gradient = ag.grad(ag.function(lambda x: np.sum(np.sin(x) * x)))

    @ag.function
    def f(x):
        return gradient(x) * 2.0

    x = np.array([0.1, 0.2, 0.3])
    f(x)
    assert np.array_equal(loads(dumps(f))(x), f(x))


def test_methods_that_are_asked_for_are_saved() -> None:
    loaded = loads(dumps(Model(), {"step": (np.ones(3),)}))
    assert np.array_equal(loaded.step(np.ones(3)), Model().step(np.ones(3)))
    with pytest.raises(ag.errors.SaveError, match="has no function 'stop'"):
        dumps(Model(), {"stop": (np.ones(3),)})


class Holder:
    @staticmethod
    @ag.function
    def doubled(x):
        return x * 2


def test_a_static_method_goes_by_its_name() -> None:
    again = pickle.loads(pickle.dumps(Holder.doubled))
    assert again is Holder.doubled
    assert copy.deepcopy(again) is again


def test_an_attribute_with_a_name_of_loaded_modules_is_refused() -> None:
    module = ag.Module("m")
    module.functions = {"a": 1}
    with pytest.raises(ag.errors.SaveError, match="'functions', which is a name"):
        dumps(module)


@pytest.mark.parametrize("order", ["lq", "ql"])
def test_of_two_signatures_the_one_of_the_same_class_is_taken(order: str) -> None:
    f = ag.function(lambda x: x * 2)
    for char in order:
        f(np.arange(3, dtype=char))
    loaded = loads(dumps(f))
    for char in "lql":
        x = np.arange(3, dtype=char)
        for _ in range(2):
            assert type(loaded(x).dtype) is type(f(x).dtype) is type(x.dtype)
