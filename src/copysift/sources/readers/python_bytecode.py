"""Compiled Python (.pyc), by own code: nothing of it is loaded or run, as `marshal` would.

The instructions of every function, with the names and constants that they refer to by number, up to Python
3.12. Later versions number instructions in another way in each release: there the names and constants follow
the instructions of their function.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from copysift.sources.container_limits import Budget
from copysift.sources.readers.executable import LISTING
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, UnreadableError, definition
from copysift.sources.readers.xml_parts import Output, plural

# The first magic number of each version of Python.
_VERSIONS = ((3360, 6), (3390, 7), (3400, 8), (3420, 9), (3430, 10), (3450, 11), (3500, 12), (3550, 13))
_NEWEST = (3600, 14), (3650, 15)
_CONSTANTS = {100, 172}  # LOAD_CONST, KW_NAMES
_NAMED = {90, 91, 95, 96, 97, 98, 101, 106, 108, 109, 116, 160}  # by number in the names of the function
_EXTENDED, _CACHE, _LOAD_GLOBAL, _LOAD_ATTR = 144, 0, 116, 106
_DEPTH = 200
_MOST = 1 << 22  # values in a file
_ITEMS, _LEVELS, _LONGEST = 16, 3, 1024  # of a constant that are shown


class BytecodeReader(TextReader):
    """The instructions, names and strings of compiled Python."""

    traits = definition("pyc", "Compiled Python (.pyc)")
    says = "compiled Python"
    or_raw = True

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the listing of all functions."""
        minor = version_of(data)
        start = 16 if minor >= 7 else 12
        module = _Values(data[start:], minor).read()
        if not isinstance(module, _Function):
            raise UnreadableError("is damaged: it has no code")
        output = Output(limits)
        output.add((LISTING + f"Python 3.{minor}\n".encode()).decode())
        functions = instructions = 0
        for function in _functions(module):
            functions += 1
            for line in _lines(function, minor):
                instructions += 1
                output.add(line + "\n")
        detail = f"3.{minor}, {plural(functions, 'function')}, {plural(instructions, 'instruction')}"
        return Extracted(output.text(), detail)


def version_of(head: bytes) -> int:
    """Give the minor version of Python 3 that compiled a file."""
    magic = int.from_bytes(head[:2], "little")
    found = [minor for first, minor in (*_VERSIONS, *_NEWEST) if first <= magic < 3700]
    if not found:
        raise UnreadableError("was compiled by a version of Python that copysift does not read")
    return found[-1]


@dataclass(slots=True)
class _Function:
    code: bytes
    constants: tuple[Any, ...]
    names: tuple[Any, ...]


def _functions(module: _Function) -> Iterator[_Function]:
    """Give a function, then those inside it; each once, whatever refers to it."""
    waiting, seen = [module], {id(module)}
    while waiting:
        function = waiting.pop()
        yield function
        inner = [each for each in function.constants if isinstance(each, _Function) and id(each) not in seen]
        seen.update(map(id, inner))
        waiting += reversed(inner)


def _lines(function: _Function, minor: int) -> Iterator[str]:
    """Give the instructions of a function."""
    argument = 0
    code = function.code
    for at in range(0, len(code) - 1, 2):
        operation, argument = code[at], argument << 8 | code[at + 1]
        if operation == _CACHE and minor >= 11:
            argument = 0
            continue
        if minor > 12:
            yield f"op {operation}"
        elif operation == _EXTENDED and argument < 1 << 24:
            continue
        else:
            yield f"op {operation}{_operand(function, operation, argument, minor)}"
        argument = 0
    if minor > 12:
        for value in (*function.names, *function.constants):
            if not isinstance(value, _Function):
                yield f"value {_shown(value)}"


def _operand(function: _Function, operation: int, argument: int, minor: int) -> str:
    if operation in _CONSTANTS:
        values = function.constants
    elif operation in _NAMED:
        values = function.names
        shifted = (operation == _LOAD_GLOBAL and minor >= 11) or (operation == _LOAD_ATTR and minor >= 12)
        argument >>= shifted
    else:
        return ""
    return f" {_shown(values[argument])}" if argument < len(values) else ""


