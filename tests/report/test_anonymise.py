import dataclasses
import json

import pytest

from copysift.errors import UsageError
from copysift.model.values import Listing, Skipped, Submission
from copysift.report import csv_report as rows
from copysift.report import json_report as records
from copysift.report import page, table
from copysift.report.anonymise import anonymised, read_key, written_key
from copysift.report.view import View
from tests.report.test_page import IMG, data_of, example, source, unpacked


def class_of_three():
    result = example()
    return dataclasses.replace(
        result,
        submissions=(
            Submission("hw/ann", author="Ann Ash"), Submission(IMG, label="Ümit"),
            Submission("hw/e", note="empty"),
        ),
        skipped=(
            Skipped("hw/ann/broken.py", "is cut short"),
            Skipped("class.csv, line 3", "'Ann Ash' names nobody"),
        ),
        equal=(("hw/ann", IMG),),
        listings=(Listing("hw/ann", ((IMG, 0.5),)),),
        settings={**result.settings, "base": ["hw/ann/kit"], "metadata": "ann.csv"},
    )  # fmt: skip


def said(name, start, end):
    return b"# by Ann Ash and \xc3\x9cmit; ASH planned, Announcement"[start:end]


def test_no_name_is_left_in_any_report():
    made = anonymised(class_of_three(), View(source=said), {}, 0)
    data = data_of(page.report(made.result, made.view))
    parts = [json.dumps(data["overview"], ensure_ascii=False), json.dumps(data["charts"], ensure_ascii=False)]
    parts += [unpacked(packed)["text"] for packed in data["sources"].values()]
    for report in (records.report, rows.report, table.report):
        parts.append(report(made.result, dataclasses.replace(made.view, passages=9)))
    for written in parts:
        assert not [name for name in ("hw/", "Ann Ash", "Ümit", IMG, "ann.csv") if name in written]


def test_names_in_sources_are_blotted_out_byte_for_byte():
    view = anonymised(class_of_three(), View(source=said), {}, 0).view
    name = anonymised(class_of_three(), View(source=said), {}, 0).result.documents[0].name
    assert view.source(name, 0, 99) == b"# by ******* and *****; *** planned, Announcement"


@pytest.mark.parametrize(
    ("name", "author"),
    [
        ("hw/Mira Berg_12340_assignsubmission_file_", "Mira Berg"),
        ("hw/Mira Berg_12340_assignsubmission_onlinetext_", ""),
        ("all.zip/Mira Berg_12340_assignsubmission_file_/loans.py", ""),
        ("hw/Mira Berg_12340", ""),
        ("hw/Mira Berg_LATE_12340_77_loans-1.py", "Mira Berg"),
        ("homework_3/Mira Berg", ""),
    ],
)
def test_words_and_numbers_of_a_platform_are_no_names(name, author):
    result = dataclasses.replace(
        class_of_three(), submissions=(Submission("hw/ann"), Submission(IMG), Submission(name, author=author))
    )
    written = b"open(file, 12340) # onlinetext assignsubmission late loans: Berg, mira"
    made = anonymised(result, View(source=lambda name, start, end: written), {}, 0)
    assert made.view.source(made.result.documents[0].name, 0, 99) == written[:-10] + b"****, ****"


def test_pseudonyms_are_stable_and_differ_with_the_secret():
    keys = [anonymised(class_of_three(), View(), {}, secret).key for secret in (0, 0, 1, 2, 3, 4)]
    assert keys[0] == keys[1]
    assert any(key != keys[0] for key in keys[2:])
    assert sorted(keys[0].values()) == sorted(["hw/ann", IMG, "hw/e"])


def test_pseudonyms_of_an_earlier_key_stay():
    known = {"S07": "hw/ann", "S02": "hw/gone"}
    key = anonymised(class_of_three(), View(), known, 0).key
    assert key["S07"] == "hw/ann"
    assert key["S02"] == "hw/gone"
    assert set(key) == {"S07", "S02", "S08", "S09"}


def test_files_keep_their_suffix_and_regions_their_place():
    result = anonymised(class_of_three(), View(source=source), {}, 0).result
    region = result.pairs[0].regions[0]
    names = {each.name for each in result.documents}
    assert {region.left.file, region.right.file} <= names
    assert sorted(name.rpartition(".")[2] for name in names) == ["bin", "py", "py"]


def test_a_key_is_read_as_it_was_written_and_anything_else_is_refused():
    key = {"S01": 'a,"b"\n', "S02": "ü"}
    assert read_key(written_key(key), "x") == key
    with pytest.raises(UsageError, match="is not a key"):
        read_key("name,grade\nann,1\n", "x")
