"""Variables and modules: by reference, in program order, made once."""

import copy

import numpy as np
import pytest

import autograph as ag

ONE = np.float64(1)


@pytest.fixture
def v():
    return ag.Variable(1.0, name="v")


@pytest.fixture
def w():
    return ag.Variable(np.arange(4.0), name="w")


PROGRAMS = {
    "assign": lambda v, w, x: v.assign(x) and None,
    "assign_add": lambda v, w, x: v.assign_add(x).value(),
    "assign_sub": lambda v, w, x: v.assign_sub(x).value(),
    "item": lambda v, w, x: w[1] + w[-1],
    "slice": lambda v, w, x: w[1:3] * x,
    "arithmetic": lambda v, w, x: (
        v + x, x - v, 2 * w, w ** 2, -w, abs(v), w @ w, w // 2, 7 % w[1:]),
    "compare": lambda v, w, x: (v < x, w >= 2, v == 1, v != 1, x > v),
    "ufunc": lambda v, w, x: (np.sin(w), np.add(x, v), np.maximum(w, v)),
    "functions": lambda v, w, x: (
        np.sum(w), np.concatenate([w, w]), np.where(w > v, w, 0), w.sum(), w.T),
    "builtins": lambda v, w, x: (len(w), float(v), int(v), sum(w), max(w), abs(v)),
    "returned": lambda v, w, x: (v, [w]),
}


def set_items(v, w, x):
    w[0] = x
    w[1:3] = w[2:4] + v
    return w.value()


def augmented(v, w, x):
    v += x
    w *= 2
    w -= v
    return v.value(), w.value()


def in_conditions(v, w, x):
    if v:
        v.assign(0)
    if not v and w[0] < x:
        v.assign_add(5)
    while v > 0:
        v.assign_sub(2)
    return v.value()


def in_loops(v, w, x):
    total = 0
    for item in w:
        if item > 1:
            v.assign_add(item)
        total += item
    for i in range(12):
        w[i % 4] = w[(i + 1) % 4] + i
    return total, v.value(), w.value()


def old_reads_stay(v, w, x):
    before, view = v.read(), w[1:]
    v.assign_add(1)
    w[1] = 100
    return before, view, v.read(), w.value()


@pytest.mark.parametrize("program", [
    *PROGRAMS.values(), set_items, augmented, in_conditions, in_loops, old_reads_stay])
@pytest.mark.parametrize("executor", ["python", "interpreter"])
def test_program_means_the_same_eagerly_and_as_a_graph(program, executor):
    results = []
    for run in (program, ag.function(program, executor=executor)):
        v, w = ag.Variable(1.0), ag.Variable(np.arange(4.0))
        made = [run(v, w, x) for x in (ONE, np.float64(3))]
        results.append([plain(made), v.numpy().tolist(), w.numpy().tolist()])
    assert results[0] == results[1]


def plain(x):
    """A nest as plain Python values."""
    if isinstance(x, (tuple, list)):
        return list(map(plain, x))
    return np.asarray(x).tolist() if x is not None else None


def test_captured_by_reference_reads_and_writes_in_order(v):
    @ag.function
    def f(x):
        before = v.value()
        v.assign_add(x)
        middle = v * 1
        v.assign(v * 2)
        return before, middle, v

    assert f(ONE) == (1, 2, 4)
    assert f(ONE) == (4, 5, 10)
    v.assign(0)
    assert f(ONE) == (0, 1, 2)
    assert f.experimental_get_tracing_count() == 1


def test_write_in_the_branch_that_runs_only(v):
    @ag.function
    def f(x):
        if x > 0:
            v.assign_add(10)
        return x

    f(np.float64(-1))
    assert v.numpy() == 1
    f(ONE)
    assert v.numpy() == 11


def test_argument_signature_is_the_pattern_of_aliasing():
    @ag.function
    def f(a, b):
        a.assign(b + 1)
        return b * 1

    v, w = ag.Variable(1.0), ag.Variable(10.0)
    assert f(v, w) == 10 and v.numpy() == 11
    assert f(w, v) == 11 and w.numpy() == 12
    assert f.experimental_get_tracing_count() == 1
    assert f(v, v) == 12
    assert f.experimental_get_tracing_count() == 2
    assert f(v, w) == 12
    assert f(ag.Variable([1.0]), ag.Variable([2.0])) == [2]
    assert f.experimental_get_tracing_count() == 3


def test_result_is_a_copy(w):
    f = ag.function(lambda: w)
    got = f()
    got[0] = 99
    assert w.numpy()[0] == 0 and isinstance(got, np.ndarray)
    assert type(ag.function(lambda: ag.Variable and w[0])()) is np.float64


def test_what_was_read_cannot_be_written(w):
    with pytest.raises(ValueError, match="read-only"):
        w.read()[0] = 5
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(w.T)[0] = 5


def test_unknown_dims_allow_other_shapes():
    v = ag.Variable(np.ones(2), shape=[None])
    f = ag.function(lambda x: v.assign(x).value().sum())
    assert f(np.ones(5)) == 5 == v.shape[0]
    free = ag.Variable(1.0, shape=None)
    free.assign(np.ones((2, 2)))
    assert free.numpy().shape == (2, 2)


@pytest.mark.parametrize("wrong", [np.ones(3), np.ones((2, 2)), 1.0])
def test_wrong_shape(wrong):
    v = ag.Variable(np.ones(2), name="v")
    for assign in (v.assign, ag.function(lambda x: v.assign(x))):
        with pytest.raises(ValueError, match="the variable 'v' has dtype float64"):
            assign(wrong)
    assert v.numpy().tolist() == [1, 1]


def test_wrong_dtype():
    v = ag.Variable(np.int64(1), name="v")
    for assign in (v.assign, ag.function(lambda x: v.assign(x))):
        with pytest.raises(TypeError, match="cannot be given"):
            assign(np.float64(2.5))
    assert v.assign(3).numpy() == 3


def test_made_on_the_first_call_and_traced_once():
    traced = []

    class Layer(ag.Module):
        v = None

        @ag.function
        def __call__(self, x):
            traced.append(1)
            if self.v is None:
                self.v = ag.Variable(x * 2, name="kernel")
            return self.v * x

    layer = Layer()
    assert layer(np.array([1.0, 2.0])).tolist() == [2, 8]
    assert layer(np.array([3.0, 3.0])).tolist() == [6, 12]
    assert layer.v.numpy().tolist() == [2, 4] and len(traced) == 1
    assert layer(ONE).tolist() == [2, 4]


def test_made_on_a_later_call():
    made = {}

    @ag.function
    def f(name, x):
        if name not in made:
            made[name] = ag.Variable(0.0)
        return made[name].assign_add(x).value()

    assert [f("a", ONE), f("b", ONE), f("a", ONE), f("b", ONE)] == [1, 1, 2, 2]


def test_made_at_every_call_is_refused():
    @ag.function
    def f(x):
        v = ag.Variable(1.0)
        v.assign_add(x)
        return v

    for _ in range(2):
        with pytest.raises(ValueError, match=r"only supports singleton ag\.Variables"):
            f(ONE)


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy])
def test_copied_at_every_call_is_refused_with_the_line_of_the_user(copied):
    v = ag.Variable(np.ones(2))

    @ag.function
    def f(x):
        own = copied(v)
        own.assign_add(x)
        return own

    told = r"only supports singleton ag\.Variables(.|\n)*copied\(v\)"
    with pytest.raises(ValueError, match=told):
        f(np.ones(2))
    assert v.value().tolist() == [1, 1]


