"""OpenDocument texts, sheets and presentations, flat ones too, and their OpenOffice forerunners."""

from __future__ import annotations

from collections.abc import Iterable

from copysift.sources.container_limits import Budget
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, UnreadableError, definition
from copysift.sources.readers.xml_parts import Output, Parts, Runs, plural

_SIGNS = {"s": " ", "tab": "\t", "tab-stop": "\t", "line-break": "\n"}
_HIDDEN = (
    "annotation", "tracked-changes", "note-citation", "page-number", "page-count", "date", "time",
    "master-styles", "binary-data",  # headers, footers and pictures, which zip files have in other parts
)  # fmt: skip


class OpenDocumentReader(TextReader):
    """The paragraphs of a document, cells of tables included; a repeated cell counts once."""

    def __init__(self, name: str, description: str) -> None:
        self.traits = definition(name, description)
        self.says = f"{name} text"

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the paragraphs of the body."""
        parts, output = Parts(data, limits, budget), Output(limits)
        if "META-INF/manifest.xml" in parts and b"encryption-data" in parts.read("META-INF/manifest.xml"):
            raise UnreadableError("is protected by a password")
        return _paragraphs(parts.chunks("content.xml"), output)


class FlatOpenDocumentReader(TextReader):
    """The same for a document that is one XML file."""

    traits = definition("fodt", "flat OpenDocument files (FODT, FODS, FODP)")
    says = "flat OpenDocument text"

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the paragraphs of the body."""
        return _paragraphs([data], Output(limits))


def _paragraphs(chunks: Iterable[bytes], output: Output) -> Extracted:
    runs = Runs(output, ("p", "h"), _HIDDEN, _SIGNS, ("p", "h"))
    runs.take(chunks)
    return Extracted(output.text(), plural(runs.count, "paragraph"))


ODT = OpenDocumentReader("odt", "OpenDocument texts (ODT)")
ODS = OpenDocumentReader("ods", "OpenDocument sheets (ODS)")
ODP = OpenDocumentReader("odp", "OpenDocument presentations (ODP)")
FLAT = FlatOpenDocumentReader()
