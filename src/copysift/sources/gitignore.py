"""Know what `.gitignore` files leave out: nested files, negation and anchoring as git does.

The file nearest to a path that says anything about it decides, and in it the last line that
matches; nothing inside an ignored folder can be taken back, because git does not look there.
"""

from __future__ import annotations

import os
from itertools import groupby

from copysift.errors import UsageError
from copysift.runtime.lazy_dataclass import dataclass
from copysift.sources.globs import Globs
from copysift.sources.opening import open_regular

NAME = ".gitignore"
_LARGEST = 1 << 20  # bytes; a longer one is not written by hand and would only cost time


@dataclass(frozen=True, slots=True)
class Rules:
    """The `.gitignore` of one folder and, through `outer`, those of the folders around it.

    `runs` are its lines from the last to the first, (ignores, globs), lines of one sense together.
    Paths are given relative to the outermost folder looked at; `depth` is the length of this
    folder's own path in front of them.
    """

    runs: tuple[tuple[bool, Globs], ...]
    depth: int
    outer: Rules | None

    def ignores(self, prefix: str, name: str, *, folder: bool) -> bool:
        """Say whether git would leave out `prefix + name`, given that it looks into its folder."""
        rules: Rules | None = self
        while rules is not None:
            inside = prefix[rules.depth :]
            for ignores, globs in rules.runs:
                if globs.matches(inside, name, folder=folder):
                    return ignores
            rules = rules.outer
        return False


def parse(text: str) -> tuple[tuple[bool, Globs], ...]:
    """Read the lines of a `.gitignore`; git passes over a line that makes no sense, and so do we."""
    lines: list[tuple[bool, str]] = []
    for line in text.removeprefix("\ufeff").split("\n"):
        glob = line.removesuffix("\r")
        if glob.startswith("#"):
            continue
        while glob.endswith(" ") and not glob.endswith("\\ "):
            glob = glob[:-1]
        ignores = not glob.startswith("!")
        glob = glob.removeprefix("!")
        try:
            Globs([glob])
        except UsageError:
            continue
        lines.append((ignores, glob))
    runs = groupby(reversed(lines), key=lambda line: line[0])
    return tuple((ignores, Globs(glob for _, glob in run)) for ignores, run in runs)


def read_rules(folder: str, depth: int, outer: Rules | None) -> Rules | None:
    """Read the `.gitignore` of a folder; without one, the rules around it hold. Raises OSError."""
    try:
        descriptor, _ = open_regular(os.path.join(folder, NAME), follow=False)
    except FileNotFoundError:
        return outer
    with open(descriptor, "rb") as file:
        return Rules(parse(os.fsdecode(file.read(_LARGEST))), depth, outer)


def rules_above(folder: str) -> tuple[Rules | None, str]:
    """Read the rules of the folders around `folder` up to the top of its repository.

    Gives them and the path of `folder` relative to that top, with a slash at its end. Outside a
    repository nothing above counts.
    """
    here = os.path.realpath(folder)
    above = [here]
    while not os.path.lexists(os.path.join(above[-1], ".git")):
        parent = os.path.dirname(above[-1])
        if parent == above[-1]:
            return None, ""
        above.append(parent)
    top = above[-1]
    rules: Rules | None = None
    for outer in reversed(above[1:]):
        rules = read_rules(outer, len(_inside(top, outer)), rules)
    return rules, _inside(top, here)


def _inside(top: str, folder: str) -> str:
    return "" if folder == top else os.path.relpath(folder, top) + "/"
