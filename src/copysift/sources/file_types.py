"""The types of work that one submission may have together, each scored by itself."""

from __future__ import annotations

from copysift.model.document import Document
from copysift.sources.readers.known import suffixes_of

PROGRAMS, TEXTS, SLIDES, SHEETS = "programs", "texts", "slides", "spreadsheets"
_BY_SUFFIX = dict.fromkeys(
    (*suffixes_of("pptx"), *suffixes_of("odp"), ".fodp", ".ppt"), SLIDES
) | dict.fromkeys((*suffixes_of("xlsx"), *suffixes_of("ods"), ".fods", ".xls", ".csv", ".tsv"), SHEETS)


def written_type(document: Document) -> str:
    """Give the type of a document other than a program: slides, spreadsheets, or texts."""
    name = document.file
    return _BY_SUFFIX.get(name[name.rfind(".") :].lower(), TEXTS)


def may_be_mixed(documents: list[Document]) -> bool:
    """Say whether documents may be of several types, by their names."""
    return len({document.file.lower().rpartition(".")[2] for document in documents}) > 1
