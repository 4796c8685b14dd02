"""Executables by capstone, the disassembler of most tools that look at programs, in a separate process.

The text is a listing: a line for each instruction, with addresses replaced by `#`, then the strings. A patch
moves all that comes after it, so that two builds of one program share few bytes and most of this listing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Any

from copysift.sources.container_limits import Budget
from copysift.sources.readers.object_files import PE, Program, Section, programs_in
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, UnreadableError, definition
from copysift.sources.readers.xml_parts import plural

if TYPE_CHECKING:
    import capstone

LISTING = b"; machine code: "  # the first bytes of a listing, by which its kind is known
MOST = 64 << 20  # bytes of a listing
_BATCH = 1 << 16  # instructions
_FAR = 1 << 20  # added to the addresses of object files, which begin at 0: all of them are masked
_SHORT = 6  # characters: shorter strings are mostly chance
_ASCII = re.compile(rb"[\t\x20-\x7e]{6,4096}")
_WIDE = re.compile(rb"(?:[\t\x20-\x7e]\0){6,4096}")
# Numbers of 256 and more are addresses, sizes and line numbers, which a patch moves. Smaller ones are places
# in records and on the stack, which say what the program does.
_NUMBER = re.compile(r"0x[0-9a-f]{3,}")
_ANY_NUMBER = re.compile(r"\b(?:0x[0-9a-f]+|\d+)\b")
_RELATIVE = re.compile(r"\[(rip|pc)[^\[\]]*\]")
# Padding between functions, marks for the processor, and bytes that are no instruction.
_PADDING = re.compile(r"(?m)^(?:nop|int3|endbr\d\d|\.byte|data16|udf|c\.nop|nopr?)\b.*\n")
# What compilers put into every program, between `_start` and its own functions: two small libraries have
# nothing else in common.
_START_UP = re.compile(
    r"(?:xor ebp, ebp\nmov r9, rdx\n(?:.*\n){4,12}?hlt\n)?"
    r"(?:lea rdi, .*\nlea rax, .*\n|mov eax, #\n)cmp rax, .*\n(?:.*\n){12,45}?"
    r"mov byte ptr \[rip \+ #\], 1\n(?:.*\n){0,3}?jmp #\n"
)
_CS = {
    "x86": "X86", "x86-64": "X86", "arm": "ARM", "thumb": "ARM", "arm64": "ARM64", "mips": "MIPS",
    "ppc": "PPC", "ppc64": "PPC", "sparc": "SPARC", "sparcv9": "SPARC", "s390x": "SYSZ", "m68k": "M68K",
    "riscv": "RISCV", "bpf": "BPF",
}  # fmt: skip


class ExecutableReader(TextReader):
    """The instructions of programs and libraries, with addresses masked, and their strings."""

    traits = definition("executable", "Executables (ELF, PE, Mach-O)", extra="executables")
    says = "machine code (capstone)"
    library = "capstone"
    separate = True
    or_raw = True

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the listing of all programs in a file."""
        programs = programs_in(data)
        if not any(len(each.data) for program in programs for each in program.sections):
            raise UnreadableError("has no code and no strings; it was not compared")
        listing = _Listing(min(MOST, limits.text_bytes))
        for program in programs:
            listing.add(program)
        form, machines = programs[0].form, ", ".join(each.machine for each in programs)
        head = LISTING + f"{form} {machines}\n".encode()
        return Extracted(head + b"".join(listing.parts), listing.detail(machines, b"UPX!" in data[:4096]))


