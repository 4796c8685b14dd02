"""What a misspelled word was probably meant to be."""

from __future__ import annotations

from collections.abc import Iterable


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Give the known word that is most like this one, or None where none is.

    >>> nearest("treshold", ["shingle", "threshold"])
    'threshold'
    """
    import difflib  # slow to load, and hardly ever needed

    return next(iter(difflib.get_close_matches(word, list(known), n=1, cutoff=0.75)), None)
