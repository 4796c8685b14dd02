"""Workbooks of Excel: the values of cells, a line for each row; formulas are left out."""

from __future__ import annotations

from collections.abc import Iterable

from copysift.sources.container_limits import Budget
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, UnreadableError, definition
from copysift.sources.readers.xml_parts import Output, Parts, parse, plural

_STRINGS = "xl/sharedStrings.xml"


class WorkbookReader(TextReader):
    """The values of a workbook."""

    traits = definition("xlsx", "Excel workbooks (XLSX)")
    says = "xlsx values"

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the sheets in the order of their numbers, values separated by tabs."""
        parts, output = Parts(data, limits, budget), Output(limits)
        sheets = parts.numbered("xl/worksheets/sheet")
        if not sheets:
            binary = any(name.endswith(".bin") for name in parts.names)
            raise UnreadableError("is a binary workbook, which is not read" if binary else "has no sheets")
        strings = _shared(parts.chunks(_STRINGS)) if _STRINGS in parts else []
        for name in sheets:
            _Sheet(strings, output).take(parts.chunks(name))
        return Extracted(output.text(), plural(len(sheets), "sheet"))


def _shared(chunks: Iterable[bytes]) -> list[str]:
    """Give the strings that cells refer to by number, without how they are pronounced."""
    found: list[str] = []
    current: list[str] = []
    open_tags: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        open_tags.append(tag)
        if tag == "si":
            current.clear()

    def end(tag: str) -> None:
        open_tags.pop()
        if tag == "si":
            found.append("".join(current))

    def text(value: str) -> None:
        if open_tags[-1] == "t" and "rPh" not in open_tags[-3:]:
            current.append(value)

    parse(chunks, start, end, text)
    return found


class _Sheet:
    """Takes the cells of one sheet."""

    def __init__(self, strings: list[str], output: Output) -> None:
        self._strings, self._output = strings, output
        self._kind = ""
        self._value: list[str] = []
        self._reading = False
        self._cells = 0

    def take(self, chunks: Iterable[bytes]) -> None:
        parse(chunks, self._start, self._end, self._text)

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == "c":
            self._kind = attributes.get("t", "")
            self._value.clear()
        self._reading = tag in ("v", "t")

    def _end(self, tag: str) -> None:
        self._reading = False
        if tag == "row" and self._cells:
            self._output.add("\n")
            self._cells = 0
        elif tag == "c" and (value := self._shown("".join(self._value))):
            self._output.add(f"\t{value}" if self._cells else value)
            self._cells += 1

    def _shown(self, value: str) -> str:
        if self._kind != "s":
            return value
        at = int(value) if value.isdecimal() else -1
        return self._strings[at] if 0 <= at < len(self._strings) else ""

    def _text(self, text: str) -> None:
        if self._reading:
            self._value.append(text)


XLSX = WorkbookReader()
