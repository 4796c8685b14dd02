"""Tables in the README of an experiment, written between marks so that the text around them is kept."""

from __future__ import annotations

import re
from pathlib import Path


def number(value: object) -> str:
    """Write a number as the papers do: whole ones by thousands, others with four digits that count."""
    if isinstance(value, float):
        return f"{value:.6f}" if abs(value) < 0.1 else f"{value:.3f}" if abs(value) < 10 else f"{value:,.1f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def table(head: tuple[object, ...], *rows: tuple[object, ...]) -> str:
    """Make a Markdown table; all columns but the first are numbers."""
    lines = [head, ("---", *("--:" for _ in head[1:])), *rows]
    return "\n".join("| " + " | ".join(number(each) for each in line) + " |" for line in lines)


def write(path: Path, **tables: str) -> None:
    """Put each table in its place: between `<!-- name -->` and `<!-- end -->`."""
    text = path.read_text()
    for name, content in tables.items():
        pattern = rf"(<!-- {name} -->\n).*?(\n?<!-- end -->)"
        text, found = re.subn(
            pattern, lambda m, c=content: m[1] + c + "\n<!-- end -->", text, flags=re.DOTALL
        )
        if not found:
            raise SystemExit(f"{path.name} has no place for the table {name}")
    path.write_text(text)
