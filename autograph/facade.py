"""The façade `import autograph as ag`: where its names are from, and answers for those of others.

Nothing is loaded before its name is used (PEP 562): what only loads and runs saved graphs needs
neither the compiler nor its dependencies. What generated code calls (`ag.and_`, `ag.len`) is there
without being listed.
"""

from __future__ import annotations

import builtins
import gc
import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any

from autograph.extension_points import POINTS
from autograph.locks import new_lock

HOMES = {
    "autograph.checking": "check",
    "autograph.conversion.convert": "convert converted do_not_convert register_replacement",
    "autograph.conversion.import_hook": "convert_imports",
    "autograph.function.config":
        "executing_eagerly functions_run_eagerly init_scope inside_function run_functions_eagerly",
    "autograph.function.function": "function",
    "autograph.gradients.forward": "hvp jvp",
    "autograph.gradients.linear": "linearize",
    "autograph.gradients.jacobian": "hessian jacobian",
    "autograph.gradients.pullback": "vjp",
    "autograph.gradients.reverse": "grad value_and_grad",
    "autograph.gradients.checkpoints": "checkpoint",
    "autograph.gradients.rules": "custom_gradient custom_jvp custom_vjp",
    "autograph.gradients.stopped": "stop_gradient",
    "autograph.gradients.tape": "GradientTape",
    "autograph.runtime.api.debugging": "Assert",
    "autograph.runtime.api.printing": "print",
    "autograph.runtime.api.python_calls": "live numpy_function py_function",
    "autograph.runtime.export.onnx": "export_onnx",
    "autograph.runtime.functions.concrete_function": "ConcreteFunction",
    "autograph.runtime.ir.errors":
        "CacheWarning CaptureError CheckError FallbackWarning InvalidArgumentError "
        "NotDifferentiable NumericsWarning RetracingWarning SignatureError UnrollingWarning "
        "VerificationError VerificationWarning",
    "autograph.runtime.serialize.checkpoint": "Checkpoint",
    "autograph.runtime.serialize.save": "load save",
    "autograph.runtime.signatures.function_type": "FunctionType",
    "autograph.runtime.signatures.spec": "TensorSpec type_spec_from_value",
    "autograph.runtime.symbolic.module": "Module",
    "autograph.runtime.symbolic.tensor": "Tensor",
    "autograph.runtime.symbolic.tensor_array": "TensorArray",
    "autograph.runtime.symbolic.variables": "IndexedSlices Variable",
    "autograph.syntax.directives": "set_loop_options",
    "autograph.syntax.errors": "ConversionError SourceUnavailableError",
    "autograph.libraries": "trace_into",
    "autograph.syntax.verbosity": "set_verbosity trace",
    "autograph.tensorflow.experimental": "Feature Status control_status_ctx to_code to_graph",
    "autograph.tensorflow.functional":
        "case foldl foldr map_fn scan switch_case vectorized_map vmap",
}
"""The functions and classes of the façade, by the module that defines them."""
NAMESPACES = {
    "config": "autograph.function.config", "debugging": "autograph.function.debugging",
    "errors": "autograph.errors", "experimental": "autograph.tensorflow.experimental",
}
"""The modules that are a part of the façade."""
OPERATORS_FOR_USERS = ("cond", "for_loop", "while_loop")
"""Operators of generated code that users call, too."""
WITHOUT_COMPILER = ("autograph.runtime.", "autograph.errors", "autograph.syntax.errors")
"""Where names are from that work before the compiler and the runtime are joined."""
COMPILER_NEEDS = ("gast", "astunparse")
"""The dependencies of the compiler alone."""

_LOADING = new_lock()
"""Held while names are found: Python gives threads that load modules crosswise unfinished ones."""
_HOME = {name: home for home, names in HOMES.items() for name in names.split()}


class Facade(ModuleType):
    """The class of the package `autograph`: a name is found when it is used for the first time."""

    def __getattr__(self, name: str) -> Any:
        try:
            if name.startswith("_"):
                raise missing(name, ())
            with _LOADING, _collector_paused():
                found = self.__dict__[name] = _found(name)
            return found
        except BaseException:
            from autograph.traceback_filter import hide  # an `import autograph` loads nothing

            hide()
            raise

    def __dir__(self) -> list[str]:
        return public_names()

    def __setattr__(self, name: str, x: Any) -> None:
        """Sets an attribute; but no sub-package becomes one when a module in it is loaded, so
        that what `ag.function` and `ag.explain` are does not depend on what was imported."""
        if not isinstance(x, ModuleType) or x.__name__ != f"{self.__name__}.{name}":
            super().__setattr__(name, x)

    def __reduce__(self) -> tuple[Any, ...]:
        """Goes to other processes by its name: joblib and Dask send functions of a script as their
        code, with what that refers to."""
        return import_module, (self.__name__,)


