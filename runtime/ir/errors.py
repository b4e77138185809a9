"""The runtime's errors: what a symbolic value cannot do, graphs that are not well formed,
escapes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from opcode import opname


class GraphError(Exception):
    """Raised when a graph is not well formed; the message shows the line that is wrong."""


class TracingError(TypeError):
    """Base class of errors that a function meets while it is traced.

    about_state  True if the trace cannot follow what the function does to Python's objects: a call
                 then runs as plain Python.
    """

    about_state = False

    def __init__(self, *args: object, about_state: bool = False) -> None:
        super().__init__(*args)
        for note in NOTED_BY:
            note(self)
        if about_state:
            self.about_state = True


NOTED_BY: list[Callable[[TracingError], None]] = []
"""The function that notes each new `TracingError` in the trace that is being made."""


class SymbolicValueError(TracingError):
    """Raised when Python asks a symbolic value for something that only a concrete one has."""


class ArrayMemoryError(SymbolicValueError):
    """Raised when a function asks for the memory of an array, which no trace follows."""

    about_state = True


class EndlessError(TracingError):
    """Raised when a loop that only an exception ends comes to no end while it is traced."""

    about_state = True


class EscapedTensorError(TracingError):
    """Raised when a symbolic value is used after, or outside, the trace that made it."""


class InvalidArgumentError(ValueError):
    """Raised when a value is not what a graph, or a check in it, asks for."""


class SignatureError(InvalidArgumentError, TypeError):
    """Raised when a call's arguments do not fit the function's signature."""


class CheckError(InvalidArgumentError, AssertionError):
    """Raised when a check of `ag.debugging` does not hold."""


class CaptureError(RuntimeError):
    """Raised with captures="error" when something that a trace read outside the function has
    changed."""


class VerificationError(AssertionError):
    """Raised with `verify` when a graph does not do what the plain function does."""


class NotDifferentiable(TracingError):
    """Raised when a gradient is asked through something that has no derivative, or by something
    that is no floating-point number."""


class NativeUnavailableError(ImportError):
    """Raised with jit_compile=True where there is no native code, with the reason."""


class StandaloneError(ValueError):
    """Raised when a graph cannot be written as a file that needs NumPy alone."""


class _WithHint:
    """The parts of an error that has a code, a hint and a location."""

    code = ""

    def __init__(self, message: str, hint: str = "", location: object | None = None) -> None:
        self.message = message
        self.hint = hint
        self.location = location
        told = f"\n  hint: {hint}" if hint else ""
        super().__init__(f"{self.code} {message}{at(location)}{told}")  # type: ignore[call-arg]


class SaveError(_WithHint, ValueError):
    """Raised when a function, or what it refers to, cannot be written to a file.

    Attributes: `code` (stable, documented in docs/errors.md), `message`, `location`.
    """

    code = "AG301"


class LoadError(ValueError):
    """Raised when a file is not what `ag.save` writes, or does not give what it says that it gives.

    Attributes: `code` (stable, documented in docs/errors.md), `message`, `where` (the part of the
    file).
    """

    code = "AG302"

    def __init__(self, message: str, where: str = "") -> None:
        self.message = message
        self.where = where
        super().__init__(f"{self.code} {f'{where}: ' if where else ''}{message}")


class ExportError(_WithHint, ValueError):
    """Raised when a graph has no form in ONNX or JAX, or cannot be a task of Dask.

    Attributes: `code` (stable, documented in docs/errors.md), `message`, `location`.
    """

    code = "AG303"


class RetracingWarning(UserWarning):
    """Warns that a function is traced again and again instead of being run."""


class VerificationWarning(UserWarning):
    """Warns that a call cannot be verified: it depends on what cannot be put back."""


class FallbackWarning(UserWarning):
    """Warns that calls of a function run as plain Python, as no trace can follow what it does."""


class UnrollingWarning(UserWarning):
    """Warns that every iteration of a long Python loop is recorded on its own: the graph is long,
    too.

    LIMIT: the number of iterations from which on it warns.
    """

    LIMIT = 300


class CacheWarning(UserWarning):
    """Warns that the folder of the cache on disk cannot be used: functions work on without it."""


class NumericsWarning(RuntimeWarning):
    """Warns, with `ag.config.debug`, of the first NaN, infinity or integer overflow of a call."""


@contextmanager
def plain_refusals() -> Iterator[None]:
    """Explains errors that NumPy and other libraries raise for a symbolic value.

    NumPy says that an element cannot be stored, a library that it does not know the class `Tensor`.
    """
    try:
        yield
    except ValueError as error:
        if isinstance(error.__cause__, TracingError):
            raise error.__cause__ from None
        raise
    except Exception as error:
        if is_about_tensors(error):
            note = NOT_TRACED if "CALL" in _raised_by(error) else IS_ARRAY
            if note not in getattr(error, "__notes__", ()):
                error.add_note(note)
        raise


def _raised_by(error: BaseException) -> str:
    """Returns the name of the instruction of the innermost line of Python that raised an error."""
    entry = error.__traceback__
    while entry is not None and entry.tb_next is not None:
        entry = entry.tb_next
    return "CALL" if entry is None else opname[entry.tb_frame.f_code.co_code[entry.tb_lasti]]


NOT_TRACED = (
    "a symbolic value, which Python knows as a 'Tensor', reached a function that is not traced\n"
    "  hint: call that function through ag.py_function, or pass the value as a Python constant")


IS_ARRAY = (
    "a symbolic value, which Python knows as a 'Tensor', is an array or a number when the graph "
    "runs\n  hint: those do not have what this line asks for")


def is_about_tensors(error: BaseException) -> bool:
    """Returns True if code that is not traced refuses a symbolic value, or may do so: an attribute
    of a class written in C asks for a text, say, and does not name what it got. Or NumPy got one
    from `__array__` of an object.

    An error of the user's whose message is symbolic itself is another matter.
    """
    if type(error) is TypeError and _raised_by(error) == "STORE_ATTR":
        return True
    if type(error) is ValueError and any(type(x) is str and x == NO_ARRAY for x in error.args):
        return True
    return type(error) in (TypeError, AttributeError) and any(
        isinstance(x, str) and (
            any(name in x for name in (
                "Tensor", "SelectedObject", "'Instance'", "'Dynamic'", "a symbolic "))
            or x.endswith((" Instance", " Dynamic")))
        for x in error.args)


NO_ARRAY = "object __array__ method not producing an array"
"""NumPy's message where `__array__` of an object gives no array."""


def at(location: object | None) -> str:
    """Returns `at FILE:LINE, in f` and the source line with a caret; nothing without a location."""
    if location is None:
        return ""
    caret = location.caret()  # type: ignore[attr-defined]
    function = location.function.rpartition(".")[2]  # type: ignore[attr-defined]
    where = f"\n  at {location}, in {function}"
    return f"{where}\n{caret}" if caret else where


for _class in list(globals().values()):
    if isinstance(_class, type) and issubclass(_class, Exception):
        _class.__module__ = "autograph.errors"  # tracebacks and pages show the public name
del _class