class _Listing:
    """The lines of a listing, up to a number of bytes, and how many there are of each sort."""

    def __init__(self, most: int) -> None:
        self.parts: list[bytes] = []
        self._left = most
        self._instructions = self._strings = 0
        self._notes: list[str] = []

    def add(self, program: Program) -> None:
        """List the code of a program, then its strings."""
        for section in program.sections:
            if section.code and self._left > 0:
                self._code(program, section)
        found = (line for each in program.sections if not each.code for line in _strings(program, each))
        while self._left > 0 and (some := list(islice(found, _BATCH))):
            self._strings += len(some)
            self._put("".join(some))

    def detail(self, machine: str, packed: bool) -> str:
        """Say what is in the listing, and what is not."""
        said = [machine, plural(self._instructions, "instruction"), plural(self._strings, "string")]
        if packed:
            self._notes.insert(0, "packed by UPX: the program itself is compressed and was not compared")
        if self._left <= 0:
            self._notes.append("the rest is too large and was not read")
        return ", ".join((*said, *dict.fromkeys(self._notes)))

    def _code(self, program: Program, section: Section) -> None:
        disassembler = _disassembler(program, section)
        if disassembler is None:
            self._notes.append(f"no disassembler for {program.machine}")
            return
        base = _FAR if section.address < _FAR else 0
        found = disassembler.disasm_lite(bytes(section.data), section.address + base)
        while self._left > 0 and (some := list(islice(found, _BATCH))):
            lines = _PADDING.sub("", _masked(some, section, section.address + base))
            lines = _START_UP.sub("", lines)
            self._instructions += lines.count("\n")
            self._put(lines)

    def _put(self, lines: str) -> None:
        data = lines.encode("ascii", "replace")
        if len(data) > self._left:
            data = data[: data.rfind(b"\n", 0, self._left) + 1]
            self._left = 0
        self._left -= len(data)
        self.parts.append(data)


def _masked(found: list[tuple[int, int, str, str]], section: Section, start: int) -> str:
    """Give the lines of instructions; what a linker or a patch changes is `#`."""
    if section.relocations:
        found = [
            (at, size, name, _ANY_NUMBER.sub("#", operands))
            if section.is_relocated(at - start, at - start + size)
            else (at, size, name, operands)
            for at, size, name, operands in found
        ]
    lines = "\n".join([f"{name} {operands}" for _, _, name, operands in found]) + "\n"
    return _NUMBER.sub("#", _RELATIVE.sub(r"[\1 + #]", lines)).replace(" \n", "\n")


def _strings(program: Program, section: Section) -> Iterator[str]:
    for found in _ASCII.finditer(section.data):
        yield f'"{found[0].decode("ascii")}"\n'.replace("\t", "\\t")
    for found in _WIDE.finditer(section.data) if program.form == PE else ():
        yield f'"{found[0].decode("utf-16-le")}"\n'.replace("\t", "\\t")


def _disassembler(program: Program, section: Section) -> capstone.Cs | None:
    """Give the disassembler of a section; None: capstone knows no such machine."""
    import capstone

    name = _CS.get(program.machine)
    if name is None:
        return None
    mode = _mode(capstone, program, section)
    return _made(capstone, name, mode)


def _made(cs: Any, name: str, mode: int) -> capstone.Cs:
    made: capstone.Cs = cs.Cs(getattr(cs, f"CS_ARCH_{name}"), mode)
    made.skipdata = True
    return made


def _mode(cs: Any, program: Program, section: Section) -> int:
    order: int = cs.CS_MODE_BIG_ENDIAN if program.big else cs.CS_MODE_LITTLE_ENDIAN
    machine = program.machine
    if machine in ("x86", "x86-64"):
        # x32: a file of 32 bits for the processor of 64
        return int(cs.CS_MODE_64 if machine == "x86-64" else cs.CS_MODE_32)
    if machine == "arm":
        return order | int(_arm_mode(cs, section, order))
    special = {
        "thumb": cs.CS_MODE_THUMB, "ppc": cs.CS_MODE_32, "ppc64": cs.CS_MODE_64, "sparcv9": cs.CS_MODE_V9,
        "m68k": cs.CS_MODE_M68K_040, "bpf": cs.CS_MODE_BPF_EXTENDED,
        "riscv": (cs.CS_MODE_RISCV64 if program.wide else cs.CS_MODE_RISCV32) | cs.CS_MODE_RISCVC,
        "mips": cs.CS_MODE_MIPS64 if program.wide else cs.CS_MODE_MIPS32,
    }  # fmt: skip
    return order | int(special.get(machine, 0))


def _arm_mode(cs: Any, section: Section, order: int) -> int:
    """Choose between the two sets of instructions of ARM: that which fits more of the code."""
    sample = bytes(section.data[: 1 << 14])
    wrong = {}
    for mode in (cs.CS_MODE_ARM, cs.CS_MODE_THUMB):
        found = _made(cs, "ARM", order | mode).disasm_lite(sample, 0)
        wrong[mode] = sum(size for _, size, name, _ in found if name == ".byte")
    return int(min(wrong, key=lambda mode: wrong[mode]))


EXECUTABLE = ExecutableReader()