def test_variable_outlives_the_name_that_the_user_gave_it():
    class Holder:
        v = ag.Variable(2.0)

    f = ag.function(lambda x: Holder.v.assign_add(x).value())
    f(ONE)
    del Holder.v
    assert f(ONE) == 4


def test_concrete_function_lists_the_variables(v):
    cf = ag.function(lambda x: x + v).get_concrete_function(ONE)
    assert cf.variables == (v,)


def test_initial_value_may_be_a_function():
    assert ag.Variable(lambda: np.ones(2), dtype=np.float32).dtype == np.float32


def test_init_scope_happens_once_and_outside(v):
    @ag.function
    def f(x):
        with ag.init_scope():
            assert ag.executing_eagerly()
            v.assign_add(1)
        return v + x

    assert [f(ONE), f(ONE)] == [3, 3]


def test_module_lists_variables_and_submodules():
    class Dense(ag.Module):
        def __init__(self, n):
            super().__init__()
            self.w = ag.Variable(np.ones(n), name="w")
            self.frozen = ag.Variable(0.0, trainable=False, name="frozen")

    class Net(ag.Module):
        def __init__(self):
            super().__init__(name="net")
            self.layers = [Dense(1), {"second": Dense(2)}]
            self.again = self.layers[0]

    net = Net()
    assert (net.name, net.again.name) == ("net", "dense")
    assert len(net.variables) == 4 and len(net.trainable_variables) == 2
    assert net.submodules == (net.again, net.layers[1]["second"])


