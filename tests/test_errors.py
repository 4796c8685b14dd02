"""Errors speak of options on the command line, and of keywords in Python."""

import pytest

import copysift
from copysift.errors import UsageError


def test_an_error_in_python_names_keywords():
    with pytest.raises(UsageError) as raised:
        copysift.scan("x", threshold=3)
    assert str(raised.value).startswith("threshold is 3, but must be between 0 and 1")
    assert raised.value.message.startswith("--threshold is 3, but must be between 0 and 1")


@pytest.mark.parametrize(
    ("message", "hint", "shown"),
    [
        (
            "--min-shared (--by dir) counts",
            "leave --from out",
            "min_shared (by dir) counts\nleave from_run out",
        ),
        ("a", "run copysift scan --earlier INDEX", "a\nrun copysift scan --earlier INDEX"),
        ("a--b.txt and essays/--c are damaged", "", "a--b.txt and essays/--c are damaged"),
    ],
)
def test_only_options_are_named_otherwise(message, hint, shown):
    assert str(UsageError(message, hint=hint)) == shown
