"""Word documents: paragraphs, notes and text boxes.

Headers and footers are left out, which come from the template, and so are deleted text and field codes.
"""

from __future__ import annotations

import posixpath

from copysift.sources.container_limits import Budget
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, definition
from copysift.sources.readers.xml_parts import Output, Parts, Runs, parse, plural

_SIGNS = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}
_HIDDEN = ("Fallback", "del", "moveFrom")  # a fallback says what its alternative says
_NOTES = ("footnotes.xml", "endnotes.xml")


class WordReader(TextReader):
    """The text of a Word document."""

    traits = definition("docx", "Word documents (DOCX)")
    says = "docx text"

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the paragraphs, then the notes."""
        parts, output = Parts(data, limits, budget), Output(limits)
        runs = Runs(output, ("t",), _HIDDEN, _SIGNS, ("p",))
        main = main_part(parts, "word/document.xml")
        runs.take(parts.chunks(main))
        count = runs.count
        for note in _NOTES:
            if (name := posixpath.join(posixpath.dirname(main), note)) in parts:
                runs.take(parts.chunks(name))
        return Extracted(output.text(), plural(count, "paragraph"))


def main_part(parts: Parts, usual: str) -> str:
    """Give the name of the part with the document: some programs call it document2.xml."""
    found: list[str] = []

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "Relationship" and attributes.get("Type", "").endswith("/officeDocument"):
            found.append(attributes.get("Target", "").lstrip("/"))

    if usual not in parts and "_rels/.rels" in parts:
        parse(parts.chunks("_rels/.rels"), start, lambda tag: None, lambda text: None)
    return found[0] if found else usual


DOCX = WordReader()