def _shown(value: Any, depth: int = 0) -> str:
    """Give a value in few characters: tuples may contain each other so often that they never end."""
    if isinstance(value, _Function):
        return "code"
    if isinstance(value, tuple | list):
        inner = [_shown(each, depth + 1) for each in value[:_ITEMS]] if depth < _LEVELS else ["…"]
        return f"({', '.join(inner)})"
    return repr(value[:_LONGEST] if isinstance(value, str | bytes) else value)


class _Values:
    """Values as `marshal` writes them, read without making anything but strings, numbers and tuples."""

    def __init__(self, data: bytes, minor: int) -> None:
        self._data, self._minor = data, minor
        self._at = self._count = 0
        self._known: list[Any] = []

    def read(self, depth: int = 0) -> Any:
        """Give the next value."""
        self._count += 1
        if depth > _DEPTH or self._count > _MOST:
            raise UnreadableError("is nested too deeply, or has too many values; its code was not read")
        (mark,) = self._bytes(1)
        kind, kept = chr(mark & 0x7F), bool(mark & 0x80)
        place = len(self._known)
        if kept:
            self._known.append(None)
        value = self._value(kind, depth)
        if kept:
            self._known[place] = value
        return value

    def _value(self, kind: str, depth: int) -> Any:
        if kind in "NFTS.0":
            return {"N": None, "F": False, "T": True, "S": StopIteration, ".": ..., "0": None}[kind]
        if kind == "r":
            number = self._number("<I")
            return self._known[number] if number < len(self._known) else None
        if kind in "iI":
            return self._number("<i" if kind == "i" else "<q")
        if kind in "gy":
            return struct.unpack("<d" if kind == "g" else "<dd", self._bytes(8 if kind == "g" else 16))
        if kind in "lfx":
            return self._old_number(kind)
        if kind in "stuaA":
            data = self._bytes(self._number("<I"))
            return data if kind == "s" else data.decode("utf-8", "surrogatepass")
        if kind in "zZ":
            return self._bytes(self._number("<B")).decode("latin-1")
        if kind in "()[<>":
            count = self._number("<B" if kind == ")" else "<I")
            values = [self.read(depth + 1) for _ in range(self._checked(count))]
            return tuple(sorted(values, key=_shown) if kind in "<>" else values)  # sets have no order
        if kind == ":":  # a slice
            return tuple([self.read(depth + 1) for _ in range(3)])
        if kind == "c":
            return self._function(depth)
        raise UnreadableError(f"is damaged: it has a value of the type {kind!r}")

    def _old_number(self, kind: str) -> Any:
        if kind == "l":
            digits = self._number("<i")
            parts = struct.unpack(f"<{abs(digits)}H", self._bytes(2 * self._checked(abs(digits))))
            return sum(part << 15 * at for at, part in enumerate(parts[:64])) * (-1 if digits < 0 else 1)
        return [self._bytes(self._number("<B")).decode("latin-1") for _ in range(1 if kind == "f" else 2)]

    def _function(self, depth: int) -> _Function:
        """Read a function: what comes before and after its code depends on the version."""
        minor = self._minor
        self._bytes(4 * (5 if minor < 8 or minor >= 11 else 6))
        code, constants, names = (self.read(depth + 1) for _ in range(3))
        for _ in range(5):  # names of variables, of the file and of the function
            self.read(depth + 1)
        self._bytes(4)  # the first line
        for _ in range(1 if minor < 11 else 2):
            self.read(depth + 1)
        if not (isinstance(code, bytes) and isinstance(constants, tuple) and isinstance(names, tuple)):
            raise UnreadableError("is damaged: a function has no code")
        return _Function(code, constants, names)

    def _number(self, form: str) -> int:
        return int(struct.unpack(form, self._bytes(struct.calcsize(form)))[0])

    def _checked(self, count: int) -> int:
        if count > len(self._data) - self._at:
            raise UnreadableError("is damaged: it ends early")
        return count

    def _bytes(self, size: int) -> bytes:
        self._at += self._checked(size)
        return self._data[self._at - size : self._at]


BYTECODE = BytecodeReader()
