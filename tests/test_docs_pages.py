"""Every page: the options of its commands exist, and no paragraph is too long to read."""

import re
import shlex
from pathlib import Path

import click
import pytest

from copysift.cli.main import copysift

ROOT = Path(__file__).parents[1]
PAGES = sorted([*(ROOT / "docs").glob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"])
# pages without commands of users
OTHERS = [
    *sorted((ROOT / "experiments").glob("*/README.md")),
    *(ROOT / name for name in ("ARCHITECTURE.md", "CHANGELOG.md", "SECURITY.md")),
]
LONGEST = 800  # characters of a paragraph
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# A command in a block or a table; it ends at a comment, a pipe or another command.
BLOCK = re.compile(r"^(?:    |\$ )?(copysift [^\n#|<>&;]+)", re.MULTILINE)
INLINE = re.compile(r"`(copysift [^`]+)`")


def commands(text):
    """Give the command lines of a page."""
    text = text.replace("\\\n", " ")
    blocks = "".join(f"{content}\n" for _, content in FENCE.findall(text))
    rest = FENCE.sub("", text)
    indented = re.findall(r"^    copysift [^\n]+$", rest, re.MULTILINE)
    found = BLOCK.findall(blocks) + BLOCK.findall("\n".join(indented))
    found += [line for line in INLINE.findall(rest) if not re.search("[…|]", line)]
    return [" ".join(line.split()) for line in found]


def paragraphs(text):
    """Give the paragraphs and items of lists of a page; code and tables are none."""
    prose = re.sub(r"^<!--.*-->\n", "", FENCE.sub("", text), flags=re.MULTILINE)
    parts = re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", prose)
    return [part for part in parts if part.strip() and not part.lstrip("\n").startswith(("|", "    "))]


def parse(line):
    """Read a command line as the program does; a missing command or option is an error."""
    try:
        words = shlex.split(line)[1:]
    except ValueError:
        words = line.split()[1:]
    command = copysift
    context = click.Context(copysift, info_name="copysift")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name = words[0]
        found = command.get_command(context, name)
        if found is None and not command.invoke_without_command:
            raise click.UsageError(f"no such command: {name}")
        if found is None:
            break
        command, words = found, words[1:]
        context = click.Context(command, info_name=name, parent=context)
    command.make_parser(context).parse_args(list(words))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_options_of_every_command_on_a_page_exist(page):
    for line in commands(page.read_text(encoding="utf-8")):
        try:
            parse(line)
        except click.UsageError as error:
            pytest.fail(f"{page.name}: {line}: {error.format_message()}")


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=lambda page: f"{page.parent.name}/{page.stem}")
def test_no_paragraph_of_a_page_is_too_long_to_read(page):
    long = [" ".join(each.split()) for each in paragraphs(page.read_text(encoding="utf-8"))]
    assert [each[:60] for each in long if len(each) >= LONGEST] == []


def test_most_commands_are_read_and_a_wrong_one_is_seen():
    lines = [line for page in PAGES for line in commands(page.read_text(encoding="utf-8"))]
    assert len(lines) > 150
    for line in ("copysift scan . --no-such-option", "copysift no-such-command", "copysift index no-such"):
        with pytest.raises(click.UsageError):
            parse(line)
