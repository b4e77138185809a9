"""`input_signature`, `reduce_retracing` and TensorSpec."""

import numpy as np
import pytest

import autograph as ag

VECTOR = ag.TensorSpec([None], np.float32)


def doubling():
    seen = []

    @ag.function(input_signature=[VECTOR])
    def f(x):
        seen.append("traced")
        return x * 2

    return f, seen


def test_one_trace_serves_all_lengths():
    f, seen = doubling()
    for n in (3, 2, 0, 3):
        made = f(np.ones(n, np.float32))
        assert made.tolist() == [2] * n and made.dtype == np.float32
    assert len(seen) == 1 == f.experimental_get_tracing_count()


def test_lists_and_python_numbers_are_cast():
    f, _ = doubling()
    assert f([1, 2]).dtype == np.float32
    assert f([1.5]).tolist() == [3]


@pytest.mark.parametrize("wrong", [
    np.array([1, 2], np.int32), np.ones(2), np.float32(1), np.ones((1, 1), np.float32), 1.0, "a",
    None, ["a"]], ids=repr)
@pytest.mark.parametrize(
    "error", [TypeError, ValueError, ag.SignatureError, ag.InvalidArgumentError])
def test_what_does_not_fit_is_refused(wrong, error):
    f, seen = doubling()
    with pytest.raises(error, match=r"x does not fit its signature: expected TensorSpec\(shape="):
        f(wrong)
    assert not seen


def test_a_float_is_no_integer():
    f = ag.function(lambda n: n + 1, input_signature=[ag.TensorSpec([], np.int64)])
    assert f(3) == 4
    with pytest.raises(ag.SignatureError):
        f(2.5)


def test_missing_and_extra_specs():
    with pytest.raises(TypeError, match="input_signature missing type constraint for y"):
        ag.function(lambda x, y: x, input_signature=[VECTOR])
    with pytest.raises(TypeError, match="input_signature contains 1 extra type constraint"):
        ag.function(lambda x: x, input_signature=[VECTOR, VECTOR])


def test_entry_that_is_no_spec():
    with pytest.raises(TypeError, match="possibly nested sequence of TensorSpec objects, got 3"):
        ag.function(lambda x: x, input_signature=[3])


def test_default_without_a_spec_is_a_constant():
    @ag.function(input_signature=[VECTOR])
    def f(x, power=3):
        return x ** power

    x = np.array([2], np.float32)
    assert f(x) == f(x, 3) == 8
    with pytest.raises(TypeError, match=r"power was given as 4, but it is Literal\[3\]"):
        f(x, 4)


def test_nested_specs():
    @ag.function(input_signature=[[VECTOR, {"a": ag.TensorSpec([], np.float64)}]])
    def f(pair):
        return pair[0] * pair[1]["a"]

    assert f([np.ones(2, np.float32), {"a": 3.0}]).tolist() == [3, 3]
    with pytest.raises(ag.SignatureError, match="another structure"):
        f([np.ones(2, np.float32)])


def test_method_whose_first_parameter_has_any_name():
    class Model:
        scale = 3

        @ag.function(input_signature=[VECTOR])
        def call(this, x):
            return x * this.scale

    assert Model().call([1, 2]).tolist() == [3, 6]


def test_static_method_with_signature():
    class Model:
        @staticmethod
        @ag.function(input_signature=[VECTOR])
        def call(x):
            return x + 1

    assert Model.call([1]) == Model().call([1]) == 2


def test_keyword_arguments_with_signature():
    @ag.function(input_signature=[VECTOR])
    def f(x, **more):
        return x + more.get("y", 0)

    assert f([1], y=2) == 3 == f([3])


def test_varargs_with_signature():
    f = ag.function(lambda *xs: sum(xs), input_signature=[VECTOR, VECTOR])
    assert f([1, 2], [3, 4]).tolist() == [4, 6]


def test_named_dims_are_equal():
    @ag.function(input_signature=[ag.TensorSpec(["n", "n"]), ag.TensorSpec(["n"])])
    def f(a, x):
        return a @ x

    assert f(np.eye(3), np.ones(3)).tolist() == [1, 1, 1]
    assert f(np.eye(2), np.ones(2)).tolist() == [1, 1]
    assert f.experimental_get_tracing_count() == 1
    with pytest.raises(ag.SignatureError):
        f(np.ones((2, 3)), np.ones(3))
    with pytest.raises(ag.SignatureError):
        f(np.eye(2), np.ones(3))


