"""Programs: the kind `code`, of which every language has its own canonicaliser."""

from __future__ import annotations

from copysift.kinds import header, notebook, webpage
from copysift.kinds import pygments_code as foreign
from copysift.kinds.catalog import Languages, languages
from copysift.kinds.code import Code
from copysift.kinds.kind import CODE, Canonicaliser, Kind
from copysift.kinds.text import Text
from copysift.model.traits import KindTraits, Thresholds


def code(language: str = "", known: Languages | None = None) -> Canonicaliser:
    """Make the canonicaliser of a language; of one that is plain text, or of none, that of text."""
    known = known or languages()
    if language == webpage.NAME:
        return webpage.WebPage(known)
    if language == notebook.NAME:
        return notebook.Notebook(known)
    if language == header.NAME:
        return Code(known.find(header.LANGUAGE))
    if language.startswith(foreign.PREFIX):
        return foreign.Foreign(language)
    if not language or (entry := known.find(language)).language.text:
        return Text()
    return Code(entry)


KIND = Kind(
    KindTraits(
        "code",
        "programs: tokens of their language; comments, layout and names are ignored",
        "tokens",
        Thresholds(8, 12),
        channel=CODE,
        languages=True,
        salt=0x94D049BB133111EB,
    ),
    code,
)
