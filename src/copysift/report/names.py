"""Names alone, each ended by NUL, for xargs -0.

Pairs give two names each (`xargs -0 -n 2 diff`); groups and equal sets end with an empty name.
"""

from __future__ import annotations

from itertools import islice

from copysift.model.values import Result
from copysift.report.view import View


def names(result: Result, view: View) -> str:
    """Show the names of the pairs, or of equal sets and groups, NUL after each."""
    if not view.groups:
        return "".join(f"{pair.left}\0{pair.right}\0" for pair in islice(result.pairs, view.limit))
    sets = [*result.equal]
    sets += [(each.reference, *(name for name, _ in each.members)) for each in result.listings]
    return "".join("".join(f"{name}\0" for name in each) + "\0" for each in sets[: view.limit])
