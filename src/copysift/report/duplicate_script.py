"""A shell script that removes or links files that are equal byte for byte, to read before it is run.

The first file of each set stays. Every other is compared with it again, byte by byte, when the script runs.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator
from pathlib import Path

from copysift.model.values import Result
from copysift.report.shell import comment, quoted
from copysift.report.units import bytes_of, outside_folders
from copysift.report.wording import plural, size

_DOES = {
    "remove": "removes every file named after `copy` that is still equal to the one named before it.",
    "hardlink": "replaces copies by hard links: one file under several names, with the owner and mode of\n"
    "# the first. A change of one is then a change of all.",
    "reflink": "replaces copies by reflinks, which share blocks on disk until one is changed (btrfs, XFS).",
}
_ACTS = {
    "remove": 'rm -- "$2"',
    "hardlink": 'ln -- "$1" "$new" && mv -f -- "$new" "$2"',
    "reflink": 'cp --reflink=always -- "$1" "$new" && chown --reference="$2" -- "$new" &&\n'
    '    chmod --reference="$2" -- "$new" && touch -r "$2" -- "$new" && mv -f -- "$new" "$2"',
}
_FUNCTIONS = """\
set -u
failed=0
refuse() {{ printf 'not done: %s: %s\\n' "$1" "$2" >&2; failed=1; }}
plain() {{ [ -f "$1" ] && [ ! -L "$1" ]; }}
copy() {{  # first copy
  if ! plain "$1" || ! plain "$2"; then refuse "$2" "it or $1 is now missing or a link"; return; fi
  if [ "$1" -ef "$2" ]; then return; fi  # links to one file already
  if ! cmp -s -- "$1" "$2"; then refuse "$2" "is not equal to $1 now"; return; fi
  new="$2.copysift-$$"
  {act} || {{ rm -f -- "$new"; refuse "$2" "{how} failed"; }}
}}
"""


def duplicate_script(result: Result, how: str) -> str:
    """Write the script; `how` is remove, hardlink or reflink."""
    return "\n".join(_lines(result, how)) + "\n"


def _lines(result: Result, how: str) -> Iterator[str]:
    sizes = bytes_of(result)
    wasted = sum(sizes[names[0]] * (len(names) - 1) for names in result.equal)
    copies = sum(len(names) - 1 for names in result.equal)
    yield "#!/bin/sh"
    yield f"# Read this before you run it. It {_DOES[how]}"
    yield f"# {plural(copies, 'file')} that waste {size(wasted)} ({wasted:,} bytes)."
    yield _FUNCTIONS.format(act=_ACTS[how], how=how)
    first_of = {name: names[0] for names in result.equal for name in names[1:]}
    ordered = sorted(first_of)
    done: set[str] = set()
    for each in result.folder_sets:
        yield comment(
            f"{len(each.members)} equal folders of {plural(each.files, 'file')}, {size(each.bytes)}"
        )
        yield comment(f"stays: {each.members[0]}")
        for folder in each.members[1:]:
            yield comment(f"copy: {folder}")
            inside = [name for name in _below(folder, ordered) if name not in done]
            for name in inside:
                yield _step(first_of[name], name)
            done.update(inside)
            if how == "remove":
                yield from _emptied(folder, inside)
    for names in sorted(
        outside_folders(result), key=lambda names: (-sizes[names[0]] * (len(names) - 1), names)
    ):
        rest = [name for name in names if name in first_of and name not in done]
        if rest:
            yield f"# {len(names)} × {size(sizes[names[0]])}"
            yield from (_step(first_of[name], name) for name in rest)
            done.update(rest)
    yield "exit $failed"


def _below(folder: str, ordered: list[str]) -> Iterator[str]:
    """Give the names in a folder, from all in order."""
    at = bisect_left(ordered, f"{folder}/")
    while at < len(ordered) and ordered[at].startswith(f"{folder}/"):
        yield ordered[at]
        at += 1


def _step(first: str, name: str) -> str:
    return f"copy {quoted(str(Path(first).absolute()))} {quoted(str(Path(name).absolute()))}"


def _emptied(folder: str, files: list[str]) -> Iterator[str]:
    """Remove the folders that are then empty, the deepest first; others stay."""
    folders = {folder}
    for name in files:
        above = name.rpartition("/")[0]
        while len(above) > len(folder):
            folders.add(above)
            above = above.rpartition("/")[0]
    for each in sorted(folders, key=lambda each: (-each.count("/"), each)):
        yield f"rmdir -- {quoted(str(Path(each).absolute()))} 2>/dev/null"