@contextmanager
def _collector_paused() -> Iterator[None]:
    """Pauses Python's collector of cycles while modules are loaded: what they make stays, and the
    collector looks at all of it again and again, which took a fifth of the time. They are old then,
    unless the program has frozen objects of its own: the next collection does not look at them."""
    enabled, before = gc.isenabled(), len(sys.modules)
    gc.disable()
    try:
        yield
    finally:
        if enabled and len(sys.modules) > before and not gc.get_freeze_count():  # which counts them
            gc.freeze()
            gc.unfreeze()
        if enabled:
            gc.enable()


def _found(name: str) -> Any:
    try:
        if name in NAMESPACES:
            return _loaded(NAMESPACES[name])
        if name in _HOME:
            return getattr(_loaded(_HOME[name]), name)
        package = f"{__package__}.{name}"
        if find_spec(package) and not _instead(name):
            return import_module(package)
        operators = _loaded("autograph.operators")
    except ModuleNotFoundError as error:
        if error.name not in COMPILER_NEEDS:
            raise
        raise ImportError(f"ag.{name} needs the package {error.name!r}, which is not installed; "
                          "loading and running saved functions needs NumPy alone") from error
    if name in operators.__all__:
        return getattr(operators, name)
    raise missing(name, public_names())


def _loaded(home: str) -> ModuleType:
    if not home.startswith(WITHOUT_COMPILER):
        import_module("autograph.staging.assembly")
    return import_module(home)


def _with_operators() -> ModuleType:
    """Returns the façade, in which converted code then finds every operator: nothing is loaded
    where a debugger steps through the code."""
    facade = sys.modules[__package__]
    operators = _loaded("autograph.operators")
    if operators.__all__[0] not in vars(facade):
        vars(facade).update((name, getattr(operators, name)) for name in operators.__all__)
    return facade


def _vjp_of_trace(*args: Any) -> Any:
    return import_module("autograph.gradients.pullback").vjp_of_trace(*args)


def _verified_call(dispatcher: Any, arguments: dict[str, Any]) -> Any:
    from autograph.checking.verification import verified_call

    return verified_call(dispatcher, arguments)


POINTS.vjp_of_trace = _vjp_of_trace
POINTS.verified_call = _verified_call  # loaded when a function asks for it
POINTS.operators = _with_operators


def public_names() -> list[str]:
    """Returns the names that users call: all but operators and private names."""
    return sorted({*_HOME, *NAMESPACES, *OPERATORS_FOR_USERS, "__version__"})


def star_names() -> list[str]:
    """Returns what `from autograph import *` gives: it leaves Python's own names alone."""
    return [name for name in public_names() if not hasattr(builtins, name)]


def _tells(name: str) -> bool:
    """Returns True if decorated functions have such an attribute."""
    from autograph.function.function import function

    return name in vars(function(len))


def missing(name: str, known: Collection[str]) -> AttributeError:
    """Returns the error for a name that the façade does not have: it says what to use."""
    text = f"module 'autograph' has no attribute {name!r}"
    if name.startswith("_"):
        return AttributeError(text)
    hint = _hint(name, known)
    return AttributeError(f"{text}\n  hint: {hint}", name=name, obj=None)  # Python adds no hint


def _instead(name: str) -> str | None:
    """Returns what to use instead of a name of another library; the table is loaded for that."""
    from autograph.other_libraries import INSTEAD

    return INSTEAD.get(name.strip("_").lower())


def _hint(name: str, known: Collection[str]) -> str:
    """Returns what to use instead of a name that the façade does not have."""
    import numpy as np

    from autograph.suggestions import nearest

    bare = name.strip("_")
    if instead := _instead(name):
        return f"use {instead}"
    if bare in known:
        return f"did you mean ag.{bare}?"
    if _tells(name):
        return f"use f.{name}, of a decorated function f"
    if hasattr(np, bare):
        recorded = "" if isinstance(getattr(np, bare), type) else ": it is recorded in graphs"
        return f"use NumPy's, np.{bare}{recorded}"
    if near := nearest(bare, known, 0.75):
        return f"did you mean ag.{near}?"
    return "dir(ag) lists what there is"
