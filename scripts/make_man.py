"""Write the manual pages, one a command, from the declared options: python scripts/make_man.py FOLDER"""

from __future__ import annotations

import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

import click

from copysift._version import __version__
from copysift.cli.main import COMMANDS, EXIT_STATUS, copysift


def escaped(text: str) -> str:
    """Protect what roff would understand: backslashes, hyphens of options, a dot at the start of a line."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def commands() -> Iterator[tuple[str, click.Command, click.Context]]:
    """Give every command and subcommand with its whole name."""
    top = click.Context(copysift, info_name="copysift")
    for name in COMMANDS:
        command = copysift.get_command(top, name)
        assert command is not None
        context = click.Context(command, parent=top, info_name=name)
        yield f"copysift-{name}", command, context
        if isinstance(command, click.Group):
            for below, inner in command.commands.items():
                yield f"copysift-{name}-{below}", inner, click.Context(inner, parent=context, info_name=below)


def page(name: str, command: click.Command, context: click.Context) -> str:
    """Make the page of one command."""
    first, _, rest = inspect.cleandoc(command.help or "").partition("\n")
    usage = " ".join(command.collect_usage_pieces(context))
    parts = [
        f'.TH "{name.upper()}" 1 "" "copysift {__version__}" "copysift"',
        ".SH NAME",
        f"{escaped(name)} \\- {escaped(first.rstrip('.'))}",
        ".SH SYNOPSIS",
        f".B {escaped(context.command_path)}\n{escaped(usage)}",
    ]
    paragraphs = [each.replace("\b\n", "").strip() for each in rest.strip().split("\n\n") if each.strip()]
    if paragraphs:
        parts += [".SH DESCRIPTION", "\n.PP\n".join(map(escaped, paragraphs))]
    declared = [each for each in command.get_params(context) if isinstance(each, click.Option)]
    options = [record for each in declared if (record := each.get_help_record(context))]
    if options:
        parts.append(".SH OPTIONS")
        parts += [f".TP\n.B {escaped(flags)}\n{escaped(words)}" for flags, words in options]
    parts += [".SH EXIT STATUS", escaped(EXIT_STATUS.removeprefix("Exit status: "))]
    parts += [".SH SEE ALSO", "copysift(1)"]
    return "\n".join(parts) + "\n"


def overview() -> str:
    """Make the page of copysift itself."""
    lines = [
        f'.TH "COPYSIFT" 1 "" "copysift {__version__}" "copysift"',
        ".SH NAME",
        "copysift \\- find what was copied: in a folder, a class, a corpus or a crawl",
        ".SH SYNOPSIS",
        ".B copysift\nCOMMAND [OPTIONS] …",
        ".SH COMMANDS",
    ]
    lines += [f".TP\n.B {escaped(name)}\n{escaped(text)}" for name, (_, text) in COMMANDS.items()]
    lines += [".SH EXIT STATUS", escaped(EXIT_STATUS.removeprefix("Exit status: "))]
    return "\n".join(lines) + "\n"


def main() -> None:
    """Write all pages."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "copysift.1").write_text(overview())
    for name, command, context in commands():
        (folder / f"{name}.1").write_text(page(name, command, context))


if __name__ == "__main__":
    main()
