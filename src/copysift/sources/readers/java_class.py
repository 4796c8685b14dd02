"""Java classes, by own code: the instructions of methods, with what they refer to by name, and strings.

A class file numbers what it refers to, and a change of one method changes the numbers in all others.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator

from copysift.sources.container_limits import Budget
from copysift.sources.readers.executable import LISTING
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, UnreadableError, definition
from copysift.sources.readers.xml_parts import Output, plural

# Names of the instructions 0 to 201, as in the specification of the Java virtual machine.
_NAMES = (  # noqa: SIM905 - 202 names
    "nop aconst_null iconst_m1 iconst_0 iconst_1 iconst_2 iconst_3 iconst_4 iconst_5 lconst_0 lconst_1 "
    "fconst_0 fconst_1 fconst_2 dconst_0 dconst_1 bipush sipush ldc ldc_w ldc2_w iload lload fload dload "
    "aload iload_0 iload_1 iload_2 iload_3 lload_0 lload_1 lload_2 lload_3 fload_0 fload_1 fload_2 fload_3 "
    "dload_0 dload_1 dload_2 dload_3 aload_0 aload_1 aload_2 aload_3 iaload laload faload daload aaload "
    "baload caload saload istore lstore fstore dstore astore istore_0 istore_1 istore_2 istore_3 lstore_0 "
    "lstore_1 lstore_2 lstore_3 fstore_0 fstore_1 fstore_2 fstore_3 dstore_0 dstore_1 dstore_2 dstore_3 "
    "astore_0 astore_1 astore_2 astore_3 iastore lastore fastore dastore aastore bastore castore sastore "
    "pop pop2 dup dup_x1 dup_x2 dup2 dup2_x1 dup2_x2 swap iadd ladd fadd dadd isub lsub fsub dsub imul lmul "
    "fmul dmul idiv ldiv fdiv ddiv irem lrem frem drem ineg lneg fneg dneg ishl lshl ishr lshr iushr lushr "
    "iand land ior lor ixor lxor iinc i2l i2f i2d l2i l2f l2d f2i f2l f2d d2i d2l d2f i2b i2c i2s lcmp "
    "fcmpl fcmpg dcmpl dcmpg ifeq ifne iflt ifge ifgt ifle if_icmpeq if_icmpne if_icmplt if_icmpge "
    "if_icmpgt if_icmple if_acmpeq if_acmpne goto jsr ret tableswitch lookupswitch ireturn lreturn freturn "
    "dreturn areturn return getstatic putstatic getfield putfield invokevirtual invokespecial invokestatic "
    "invokeinterface invokedynamic new newarray anewarray arraylength athrow checkcast instanceof "
    "monitorenter monitorexit wide multianewarray ifnull ifnonnull goto_w jsr_w"
).split()
_OPERANDS = dict.fromkeys((16, 18, *range(21, 26), *range(54, 59), 169, 188), 1) | {
    17: 2, 19: 2, 20: 2, 132: 2, **dict.fromkeys((*range(153, 169), *range(178, 185), 187, 189), 2),
    192: 2, 193: 2, 185: 4, 186: 4, 197: 3, 198: 2, 199: 2, 200: 4, 201: 4,
}  # fmt: skip
_REFERS = {18, 19, 20, *range(178, 188), 189, 192, 193, 197}  # to the pool, by their first operand
_SHOWN = {16, 17, *range(21, 26), *range(54, 59), 132, 188}  # small numbers that say what is done
_TABLESWITCH, _LOOKUPSWITCH, _WIDE = 170, 171, 196


class ClassReader(TextReader):
    """The instructions and strings of a Java class."""

    traits = definition("class", "Java classes")
    says = "Java class"
    or_raw = True

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the listing of all methods, then the strings."""
        file = _ClassFile(data)
        output = Output(limits)
        output.add((LISTING + b"Java class\n").decode())
        methods = instructions = 0
        for code in file.methods():
            methods += 1
            for line in _lines(code, file):
                instructions += 1
                output.add(line + "\n")
        for text in file.strings():
            output.add(f'"{text}"\n')
        detail = f"{plural(methods, 'method')}, {plural(instructions, 'instruction')}"
        return Extracted(output.text(), detail)


