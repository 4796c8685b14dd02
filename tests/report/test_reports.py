import csv
import dataclasses
import io
import json
import tracemalloc
from collections.abc import Sequence

import pytest

from copysift.model.intervals import Interval, Intervals
from copysift.model.values import Pair, Result
from copysift.report import csv_report as rows
from copysift.report import json_report as records
from copysift.report import listing, names, table
from copysift.report.view import View
from tests.report.results import HOSTILE, RESULT

EMPTY = Result(settings={}, documents=(), pairs=(), clusters=())


def source(name, start, end):
    return b"one\x1b]0;title\x07\n\ttwo\nthree"[start % 100 : end]


def test_the_table_has_equal_files_first_then_pairs_then_a_summary():
    assert table.report(RESULT, View()) == (
        "Equal files: 1 set, 1.00 kB wasted\n"
        "  2 × 1.00 kB     a.txt\n"
        "                  copy.txt\n"
        "\n"
        "Similar files: 1 pair\n"
        "  similarity  of left  of right  shared  longest     size    size  left   right\n"
        "         99%      97%        1%      68       60  1.00 kB  123 kB  a.txt  b\\x1b[31m\\u202e.txt\n"
        "\n"
        "4 files compared (125 kB): 1 equal set, 1 similar pair with similarity ≥ 25%, 1 cluster, "
        "3 fingerprints ignored as too common, 1 skipped\n"
    )


def test_the_table_of_groups_lists_them_as_sif_does():
    assert (
        "Similar files: 1 group\n"
        "R100 a.txt 1000\n"
        "    97 b\\x1b[31m\\u202e.txt 123456\n"
    ) in table.report(RESULT, View(groups=True))  # fmt: skip


def test_a_table_of_nothing_is_a_summary():
    expected = "0 files compared (0 B): 0 equal sets, 0 similar pairs with similarity ≥ 0%\n"
    assert table.report(EMPTY, View()) == expected
    assert table.report(EMPTY, View(quiet=True)) == ""


@pytest.mark.parametrize("width", [60, 80, 100, 200])
def test_a_table_fits_the_terminal_where_a_terminal_is_reasonably_wide(width):
    long = "a-folder-of-some-length/" * 5
    pairs = tuple(
        type(pair)(**{
            **{name: getattr(pair, name) for name in pair.__dataclass_fields__},
            "left": long + pair.left, "right": long + "x" * 50 + pair.right, "equal": False,
        })
        for pair in RESULT.pairs
    )  # fmt: skip
    documents = tuple(
        type(RESULT.documents[0])(name, name, "text", 5, 5)
        for pair in pairs
        for name in (pair.left, pair.right)
    )
    result = Result(settings={}, documents=documents, pairs=pairs, clusters=())
    lines = table.report(result, View(width=width, quiet=True)).splitlines()
    assert max(map(len, lines)) <= max(width, 80)


def test_colour_is_the_only_difference_between_a_coloured_table_and_a_plain_one():
    import re

    coloured = table.report(RESULT, View(color=True))
    assert "\x1b[31m" in coloured
    assert re.sub(r"\x1b\[[0-9;]*m", "", coloured) == table.report(RESULT, View())


def test_passages_show_lines_and_let_no_control_character_through():
    shown = table.report(RESULT, View(passages=5, source=source, quiet=True))
    assert shown.endswith(
        "Longest shared passages: 1\n"
        "1. 60 symbols\n"
        "   a.txt:1-3\n"
        "   b\\x1b[31m\\u202e.txt:8-10\n"
        "   1 │ one\\x1b]0;title\\x07\n"
        "   2 │     two\n"
        "   3 │ three\n"
    )


@pytest.mark.parametrize("report", [table.report, listing.report])
def test_no_report_for_people_lets_a_hostile_name_drive_the_terminal(report):
    for groups in (False, True):
        shown = report(RESULT, View(groups=groups, passages=3, source=source))
        assert "\x1b" not in shown
        assert "\u202e" not in shown


def test_sif_lists_groups_as_figure_3_does():
    assert listing.report(RESULT, View()) == (
        "The following groups of files are equal.\n"
        "\n"
        "R100 a.txt 1000\n"
        "   100 copy.txt 1000\n"
        "\n"
        "The following groups of files are similar. Minimum similarity = 25%\n"
        "\n"
        "R100 a.txt 1000\n"
        "    97 b\\x1b[31m\\u202e.txt 123456\n"
        "\n"
        "R indicates the file with which all others are compared. The first number is the percentage of\n"
        "similarity with the R file. The numbers at the end indicate the file sizes.\n"
    )


def test_json_has_the_fields_of_schema_1_and_no_others():
    content = json.loads(records.report(RESULT, View()))
    assert list(content) == [
        "version", "settings", "documents", "pairs", "equal", "clusters", "ignored", "skipped", "notes",
    ]  # fmt: skip
    assert content["version"] == 1
    assert content["documents"][0] == {
        "name": "a.txt", "group": "a.txt", "kind": "text", "bytes": 1000, "fingerprints": 70,
        "read_as": "plain text",
    }  # fmt: skip
    assert content["pairs"][1] == {
        "left": "a.txt", "right": HOSTILE, "equal": False, "similarity": 0.9951, "resemblance": 0.0075,
        "containment_left": 0.97, "containment_right": 0.0076, "shared": 68, "longest": 60, "lines": 3,
        "channel": None,
        "intervals": None,
        "regions": [
            {
                "length": 60,
                "left": {"file": "a.txt", "start": 0, "end": 30, "first_line": 1, "last_line": 3},
                "right": {"file": HOSTILE, "start": 100, "end": 130, "first_line": 8, "last_line": 10},
            }
        ],
    }  # fmt: skip
    assert content["pairs"][0]["regions"] is None
    assert content["equal"] == [{"members": ["a.txt", "copy.txt"], "bytes": 1000, "wasted": 1000}]
    assert content["clusters"] == [{"members": ["a.txt", "copy.txt", HOSTILE], "strength": None}]
    assert content["ignored"] == [{"hash": "00000000000000ff", "groups": 1200, "text": "all rights reserved"}]
    assert content["skipped"] == [{"name": "pipe", "reason": "is a named pipe (FIFO), not a file"}]


