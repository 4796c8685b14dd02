"""sif's listing of groups, as in Figure 3 of the paper.

Each group starts with its R file; the first number of a member is its similarity in percent with
the R file: the share of the R file's fingerprints that the member has too (§4). Sizes are in bytes.
"""

from __future__ import annotations

from copysift.model.values import Listing, Result
from copysift.report.units import bytes_of
from copysift.report.view import View
from copysift.report.wording import percent, shorten_among, spelled, styled

_EQUAL = "The following groups of files are equal."
_SIMILAR = "The following groups of files are similar. Minimum similarity = {}"
_LEGEND = (
    "R indicates the file with which all others are compared. The first number is the percentage of\n"
    "similarity with the R file. The numbers at the end indicate the file sizes."
)


def report(result: Result, view: View) -> str:
    """Show a result as sif's listing, with its header and legend."""
    threshold = result.settings.get("threshold", 0.0)
    share = float(threshold) if isinstance(threshold, int | float) else 0.0
    parts = []
    if result.equal:
        sets = [Listing(names[0], tuple((name, 1.0) for name in names[1:])) for names in result.equal]
        parts += [_EQUAL, "", _blocks(sets[: view.limit], result, view), ""]
    counted = result.settings.get("measure") in ("shared", "longest")
    least = f"{share:.0f} {result.settings.get('measure')}" if counted else f"{share * 100:.3g}%"
    parts += [_SIMILAR.format(least), "", groups(result, view), ""]
    return "\n".join([*parts, _LEGEND, ""])


def groups(result: Result, view: View) -> str:
    """Show the groups alone."""
    return _blocks(list(result.listings)[: view.limit], result, view)


def _blocks(listings: list[Listing], result: Result, view: View) -> str:
    sizes = bytes_of(result)
    return "\n\n".join(_block(each, sizes, view) for each in listings)


def _block(listing: Listing, sizes: dict[str, int], view: View) -> str:
    room = None if view.width is None else max(20, view.width - 8 - 12)
    every = [listing.reference, *(name for name, _ in listing.members)]
    first, *others = shorten_among([spelled(name) for name in every], room)
    lines = [f"{styled('R100', 'bold', view.color)} {first} {sizes[listing.reference]}"]
    for (name, share), shown in zip(listing.members, others, strict=True):
        lines.append(f"{percent(share)[:-1]:>6} {shown} {sizes[name]}")
    return "\n".join(lines)
