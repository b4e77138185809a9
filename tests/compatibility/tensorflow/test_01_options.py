"""Rows 1 to 16: what `tf.function` takes as arguments, and what `ag.function` makes of it."""

import functools

import numpy as np
import pytest

import autograph as ag

ONE = np.float64(1)
VECTOR = ag.TensorSpec([None], np.float32)


def plus(x, y=1):
    return x + y


class Callable:
    def __call__(self, x):
        return x + 1

    @ag.function
    def method(self, x):
        return x + 2

    @staticmethod
    @ag.function
    def static(x):
        return x + 3

    @classmethod
    @ag.function
    def of_class(cls, x):
        return x + 4

    @property
    @ag.function
    def prop(self):
        return ONE + 5


def test_row_001_three_spellings_and_all_callables():
    assert ag.function(plus)(ONE) == ag.function()(plus)(ONE) == 2
    assert ag.function(functools.partial(plus, y=2))(ONE) == 3
    thing = Callable()
    assert [ag.function(thing)(ONE), thing.method(ONE), Callable.static(ONE), thing.static(ONE),
            Callable.of_class(ONE), thing.prop] == [2, 3, 4, 4, 5, 6]


def test_row_002_signature_casts_lists_and_refuses_arrays_of_another_dtype_or_shape():
    f = ag.function(lambda x: x * 2, input_signature=[VECTOR])
    assert f([1, 2, 3]).dtype == np.float32
    for wrong in (np.array([1, 2]), np.ones(2), np.float32(1), np.ones((2, 2), np.float32)):
        for error in (TypeError, ValueError):
            with pytest.raises(error):
                f(wrong)
    assert f.experimental_get_tracing_count() == 1


def test_row_003_missing_and_extra_specs_are_refused_at_decoration():
    with pytest.raises(TypeError, match="missing type constraint for y"):
        ag.function(lambda x, y: x, input_signature=[VECTOR])
    with pytest.raises(TypeError, match="contains 1 extra type constraint"):
        ag.function(lambda x: x, input_signature=[VECTOR, VECTOR])


def test_row_004_default_without_a_spec_is_a_literal_and_the_message_names_it():
    f = ag.function(lambda x, y=3: x + y, input_signature=[VECTOR])
    assert f([1.0]).tolist() == f([1.0], 3).tolist() == [4]
    with pytest.raises(TypeError, match="y was given as 4"):
        f([1.0], 4)


def test_row_005_entry_that_is_no_spec():
    with pytest.raises(TypeError, match="possibly nested sequence of TensorSpec"):
        ag.function(lambda x: x, input_signature=[3])


def test_row_006_method_whose_first_parameter_is_not_called_self():
    class Model:
        @ag.function(input_signature=[VECTOR])
        def call(this, x):
            return x + 1

    assert Model().call([1.0]).tolist() == [2]


def test_row_007_keyword_arguments_with_a_signature():
    f = ag.function(lambda x, **kw: x + kw["a"], input_signature=[VECTOR])
    assert f([1.0], a=np.float32(2)).tolist() == [3]


def test_row_008_without_conversion_an_if_on_an_array_is_refused():
    def sign(x):
        return 1 if x > 0 else -1

    assert ag.function(sign)(ONE) == 1
    with pytest.raises(TypeError):
        ag.function(sign, autograph=False)(ONE)


def test_row_009_compilation_is_never_silently_left_out():
    assert ag.function(plus, jit_compile=None)(ONE) == ag.function(plus, jit_compile=False)(ONE)
    try:
        assert ag.function(plus, jit_compile=True)(ONE) == 2
    except (ValueError, ImportError) as error:
        assert "native" in str(error)


def test_row_010_reduce_retracing_generalises_shapes_and_python_numbers():
    f = ag.function(lambda x: x * 2, reduce_retracing=True)
    for shape in ((2,), (3,), (4,), (4, 1), (7, 7, 7)):
        assert f(np.ones(shape)).shape == shape
    assert f.experimental_get_tracing_count() == 3
    f(np.ones(2, np.float32))
    assert f.experimental_get_tracing_count() == 4
    g = ag.function(lambda n: np.float64(2) * n, reduce_retracing=True)
    assert [g(n) for n in (1, 2, 3, 4)] == [2, 4, 6, 8]
    assert g.experimental_get_tracing_count() == 2


def test_row_011_implements_is_metadata():
    with pytest.warns(DeprecationWarning):
        f = ag.function(plus, experimental_implements="my.add")
    assert f.attributes["implements"] == "my.add"


def test_row_012_all_features_are_on_and_the_option_is_accepted():
    with pytest.warns(DeprecationWarning):
        f = ag.function(experimental_autograph_options=ag.Feature.ALL)(plus)
    assert f(ONE) == 2

    @ag.function
    def g(x):
        assert x[0] > 0, "positive"
        x[0] = 5.0
        return x

    assert g(np.array([1.0, 2.0])).tolist() == [5, 2]


def test_row_013_attributes_are_free():
    assert ag.function(plus, attributes={"anything": 1}).attributes == {"anything": 1}
    with pytest.warns(DeprecationWarning):
        assert ag.function(plus, experimental_attributes={"_noinline": True})(ONE) == 2


def test_row_014_relax_shapes_is_reduce_retracing():
    with pytest.warns(DeprecationWarning, match="reduce_retracing"):
        f = ag.function(plus, experimental_relax_shapes=True)
    for n in range(1, 6):
        f(np.ones(n))
    assert f.experimental_get_tracing_count() == 2


def test_row_015_experimental_compile_is_jit_compile():
    with pytest.warns(DeprecationWarning, match="jit_compile"):
        assert ag.function(plus, experimental_compile=False)(ONE) == 2


def test_row_016_type_hints_make_python_numbers_arrays():
    def hinted(x: np.ndarray, n: int):
        return x + n

    with pytest.warns(DeprecationWarning):
        f = ag.function(hinted, experimental_follow_type_hints=True)
    assert [f(1, 1), f(2, 1), f(3.5, 1)] == [2, 3, 4.5]
    assert f.experimental_get_tracing_count() == 2
    assert type(f(2, 1)) is np.int64