def test_json_has_a_line_for_each_pair():
    lines = records.report(RESULT, View()).splitlines()
    pairs = [json.loads(line.rstrip(",")) for line in lines if line.startswith('  {"left"')]
    assert [pair["right"] for pair in pairs] == ["copy.txt", HOSTILE]


def test_csv_tells_the_bytes_that_equal_files_waste():
    written = csv.DictReader(io.StringIO(rows.report(RESULT, View())))
    assert sum(int(row["bytes_right"]) for row in written if row["equal"] == "true") == 1000


def test_json_is_utf_8_even_where_a_name_is_not_and_gives_the_name_back():
    written = records.report(RESULT, View()).encode("utf-8")
    assert json.loads(written)["documents"][3]["name"] == "caf\udce9.txt"


SPELLED = "b\\x1b[31m\\u202e.txt"


def test_csv_has_a_row_for_each_pair_and_quotes_what_must_be_quoted():
    written = list(csv.DictReader(io.StringIO(rows.report(RESULT, View()))))
    assert list(written[0]) == list(rows.PAIR_COLUMNS)
    assert [row["equal"] for row in written] == ["true", "false"]
    assert written[1]["right"] == SPELLED
    assert written[1]["similarity"] == "0.995100"
    assert written[0]["longest"] == ""


def test_csv_of_groups_marks_the_reference():
    written = list(csv.DictReader(io.StringIO(rows.report(RESULT, View(groups=True)))))
    assert [(row["group"], row["name"], row["reference"], row["share"]) for row in written] == [
        ("1", "a.txt", "true", "1.000000"),
        ("1", SPELLED, "false", "0.970000"),
    ]


def test_names_end_with_nul_and_groups_with_an_empty_name():
    assert names.names(RESULT, View()) == f"a.txt\0copy.txt\0a.txt\0{HOSTILE}\0"
    assert names.names(RESULT, View(groups=True)) == f"a.txt\0copy.txt\0\0a.txt\0{HOSTILE}\0\0"


def test_a_limit_cuts_the_list_of_pairs():
    assert len(json.loads(records.report(RESULT, View(limit=1)))["pairs"]) == 1
    assert len(rows.report(RESULT, View(limit=1)).splitlines()) == 2
    assert names.names(RESULT, View(limit=1)) == "a.txt\0copy.txt\0"


def test_the_table_says_how_many_pairs_a_limit_hides():
    many = Result(settings={}, documents=RESULT.documents, pairs=RESULT.pairs[1:] * 5, clusters=())
    assert "  … and 3 more (--limit 0 lists all)\n" in table.report(many, View(limit=2))


class Endless(Sequence):
    """Pairs that are made when they are asked for, as those of a scan are, never all at once."""

    def __len__(self):
        return 100_000

    def __getitem__(self, which):
        assert not isinstance(which, slice), "a report asked for many pairs at once"
        return RESULT.pairs[-1]

    def __iter__(self):
        return (RESULT.pairs[-1] for _ in range(len(self)))

    def equal(self):
        return 0


@pytest.mark.thorough
@pytest.mark.parametrize("parts", [records.parts, rows.parts])
def test_a_report_of_many_pairs_takes_no_more_memory_than_one_of_few(parts):
    many = dataclasses.replace(RESULT, pairs=Endless())
    tracemalloc.start()
    lines = sum(part.count("\n") for part in parts(many, View()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lines > 100_000
    assert peak < 3_000_000  # as a list they take 50 times that


def test_a_table_makes_only_the_pairs_that_it_shows():
    many = dataclasses.replace(RESULT, pairs=Endless())
    tracemalloc.start()
    shown = table.report(many, View(limit=3))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert "… and 99,997 more" in shown
    assert peak < 1_000_000


def test_intervals_are_shown_beside_sampled_shares_where_there_is_room():
    near = Intervals(Interval(0.7, 0.9), Interval(0.781, 0.862), Interval(0.5, 1.0))
    pair = Pair("a.txt", "copy.txt", False, 0.9, 0.8, 0.82, 0.75, 40, intervals=near)
    result = dataclasses.replace(RESULT, pairs=(pair,), equal=())
    wide, narrow = (table.report(result, View(width=width)) for width in (120, 80))
    assert "82% (78–87)" in wide
    assert "75% (50–100)" in wide
    assert "82%" in narrow
    assert "(78–87)" not in narrow
    (shown,) = json.loads(records.report(result, View()))["pairs"]
    assert shown["intervals"] == {
        "resemblance": [0.7, 0.9],
        "containment_left": [0.781, 0.862],
        "containment_right": [0.5, 1.0],
    }
