"""Sets of files that all share something, as a part of the table."""

from __future__ import annotations

from copysift.model.values import Result
from copysift.report.folder_tables import more
from copysift.report.view import View
from copysift.report.wording import excerpt, plural, shorten_among, spelled, styled

TEXT = 60  # characters of a shared text that are shown


def sets(result: Result, view: View) -> str:
    """List the sets, each with what it shares."""
    if not result.sets:
        return ""
    lines = [styled(f"Sets of files: {len(result.sets):,}", "bold", view.color)]
    room = None if view.width is None else max(20, view.width - 4)
    for each in result.sets[: view.limit]:
        shared = plural(each.shared, "fingerprint")
        lines.append(f"  {plural(len(each.members), 'file')} share {shared}")
        for text in each.texts:
            words = excerpt(" ".join(text.split()))
            lines.append(
                styled(f"    “{words if len(words) <= TEXT else words[:TEXT] + '…'}”", "dim", view.color)
            )
        lines += [f"    {name}" for name in shorten_among([spelled(name) for name in each.members], room)]
    return "\n".join([*lines, *more(len(result.sets), view), ""])
