"""How the files of each reader are known: by their first bytes, then by their names.

All of it is here, and not with the readers, so that a scan of other files loads none of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable

RAW = "raw bytes"  # how a document was read whose text its reader could not give
PACKED = {
    b"Rar!\x1a\x07": "a RAR archive",
    b"MSCF\0\0\0\0": "a cabinet",
    b"\x1f\x9d": "a file compressed by LZW (.Z)",
    b"LZIP": "a file compressed by lzip",
    b"\x89LZO\0\r\n\x1a\n": "a file compressed by lzop",
    b"\x5d\0\0": "a file compressed by LZMA (.lzma)",
    b"\xed\xab\xee\xdb": "an RPM package",
    b"hsqs": "a squashfs image",
    b"\xff\x06\0\0sNaPpY": "a file compressed by Snappy",
    b"xar!": "a XAR archive",
}
MAGIC: dict[str, tuple[bytes, ...]] = {
    "pdf": (b"%PDF-",),
    "postscript": (b"%!PS", b"\x04%!PS", b"%!\n", b"\xc5\xd0\xd3\xc6"),
    "rtf": (b"{\\rtf",),
    "sqlite": (b"SQLite format 3\0",),
    "webvtt": (b"WEBVTT", b"\xef\xbb\xbfWEBVTT"),
    "fodt": (b"<?xml",),
    "xml": (b"<?xml",),
    "compound": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",),
    "packed": tuple(PACKED),
    "executable": (
        b"\x7fELF", b"MZ", b"\xfe\xed\xfa\xce", b"\xfe\xed\xfa\xcf", b"\xce\xfa\xed\xfe", b"\xcf\xfa\xed\xfe",
        b"\xca\xfe\xba\xbe", b"\xca\xfe\xba\xbf",
    ),
    "class": (b"\xca\xfe\xba\xbe",),
}  # fmt: skip
SUFFIXES: dict[str, tuple[str, ...]] = {
    "docx": (".docx", ".docm", ".dotx", ".dotm"),
    "pptx": (".pptx", ".pptm", ".ppsx", ".potx"),
    "xlsx": (".xlsx", ".xlsm", ".xltx"),
    "odt": (".odt", ".ott", ".odm", ".sxw"),
    "ods": (".ods", ".ots", ".sxc"),
    "odp": (".odp", ".otp", ".sxi"),
    "fodt": (".fodt", ".fods", ".fodp"),
    "epub": (".epub",),
    "pdf": (".pdf",),
    "postscript": (".ps", ".eps"),
    "rtf": (".rtf",),
    "sqlite": (),
    "compound": (),
    "packed": (),
    "executable": (),
    "class": (),
    "pyc": (".pyc", ".pyo"),
    "markdown": (".md", ".markdown", ".mdown", ".mkd"),
    "rst": (".rst", ".rest"),
    "tex": (".tex", ".ltx", ".latex"),
    "troff": (".man", ".mdoc", ".roff", ".troff", ".me", ".ms", ".mm", *(f".{at}" for at in range(1, 10))),
    "mail": (".eml",),
    "mbox": (".mbox", ".mbx"),
    "subrip": (".srt",),
    "webvtt": (".vtt",),
    "json": (".json",),
    "xml": (".xml",),
    "yaml": (".yaml", ".yml"),
    "table": (".csv", ".tsv"),
}
# Compiled when they are first needed: most runs meet no such file.
_TROFF = rb"(?:\.\\\"|'\\\"|\.(?:TH|Dd|SH|so|de|ig|TL|if|nr|ds)[ \t\n])"
# A patch of git has a commit where mail has an address.
_MBOX = rb"(?i)From (?![0-9a-f]{40} )\S.*\d\r?\n(?:>?[A-Za-z-]+:|From )"
_HEADER = rb"[!-9;-~]+:"
_HEADERS = rb"(?:[!-9;-~]+:[ \t][^\n]*\n(?:[ \t][^\n]*\n)*){3}"
_MAIL = rb"(?im)^(?:Message-ID|Received|MIME-Version|Delivered-To|Return-Path):"
_CUE = rb"(?:\xef\xbb\xbf)?\s*\d+\s*\n\d+:\d\d:\d\d[,.]\d+ *-->"
_FLAT = rb"<office:document[\s>]"  # parts of a zip are document-content, document-styles …
_BOM = b"\xef\xbb\xbf"
_WIDE = (b"\xff\xfe", b"\xfe\xff")  # UTF-16
_SEPARATOR = re.compile(rb"[,;\t|]")
_MOST_PROGRAMS = 30  # in a universal binary: the versions of Java classes are higher


def _is_xml(name: str, head: bytes) -> bool:
    """A page is HTML; drawings are data of another sort."""
    return b"<html" not in head.lower() and not name.endswith((".html", ".htm", ".xhtml", ".xht", ".svg"))


def _is_text(head: bytes) -> bool:
    """What has a NUL is data, whatever its name says."""
    return b"\0" not in head or head.startswith(_WIDE)


def _is_mail(name: str, head: bytes) -> bool:
    if name.endswith(".eml"):
        return re.match(_HEADER, head) is not None
    return re.match(_HEADERS, head) is not None and re.search(_MAIL, head) is not None


def _is_executable(name: str, head: bytes) -> bool:
    """A program for Windows has a NUL early; Java classes start like universal binaries of few programs."""
    if head[:2] == b"MZ":
        return len(head) >= 64 and b"\0" in head[:64]
    return head[0] != 0xCA or int.from_bytes(head[4:8], "big") <= _MOST_PROGRAMS


# What a name or the first bytes alone do not decide.
_CHECKS: dict[str, Callable[[str, bytes], bool]] = {
    "troff": lambda name, head: re.match(_TROFF, head) is not None,
    "mbox": lambda name, head: re.match(_MBOX, head) is not None,
    "mail": _is_mail,
    "subrip": lambda name, head: re.match(_CUE, head.replace(b"\r", b"")) is not None,
    "json": lambda name, head: head.removeprefix(_BOM).lstrip()[:1] in (b"{", b"["),
    "fodt": lambda name, head: re.search(_FLAT, head) is not None,
    "xml": lambda name, head: head.removeprefix(_BOM).lstrip()[:1] == b"<" and _is_xml(name, head),
    "yaml": lambda name, head: _is_text(head),
    "table": lambda name, head: _is_text(head) and _SEPARATOR.search(head) is not None,
    "executable": _is_executable,
    # Letters may start a text; two bytes may start anything.
    "packed": lambda name, head: b"\0" in head and (head[:2] != b"\x1f\x9d" or head[2:3] >= b"\x80"),
    "class": lambda name, head: int.from_bytes(head[4:8], "big") > _MOST_PROGRAMS,
    "pyc": lambda name, head: head[2:4] == b"\r\n" and head[1:2] in (b"\x0c", b"\x0d", b"\x0e"),
    "postscript": lambda name, head: head[:3] != b"%!\n" or name.endswith((".ps", ".eps")),
}
_BY_SUFFIX = {suffix: name for name, suffixes in SUFFIXES.items() for suffix in suffixes}
_BY_CONTENT = ("docx", "pptx", "xlsx", "odt", "ods", "odp", "epub", "pdf", "rtf", "postscript")
_UNNAMED = {b".": ("troff",), b"'": ("troff",), b"F": ("mbox", "mail")} | dict.fromkeys(
    (b"R", b"D", b"M", b"X", b"r", b"T", b"S"), ("mail",)
)
MARKS = {magic[:2] for each in MAGIC.values() for magic in each}
_MAIL_MARKS = {b"Re", b"De", b"Me", b"MI", b"Fr", b"X-", b"re", b"To", b"Su", b"Da"}
MARKS |= {b".\\", b"'\\", b".T", b".D", b".S"} | _MAIL_MARKS
_TEXTS = (".txt", ".patch", ".diff", ".py", ".c", ".h", ".java", ".rb", ".js", ".css", ".log", ".csv")


def reader_name(file: str, head: bytes) -> str:
    """Name the reader of a file by its first 512 bytes, then by its name; "" for none."""
    name = file.lower()
    for reader, magic in MAGIC.items():
        if head.startswith(magic) and (reader not in _CHECKS or _CHECKS[reader](name, head)):
            return reader
    dot = name.rfind(".")
    reader = _BY_SUFFIX.get(name[dot:], "") if dot >= 0 else ""
    if reader == "pdf" and b"%PDF-" in head:
        return reader
    if reader and reader not in _BY_CONTENT and (reader not in _CHECKS or _CHECKS[reader](name, head)):
        return reader
    if reader or (dot >= 0 and name[dot:] in _TEXTS):
        return ""
    for each in _UNNAMED.get(head[:1], ()):
        if _CHECKS[each](name, head):
            return each
    return ""


def may_have_reader(suffix: str) -> bool:
    """Say by the suffix of a name, lower case, whether a reader may open it."""
    return suffix in _BY_SUFFIX


def magic_of(reader: str) -> tuple[bytes, ...]:
    """Give the first bytes of the files of a reader."""
    return MAGIC.get(reader, ())


def suffixes_of(reader: str) -> tuple[str, ...]:
    """Give the ends of the names of the files of a reader."""
    return SUFFIXES.get(reader, ())