class _ClassFile:
    """The parts of a class file: its pool of constants, and the code of its methods."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 8
        self._pool: list[tuple[int, bytes]] = [(0, b"")]
        (count,) = self._take(">H")
        while len(self._pool) < count:
            self._constant()
        self._take(">HHH")  # access, the class, the class that it extends
        (interfaces,) = self._take(">H")
        self._bytes(2 * interfaces)

    def methods(self) -> Iterator[bytes]:
        """Give the code of each method that has some."""
        for fields in (True, False):
            for _ in range(self._take(">H")[0]):
                self._take(">HHH")
                for name, content in list(self._attributes()):
                    if not fields and name == b"Code":
                        (length,) = struct.unpack_from(">I", content, 4)
                        yield content[8 : 8 + length]

    def strings(self) -> Iterator[str]:
        """Give the strings of the program, in their order in the pool."""
        for tag, value in self._pool:
            if tag == 8:
                yield self._text(value)

    def named(self, number: int) -> str:
        """Give what an instruction refers to, in words."""
        tag, value = self._entry(number)
        if tag in (7, 8, 16, 19, 20):
            return self._text(value)
        if tag in (9, 10, 11):  # a field, or a method, of a class
            owner, member = struct.unpack(">HH", value)
            return f"{self.named(owner)}.{self._member(member)}"
        if tag in (17, 18):
            return self._member(struct.unpack(">HH", value)[1])
        forms = {3: ">i", 4: ">f", 5: ">q", 6: ">d"}
        return str(struct.unpack(forms[tag], value)[0]) if tag in forms else ""

    def _member(self, number: int) -> str:
        tag, value = self._entry(number)
        return self._text(value[:2]) if tag == 12 else ""

    def _text(self, number: bytes) -> str:
        tag, value = self._entry(int.from_bytes(number, "big"))
        return value.decode("utf-8", "replace").replace("\n", "\\n").replace("\r", "\\r") if tag == 1 else ""

    def _entry(self, number: int) -> tuple[int, bytes]:
        return self._pool[number] if number < len(self._pool) else (0, b"")

    def _constant(self) -> None:
        (tag,) = self._take(">B")
        sizes = {3: 4, 4: 4, 5: 8, 6: 8, 7: 2, 8: 2, 9: 4, 10: 4, 11: 4, 12: 4, 15: 3, 16: 2, 17: 4, 18: 4}
        if tag == 1:
            size = self._take(">H")[0]
        elif tag in sizes or tag in (19, 20):
            size = sizes.get(tag, 2)
        else:
            raise UnreadableError("is damaged: its pool of constants cannot be read")
        self._pool.append((tag, self._bytes(size)))
        if tag in (5, 6):  # which take two numbers
            self._pool.append((0, b""))

    def _attributes(self) -> Iterator[tuple[bytes, bytes]]:
        for _ in range(self._take(">H")[0]):
            name, size = self._take(">HI")
            yield self._entry(name)[1], self._bytes(size)

    def _bytes(self, size: int) -> bytes:
        if self._at + size > len(self._data):
            raise UnreadableError("is damaged: it ends early")
        self._at += size
        return self._data[self._at - size : self._at]

    def _take(self, form: str) -> tuple[int, ...]:
        return struct.unpack(form, self._bytes(struct.calcsize(form)))


def _lines(code: bytes, file: _ClassFile) -> Iterator[str]:
    """Give the instructions of a method; targets of jumps are left out."""
    at = 0
    while at < len(code):
        operation = code[at]
        if operation >= len(_NAMES):
            raise UnreadableError(f"is damaged: there is no instruction {operation}")
        name, size = _NAMES[operation], _OPERANDS.get(operation, 0)
        if operation in (_TABLESWITCH, _LOOKUPSWITCH):
            size = _switch(code, at)
        elif operation == _WIDE:
            size = 5 if code[at + 1] == 132 else 3
        operands = code[at + 1 : at + 1 + size]
        if operation in _REFERS:
            name += " " + file.named(int.from_bytes(operands[: 1 if operation == 18 else 2], "big"))
        elif operation in _SHOWN:
            name += " " + str(int.from_bytes(operands, "big"))
        yield "ldc" + name[5:] if name.startswith("ldc_w") else name
        at += 1 + size


def _switch(code: bytes, at: int) -> int:
    """Give the size of the operands of a switch: aligned to 4 bytes from the start of the method."""
    padding, is_table = -(at + 1) % 4, code[at] == _TABLESWITCH
    _, low, high = struct.unpack_from(">iii", code + bytes(4), at + 1 + padding)
    count = high - low + 1 if is_table else 2 * low
    if not 0 <= count <= len(code):
        raise UnreadableError("is damaged: a switch has too many cases")
    return int(padding + 4 * ((3 if is_table else 2) + count))


CLASS = ClassReader()
