"""Make docs/settings.md from the declarations in settings/; --check says whether it is current."""

import sys
from pathlib import Path

from copysift.cli.main import COMMANDS
from copysift.cli.options import declared, default_of
from copysift.model.traits import kind_traits
from copysift.runtime import registry
from copysift.settings.commands import INDEX, SECTIONS
from copysift.settings.declaration import Setting
from copysift.settings.refusals import is_refused

PAGE = Path(__file__).parents[1] / "docs" / "settings.md"
HEAD = """# Settings

Made from `src/copysift/settings/` by `./dev docs`; change it there.

Every setting is an option of the command line, a key of a config file and, except for those that only
concern the terminal, a keyword in Python: `--min-shared 5`, `min-shared = 5`, `min_shared=5`.
A switch has a second form, `--no-hidden`, that overrules a config file. An option has the same name and
meaning in every command; where its default differs, both are listed. Old names still work and print a note.

A config file is TOML. It is read only when you name it with `--config copysift.toml`: no answer depends
on a file that happens to be in the current folder. Options on the command line win over it.

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


def commands() -> list[str]:
    """Give every command, those of `index` by their groups of options."""
    return [each for name in COMMANDS for each in (INDEX.split() if name == "index" else [name])]


def uses() -> dict[str, list[tuple[str, Setting]]]:
    """Give each option with the commands that take it, and the declaration that each uses."""
    found: dict[str, list[tuple[str, Setting]]] = {}
    for command in commands():
        for entry in declared(command).values():
            if not is_refused(entry.name, command):
                found.setdefault(entry.name, []).append((command, entry))
    return found


def row(taking: list[tuple[str, Setting]]) -> str:
    """Give one option as a row of a table."""
    entry = taking[0][1]
    flags = ", ".join(f"`{flag}`" for flag in entry.flags)
    if entry.metavar:
        flags += f" *{entry.metavar}*"
    words = entry.help.replace("|", "\\|")
    if entry.choices and not any(choice in words for choice in entry.choices):
        words += f" One of {', '.join(entry.choices)}."
    defaults: dict[str, list[str]] = {}
    places: dict[str, None] = {}
    for command, each in taking:
        place = "index" if command in INDEX.split() else command
        places[place] = None
        shown = "off" if each.default is False else default_of(each, command) or "none"
        if place not in defaults.setdefault(shown, []):
            defaults[shown].append(place)
    first, *others = defaults
    default = first + "".join(f"; {other} in {', '.join(defaults[other])}" for other in others)
    return f"| {flags} | {words} | {default} | {', '.join(places)} |"


def page() -> str:
    """Give the whole page."""
    lines = [HEAD.rstrip("\n")]
    lines += [
        f"| {each.name} | {each.symbols} | {each.thresholds.noise} | {each.thresholds.guarantee} |"
        for each in map(kind_traits, registry.built_in(registry.KINDS))
    ]
    every = uses()
    for section in SECTIONS:
        lines += ["", f"## {section}", "", "| option | meaning | default | commands |", "|---|---|---|---|"]
        lines += [row(taking) for taking in every.values() if taking[0][1].section == section]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if "--check" in sys.argv:
        sys.exit(PAGE.read_text(encoding="utf-8") != page())
    PAGE.write_text(page(), encoding="utf-8")
