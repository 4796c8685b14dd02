"""Small executables of formats that the compiler of this machine may not write."""

from __future__ import annotations

import struct


def pe(code: bytes, strings: bytes) -> bytes:
    """Make a program for Windows that has a section of code and one of data."""
    head = b"MZ".ljust(0x3C, b"\0") + struct.pack("<I", 0x40) + b"PE\0\0"
    head += struct.pack("<HHIIIHH", 0x8664, 2, 0, 0, 0, 2, 0x22) + struct.pack("<H", 0x20B)
    for name, data, at, flags in (
        (b".text", code, 512, 0x60000020),
        (b".rdata", strings, 512 + len(code), 0x40000040),
    ):
        head += name.ljust(8, b"\0") + struct.pack(
            "<IIIIIIHHI", len(data), 0x1000, len(data), at, 0, 0, 0, 0, flags
        )
    return head.ljust(512, b"\0") + code + strings


def mach_o(code: bytes, strings: bytes) -> bytes:
    """Make a program for macOS that has a section of code and one of data."""
    head = struct.pack("<IIIIIIII", 0xFEEDFACF, 0x1000007, 3, 2, 1, 72 + 160, 0, 0)
    head += struct.pack("<II16sQQQQIIII", 0x19, 72 + 160, b"__TEXT", 0, 0, 0, 0, 7, 5, 2, 0)
    for name, data, at, flags in (
        (b"__text", code, 512, 0x80000400),
        (b"__cstring", strings, 512 + len(code), 2),
    ):
        head += struct.pack(
            "<16s16sQQIIIIIIII", name, b"__TEXT", 0x1000, len(data), at, 0, 0, 0, flags, 0, 0, 0
        )
    return head.ljust(512, b"\0") + code + strings


def class_file(*code: bytes) -> bytes:
    """Make a Java class with methods that print."""
    texts = [b"A", b"java/lang/Object", b"run", b"()V", b"Code", b"a long greeting", b"println"]
    pool = b"".join(b"\1" + struct.pack(">H", len(each)) + each for each in texts)
    pool += b"\7\0\1" + b"\7\0\2" + b"\x08\0\6" + b"\x0c\0\7\0\4" + b"\x0a\0\x09\0\x0b"  # 8 to 12
    body = (
        struct.pack(">IHHH", 0xCAFEBABE, 0, 61, 13) + pool + struct.pack(">HHHHHH", 1, 8, 9, 0, 0, len(code))
    )
    for each in code:
        attribute = struct.pack(">HHI", 9, 9, len(each)) + each + struct.pack(">HH", 0, 0)
        body += struct.pack(">HHHHHI", 1, 3, 4, 1, 5, len(attribute)) + attribute
    return body + struct.pack(">H", 0)
