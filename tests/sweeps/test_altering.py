"""Whole, part, altered: what was done to a copy is known, and every state is told rightly."""

import re

import pytest

import copysift
from tests.cli.texts import prose

TEXT = prose(1, 300)
WORDS = TEXT.split()
HALF = len(TEXT) // 2
OTHER = prose(2, 200)
RATES = (
    TEXT + "The rate is 1.5% of the sum of 1,000 units, and payable at once by the lender alone.\n" + prose(5)
)


def replaced(first, last, by):
    """Give the text with words first .. last − 1 replaced."""
    return " ".join([*WORDS[:first], by, *WORDS[last:]])


CASES = {
    "identical": (TEXT, TEXT, "identical", []),
    "reformatted": (TEXT, "\n".join(f"# {word}" for word in WORDS), "whole", []),
    "among other things": (TEXT, OTHER + TEXT + prose(3), "whole", []),
    "other capitals": (TEXT, TEXT.upper(), "whole", []),
    "first half": (TEXT, TEXT[:HALF], "part", []),
    "second half among other things": (TEXT, OTHER + TEXT[HALF:] + prose(3), "part", []),
    "one word": (TEXT, replaced(150, 151, "otherwise"), "altered", [(WORDS[150], "otherwise")]),
    "a word less": (TEXT, replaced(150, 151, ""), "altered", [(WORDS[150], "")]),
    "a word more": (TEXT, replaced(150, 150, "otherwise"), "altered", [("", "otherwise")]),
    "the first word": (TEXT, replaced(0, 1, "otherwise"), "altered", [(WORDS[0], "otherwise")]),
    "the last word": (TEXT, replaced(299, 300, "otherwise"), "altered", [(WORDS[299], "otherwise")]),
    "a word of a half": (
        TEXT, " ".join([*WORDS[:80], "otherwise", *WORDS[81:150]]), "altered part", [(WORDS[80], "otherwise")]
    ),
    "two quotations": (TEXT, " ".join(WORDS[:40]) + OTHER + " ".join(WORDS[200:240]), "part", []),
    "in another order": (TEXT, TEXT[HALF:] + TEXT[:HALF], "rearranged", None),
    "a point less": (RATES, RATES.replace("1.5%", "15%"), "altered", [("1.5%", "15%")]),
    "a comma elsewhere": (RATES, RATES.replace("1,000", "10,00"), "altered", [("1,000", "10,00")]),
}  # fmt: skip


@pytest.fixture(scope="module")
def index(tmp_path_factory):
    path = tmp_path_factory.mktemp("altered") / "x.sift"
    with copysift.Index(path, keep_text=True, kind="text") as made:
        made.sweep([(name, case[1]) for name, case in CASES.items()], date="2026-01-01")
        made.sweep(
            [("original", TEXT), *((name, case[1]) for name, case in CASES.items())], date="2026-02-01"
        )
        yield made


@pytest.mark.parametrize("name", CASES)
def test_what_was_done_to_a_copy_is_told(index, name):
    original, _, state, alterations = CASES[name]
    found = index.copies(original, text=True, original="original", threshold="5%")
    (holder,) = (each for each in found.holders if each.uri == name)
    assert holder.state == state
    if alterations is None:
        return
    assert len(holder.alterations) == len(alterations)
    for told, (before, after) in zip(holder.alterations, alterations, strict=True):
        assert before in told.before
        assert after in told.after
        assert len(told.before.split()) <= 12  # the place, not the page
        lines = original.splitlines()[told.first_line - 1 : told.last_line]
        for word in re.findall(r"\w+", told.before):
            assert word in " ".join(lines)


def test_without_texts_part_and_altered_are_not_told_apart(tmp_path):
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep([("a", TEXT), ("b", CASES["one word"][1]), ("c", OTHER + TEXT)], date="2026-01-01")
        found = {each.uri: each.state for each in index.copies(TEXT, text=True).holders}
        assert found == {"b": "part or altered", "c": "whole"}
