import re
from html import unescape

from copysift.model.values import Group, Pair, Region, Result, Side
from copysift.report.moss import Query, report
from copysift.report.view import View
from tests.report.test_page import FILES, HOSTILE, IMG, SOURCES, example, source

ROW = re.compile(
    r'<TR><TD><A HREF="(match\d+\.html)">(\S+) \((\d+)%\)</A>\n {4}<TD><A HREF="\1">(\S+) \((\d+)%\)</A>\n'
    r"<TD ALIGN=right>(\d+)\n"
)
MARK = re.compile(
    r'<A NAME="(\d+)"></A><FONT color = #[0-9A-F]{6}><A HREF="match0-[01]\.html#\1" TARGET="[01]">'
    r'<IMG SRC="data:[^"]*" ALT="other" BORDER="0" ALIGN=left WIDTH=\d+ HEIGHT=8></A>\n\n(.*?)</FONT>',
    re.DOTALL,
)
TEXT = "".join(f"line {number}\n" for number in range(1, 9))


def pages(*spans, texts=(TEXT, TEXT), **changes):
    """Report two files that share passages, given as first and last line on the left, then on the right."""
    regions = tuple(
        Region(10 * number, Side("a.c", 0, 0, *left), Side("b.c", 0, 0, *right))
        for number, (left, right) in enumerate(spans, 1)
    )
    pair = Pair("a.c", "b.c", False, 0.5, 0.5, 0.5, 0.001, 5, 10, 3, regions)
    documents = (Group("a.c", "a.c", "code:c", 10, 5), Group("b.c", "b.c", "code:c", 10, 5))
    result = Result({}, documents, (pair,), (), **changes)
    contents = {"a.c": texts[0].encode(), "b.c": texts[1].encode()}
    return report(result, View(source=lambda name, start, end: contents[name][start:end]))


def side(page):
    found = re.search(r"<HR>\n(\S+)<p><PRE>\n(.*)</PRE>\n</PRE>\n</BODY>\n</HTML>\n", page, re.DOTALL)
    assert found is not None
    return found[2]


def test_the_index_lists_every_match_as_moss_does():
    (row,) = ROW.findall(report(example(), View(source=source))["index.html"])
    assert row == ("match0.html", "hw/ann/", "70", "hw/&lt;img_src=x_onerror=alert(1)&gt;/", "60", "1")


def test_the_index_repeats_what_was_asked_for():
    query = Query("-l c -m 10", "homework <3>", "Tue Nov 17 19:46:32 UTC 2026")
    index = report(example(), View(source=source), query)["index.html"]
    date = "Moss Results<p>\nTue Nov 17 19:46:32 UTC 2026\n<p>\n"
    assert f"{date}Options -l c -m 10\n<p>\nhomework &lt;3&gt;\n<HR>\n" in index
    plain = report(example(), View(source=source), Query("-l c -m 10", "", "today"))["index.html"]
    assert "<p>\nOptions -l c -m 10\n<HR>\n" in plain


def test_rows_are_ordered_by_matched_tokens_and_none_has_no_lines():
    pairs = tuple(
        Pair(
            left, right, False, 0.5, 0.5, 0.5, 0.5, 5, 10, lines,
            (Region(tokens, Side(left, 0, 1, 1, 1), Side(right, 0, 1, 1, 1)),),
        )
        for left, right, tokens, lines in
        (("a", "b", 10, 9), ("a", "c", 50, 2), ("b", "c", 0, 0), ("c", "d", 30, 5))
    )  # fmt: skip
    documents = tuple(Group(name, name, "text", 1, 1) for name in "abcd")
    index = report(Result({}, documents, pairs, ()), View(source=lambda *_: b"text\n"))["index.html"]
    assert [(row[1], row[3], row[5]) for row in ROW.findall(index)] == [
        ("a", "c", "2"), ("c", "d", "5"), ("a", "b", "9"),
    ]  # fmt: skip


def test_without_matches_the_index_says_so_in_the_words_of_moss():
    index = report(example(pairs=()), View(source=source))["index.html"]
    assert "</TABLE>\nNo matches were found in your submission.<p>\n<HR>\n" in index
    assert "No matches" not in report(example(), View(source=source))["index.html"]


def test_what_could_not_be_read_is_listed_below_the_table():
    index = report(example(), View(source=source))["index.html"]
    errors = index.partition("Any errors encountered during this query are listed below.<p>")[2]
    assert HOSTILE in unescape(errors)


def test_a_share_is_a_number_of_at_least_one_percent():
    assert [row[2:5:2] for row in ROW.findall(pages(((1, 3), (1, 3)))["index.html"])] == [("50", "1")]


def test_a_match_has_its_four_pages_and_every_link_leads_somewhere():
    made = report(example(), View(source=source))
    assert set(made) == {"index.html", "match0.html", "match0-top.html", "match0-0.html", "match0-1.html"}
    for page in made.values():
        for link in re.findall(r'(?:HREF|FRAME SRC)="([^"]+)"', page):
            name, _, anchor = link.partition("#")
            assert name in made
            assert not anchor or f'<A NAME="{anchor}">' in made[name]
        assert "http:" not in page