# -- atomic ---------------------------------------------------------------------------------------


def test_atomic_call_restores_everything():
    v, w = ag.Variable(1.0), ag.Variable(np.zeros(2))

    @ag.function(atomic=True)
    def f(x, log, u):
        v.assign_add(1)
        w[0] = 5
        u.assign(9)
        x[0] = 100
        log.append(1)
        assert x[1] > 0, "x[1] must be positive"
        v.assign_add(10)

    u = ag.Variable(0.0)
    x, log = np.array([1.0, -1.0]), []
    with pytest.raises(AssertionError, match="must be positive"):
        f(x, log, u)
    assert (v.numpy(), w.numpy().tolist(), x.tolist(), log, u.numpy()) == (
        1, [0, 0], [1, -1], [], 0)
    f(np.ones(2), log, u)
    assert (v.numpy(), log, u.numpy()) == (12, [1], 9)


def test_plain_call_stops_in_program_order():
    v = ag.Variable(1.0)

    @ag.function
    def f(x):
        v.assign_add(1)
        assert x > 0
        v.assign_add(10)

    with pytest.raises(AssertionError):
        f(np.float64(-1))
    assert v.numpy() == 2


@pytest.mark.parametrize("change", [
    lambda items, x: items,
    lambda items, x: (items.append(2 * x), items)[1],
    lambda items, x: {"inside": (x, items)}["inside"][1],
], ids=["untouched", "appended", "taken out of a nest"])
def test_a_list_of_the_callers_that_is_returned_is_that_list(change):
    function = ag.function(change)
    for _ in range(2):
        items = [np.ones(2)]
        assert function(items, np.ones(2)) is items


def test_a_dict_of_the_callers_inside_the_result_is_that_dict():
    @ag.function
    def put(d, x):
        d["a"] = x + 1
        return d, x

    given = {}
    assert put(given, np.ones(2))[0] is given
    assert given["a"].tolist() == [2, 2]


def test_a_variable_and_an_array_outside_are_written_in_one_function():
    v, buffer = ag.Variable(np.zeros(3)), np.zeros(3)

    @ag.function
    def f(x):
        v.assign_add(x)
        buffer[0] = x[1]
        return x + v

    for n in (1, 2, 3):
        assert f(np.full(3, float(n))).tolist() == [n + n * (n + 1) / 2] * 3
        assert buffer.tolist() == [n, 0, 0]
    assert v.numpy().tolist() == [6, 6, 6]


@pytest.mark.parametrize("given", [[1.0, 2.0], (1, 2), [np.float32(1), 2], [True, 0.5]], ids=repr)
def test_a_list_is_assigned_as_numpy_assigns_it(given) -> None:
    plain, v, w = np.zeros(2), ag.Variable(np.zeros(2)), ag.Variable(np.zeros(2))
    plain[...] = given

    @ag.function
    def assign(x):
        w.assign([given[0], x])
        return w.assign_add(given).value()

    assert v.assign(given).value().tolist() == plain.tolist()
    assert assign(np.float64(3.0)).tolist() == [2 * plain[0], 3 + plain[1]]


