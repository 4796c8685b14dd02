"""Data files are compared by value: what is written differently and means the same is the same."""

import json

import pytest

import copysift
from copysift.model.document import Document, Hint, Memory
from copysift.sources.container_limits import ArchiveLimits
from copysift.sources.readers.table_values import TABLE
from copysift.sources.readers.xml_values import XML
from copysift.sources.readers.yaml_values import YAML
from copysift.sources.source import Reading
from tests.cli.texts import prose


def values(reader, text):
    """Give the words that count."""
    return reader.extract(text.encode(), None, None).text.replace(b"\x7f", b"").decode().split()


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("a: 1 # note\n", ["a:", "1"]),
        ("# whole\nb: x#y\n", ["b:", "x#y"]),
        ("a: http://x/#y\n", ["a:", "http://x/#y"]),
        ('a: "x # y" # z\n', ["a:", '"x', "#", 'y"']),
        ("a: 'it''s # y' # z\n", ["a:", "'it''s", "#", "y'"]),
        ("a: it's, 'tis # z\nb: 'c'\n", ["a:", "it's,", "'tis", "b:", "'c'"]),
        ('a: "caf\\u00e9\\x21\\tb\\U0001F600"\n', ["a:", '"café!', 'b😀"']),
        ("a: |\n  # kept\n  'open\nb: 2 # gone\n", ["a:", "#", "kept", "'open", "b:", "2"]),
        ("a:\n  - >-\n    x # kept\n  - y # gone\n", ["a:", "-", "x", "#", "kept", "-", "y"]),
        ("a: &x 1\nb: *x\nc: !!str 3\n", ["a:", "1", "b:", "c:", "3"]),
        ("--- !shape # x\na: 1\n", ["---", "a:", "1"]),
        ("%YAML 1.2\n---\na: 100%\n", ["---", "a:", "100%"]),
        ("a: [b, 'c # d', {e: f}] # g\n", ["a:", "[b,", "'c", "#", "d',", "{e:", "f}]"]),
        ('a: "open # string', ["a:", '"open', "#", "string"]),
        ('a: "\\ud800\\q"', ["a:", '"', '"']),
    ],
)
def test_yaml_keeps_names_and_values(text, kept):
    assert values(YAML, text) == kept


@pytest.mark.parametrize(
    "data", [b"a: |", b"a: |\r\n  b\r\n\r\nc", b"[[[]]]]]: x", b"\\\xff\xfe: \xff", b'"\\']
)
def test_yaml_of_any_sort_keeps_its_length(data):
    assert len(YAML.extract(data, None, None).text) == len(data)


@pytest.mark.parametrize("text", ["x;3.50;a b\n", '"x","3.5","a b"\n', "x\t3.500\ta b\n", "x|3.5|a b\r\n"])
def test_tables_are_the_same_with_any_separator_and_quotes(text):
    assert values(TABLE, text) == ["x", "3.5", "a", "b"]


def test_only_numbers_lose_zeros():
    assert values(TABLE, "10,100.,-2.00,v1.20,1.10.0,0.0\n") == ["10", "100.", "-2", "v1.20", "1.10.0", "0"]


def test_rows_and_columns_of_a_table_are_said():
    assert TABLE.extract(b'a,"b\nc",d\n1,2,3\n', None, None).detail == "2 rows of 3 columns"


def test_entities_that_are_not_expanded_are_said():
    bomb = b'<!DOCTYPE a [<!ENTITY b "c c c"><!ENTITY d "&b;&b;&b;">]><a>&d;</a>'
    assert XML.extract(bomb, None, None).detail == "entities are not expanded"
    assert XML.extract(b"<a>b &amp; c</a>", None, None).detail == ""


def test_one_table_and_one_set_of_settings_is_the_same_in_every_spelling(tmp_path):
    rows = [[f"row {at}", f"{at * 0.5:.2f}", " ".join(prose(at).split()[:12])] for at in range(40)]
    (tmp_path / "a.csv").write_text("".join(",".join(f'"{each}"' for each in row) + "\n" for row in rows))
    (tmp_path / "b.tsv").write_text("".join("\t".join(row).replace(".00", "") + "\n" for row in rows))
    shop = {f"item{at}": {"says": " ".join(prose(at).split()[:12]) + " café", "n": at} for at in range(30)}
    (tmp_path / "a.json").write_text(json.dumps(shop, indent=1))
    (tmp_path / "b.yaml").write_text(
        "".join(
            f"item{at}: # number {at} of all the things that are in this shop\n"
            f"  says: &m{at} {each['says']}\n  n: {at}\n"
            for at, each in enumerate(shop.values())
        )
    )
    found = {
        (pair.left.rpartition("/")[2], pair.right.rpartition("/")[2]): pair.similarity
        for pair in copysift.scan(tmp_path).pairs
    }
    assert found["a.csv", "b.tsv"] > 0.9
    assert found["a.json", "b.yaml"] > 0.9


def test_what_is_too_large_to_read_by_value_is_read_as_it_is():
    document = Document("x.csv", Memory(b"a,b\n" * 9), Hint("x.csv"))
    (given,) = TABLE.open(document, Reading(limits=ArchiveLimits(member_bytes=20)))
    assert b"".join(given.content.chunks()) == b"a,b\n" * 9
    assert given.read_as.startswith("plain text: larger than 20 bytes")
