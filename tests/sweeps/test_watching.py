"""`holders --watch`: what is new, what changed, and what only stands on a page that changed elsewhere."""

import pytest

import copysift
from copysift.report import copies as holding
from copysift.report.view import View
from tests.cli.texts import prose

LICENCE = prose(1, 300)
FOOTERS = [prose(number, 120) for number in (50, 51)]


@pytest.mark.parametrize("keep_text", [True, False])
def test_a_page_that_was_edited_elsewhere_is_not_new(tmp_path, keep_text):
    with copysift.Index(tmp_path / "x.sift", keep_text=keep_text) as index:
        for day, footer in enumerate(FOOTERS, 1):
            pages = [("o/licence", LICENCE), ("h/page", LICENCE + footer)]
            index.sweep(pages, date=f"2026-01-0{day}")
        found = index.copies(LICENCE, text=True)
        assert [(each.uri, each.new, each.changed) for each in found.holders] == [("h/page", False, False)]
        assert index.copies(LICENCE, text=True, watch=True).holders == ()


def test_a_copy_that_was_altered_has_changed_and_is_not_new(tmp_path):
    words = LICENCE.split()
    altered = " ".join([*words[:150], "otherwise", *words[151:]]) + "\n"
    with copysift.Index(tmp_path / "x.sift", keep_text=True) as index:
        index.sweep([("o/licence", LICENCE), ("h/page", LICENCE + FOOTERS[0])], date="2026-01-01")
        pages = [("o/licence", LICENCE), ("h/page", altered + FOOTERS[0]), ("n/page", LICENCE + FOOTERS[1])]
        index.sweep(pages, date="2026-01-02")
        found = index.copies(LICENCE, text=True, watch=True)
    assert [(each.uri, each.state, each.new, each.changed) for each in found.holders] == [
        ("h/page", "altered", False, True),
        ("n/page", "whole", True, False),
    ]
    told = holding.table(found, View())
    assert "since 2026-01-01, changed)" in told
    assert "since 2026-01-02, new)" in told
    assert "2 holders new or changed since 2026-01-01" in told
    assert ",False,True," in holding.rows(found, View())
