"""Shell scripts that are safe with any file name: every name is quoted, a comment is one line."""

from __future__ import annotations

import shlex

from copysift.report.wording import spelled

# sha256sum reads standard input, because it escapes some names in its output.
CHECKS = """\
set -u
failed=0
refuse() { printf 'not done: %s\\n' "$*" >&2; failed=1; }
sum() { sha256sum < "$1" | cut -d ' ' -f 1; }
is() { [ -f "$1" ] && [ ! -L "$1" ] && [ "$(sum "$1")" = "$2" ]; }
"""


def quoted(name: str) -> str:
    """Quote a name for a POSIX shell."""
    return shlex.quote(name)


def comment(text: str) -> str:
    """Make a comment of one line, whatever is in the text."""
    return f"# {spelled(text)}"