def test_unknown_rank():
    f = ag.function(lambda x: x.sum(), input_signature=[ag.TensorSpec(None, np.float64)])
    assert [f(np.ones(2)), f(np.ones((2, 3))), f(1.5)] == [2, 6, 1.5]
    assert f.experimental_get_tracing_count() == 1


def test_zero_dimensional_array_counts_as_a_scalar():
    f = ag.function(lambda x: x + 1, input_signature=[ag.TensorSpec([], np.float64)])
    assert f(np.array(2.0)) == f(np.float64(2)) == f(2) == 3


def test_function_with_signature_inside_a_function():
    inner, _ = doubling()
    f = ag.function(lambda x: inner(x) + 1)
    assert f(np.ones(2, np.float32)).tolist() == [3, 3]
    with pytest.raises(ag.SignatureError, match="a symbolic f64"):
        f(np.ones(2))


# -- reduce_retracing -----------------------------------------------------------------------------


def test_second_shape_is_generalised():
    @ag.function(reduce_retracing=True)
    def f(x):
        return x * 2

    def count(x):
        assert np.array_equal(f(x), x * 2)
        return f.experimental_get_tracing_count()

    assert [count(np.ones(n)) for n in (3, 5, 7, 9)] == [1, 2, 2, 2]
    assert count(np.ones((4, 1))) == 3
    assert count(np.ones((7, 7, 7))) == 3
    assert count(np.ones(2, np.float32)) == 4
    assert count(np.ones(3)) == 4


def test_second_python_number_is_generalised():
    @ag.function(reduce_retracing=True)
    def f(x, n):
        return x + n, n * 2

    for n in range(5):
        x, twice = f(np.int8(1), n)
        assert (x, type(x), twice, type(twice)) == (n + 1, np.int8, 2 * n, int)
    assert f.experimental_get_tracing_count() == 2
    assert f(np.int8(1), 2.5)[1] == 5
    assert f.experimental_get_tracing_count() == 3


def test_strings_are_not_generalised():
    f = ag.function(lambda s: s, reduce_retracing=True)
    assert [f("a"), f("b"), f("c")] == ["a", "b", "c"]
    assert f.experimental_get_tracing_count() == 3


# -- TensorSpec -----------------------------------------------------------------------------------


def test_spec_compares_and_prints():
    assert ag.TensorSpec([None, 3], "f4") == ag.TensorSpec((None, 3), np.float32)
    assert ag.TensorSpec([3], name="a") != ag.TensorSpec([3], name="b")
    assert repr(ag.TensorSpec([None, 3], "f4")) == (
        "TensorSpec(shape=(None, 3), dtype=float32, name=None)")
    assert repr(ag.TensorSpec(None, int)) == "TensorSpec(shape=<unknown>, dtype=int64, name=None)"
    assert len({ag.TensorSpec([3]), ag.TensorSpec([3])}) == 1


def test_spec_of_values():
    assert ag.TensorSpec.from_tensor(np.ones((2, 3))) == ag.TensorSpec([2, 3])
    assert ag.TensorSpec.from_tensor(ag.Variable(1.5), "v") == ag.TensorSpec([], name="v")
    assert ag.TensorSpec.from_spec(ag.TensorSpec([2]), "n").name == "n"


def test_spec_order():
    wide, narrow = ag.TensorSpec([None, 3]), ag.TensorSpec([2, 3])
    assert narrow.is_subtype_of(wide) and not wide.is_subtype_of(narrow)
    assert narrow.most_specific_common_supertype([ag.TensorSpec([5, 3])]) == wide
    assert narrow.most_specific_common_supertype([ag.TensorSpec([2, 3], int)]) is None
    assert wide.is_compatible_with(np.ones((4, 3))) and not wide.is_compatible_with(np.ones(3))
    assert wide.cast([[1, 2, 3]]).dtype == np.float64


def test_name_of_a_spec_is_no_part_of_the_signature():
    f = ag.function(lambda x: x)
    one = f.get_concrete_function(ag.TensorSpec([2], name="a"))
    assert f.get_concrete_function(ag.TensorSpec([2], name="b")) is one
