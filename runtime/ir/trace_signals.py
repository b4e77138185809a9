"""Control flow of tracing: exceptions by which a trace, or a branch in it, is given up."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class TraceSignal(BaseException):
    """Ends a trace, or a part of it, early. Not an error, and no handler of the user's sees it."""


class Retrace(TraceSignal):
    """The function has to be traced again, in another way."""


class RetraceByReference(Retrace):
    """Only the run knows which array a variable stands for, and one of them is written."""


class RetraceWithCalls(Retrace):
    """A function calls itself on symbolic values: its calls have to be calls in the graph."""


class RetraceWithObjects(Retrace):
    """Containers have to be objects of the graph, or the copies of a loop's body make it too long.
    """


class RetraceInFull(Retrace):
    """Containers as objects of the graph, for no other reason than a short graph, were refused."""


class RetraceWithInputs(Retrace):
    """More of what the function uses has to be an input: the call has to be bound again.

    mode       the mode of the next trace.
    locations  the locations outside the function that have to be inputs.
    """

    def __init__(self, mode: Any, locations: Iterable[Any] = ()) -> None:
        super().__init__()
        self.mode = mode
        self.locations = locations


class ArraysWritten(Retrace):
    """A branch or loop writes constants to arrays that were there before: they have to be inputs.

    arrays  the arrays, with what they held before.
    """

    def __init__(self, arrays: Iterable[Any]) -> None:
        super().__init__()
        self.arrays = list(arrays)


class NeverCompletes(TraceSignal):
    """Both sides of a branch raise: nothing that follows it can run."""


class ResultUnknown(TraceSignal):
    """A recursive function is traced for the first time: nobody knows yet what its calls return.

    The branch that makes the call ends there.
    """
