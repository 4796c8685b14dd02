"""What readable twins answer, remembered: each edition of a kernel is compared with the same answers.

A twin takes far longer than any edition, and tests ask it about the same thousands of cases for each.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from types import ModuleType
from typing import Any

import numpy as np

MOST = 50_000  # answers of a function


class Remembered:
    """A module whose functions answer equal arguments once."""

    def __init__(self, module: ModuleType) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._module, name)
        if not callable(found):
            return found
        setattr(self, name, _remembering(found))
        return getattr(self, name)


def _remembering(function: Callable[..., Any]) -> Callable[..., Any]:
    answers: dict[Hashable, Any] = {}

    def answer(*given: Any) -> Any:
        key = _key(given)
        if key not in answers:
            if len(answers) == MOST:
                answers.clear()
            answers[key] = _frozen(function(*given))
        return answers[key]

    return answer


def _key(value: Any) -> Hashable:
    """Give what is equal for equal arguments only, with their types."""
    if isinstance(value, np.ndarray):
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, (list, tuple)):
        return type(value), *map(_key, value)
    return type(value), bytes(value) if isinstance(value, (bytearray, memoryview)) else value


def _frozen(answer: Any) -> Any:
    """Make the arrays of an answer read-only, since others get them too."""
    for each in answer if isinstance(answer, (list, tuple)) else [answer]:
        if isinstance(each, np.ndarray):
            each.setflags(write=False)
    return answer
