"""`dataclass` as in the standard library, whose methods are compiled when they are first called.

A command loads about a hundred dataclasses and makes instances of twenty. Compiling `__init__`, `__repr__`,
`__eq__` and `__hash__` of all of them took a quarter of the time of a short command. Everything else
(`fields`, `replace`, `asdict`, slots, matching, pickling) is as usual, but frozen values of many fields are
made in a third of the time, for a tree of files has a few of them for each file.

Limits: no `order`, no `InitVar`; a frozen dataclass of the standard library cannot inherit from one of these.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from types import FunctionType
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    import inspect
    from dataclasses import dataclass
else:

    def dataclass(*, frozen: bool = False, slots: bool = False, kw_only: bool = False) -> Any:
        """Make a class a dataclass. Parameters as in the standard library."""
        return lambda given: _made(given, frozen, slots, kw_only)


__all__ = ["dataclass"]

MANY = 5  # fields from which on they are set faster in a class that is not frozen


class _Method:
    """A method that is compiled, and replaced by what was compiled, when it is first looked up."""

    def __init__(self, owner: type, name: str, compiled: Callable[[type, str], Any]) -> None:
        self._owner, self._name, self._compiled = owner, name, compiled

    def __get__(self, instance: object, kind: type | None = None) -> Any:
        method = self._compiled(self._owner, self._name)
        setattr(self._owner, self._name, method)
        return method if instance is None else method.__get__(instance, kind)


class _Signature:
    """The parameters of a class, for `help` and `inspect`, which see no `__init__` before its first call."""

    def __init__(self, owner: type) -> None:
        self._owner = owner

    def __get__(self, instance: object, kind: type | None = None) -> inspect.Signature:
        if kind is not self._owner:
            raise AttributeError("__signature__")  # a subclass may have an __init__ of its own
        import inspect  # slow, and seldom wanted

        whole = inspect.signature(kind.__init__)  # type: ignore[misc] # that of this very class
        return whole.replace(parameters=list(whole.parameters.values())[1:])


def _made(given: type, frozen: bool, slots: bool, kw_only: bool) -> Any:
    """Let the standard library find the fields; put methods in place that are compiled later."""

    def compiled(owner: type, name: str) -> Any:
        if name == "__init__" and frozen and slots and _is_simple(owner):
            return _quick_init(owner)
        return _twin(owner, name, frozen, slots).__dict__[name]

    own = set(given.__dict__)
    made: Any = dataclasses.dataclass(init=False, repr=False, eq=False, slots=slots, kw_only=kw_only)(given)
    for name in ("__init__", "__repr__", "__eq__", *["__hash__"] * frozen):
        if name not in own or (name == "__hash__" and made.__hash__ is None):
            setattr(made, name, _Method(made, name, compiled))
    if not frozen and "__hash__" not in own:
        made.__hash__ = None  # values that are compared and may change have no hash
    if "__init__" not in own:
        made.__signature__ = _Signature(made)
    if frozen:
        made.__setattr__, made.__delattr__ = _no_assignment, _no_deletion
    if frozen and slots and "__getstate__" not in own:
        made.__getstate__, made.__setstate__ = _state, _set_state
    return made


def _twin(owner: Any, name: str, frozen: bool, slots: bool) -> type:
    """Make a class of the same fields that has one method of the standard library's."""
    fields = {each.name: each for each in dataclasses.fields(owner)}
    body: dict[str, Any] = {
        **fields,
        "__annotations__": {each.name: each.type for each in fields.values()},
        "__module__": owner.__module__,
        "__qualname__": owner.__qualname__,
        "__doc__": owner.__doc__,
    }
    if hasattr(owner, "__post_init__"):
        body["__post_init__"] = owner.__post_init__
    flags = {"init": name == "__init__", "repr": name == "__repr__", "eq": name in ("__eq__", "__hash__")}
    return dataclasses.dataclass(frozen=frozen, slots=slots, **flags)(type(owner.__name__, (), body))


def _is_simple(owner: Any) -> bool:
    """Say whether `_quick_init` can initialise every field of a class."""
    fields = dataclasses.fields(owner)
    plain = all(
        each.init and not each.kw_only and each.default_factory is dataclasses.MISSING for each in fields
    )
    return plain and len(fields) >= MANY and owner.__bases__ == (object,)


def _quick_init(owner: Any) -> FunctionType:
    """Make the `__init__` of a frozen class with slots; that of the standard library is three times slower.

    While the fields are set, the value is of a class with the same slots that is not frozen.
    """
    fields = dataclasses.fields(owner)
    names = ", ".join(each.name for each in fields)
    open_class = type(owner.__name__, (), {"__slots__": owner.__slots__, "__module__": owner.__module__})

    def slow(value: object, *given: object) -> None:
        _twin(owner, "__init__", True, True).__dict__["__init__"](value, *given)

    lines = [
        f"def __init__(self, {names}):",
        "    if self.__class__ is not owner:",
        f"        return slow(self, {names})",  # a subclass may have other slots
        "    change(self, '__class__', open_class)",
        *(f"    self.{each.name} = {each.name}" for each in fields),
        "    self.__class__ = owner",
        *(["    self.__post_init__()"] if hasattr(owner, "__post_init__") else []),
    ]
    space = {"owner": owner, "open_class": open_class, "slow": slow, "change": object.__setattr__}
    exec("\n".join(lines), space)  # as the standard library does
    made: Any = space["__init__"]
    made.__defaults__ = tuple(each.default for each in fields if each.default is not dataclasses.MISSING)
    made.__annotations__ = {each.name: each.type for each in fields} | {"return": None}
    made.__module__, made.__qualname__ = owner.__module__, f"{owner.__qualname__}.__init__"
    return cast("FunctionType", made)


def _no_assignment(self: object, name: str, value: object) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")


def _no_deletion(self: object, name: str) -> None:
    raise dataclasses.FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[object]:
    return [getattr(self, each.name) for each in dataclasses.fields(self)]


def _set_state(self: Any, state: list[object]) -> None:
    for each, value in zip(dataclasses.fields(self), state, strict=True):
        object.__setattr__(self, each.name, value)
