import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from copysift.report.wording import (
    cells,
    pad,
    percent,
    shorten,
    shorten_among,
    shorten_beside,
    size,
    spelled,
    visible,
)


@pytest.mark.parametrize(
    ("share", "shown"),
    [(0, "0%"), (1e-9, "<1%"), (0.006, "1%"), (0.254, "25%"), (0.9999, "99%"), (1, "100%"), (1.3, "130%")],
)
def test_percent_is_100_or_0_only_where_it_is_exact(share, shown):
    assert percent(share) == shown


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (1000, "1.00 kB"),
        (10763, "10.8 kB"),
        (999_600, "1.00 MB"),
        (123456, "123 kB"),
        (5 * 10**15, "5000 TB"),
    ],
)
def test_sizes_have_three_digits(count, shown):
    assert size(count) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("naïve 日本", "naïve 日本"),
        ("\x1b[2J", "\\x1b[2J"),
        ("a\nb\tc\x7f\x9b", "a\\x0ab\\x09c\\x7f\\x9b"),
        ("\u202egnp.exe", "\\u202egnp.exe"),
        ("caf\udce9", "caf\\xe9"),
        ("\U000e0041", "\\U000e0041"),
    ],
)
def test_what_could_drive_a_terminal_is_spelled_out(text, shown):
    assert visible(text) == shown


@pytest.mark.parametrize(("text", "count"), [("abc", 3), ("日本", 4), ("e\u0301", 1)])
def test_cells_count_columns_not_characters(text, count):
    assert cells(text) == count
    assert pad(text, 6) == text + " " * (6 - count)


@pytest.mark.parametrize(
    ("width", "shown"),
    [
        (None, "papers/1994/drafts/sif.txt"),
        (26, "papers/1994/drafts/sif.txt"),
        (25, "papers/1994/…/sif.txt"),
        (17, "papers/…/sif.txt"),
        (12, "…/sif.txt"),
        (6, "sif…xt"),
    ],
)
def test_a_path_is_shortened_in_the_middle_and_keeps_its_file_name(width, shown):
    assert shorten("papers/1994/drafts/sif.txt", width) == shown


def test_a_wide_name_is_cut_by_columns():
    assert cells(shorten("日本語の長い名前.txt", 12)) <= 12


@given(st.text(alphabet="\\\\ab\x1bx1\u202e\udce9u", max_size=8))
def test_a_spelled_name_can_be_read_back(name):
    def read(found):
        spelled_out = found.group()[1:]
        if spelled_out == "\\":
            return "\\"
        code = int(spelled_out[1:], 16)
        return chr(code + 0xDC00 if spelled_out[0] == "x" and code > 0x7F else code)

    pattern = r"\\(\\|x[0-9a-f]{2}|u[0-9a-f]{4})"
    assert re.sub(pattern, read, spelled(name)) == name


def test_a_backslash_in_a_passage_stays_as_it_is():
    assert visible("a\\n") == "a\\n"
    assert spelled("a\\n") == "a\\\\n"


@pytest.mark.parametrize("width", [12, 16, 20, 24, 30, 40])
def test_a_name_that_is_shortened_beside_another_shows_what_is_different(width):
    left = "linux-headers-6.1.0-47-common/include/net/sock.h"
    right = left.replace("47", "55")
    one, other = shorten_beside(left, right, width), shorten_beside(right, left, width)
    assert "47" in one
    assert "55" in other
    assert max(cells(one), cells(other)) <= width
    if width >= 20:
        assert one.endswith("/sock.h")


def test_a_short_folder_that_is_different_leaves_room_for_the_file_name():
    shown = shorten_beside("/tmp/kh/a/include/net/bluetooth.h", "/tmp/kh/b/include/net/bluetooth.h", 12)
    assert shown == "a/…uetooth.h"
    assert shorten_beside("x/same.txt", "x/same.txt", 20) == "x/same.txt"


def test_names_of_a_list_are_shortened_by_what_all_begin_with():
    names = [f"srv/backup/long-name-of-a-folder/{year}/include/sock.h" for year in (2024, 2025)]
    assert shorten_among(names, 24) == ["…/2024/include/sock.h", "…/2025/include/sock.h"]
    assert shorten_among(names, 16) == ["…/2024/…/sock.h", "…/2025/…/sock.h"]
    assert shorten_among(names, None) == shorten_among(names, 60) == names
    assert shorten_among(names[:1], 30) == [shorten(names[0], 30)]
    assert shorten_among(["a" * 30, "b/c"], 20) == [shorten("a" * 30, 20), "b/c"]


def test_what_is_shortened_beside_another_never_takes_more_columns():
    for seed in range(500):
        chosen = random.Random(seed)
        name = "/".join(
            "".join(chosen.choices("abcü漢", k=chosen.randint(1, 9))) for _ in range(chosen.randint(1, 6))
        )
        other = name[: chosen.randint(0, len(name))] + "x" * chosen.randint(0, 6)
        width = chosen.randint(5, 40)
        assert cells(shorten_beside(name, other, width)) <= width
