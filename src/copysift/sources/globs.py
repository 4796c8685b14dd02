"""Match globs against names and relative paths, as git does.

A glob without a slash is matched against the name alone, one with a slash against the whole path
relative to the folder that was named; `*` and `?` stop at slashes; `**` between slashes represents
any number of folders. A glob that ends in a slash matches folders only. The standard library has
no such thing before Python 3.13, and pathspec (1.1.1) answers for folders otherwise than git.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from copysift.errors import UsageError

_CLASSES = {
    "alnum": "a-zA-Z0-9",
    "alpha": "a-zA-Z",
    "blank": r" \t",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\s",
    "upper": "A-Z",
    "xdigit": "0-9a-fA-F",
}
_STAR, _FOLDERS = "[^/]*?", "(?:.*?/)??"  # as little as possible


class Globs:
    """A set of globs; `matches` asks whether any of them takes a path."""

    def __init__(self, globs: Iterable[str]) -> None:
        names: dict[bool, list[str]] = {False: [], True: []}  # by "folders only"
        paths: dict[bool, list[str]] = {False: [], True: []}
        for glob in globs:
            folders_only = glob.endswith("/")
            bare = glob.removesuffix("/").removeprefix("./")
            kept = paths if "/" in bare else names
            try:
                kept[folders_only].append(translate(bare.removeprefix("/")))
            except ValueError as error:
                raise UsageError(f"the glob {glob!r} is not valid: {error}") from error
        self._file_name = _any_of(names[False])
        self._file_path = _any_of(paths[False])
        self._folder_name = _any_of(names[False] + names[True])
        self._folder_path = _any_of(paths[False] + paths[True])
        self.empty = not (self._folder_name or self._folder_path)

    def matches(self, prefix: str, name: str, *, folder: bool) -> bool:
        """Say whether a glob takes the entry `name` whose relative path is `prefix + name`."""
        by_name = self._folder_name if folder else self._file_name
        by_path = self._folder_path if folder else self._file_path
        if by_name is not None and by_name.fullmatch(name):
            return True
        return by_path is not None and by_path.fullmatch(prefix + name) is not None


def translate(glob: str) -> str:
    """Translate a glob to a regular expression for a whole path; raise ValueError if it has no sense."""
    if not glob:
        raise ValueError("it is empty")
    out: list[str] = []
    star = folders = -1  # where the last of each is in `out`
    at = 0
    while at < len(glob):
        whole = at == 0 or glob[at - 1] == "/"  # a run of stars between slashes is a run of folders
        stars = len(glob) - at - len(glob[at:].lstrip("*"))
        after = at + stars
        if stars >= 2 and whole and glob[after : after + 1] == "/":
            _close(out, star, folders)
            star, folders = -1, len(out)
            out.append(_FOLDERS)
            at = after + 1
        elif stars >= 2 and whole and after == len(glob):
            out.append(".*")
            at = after
        elif stars:
            _close(out, star)
            star = len(out)
            out.append(_STAR)
            at = after
        else:
            expression, at = _one(glob, at)
            out.append(expression)
    return "".join(out)


def _close(out: list[str], *starts: int) -> None:
    """Let what starts at `starts` match at the first place only, for the next star takes what is left.

    With every place to try for every star, a few stars on a long name would take years.
    """
    for start in starts:
        if start >= 0:
            out[start] = f"(?>{out[start]}"
            out.append(")")


def _one(glob: str, at: int) -> tuple[str, int]:
    """Translate the piece at `at`, which is not a star, and say where the next one starts."""
    character = glob[at]
    if character == "?":
        return "[^/]", at + 1
    if character == "[":
        return _bracket(glob, at + 1)
    if character == "\\":
        if at + 1 == len(glob):
            raise ValueError("it ends in a backslash")
        return re.escape(glob[at + 1]), at + 2
    return re.escape(character), at + 1


def _bracket(glob: str, at: int) -> tuple[str, int]:
    """Translate the character class whose inside starts at `at`."""
    negated = glob[at : at + 1] in ("!", "^")
    at += negated
    members: list[str] = []
    begun = at
    while at == begun or glob[at : at + 1] != "]":  # a `]` that stands first is a member
        if found := re.compile(r"\[:([a-z]+):\]").match(glob, at):
            if found[1] not in _CLASSES:
                raise ValueError(f"there is no class [:{found[1]}:]")
            members.append(_CLASSES[found[1]])
            at = found.end()
            continue
        low, at = _member(glob, at)
        if glob[at : at + 1] == "-" and glob[at + 1 : at + 2] not in ("", "]"):
            high, at = _member(glob, at + 1)
            if high < low:
                raise ValueError(f"the range {low}-{high} is empty")
            members.append(f"{re.escape(low)}-{re.escape(high)}")
        else:
            members.append(re.escape(low))
    return f"(?!/)[{'^' if negated else ''}{''.join(members)}]", at + 1


def _member(glob: str, at: int) -> tuple[str, int]:
    at += glob[at : at + 1] == "\\"
    if at >= len(glob):
        raise ValueError("a [ is never closed")
    return glob[at], at + 1


def _any_of(expressions: list[str]) -> re.Pattern[str] | None:
    return re.compile("|".join(f"(?:{one})" for one in expressions), re.DOTALL) if expressions else None
