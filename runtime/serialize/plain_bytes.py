"""A trace as bytes for the cache on disk: the plain data of a file of `ag.save`, in no archive."""

from __future__ import annotations

import io
import json
import os
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.lib.format import read_array, write_array

from autograph.runtime.functions.concrete_function import ConcreteFunction
from autograph.runtime.ir.errors import LoadError
from autograph.runtime.serialize.loaded import LoadedFunction
from autograph.runtime.serialize.programs import Signature
from autograph.runtime.serialize.save import made_of, written
from autograph.runtime.serialize.spans import SavedLocation


def packed(f: ConcreteFunction) -> bytes:
    """Returns a trace as bytes.

    Raises:
      SaveError: a file cannot hold it.
    """
    data, arrays = written(f, None, (), (), True)
    stream = io.BytesIO()
    stream.write(json.dumps(data, separators=(",", ":")).encode("ascii") + b"\n")
    for array in arrays:
        write_array(stream, array, allow_pickle=False)
    return stream.getvalue()


def unpacked(data: bytes, files: Iterable[str] = ()) -> Signature:
    """Returns the trace that `packed` made bytes of.

    Args:
      files: the paths of the source files, of which a trace has the names.

    Raises:
      LoadError: they are no such bytes.
    """
    stream = io.BytesIO(data)
    try:
        plain = json.loads(stream.readline())
        arrays: list[np.ndarray[Any, Any]] = []
        while stream.tell() < len(data):
            arrays.append(read_array(stream, allow_pickle=False))
    except (ValueError, RecursionError) as error:
        raise LoadError(str(error)) from None
    made = made_of(plain, arrays, {}, "python")[0]
    if not isinstance(made, LoadedFunction) or len(made.signatures) != 1:
        raise LoadError("it is no trace")
    paths = {os.path.basename(path): path for path in files}
    for e in made.signatures[0].program.graph.walk():
        if isinstance(e.location, SavedLocation) and e.location.data[0] in paths:
            e.location.stand_in(paths[e.location.data[0]])
    return made.signatures[0]
