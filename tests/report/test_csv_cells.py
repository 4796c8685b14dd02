"""What a spreadsheet would run, or show in another order, is text in CSV."""

import csv
import io

import pytest

from copysift.report.anonymise import read_key, written_key
from copysift.report.csv_cells import as_text, cell, csv_lines, from_text

FORMULAS = ["=1+1", "+1+1", "-1+1|x", "@SUM(A1)", "\t=1", '=HYPERLINK("http://x")', "'=1"]


@pytest.mark.parametrize("name", FORMULAS)
def test_a_name_that_looks_like_a_formula_is_text(name):
    (row,) = csv.reader(io.StringIO(csv_lines([[name, "plain"]]), newline=""))
    assert row == [f"'{name}", "plain"]


@pytest.mark.parametrize(
    "value", ["-", "-1", "+0.25", "-1.5e-7", "1", -3, 0.5, "", "a=b", "file-1.txt", "'tis"]
)
def test_numbers_and_other_names_stay_as_they_are(value):
    assert cell(value) == value


def test_controls_and_characters_that_turn_text_around_are_spelled_out():
    assert cell("\r\n") == "\\x0d\n"
    assert cell("a\u202egpj.exe\x1b[31m\u2066\u200f") == "a\\u202egpj.exe\\x1b[31m\\u2066\\u200f"
    assert cell("\u05d0\u05d1 two\nlines") == "\u05d0\u05d1 two\nlines"


def test_a_key_of_pseudonyms_gives_its_names_back():
    key = {f"s{number}": name for number, name in enumerate([*FORMULAS, "''=x", "plain", "'quoted'"])}
    assert read_key(written_key(key), "key.csv") == key
    assert "\ns0,'=1+1\n" in written_key(key)
    key["s99"] = "a\rb"
    assert read_key(written_key(key), "key.csv") == key


@pytest.mark.parametrize("name", [*FORMULAS, "plain", "'x", "''=1", "'-1", "-1"])
def test_marks_can_be_undone(name):
    assert from_text(as_text(name)) == name