@pytest.mark.parametrize(("given", "error"), [
    ([1.5, 2], TypeError), ([1], ValueError), (None, TypeError), ("ab", TypeError),
    ([[1], [1, 2]], ValueError)], ids=repr)
def test_a_list_that_does_not_fit_is_refused(given, error: type[Exception]) -> None:
    v = ag.Variable(np.zeros(2, int))
    with pytest.raises(error):
        v.assign(given)
    assert v.value().tolist() == [0, 0]


OF_OBJECTS = {
    "hasattr": lambda v: (hasattr(v, "assign"), hasattr(v, "nothing")),
    "getattr": lambda v: (getattr(v, "name"), getattr(v, "assign")(2.0) is v),  # noqa: B009
    "getattr with a default": lambda v: (getattr(v, "name", None), getattr(v, "nothing", None)),
    "callable": callable,
    "type": lambda v: (type(v) is ag.Variable, type(v).__name__),
    "isinstance": lambda v: (isinstance(v, ag.Variable), isinstance(v, np.ndarray)),
    "id": lambda v: id(v) == id([v][0]),
}


@pytest.mark.parametrize("ask", OF_OBJECTS.values(), ids=list(OF_OBJECTS))
def test_what_is_asked_of_the_object(ask) -> None:
    """Not of the value that the variable holds."""
    v = ag.Variable(1.0, name="v")
    assert ag.function(lambda: ask(v))() == ask(v)


AS_ITS_VALUE = {
    "divmod": lambda v: (divmod(v, 2), divmod(7, v)), "round": lambda v: (round(v), round(v, 1)),
    "asarray": lambda v: np.asarray(v).tolist(), "an index of a list": lambda v: [5, 6, 7][v],
    "a key": lambda v: {2: "two"}[int(v)], "an index of an array": lambda v: np.arange(4)[v]}


@pytest.mark.parametrize("use", AS_ITS_VALUE.values(), ids=list(AS_ITS_VALUE))
def test_it_is_used_as_its_value(use) -> None:
    assert use(ag.Variable(2)) == ag.function(use)(ag.Variable(2)) == use(np.int64(2))


def test_a_format_is_for_the_value() -> None:
    assert f"{ag.Variable(1.5):.2f}" == "1.50"
    assert f"{ag.Variable(1.5, name='v')}".startswith("<Variable 'v'")


def test_len_of_a_tensor_array() -> None:
    def f(x):
        made = ag.TensorArray(np.float64, size=0, dynamic_size=True)
        for k, item in enumerate(x):
            if item > 1:
                made.write(len(made), item + k)
        return len(made), made.stack().tolist()

    x = np.array([2.0, 0.0, 3.0])
    assert ag.function(f)(x) == f(x) == (2, [2.0, 5.0])


class Layer:
    def __init__(self):
        self.w = None

    def step(self, x):
        if self.w is None:
            self.w = ag.Variable(np.ones((3, 2)))
        return x @ self.w


@pytest.mark.parametrize("effects", ["trace", "runtime"])
def test_a_variable_that_the_first_call_makes_and_keeps(effects, recwarn):
    layer = Layer()
    f = ag.function(layer.step, effects=effects)
    with pytest.raises(ValueError, match="mismatch"):
        f(np.ones((3, 4)))  # plain Python has bound it by then
    kept = layer.w
    for _ in range(2):
        assert np.array_equal(f(np.ones((4, 3))), np.full((4, 2), 3.0))
    kept.assign(kept.numpy() * 2)
    assert np.array_equal(f(np.ones((4, 3))), np.full((4, 2), 6.0)) and layer.w is kept
    assert f.experimental_get_tracing_count() and not recwarn.list
