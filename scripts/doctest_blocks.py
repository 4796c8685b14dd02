"""Show the examples of docstrings as code on the documentation site: an extension of griffe (mkdocs.yml).

Markdown reads `>>>` as three nested quotations.
"""

from __future__ import annotations

import re
from typing import Any

import griffe

# A prompt with what follows it, up to the next blank line.
EXAMPLE = re.compile(r"^>>> .*(?:\n(?!\s*$).*)*", re.MULTILINE)


def fenced(text: str) -> str:
    """Put the examples of a docstring between fences."""
    return EXAMPLE.sub(lambda found: f"```pycon\n{found[0].rstrip()}\n```", text)


class DoctestBlocks(griffe.Extension):
    """Fences the examples of every docstring."""

    def on_object(self, *, obj: griffe.Object, **_: Any) -> None:
        """Change the docstring of one object."""
        if obj.docstring is not None:
            obj.docstring.value = fenced(obj.docstring.value)
