import pytest

from copysift.errors import UsageError
from copysift.model.values import Skipped
from copysift.sources.metadata import Row, read_metadata


def table(tmp_path, text, encoding="utf-8"):
    path = tmp_path / "class.csv"
    path.write_bytes(text.encode(encoding))
    return read_metadata(str(path))


def rows(tmp_path, text, encoding="utf-8"):
    return table(tmp_path, text, encoding).rows


def test_columns_come_in_any_order_and_case(tmp_path):
    found = rows(tmp_path, "Team,FILE,Time,attempt,Author,Label,grade\nred,a.py,noon,2,Ann,A,1.0\n")
    assert found == (Row(2, "a.py", "A", "Ann", "red", "noon", "2"),)


def test_columns_that_look_mistyped_are_named(tmp_path):
    assert table(tmp_path, "name,team,,\nann,red,,\n").skipped == ()
    assert table(tmp_path, "name,team,teams\nann,red,2\n").skipped == ()  # what it is like is there
    found = table(tmp_path, "name,Tem,grade\nann,red,1\n")
    assert found.rows == (Row(2, "ann"),)
    assert found.skipped == (
        Skipped(
            f"{tmp_path}/class.csv, line 1",
            "no use is made of the columns 'Tem' (did you mean team?); "
            "columns: file or name, and any of label, author, team, time, attempt, in any order",
        ),
    )


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_separators_are_those_of_spreadsheets(tmp_path, separator):
    text = f'name{separator}author\r\n"a{separator}b"{separator}Ann\r\n\r\nc{separator}\r\n'
    assert rows(tmp_path, text) == (Row(2, f"a{separator}b", author="Ann"), Row(4, "c"))


def test_a_byte_order_mark_is_no_part_of_a_name(tmp_path):
    assert rows(tmp_path, "name\nx\n", "utf-8-sig") == (Row(2, "x"),)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "line 1: no column file or name"),
        ("label,author\na,b\n", "line 1: no column file or name"),
        ("name,label,file\n", "line 1, column 3: a second column 'file'"),
        ("name,label\na,b,c\n", "line 2, column 3: line 1 has 2 columns only"),
        ("label,name\na,b\nc,\n", "line 3, column 2: no name of a submission"),
        ("name,attempt\na,1\nb,last\n", "line 3, column 2: 'last' is not an attempt number"),
        ('name\n"a\nb" c\n', "line 3: is not CSV"),
    ],
)
def test_what_is_wrong_is_named_by_line_and_column(tmp_path, text, words):
    with pytest.raises(UsageError) as caught:
        rows(tmp_path, text)
    assert words in caught.value.message


def test_other_encodings_are_refused_with_the_line(tmp_path):
    with pytest.raises(UsageError, match="line 3: is not UTF-8"):
        rows(tmp_path, "name\na\nJosé\n", "latin-1")