def test_the_top_has_four_cells_per_passage_and_an_empty_fifth_head():
    top = pages(((2, 4), (5, 7)), ((6, 6), (8, 8)))["match0-top.html"]
    assert re.findall(r"<TH>([^<]*)", top) == ["a.c (50%)", "", "b.c (1%)", "", "\n"]
    assert re.findall(r'<TD><A HREF="match0-(\S+)" NAME="\d" TARGET="\d">([^<]*)', top) == [
        ("0.html#0", "2-4"), ("0.html#0", ""), ("1.html#0", "5-7"), ("1.html#0", ""),
        ("0.html#1", "6-6"), ("0.html#1", ""), ("1.html#1", "8-8"), ("1.html#1", ""),
    ]  # fmt: skip


def test_a_passage_is_marked_from_the_start_of_its_first_line_to_the_start_of_the_next():
    text = side(pages(((2, 4), (5, 7)))["match0-0.html"])
    assert re.sub(r"<A HREF.*</A>", "…", text) == (
        'line 1\n<A NAME="0"></A><FONT color = #FF0000>…\n\nline 2\nline 3\nline 4\n'
        "</FONT>line 5\nline 6\nline 7\nline 8\n"
    )


def test_passages_that_overlap_are_marked_once_each_and_repeat_no_line():
    made = pages(((2, 4), (1, 3)), ((3, 6), (4, 7)), ((3, 4), (8, 8)))
    assert dict(MARK.findall(side(made["match0-0.html"]))) == {
        "0": "line 2\nline 3\nline 4\n",
        "2": "",
        "1": "line 5\nline 6\n",
    }
    shown = re.sub(r"<A NAME.*</A>\n\n|</FONT>", "", side(made["match0-0.html"]))
    assert shown == TEXT


def test_a_last_line_without_an_end_and_all_kinds_of_line_ends_are_shown_as_lines():
    made = pages(((2, 3), (1, 3)), texts=("one\r\ntwo\r\nthree", "one\rtwo\rthree"))
    assert MARK.findall(side(made["match0-0.html"])) == [("0", "two\nthree\n")]
    assert MARK.findall(side(made["match0-1.html"])) == [("0", "one\ntwo\nthree\n")]


def test_a_folder_is_one_text_whose_lines_are_counted_on():
    made = report(example(), View(source=source))
    left = re.sub(r"<A NAME.*</A>\n\n|</FONT>", "", side(made["match0-0.html"])).split("\n")
    assert left == [
        "&gt;&gt;&gt;&gt; file: a.py", left[1], "print('one')", "print('two')",
        "&gt;&gt;&gt;&gt; file: b.bin", "(not text)", "",
    ]  # fmt: skip
    assert unescape(left[1]) == SOURCES[FILES[0]].decode().split("\n")[0]
    assert ">2-2</A>" in made["match0-top.html"]
    assert "<PRE>" not in side(made["match0-0.html"])


def test_sources_are_escaped_but_for_quotes():
    made = report(example(), View(source=source))
    assert unescape(side(made["match0-1.html"])).endswith(
        SOURCES[FILES[2]].decode().split("\n")[1] + "\n</FONT>"
    )
    assert "title='owned'" in made["match0-1.html"]
    assert all("<script" not in page and HOSTILE not in page and IMG not in page for page in made.values())


def test_equal_files_are_in_every_pair_that_the_first_of_them_is_in():
    region = Region(9, Side("a.c", 0, 1, 1, 2), Side("b.c", 0, 1, 1, 2))
    other = Region(5, Side("a.c", 0, 1, 1, 1), Side("d.c", 0, 1, 1, 1))
    names = ("a.c", "b.c", "c.c", "d.c")
    result = Result(
        {}, tuple(Group(name, name, "code:c", 1, 1) for name in names),
        (
            Pair("a.c", "b.c", True, 1, 1, 1, 1, 9, 9, 2, (region,)),
            Pair("a.c", "d.c", False, 0.5, 0.5, 0.5, 0.5, 5, 5, 1, (other,)),
        ),
        (), equal=(("a.c", "b.c", "c.c"),),
    )  # fmt: skip
    made = report(result, View(source=lambda name, *_: f"{name}\ntwo\n".encode()))
    listed = [(row[1], row[3]) for row in ROW.findall(made["index.html"])]
    assert sorted(listed[:3]) == [("a.c", "b.c"), ("a.c", "c.c"), ("b.c", "c.c")]
    assert sorted(listed[3:]) == [("a.c", "d.c"), ("b.c", "d.c"), ("c.c", "d.c")]
    number = listed.index(("c.c", "d.c"))
    assert "\n\nc.c\n</FONT>two\n" in made[f"match{number}-0.html"]
    limited = report(result, View(limit=4, source=lambda *_: b"x\ny\n"))
    assert len(ROW.findall(limited["index.html"])) == 4
