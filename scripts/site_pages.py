"""A hook of MkDocs: the site has the interactive page that the server shows."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

PAGE = Path(__file__).parents[1] / "src/copysift/serve/static/how-it-works.html"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the page beside those of docs/."""
    files.append(File.generated(config, PAGE.name, content=PAGE.read_text(encoding="utf-8")))
    return files
