import pytest

from copysift.sources.exports import known_export


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
