"""Presentations of PowerPoint: the text of slides, and their notes."""

from __future__ import annotations

from copysift.sources.container_limits import Budget
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, UnreadableError, definition
from copysift.sources.readers.xml_parts import Output, Parts, Runs, plural


class SlideReader(TextReader):
    """The text of a presentation; page numbers and dates, which are fields, are left out."""

    traits = definition("pptx", "PowerPoint presentations (PPTX)")
    says = "pptx text"

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the slides in the order of their numbers, then the notes."""
        parts, output = Parts(data, limits, budget), Output(limits)
        runs = Runs(output, ("t",), ("Fallback", "fld"), {"tab": "\t", "br": "\n"}, ("p",))
        slides = parts.numbered("ppt/slides/slide")
        if not slides and "ppt/presentation.xml" not in parts:
            raise UnreadableError("is damaged: it has no slides")
        for name in (*slides, *parts.numbered("ppt/notesSlides/notesSlide")):
            runs.take(parts.chunks(name))
        return Extracted(output.text(), plural(len(slides), "slide"))


PPTX = SlideReader()
