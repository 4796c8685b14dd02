import zipfile

import pytest

import copysift
from copysift.sources.exports import known_export, listed_authors, receipt


@pytest.mark.parametrize(
    ("name", "author", "key", "attempt"),
    [
        ("x/Jane Doe_12345_assignsubmission_file_/main.py", "Jane Doe", "Jane Doe_12345", ""),
        ("Jane Doe_12345_assignsubmission_file_main.py", "Jane Doe", "Jane Doe_12345", ""),
        ("Ayşe O'Hara_7_assignsubmission_file_", "Ayşe O'Hara", "Ayşe O'Hara_7", ""),
        ("doejane_1234_5678_loans.py", "doejane", "doejane_1234", ""),
        ("doejane_LATE_1234_5678_loans-1.py", "doejane", "doejane_1234", "1"),
        ("all.zip/doejane_1234_5678_my_file-12.tar.gz", "doejane", "doejane_1234", ""),
        ("doejane_1234_5678_loans-2", "doejane", "doejane_1234", "2"),
        ("Lab 3_jdoe_attempt_2026-03-01-12-30-00_main.cpp", "jdoe", "jdoe", "2026-03-01-12-30-00"),
        ("Lab_3_jdoe_attempt_2026-03-01-12-30-00.txt", "jdoe", "jdoe", "2026-03-01-12-30-00"),
        ("12-34 - Jane Doe - Mar 1, 2026 1230 PM", "Jane Doe", "Jane Doe_12", "Mar 1, 2026 1230 PM"),
        ("1-34 - Jo-Ann Do - Mar 1, 2026 930 PM - a.c", "Jo-Ann Do", "Jo-Ann Do_1", "Mar 1, 2026 930 PM"),
        ("assignment_77_export/submission_123456/main.py", "", "submission_123456", ""),
    ],
)
def test_names_of_platforms_tell_author_and_attempt(name, author, key, attempt):
    found = known_export(name)
    assert found is not None
    assert (found.author, found.key, found.attempt) == (author, key, attempt)


@pytest.mark.parametrize(
    "name", ["main.py", "alice/main.py", "unit_test_12_3", "a_1_b.py", "2024_10_11_x.py", ""]
)
def test_other_names_tell_nothing(name):
    assert known_export(name) is None


def test_what_a_platform_adds_to_an_export_is_nobodys_work():
    assert receipt("lab/Lab 3_jdoe_attempt_2026-03-01-12-30-00.txt") == "receipt of Blackboard"
    assert receipt("x.zip!submission_metadata.yml") == "list of Gradescope"
    assert receipt("Lab 3_jdoe_attempt_2026-03-01-12-30-00_notes.txt") == ""
    assert receipt("main.py") == ""


def test_the_list_of_brightspace_is_one_only_beside_submissions():
    assert receipt("hw/index.html") == ""
    assert receipt("hw/index.html", beside=True) == "list of Brightspace"


LIST = """---
submission_12345:
  :submitters:
  - :name: Jane Doe
    :sid: '101'
    :email: jane@example.org
  - :name: "John Roe"
    :sid: '102'
  :created_at: 2026-03-01 12:30:00.000000000 Z
submission_12346:
  :submitters:
  - :name: Ann O'Hara
submission_12347:
  :submitters: []
"""


def test_the_list_of_gradescope_names_authors():
    assert listed_authors(LIST) == {
        "submission_12345": "Jane Doe and John Roe",
        "submission_12346": "Ann O'Hara",
    }
    assert listed_authors("no: list\n  - :name: nobody\n") == {}


def test_a_scan_of_an_export_of_gradescope_has_its_authors(tmp_path):
    with zipfile.ZipFile(tmp_path / "export.zip", "w") as archive:
        archive.writestr("assignment_1_export/submission_metadata.yml", LIST)
        for number in range(12345, 12351):
            text = " ".join(f"word{number}x{at}" for at in range(200))
            archive.writestr(f"assignment_1_export/submission_{number}/essay.txt", text)
    found = copysift.scan(tmp_path / "export.zip", by="dir").submissions
    assert [each.author for each in found] == ["Jane Doe and John Roe", "Ann O'Hara", "", "", "", ""]
    index = copysift.Index(tmp_path / "years.sift", by="dir")
    index.add(tmp_path / "export.zip")
    authors = {each.author for each in index.scan().submissions}
    assert authors == {"Jane Doe and John Roe", "Ann O'Hara", ""}


def test_the_two_folders_that_moodle_makes_of_one_submission_are_one(tmp_path):
    """Files and text that was typed into the page are in folders of their own."""
    who = ["José García_1000", "Ann Lee_1001", "Bo Müller_1002"]
    with zipfile.ZipFile(tmp_path / "moodle.zip", "w") as archive:
        for author in who:
            for kind, name in (("file", "main.txt"), ("onlinetext", "onlinetext.html")):
                text = " ".join(f"{author}{kind}x{at}" for at in range(200))
                archive.writestr(f"{author}_assignsubmission_{kind}/{name}", text)
        archive.writestr("Cy Diaz_1003_assignsubmission_file/main.txt", "alone " * 90)
    with zipfile.ZipFile(tmp_path / "moodle.zip") as archive:
        archive.extractall(tmp_path / "unpacked")
    for place in (tmp_path / "moodle.zip", tmp_path / "unpacked"):
        found = copysift.scan(place, by="dir", threshold=0)
        authors = [each.author for each in found.submissions]
        assert sorted(authors) == ["Ann Lee", "Bo Müller", "Cy Diaz", "José García"]
