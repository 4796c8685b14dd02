"""Help, messages and pages are in plain English: a list of words that read as translated is not used."""

import click
import pytest

from copysift.cli.main import COMMANDS, copysift
from tests.words import (
    AVOIDED,
    avoided_in,
    docstring_faults,
    docstrings_in,
    message_faults,
    page_faults,
    strings_in,
)


def every_command() -> list[list[str]]:
    """Give the words of every command and subcommand."""
    context = click.Context(copysift)
    found: list[list[str]] = [[]]
    for name in COMMANDS:
        command = copysift.get_command(context, name)
        found.append([name])
        if isinstance(command, click.Group):
            found += [[name, below] for below in command.commands]
    return found


def help_of(words: list[str]) -> str:
    command, context = copysift, click.Context(copysift, info_name="copysift")
    for word in words:
        command = command.get_command(context, word)
        context = click.Context(command, parent=context, info_name=word)
    return command.get_help(context)


@pytest.mark.parametrize("words", every_command(), ids=" ".join)
def test_help_is_in_plain_english_and_has_no_empty_choice(words):
    shown = " ".join(help_of(words).split())
    assert avoided_in(shown) == []
    assert "[|" not in shown
    assert "||" not in shown


@pytest.mark.parametrize("name", COMMANDS)
def test_the_first_line_of_a_commands_help_is_that_of_the_list(name):
    assert f"  {COMMANDS[name][1]}.\n" in help_of([name])


def test_messages_are_in_plain_english():
    assert message_faults() == []


def test_docstrings_are_in_plain_english():
    assert docstring_faults() == []


def test_docstrings_are_read_without_their_code():
    module = '"""What stands\n\n`room` and told."""\nname = "anew"\n'
    assert [word for _, line in docstrings_in(module) for word in avoided_in(line)] == ["stands", "told"]


def test_pages_are_in_plain_english():
    assert page_faults() == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("what stands there is told anew", ["stands", "told", "anew"]),
        ("understand standard tools; tell apart", []),
        ("x is no number", ["is no number"]),
        ("the index is no longer there", []),
        ("there is no setting", []),
    ],
)
def test_whole_words_are_found_in_any_sentence(text, words):
    assert avoided_in(text) == words
    assert all(use for use in AVOIDED.values())


def test_all_parts_of_a_message_are_read_but_not_its_code_or_docstrings():
    raised = "raise UsageError(f\"{told['stood']} mend {x} anew\", hint='ask')"
    module = f'"""what is told"""\nname = "it stands"\n{raised}\n'
    assert list(strings_in(module)) == [(3, " mend "), (3, " anew"), (3, "ask")]
    assert (2, "it stands") in strings_in(module, everywhere=True)
    assert "what is told" not in dict(strings_in(module, everywhere=True)).values()


def test_a_line_can_opt_out_with_a_reason():
    assert not list(strings_in('note("it stands")  # words: a quotation\n'))
