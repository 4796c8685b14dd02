"""Functions that Python gives for `features`, under names by which every engine finds them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager

from copysift.settings.keywords import FeatureRecord

Features = Callable[[FeatureRecord], Iterable[object]]

_held: dict[str, Features] = {}


def __getattr__(name: str) -> Features:
    if name not in _held:
        raise AttributeError(f"the function {name} was given to a call that has ended")
    return _held[name]


@contextmanager
def named(function: Features) -> Iterator[str]:
    """Name a function as module:function while it is needed; its own name does if it can be imported."""
    module, name = getattr(function, "__module__", ""), getattr(function, "__qualname__", "function")
    if getattr(sys.modules.get(module), name, None) is function:
        yield f"{module}:{name}"
        return
    name = name.rpartition(".")[2]
    while name in _held:
        name += "~"
    _held[name] = function
    try:
        yield f"{__name__}:{name}"
    finally:
        del _held[name]
