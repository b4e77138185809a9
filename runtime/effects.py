"""What a function changes outside itself, recorded so that every call does it
(effects="runtime")."""

from __future__ import annotations

from typing import Any

from autograph.runtime.lists import unstage
from autograph.runtime.ops.op import Op
from autograph.runtime.places import Contents, Place
from autograph.runtime.tensor import apply
from autograph.runtime.types import DYNAMIC


def replay(places: list[Place], before: list[Any], given: list[Any]) -> None:
    """Put back what the function changed in places, and record that every run of the graph does it.

    The containers of the caller's (`given`) are written by other means.
    """
    for place, old in zip(places, before, strict=True):
        new = place.take()
        if isinstance(place, Contents) and any(place.container is c for c in given):
            continue
        if not place.same(old, new):
            place.put(old)
            _record(place, old, unstage(new))


def _record(place: Place, old: Any, new: Any) -> None:
    """Append the equation that makes the change."""
    if isinstance(place, Contents) and isinstance(place.container, dict):
        gone = [k for k in old if k not in new]
        changed = {k: v for k, v in new.items() if k not in old or old[k] is not v}
        apply(_op(lambda c: _update(place.container, gone, c)), changed)
    elif isinstance(place, Contents) and isinstance(place.container, list) and all(
            a is b for a, b in zip(old, new, strict=False)) and len(new) >= len(old):
        apply(_op(lambda items: place.container.extend(items)), new[len(old):])
    else:
        apply(_op(lambda c: place.put(c)), new)


def _update(container: dict[Any, Any], gone: list[Any], changed: dict[Any, Any]) -> None:
    for key in gone:
        container.pop(key, None)
    container.update(changed)


def _op(kernel: Any) -> Op:
    return Op("outer_effect", kernel, lambda *args: DYNAMIC, "", (), vjp=None, onnx=None,
              effect="call", doc="a change of something outside the function")
