"""A plan to make one folder like another, as a shell script to read, edit and run."""

from __future__ import annotations

from collections.abc import Iterator

from copysift.model.folders import Step, SyncPlan
from copysift.report.shell import CHECKS, comment, quoted

_HEAD = """\
# Read this before you run it with `sh`. Every step first checks that its files are still
# as they were when the plan was made, and does nothing if they are not.
#
# merge: the left file is the newer one. MERGE names a program that is called with both names
# (MERGE=vimdiff sh this-file); without it, such files are only listed.
# remove: nothing is removed unless you delete the `#` before the line.
"""
_STEPS = """\
absent() { [ ! -e "$1" ] && [ ! -L "$1" ]; }
folder() { mkdir -p -- "$(dirname -- "$1")"; }
move() {  # from to sum
  if is "$LEFT/$1" "$3" && absent "$LEFT/$2"
  then folder "$LEFT/$2" && mv -- "$LEFT/$1" "$LEFT/$2" || refuse move "$1"
  else refuse move "$1" to "$2"; fi
}
copy() {  # path sum-on-the-right sum-on-the-left
  if is "$RIGHT/$1" "$2" && { if [ "$3" = - ]; then absent "$LEFT/$1"; else is "$LEFT/$1" "$3"; fi; }
  then folder "$LEFT/$1" && cp -p -- "$RIGHT/$1" "$LEFT/$1" || refuse copy "$1"
  else refuse copy "$1"; fi
}
merge() {  # path sum-on-the-right sum-on-the-left
  if [ -z "${MERGE:-}" ]; then printf 'to merge: %s\\n' "$1"
  elif is "$RIGHT/$1" "$2" && is "$LEFT/$1" "$3"; then $MERGE "$LEFT/$1" "$RIGHT/$1" || refuse merge "$1"
  else refuse merge "$1"; fi
}
remove() {  # path sum
  if is "$LEFT/$1" "$2"; then rm -- "$LEFT/$1" || refuse remove "$1"; else refuse remove "$1"; fi
}
"""


def sync_script(plan: SyncPlan) -> str:
    """Write the plan as a script."""
    return "\n".join(_lines(plan)) + "\n"


def _lines(plan: SyncPlan) -> Iterator[str]:
    yield "#!/bin/sh"
    yield comment(f"Make {plan.left} like {plan.right}.")
    yield _HEAD
    yield f"LEFT={quoted(plan.left)}"
    yield f"RIGHT={quoted(plan.right)}"
    yield CHECKS + _STEPS
    counts: dict[str, int] = {}
    for step in plan.steps:
        counts[step.action] = counts.get(step.action, 0) + 1
    yield comment(", ".join(f"{count} to {action}" for action, count in counts.items()) or "nothing to do")
    for step in plan.steps:
        yield f"{_step(step)}  {comment(step.why)}"
    yield "exit $failed"


def _step(step: Step) -> str:
    if step.action == "move":
        return f"move {quoted(step.source)} {quoted(step.target)} {step.source_sum}"
    if step.action == "remove":
        line = f"remove {quoted(step.target)} {step.target_sum}"
        # A name may have several lines: each of them needs its mark.
        return "\n".join(f"# {part}" for part in line.split("\n"))
    return f"{step.action} {quoted(step.target)} {step.source_sum} {step.target_sum}"
