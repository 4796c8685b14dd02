"""Notice when files are read as a language that they are not in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from copysift.errors import UsageError
from copysift.kinds.catalog import Entry, languages
from copysift.report.wording import plural


def language_warning(names: Sequence[str], language: str | None) -> str:
    """Say that most programs are of another language than the one that was chosen, by their extensions."""
    if not language:
        return ""
    known = languages()
    try:
        chosen = known.find(language)
    except UsageError:  # a language of Pygments has no extensions here
        return ""
    found = [entry for name in names if (entry := known.by_extension(name, b"")) is not None]
    others = [entry.title for entry in found if entry.name != chosen.name and not _related(entry, chosen)]
    if not others or len(others) * 2 < len(found):
        return ""
    likely, _ = Counter(others).most_common(1)[0]
    return (
        f"{len(others)} of {plural(len(names), 'file')} by extension {likely}, but read as {chosen.title}: "
        "matches may be missing or wrong"
    )


def _related(one: Entry, other: Entry) -> bool:
    return bool(set(one.extensions) & set(other.extensions))
