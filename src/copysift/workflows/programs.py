"""Is a collection a class of programs, or a tree that also holds programs?

Programs of one assignment are compared by their tokens, so that other names hide no copy. In a source
tree the same would find likeness everywhere (every header is a list of declarations), and what is
asked there is which files are versions or parts of which: they are compared as text, like all others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from copysift.kinds import Languages, languages, notebook
from copysift.kinds.choice import detect_language
from copysift.model.values import Group
from copysift.settings.comparison import Settings
from copysift.sources.walk import Entry

MOST = 10_000  # programs in a class
PROGRAMS = 0.9  # share of programs among the files of a class
MAYBE = 0.5  # the same where it is worth a remark that they are taken as text
ONE_LANGUAGE = 0.75
MEDIAN = 16_384  # bytes: what a student hands in is shorter
HEADERS = (".h", ".hh", ".hpp", ".hxx", ".inc")


def asked(settings: Settings) -> bool:
    """Tell whether the settings themselves speak of submissions."""
    return settings.by == "dir" or bool(settings.base or settings.earlier or settings.metadata)


def class_like(entries: Sequence[Entry], known: Languages, share: float = PROGRAMS) -> bool:
    """Tell whether files look like the programs of one assignment, by their names and sizes alone.

    At least this `share` of them must be programs; other files come with a few.
    """
    files = [entry for entry in entries if entry.size]
    if not files or len(files) > MOST:
        return False
    languages = Counter(detect_language(entry.file, b"", known) for entry in files)
    languages.pop(None, None)
    programs = sum(languages.values())
    notebooks = languages.pop(notebook.NAME, 0)  # of any language
    headers = sum(entry.path.lower().endswith(HEADERS) for entry in files)
    sizes = sorted(entry.size for entry in files)
    return (
        programs >= share * len(files)
        and max(languages.values(), default=0) + notebooks >= ONE_LANGUAGE * programs
        and 2 * headers < len(files)
        and sizes[len(sizes) // 2] <= MEDIAN
    )


def taken_as_text(documents: Iterable[Group], settings: Settings) -> int:
    """Count the programs, by their names, that were compared as text although nobody asked for that."""
    if settings.kind != "auto" or settings.language:
        return 0
    known = languages().with_files(settings.language_file)
    suffixes = Counter(
        each.name[each.name.rfind(".") :].lower() for each in documents if each.kind == "text" and each.bytes
    )
    return sum(
        count for suffix, count in suffixes.items() if known.by_extension(f"name{suffix}", b"") is not None
    )
