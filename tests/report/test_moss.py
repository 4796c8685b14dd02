import re

from copysift.report.moss import report
from copysift.report.view import View
from tests.report.test_page import ANN, FILES, HOSTILE, IMG, SOURCES, example, source

# How readers of MOSS results find a match, mossum's expression among them.
ROW = re.compile(
    r'<TR><TD><A HREF="(match\d+\.html)">(.+?) \((\d+)%\)</A>\s*<TD><A HREF="\1">(.+?) \((\d+)%\)</A>\s*'
    r"<TD ALIGN=right>(\d+)"
)


def test_the_index_lists_every_match_as_moss_does():
    (row,) = ROW.findall(report(example(), View(source=source))["index.html"])
    assert row == ("match0.html", ANN, "70", "hw/&lt;img src=x onerror=alert(1)&gt;", "60", "1")


def test_a_match_has_its_four_pages_and_every_link_leads_somewhere():
    pages = report(example(), View(source=source))
    assert set(pages) == {"index.html", "match0.html", "match0-top.html", "match0-0.html", "match0-1.html"}
    for page in pages.values():
        for link in re.findall(r'(?:HREF|SRC)="([^"]+)"', page):
            name, _, anchor = link.partition("#")
            assert name in pages
            assert not anchor or f'<A NAME="{anchor}">' in pages[name]


def test_sources_are_whole_and_escaped():
    pages = report(example(), View(source=source))
    text = re.sub(r"<[^>]*>", "", pages["match0-1.html"].partition("<PRE>\n")[2].partition("</PRE>")[0])
    unescaped = text.replace("&#9654;", "").replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"')
    assert unescaped.replace("&#x27;", "'") == SOURCES[FILES[2]].decode()
    assert all("<script" not in page and HOSTILE not in page and IMG not in page for page in pages.values())
