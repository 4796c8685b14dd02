"""A dataclass with late methods is one of the standard library in all that can be seen."""

import copy
import dataclasses
import inspect
import pickle
from dataclasses import field, fields, replace
from typing import ClassVar

import pytest

from copysift.runtime.lazy_dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Late:
    """A point with a name."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list, compare=False)
    hidden: int = field(default=7, init=False, repr=False)
    LIMIT: ClassVar[int] = 5

    def __post_init__(self) -> None:
        if self.x > self.LIMIT:
            raise ValueError("too far")


@dataclasses.dataclass(frozen=True, slots=True)
class Usual:
    """A point with a name."""

    x: int
    y: int = 2
    names: list[str] = field(default_factory=list, compare=False)
    hidden: int = field(default=7, init=False, repr=False)
    LIMIT: ClassVar[int] = 5

    def __post_init__(self) -> None:
        if self.x > self.LIMIT:
            raise ValueError("too far")


@dataclass(frozen=True, slots=True)
class LateWide:
    """One of many fields, which are set in another way."""

    a: int
    b: str
    c: float = 0.5
    d: str = "d"
    e: tuple[int, ...] = ()
    f: bytes = b""

    def __post_init__(self) -> None:
        if self.a > 5:
            raise ValueError("too far")


@dataclasses.dataclass(frozen=True, slots=True)
class UsualWide:
    """One of many fields, which are set in another way."""

    a: int
    b: str
    c: float = 0.5
    d: str = "d"
    e: tuple[int, ...] = ()
    f: bytes = b""

    def __post_init__(self) -> None:
        if self.a > 5:
            raise ValueError("too far")


class LateWider(LateWide):
    """A subclass with a dictionary."""


class UsualWider(UsualWide):
    """A subclass with a dictionary."""


@dataclass(frozen=True, kw_only=True)
class Options:
    first: int = 1


@dataclass(frozen=True, kw_only=True)
class MoreOptions(Options):
    second: int = 2


@dataclass(slots=True)
class Changing:
    value: int


@dataclass(frozen=True, slots=True)
class Own:
    value: int

    def __repr__(self) -> str:
        return "own"

    def __eq__(self, other: object) -> bool:
        return True

    def __hash__(self) -> int:
        return 3


@pytest.mark.parametrize("kind", [Late, Usual])
def test_values_are_made_shown_and_compared_as_by_the_standard_library(kind):
    one, other = kind(1, names=["a"]), kind(1, 2)
    assert repr(one) == f"{kind.__name__}(x=1, y=2, names=['a'])"
    assert one == other
    assert one != kind(1, 3)
    assert hash(one) == hash(other) == hash((1, 2, 7))
    assert (one.hidden, other.names) == (7, [])
    assert one.__eq__(1) is NotImplemented
    assert replace(one, y=9) == kind(1, 9)
    assert [each.name for each in fields(kind)] == ["x", "y", "names", "hidden"]
    assert dataclasses.asdict(one) == {"x": 1, "y": 2, "names": ["a"], "hidden": 7}
    assert not hasattr(one, "__dict__")
    with pytest.raises(ValueError, match="too far"):
        kind(6)
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
        kind()


@pytest.mark.parametrize("kind", [Late, Usual])
def test_frozen_values_refuse_changes(kind):
    one = kind(1)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
        one.x = 2
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
        del one.x
    assert one.x == 1


@pytest.mark.parametrize("kind", [Late, Usual])
def test_values_survive_copying_and_pickling(kind):
    one = kind(1, names=["a"])
    for again in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (again, again.names, again.hidden) == (one, ["a"], 7)


def test_parameters_can_be_inspected_before_the_first_call():
    assert str(inspect.signature(Late)) == str(inspect.signature(Usual))
    match Late(3, 4):
        case Late(x, y):
            assert (x, y) == (3, 4)


def test_a_subclass_has_the_fields_of_its_bases():
    assert repr(MoreOptions(second=5)) == "MoreOptions(first=1, second=5)"
    assert MoreOptions() != Options()
    assert str(inspect.signature(MoreOptions)) == "(*, first: int = 1, second: int = 2) -> None"


def test_values_that_may_change_have_no_hash():
    one = Changing(1)
    one.value = 2
    assert one == Changing(2)
    with pytest.raises(TypeError, match="unhashable"):
        hash(one)


def test_methods_of_a_class_itself_are_kept():
    assert Own(1) == Own(2)
    assert hash(Own(1)) == 3
    assert repr(Own(1)) == "own"


def test_a_class_without_instances_is_not_compiled():
    @dataclass(frozen=True, slots=True)
    class Unused:
        value: int

    assert type(Unused.__dict__["__init__"]).__name__ == "_Method"
    Unused(1)
    assert inspect.isfunction(Unused.__dict__["__init__"])
    assert type(Unused.__dict__["__eq__"]).__name__ == "_Method"


@pytest.mark.parametrize("kind", [LateWide, UsualWide, LateWider, UsualWider])
def test_values_of_many_fields_are_made_as_by_the_standard_library(kind):
    one = kind(1, b="b", f=b"f")
    assert type(one) is kind
    assert repr(one) == f"{kind.__name__}(a=1, b='b', c=0.5, d='d', e=(), f=b'f')"
    assert one == kind(1, "b", 0.5, "d", (), b"f")
    assert hash(one) == hash(kind(1, "b", f=b"f"))
    assert replace(one, c=2.5).c == 2.5
    for again in (copy.copy(one), copy.deepcopy(one), pickle.loads(pickle.dumps(one))):
        assert (type(again), again) == (kind, one)
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'a'"):
        one.a = 2
    with pytest.raises(ValueError, match="too far"):
        kind(6, "b")
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'b'"):
        kind(1)
    with pytest.raises(TypeError, match="unexpected keyword argument 'z'"):
        kind(1, "b", z=3)


def test_parameters_of_many_fields_can_be_inspected():
    assert str(inspect.signature(LateWide)) == str(inspect.signature(UsualWide))
    assert inspect.get_annotations(LateWide.__init__) == inspect.get_annotations(UsualWide.__init__)
