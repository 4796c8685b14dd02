"""By which lexers the programs of an index were read: with other tokens, copies would be missed in silence.

The catalog has a digest of each language's lexer under "lexers". An index that was made before has none, and
nobody knows how its programs were read.
"""

from __future__ import annotations

from copysift.errors import UsageError
from copysift.kinds import header
from copysift.kinds.catalog import Languages
from copysift.kinds.kind import CODE
from copysift.store.catalog import Catalog

LEXERS = "lexers"
_CODE = f"{CODE}:"
_PYGMENTS = "Pygments"  # which reads the languages that have no table here


def digest(language: str, languages: Languages) -> str:
    """Give the digest of the lexer that reads a language today."""
    try:
        return languages.find(header.LANGUAGE if language == header.NAME else language).table.digest()
    except UsageError:
        from importlib.metadata import PackageNotFoundError, version  # slow, and only Pygments needs it

        try:
            return f"{_PYGMENTS} {version(_PYGMENTS)}"
        except PackageNotFoundError:
            return ""


def outdated(catalog: Catalog, languages: Languages) -> frozenset[str]:
    """Give the languages of which the index has programs that were read by another lexer."""
    known = catalog.about(LEXERS)
    if known is None:
        known = dict.fromkeys(_held(catalog), "")
    return frozenset(each for each, by in known.items() if by != digest(each, languages))


def contents_in(catalog: Catalog, some: frozenset[str]) -> set[int]:
    """Give the numbers of the contents in some languages."""
    kinds = {f"{_CODE}{each}" for each in some}
    return {row.number for row in catalog.all_contents() if row.kind in kinds} if some else set()


def remember(catalog: Catalog, languages: Languages, old: set[int]) -> bool:
    """Note by which lexers programs were read; `old` contents were read by others. Say if it is news."""
    known = catalog.about(LEXERS)
    left = (
        {row.kind.removeprefix(_CODE) for row in catalog.all_contents() if row.number in old} if old else ()
    )
    made = {
        each: (known or {}).get(each, "") if each in left else digest(each, languages)
        for each in _held(catalog)
    }
    if made == known:
        return False
    catalog.set_about(LEXERS, made)
    return True


def note(catalog: Catalog, languages: Languages) -> tuple[str, ...]:
    """Say what to do about programs that were read by another lexer."""
    some = sorted(outdated(catalog, languages))
    if not some:
        return ()
    return (
        f"another version of copysift read the programs of the index in {', '.join(some)}: copies of them may"
        " be missed until `copysift index update` has read them again",
    )


def _held(catalog: Catalog) -> list[str]:
    """Give the languages of the programs in an index."""
    kinds = catalog.rows("SELECT DISTINCT kind FROM contents ORDER BY kind")
    return [kind.removeprefix(_CODE) for (kind,) in kinds if kind.startswith(_CODE)]
