"""Sections of ELF, PE and Mach-O files: where their code and data are, for which processor.

Own code, and not a library of each format: tables of sections are simple, and nothing else is needed. Offsets
of a hostile file may point anywhere; what is outside the file is cut off.
"""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field

from copysift.sources.readers.reader import UnreadableError

ELF, PE, MACH_O = "ELF", "PE", "Mach-O"
_MOST_SECTIONS = 1 << 16
_MOST_SLICES = 16  # programs in a universal binary
_MOST_RELOCATIONS = 1 << 22

# Processors by the numbers that the formats give them; the names are those that people read.
_ELF_MACHINES = {
    2: "sparc", 3: "x86", 4: "m68k", 8: "mips", 20: "ppc", 21: "ppc64", 22: "s390x", 40: "arm",
    43: "sparcv9", 62: "x86-64", 183: "arm64", 243: "riscv", 247: "bpf", 258: "loongarch",
}  # fmt: skip
_PE_MACHINES = {0x14C: "x86", 0x8664: "x86-64", 0x1C0: "arm", 0x1C4: "thumb", 0xAA64: "arm64"}
_MACH_MACHINES = {
    7: "x86", 0x1000007: "x86-64", 12: "arm", 0x100000C: "arm64", 18: "ppc", 0x1000012: "ppc64",
}  # fmt: skip
# Sections of ELF that have no text of the program: tables for the linker, the debugger and exceptions.
_TABLES = (".eh_frame", ".gcc_except", ".note", ".interp", ".gnu", ".dyn", ".rel", ".hash", ".debug", ".got")


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a program: its bytes, and the address at which they are loaded."""

    data: memoryview
    address: int
    code: bool
    relocations: list[int] = field(default_factory=list)  # offsets that a linker changes, sorted

    def is_relocated(self, start: int, end: int) -> bool:
        """Say whether a linker changes any of the bytes from `start` to `end`, half-open offsets."""
        at = bisect_left(self.relocations, start)
        return at < len(self.relocations) and self.relocations[at] < end


@dataclass(frozen=True, slots=True)
class Program:
    """The code and data of one program: for which machine, in which order of bytes and width."""

    form: str
    machine: str
    big: bool
    wide: bool  # 64 bits
    sections: tuple[Section, ...]


def programs_in(data: bytes) -> list[Program]:
    """Give the programs in a file: one, or one for each machine of a universal binary."""
    view = memoryview(data)
    if data.startswith(b"\x7fELF"):
        return [_elf(view)]
    if data.startswith(b"MZ"):
        return [_pe(view)]
    if data[:4] in (b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf"):
        return [_mach_o(part) for part in _slices(view)]
    return [_mach_o(view)]


def _elf(view: memoryview) -> Program:
    wide, big = view[4] == 2, view[5] == 2
    order = ">" if big else "<"
    kind, machine = struct.unpack_from(order + "HH", view, 16)
    if wide:
        segments, table = struct.unpack_from(order + "QQ", view, 0x20)
        each, count, size, sections, names = struct.unpack_from(order + "HHHHH", view, 0x36)
    else:
        segments, table = struct.unpack_from(order + "II", view, 0x1C)
        each, count, size, sections, names = struct.unpack_from(order + "HHHHH", view, 0x2A)
    if table and sections:
        found = _elf_sections(view, order, wide, (table, size, sections, names), kind == 1)
    else:
        found = _elf_segments(view, order, wide, (segments, each, count))
    return Program(ELF, _ELF_MACHINES.get(machine, f"machine {machine}"), big, wide, tuple(found))


def _elf_sections(
    view: memoryview, order: str, wide: bool, table: tuple[int, int, int, int], relocatable: bool
) -> Iterator[Section]:
    start, size, count, names = table
    form = order + ("IIQQQQIIQQ" if wide else "IIIIIIIIII")
    rows = [struct.unpack_from(form, view, start + at * size) for at in range(count)]
    name_start = rows[names][4] if names < count else 0
    relocations = _relocations(view, order, wide, rows) if relocatable else {}
    for number, (name, kind, flags, address, offset, length, *_) in enumerate(rows):
        if kind != 1 or not flags & 2:  # bits of the program that are loaded
            continue
        called = bytes(view[name_start + name : name_start + name + 16])
        code = bool(flags & 4)
        if called.startswith((b".plt", b".init\0", b".fini\0")) or (
            not code and called.decode("latin-1").startswith(_TABLES)
        ):
            continue
        yield Section(view[offset : offset + length], address, code, relocations.get(number, []))


def _relocations(
    view: memoryview, order: str, wide: bool, rows: list[tuple[int, ...]]
) -> dict[int, list[int]]:
    """Give the offsets that a linker changes in each section of an object file."""
    found: dict[int, list[int]] = {}
    for _, kind, _, _, offset, length, _, target, _, _ in rows:
        if kind not in (4, 9):  # with addends, and without
            continue
        step = (24 if wide else 12) if kind == 4 else (16 if wide else 8)
        count = min(length, len(view) - offset) // step
        if not 0 < count <= _MOST_RELOCATIONS:
            continue
        form = struct.Struct(order + ("Q" if wide else "I") + f"{step - (8 if wide else 4)}x")
        places = [at for (at,) in form.iter_unpack(view[offset : offset + count * step])]
        found.setdefault(target, []).extend(places)
    return {number: sorted(places) for number, places in found.items()}


def _elf_segments(view: memoryview, order: str, wide: bool, table: tuple[int, int, int]) -> Iterator[Section]:
    """Give what is loaded of a file whose table of sections was taken away."""
    start, size, count = table
    for at in range(start, start + size * count, size or 1):
        if wide:
            kind, flags, offset, address, _, length = struct.unpack_from(order + "IIQQQQ", view, at)
        else:
            kind, offset, address, _, length, _, flags = struct.unpack_from(order + "7I", view, at)
        if kind == 1:
            yield Section(view[offset : offset + length], address, bool(flags & 1))


def _pe(view: memoryview) -> Program:
    (at,) = struct.unpack_from("<I", view, 0x3C)
    if bytes(view[at : at + 4]) != b"PE\0\0":
        raise UnreadableError("is a program for DOS, which copysift does not read")
    machine, count, _, _, _, optional = struct.unpack_from("<HHIIIH", view, at + 4)
    wide = struct.unpack_from("<H", view, at + 24)[0] == 0x20B
    found = []
    for number in range(count):
        row = at + 24 + optional + 40 * number
        _, address, length, offset = struct.unpack_from("<IIII", view, row + 8)
        (flags,) = struct.unpack_from("<I", view, row + 36)
        name = bytes(view[row : row + 8])
        code = bool(flags & 0x20000020)
        if code or (flags & 0x40 and not name.startswith((b".reloc", b".pdata", b".xdata", b".buildid"))):
            found.append(Section(view[offset : offset + length], address, code))
    return Program(PE, _PE_MACHINES.get(machine, f"machine {machine}"), False, wide, tuple(found))


def _slices(view: memoryview) -> Iterator[memoryview]:
    wide = view[3] == 0xBF
    (count,) = struct.unpack_from(">I", view, 4)
    form, step = (">IIQQII", 32) if wide else (">IIIII", 20)
    for number in range(min(count, _MOST_SLICES)):
        _, _, offset, length, *_ = struct.unpack_from(form, view, 8 + number * step)
        yield view[offset : offset + length]


def _mach_o(view: memoryview) -> Program:
    magic = bytes(view[:4])
    big = magic[:2] == b"\xfe\xed"
    order = ">" if big else "<"
    wide = 0xCF in (magic[0], magic[3])
    machine, _, _, count = struct.unpack_from(order + "IIII", view, 4)
    at = 32 if wide else 28
    found: list[Section] = []
    for _ in range(count):
        command, size = struct.unpack_from(order + "II", view, at)
        if command == (0x19 if wide else 1):
            found += _mach_sections(view, order, wide, at)
        if size < 8 or len(found) > _MOST_SECTIONS:
            break
        at += size
    return Program(MACH_O, _MACH_MACHINES.get(machine, f"machine {machine}"), big, wide, tuple(found))


def _mach_sections(view: memoryview, order: str, wide: bool, at: int) -> Iterator[Section]:
    (count,) = struct.unpack_from(order + "I", view, at + (64 if wide else 48))
    row, step = (at + 72, 80) if wide else (at + 56, 68)
    form = order + ("QQIIIII" if wide else "IIIIIII")
    for number in range(min(count, _MOST_SECTIONS)):
        start = row + number * step
        name = bytes(view[start : start + 16])
        address, length, offset, _, _, _, flags = struct.unpack_from(form, view, start + 32)
        code = bool(flags & 0x80000400)
        if name.startswith((b"__stub", b"__unwind", b"__eh_frame", b"__debug")) or flags & 0xFF == 1:
            continue  # calls of other libraries, tables, and what is zero at the start
        yield Section(view[offset : offset + length], address, code)
