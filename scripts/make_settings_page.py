"""Make docs/settings.md from the declarations in settings.py; --check tells whether it is current."""

import sys
from pathlib import Path

from copysift.settings.comparison import THRESHOLDS, Door, Settings
from copysift.settings.corpus import CorpusDoor, CorpusSettings
from copysift.settings.declaration import Setting, settings_of
from copysift.settings.index import Keep, Query
from copysift.settings.sweeps import Sweeping, Tracing

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"
HEAD = """# Settings

Made from `src/copysift/settings.py` by `./dev docs`; change it there.

Every setting is an option of the command line, a key of a config file and, but for those that only
concern the terminal, a keyword in Python: `--min-shared 5`, `min-shared = 5`, `min_shared=5`.
A switch has a second form, `--no-hidden`, that overrules a config file.

A config file is TOML. It is read when it is named by `--config copysift.toml`, and only then: no answer
depends on a file that happens to lie in the current folder. Options on the command line win over it.

```toml
kind = "text"
threshold = "40%"
same-suffix = true
exclude = ["*.log", "build/"]
```

A share is written `25%` or `.25`; a size `2GB`, `512MiB` or a number of bytes.

## Thresholds by kind

Nothing shorter than the noise threshold *k* is ever reported; anything at least as long as the guarantee
threshold *t* is always found. The window is *w* = *t* − *k* + 1. A noise threshold alone keeps the window;
a guarantee threshold below the noise threshold of its kind takes half of itself as noise threshold.

| kind | symbols | noise | guarantee |
|---|---|---|---|
"""
SYMBOLS = {
    "text": "characters",
    "html": "characters",
    "words": "words",
    "html-words": "words",
    "bytes": "bytes",
    "code": "tokens",
}


def row(entry: Setting) -> str:
    """Give one setting as a row of a table."""
    flags = ", ".join(f"`{flag}`" for flag in entry.flags)
    if entry.metavar:
        flags += f" *{entry.metavar}*"
    default = entry.shown or ("off" if entry.default is False else f"`{entry.default}`")
    if isinstance(entry.default, float):
        default = f"{entry.default:.0%}"
    words = entry.help
    if entry.choices:
        words += f" One of {', '.join(entry.choices)}."
    return f"| {flags} | {words} | {default} | {', '.join(entry.places)} |"


def page() -> str:
    """Give the whole page."""
    lines = [HEAD.rstrip("\n")]
    lines += [
        f"| {kind} | {SYMBOLS[kind]} | {limits.noise} | {limits.guarantee} |"
        for kind, limits in THRESHOLDS.items()
    ]
    sections: dict[str, list[Setting]] = {}
    for entry in [entry for kind in (Settings, Door, Query, Keep) for entry in settings_of(kind).values()]:
        sections.setdefault(entry.section, []).append(entry)
    for entry in [*settings_of(CorpusSettings).values(), *settings_of(CorpusDoor).values()]:
        sections.setdefault(f"A corpus: {entry.section[0].lower()}{entry.section[1:]}", []).append(entry)
    for entry in [*settings_of(Sweeping).values(), *settings_of(Tracing).values()]:
        sections.setdefault(f"Sweeps: {entry.section[0].lower()}{entry.section[1:]}", []).append(entry)
    for section, entries in sections.items():
        lines += ["", f"## {section}", "", "| option | meaning | default | commands |", "|---|---|---|---|"]
        lines += [row(entry) for entry in entries]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
