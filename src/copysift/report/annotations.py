"""Annotations of GitHub Actions: workflow commands that mark lines of a file in a pull request."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from copysift.model.values import Pair, Result
from copysift.report.view import View
from copysift.report.wording import percent, visible


def report(result: Result, view: View) -> Iterator[str]:
    """Give an error for every passage of the left file of a pair, and one for a file that is equal."""
    for pair in islice(result.pairs, view.limit):
        if pair.equal:
            yield _error(pair.left, 1, None, f"equal to {pair.right}")
        for region in pair.regions or ():
            left, right = region.left, region.right
            where = f"{right.file}:{right.first_line}-{right.last_line}"
            yield _error(left.file, left.first_line, left.last_line, f"copied from {where} ({_share(pair)})")


def _share(pair: Pair) -> str:
    return f"{percent(pair.containment_left)} of this file is there"


def _error(file: str, first: int, last: int | None, message: str) -> str:
    end = "" if last is None else f",endLine={last}"
    return f"::error file={_property(file)},line={first}{end},title=copysift::{_escaped(message)}\n"


def _escaped(text: str) -> str:
    """Escape what would end a workflow command, or command the terminal."""
    return visible(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _escaped(text).replace(":", "%3A").replace(",", "%2C")
