"""The HTML report of a scan of files."""

import json
import re

from tests.cli.program import copysift, write
from tests.cli.texts import prose


def overview(path):
    found = re.search(r'id="data-overview">(.*?)</script>', path.read_text(), re.DOTALL)
    return json.loads(found.group(1))


def test_the_page_of_files_has_equal_sets_and_folders_and_speaks_of_files(tmp_path):
    tree = {"x.txt": prose(1), "y.txt": prose(2)}
    for top in ("a", "b"):
        write(tmp_path, {f"{top}/{name}": text for name, text in tree.items()})
    write(tmp_path, {"c.txt": prose(1) + prose(3, words=20)})
    assert copysift(tmp_path, "scan", ".", "-o", "page.html").status == 0
    shown = overview(tmp_path / "page.html")
    names = [each["name"] for each in shown["files"]]
    assert shown["unit"] == "file"
    assert sorted([names[number] for number in each["members"]] for each in shown["equal"]) == [
        ["./a/x.txt", "./b/x.txt"],
        ["./a/y.txt", "./b/y.txt"],
    ]
    assert [each["members"] for each in shown["folders"]] == [["./a", "./b"]]
    assert [pair["equal"] for pair in shown["pairs"]] == [False]  # equal files have a page of their own
    page = (tmp_path / "page.html").read_text()
    assert '<a href="#/submissions">Files</a>' in page
    assert ">Submissions<" not in page


def test_the_page_of_submissions_still_speaks_of_submissions(tmp_path):
    write(tmp_path, {"ann/a.txt": prose(1), "bob/a.txt": prose(1)})
    copysift(tmp_path, "scan", ".", "--by", "dir", "-o", "page.html")
    assert overview(tmp_path / "page.html")["unit"] == "submission"
    assert '<a href="#/submissions">Submissions</a>' in (tmp_path / "page.html").read_text()
