"""PDF by pypdfium2, the library of Chrome's viewer, in a separate process."""

from __future__ import annotations

from copysift.sources.container_limits import Budget
from copysift.sources.readers.reader import Extracted, TextLimits, TextReader, UnreadableError, definition
from copysift.sources.readers.xml_parts import Output, plural


class PdfReader(TextReader):
    """The text of the pages, as PDFium orders it."""

    traits = definition("pdf", "PDF documents", extra="pdf")
    says = "pdf text (pypdfium2)"
    library = "pypdfium2"
    separate = True

    def extract(self, data: bytes, limits: TextLimits, budget: Budget) -> Extracted:
        """Give the text of all pages; hyphens at the ends of lines are taken out."""
        import pypdfium2

        try:
            document = pypdfium2.PdfDocument(data)
        except pypdfium2.PdfiumError as error:
            if "password" in str(error).lower():
                raise UnreadableError("is protected by a password") from None
            raise UnreadableError("is damaged; its text was not read") from None
        output = Output(limits)
        count = len(document)
        for number in range(count):
            page = document[number]
            text = page.get_textpage()
            output.add(_joined(text.get_text_range()) + "\n")
            text.close()
            page.close()
        made = output.text()
        if count and not made.strip():
            raise UnreadableError(
                f"has no text on its {plural(count, 'page')}: copysift does not recognize text in pictures"
            )
        return Extracted(made, plural(count, "page"))


def _joined(text: str) -> str:
    """Put words together that PDFium marks as cut at the end of a line."""
    return text.replace("\ufffe\r\n", "").replace("\ufffe", "").replace("\r\n", "\n")


PDF = PdfReader()
