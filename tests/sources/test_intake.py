import pytest

from copysift.sources.files import load
from copysift.sources.source import Reading
from copysift.sources.spool import Spool
from copysift.sources.submission_intake import Grouping, Intake
from tests.cli.submissions import zipped


def take(*paths, by_dir=True):
    return Intake(Reading(), Spool(), by_dir).take(paths)


def groups(taken):
    found = {name: [] for name in taken.groups}
    for entry, group in taken.files:
        found[group].append(entry.path)
    return found


def test_a_first_level_folder_is_a_group_and_an_empty_one_too(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("hw/ann/a.py", "hw/ann/deep/b.py", "hw/bob/a.py", "hw/loose.py"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(name)
    (tmp_path / "hw/nobody").mkdir()
    assert groups(take("hw")) == {
        "hw/ann": ["hw/ann/a.py", "hw/ann/deep/b.py"],
        "hw/bob": ["hw/bob/a.py"],
        "hw/loose.py": ["hw/loose.py"],
        "hw/nobody": [],
    }


def test_a_zip_of_zips_gives_one_group_for_each_inner_archive(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    inner = zipped({"src/main.py": "x", "README": "y"})
    (tmp_path / "all.zip").write_bytes(
        zipped({"ann.zip": inner, "bob.zip": inner, "cleo/main.py": "z", "dora/": ""})
    )
    assert groups(take("all.zip")) == {
        "all.zip!ann.zip": ["all.zip!ann.zip!src/main.py", "all.zip!ann.zip!README"],
        "all.zip!bob.zip": ["all.zip!bob.zip!src/main.py", "all.zip!bob.zip!README"],
        "all.zip!cleo": ["all.zip!cleo/main.py"],
        "all.zip!dora": [],
    }


def test_archives_inside_a_folder_are_submissions(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "hw").mkdir()
    (tmp_path / "hw/ann.zip").write_bytes(zipped({"a.py": "x"}))
    (tmp_path / "hw/bob.zip").write_bytes(b"no archive at all")
    taken = take("hw")
    assert groups(taken) == {"hw/ann.zip": ["hw/ann.zip!a.py"], "hw/bob.zip": ["hw/bob.zip"]}
    assert [(each.name, each.reason) for each in taken.skipped] == [
        ("hw/bob.zip", "is not a zip or tar archive: it is compared as a file")
    ]


def test_members_of_archives_load_again_as_often_as_asked(tmp_path):
    (tmp_path / "a.zip").write_bytes(zipped({"x/a": "first", "y/b": "second"}))
    taken = Intake(Reading(), Spool(), True).take([str(tmp_path / "a.zip")])
    for _ in range(2):
        assert [load(entry).content.data for entry, _ in taken.files] == [b"first", b"second"]


def test_a_file_that_was_taken_before_is_not_taken_again(tmp_path):
    (tmp_path / "hw/kit").mkdir(parents=True)
    (tmp_path / "hw/kit/a.py").write_text("x")
    intake = Intake(Reading(), Spool(), True)
    assert len(intake.take([tmp_path / "hw/kit"]).files) == 1
    again = intake.take([tmp_path / "hw"])
    assert again.files == []
    assert again.groups == {}


@pytest.mark.parametrize(
    ("names", "name", "group"),
    [
        (["a.zip/hw/ann/x.py", "a.zip/hw/bob/x.py"], "a.zip/hw/ann/x.py", "a.zip/hw/ann"),
        (["a.zip/x.py", "a.zip/y.py"], "a.zip/x.py", "a.zip"),
        (["a.zip/src/x.py", "a.zip/src/y.py"], "a.zip/src/y.py", "a.zip/src"),
        (
            ["a.zip/doe_1_2_x.py", "a.zip/doe_1_2_y.py", "a.zip/roe_3_4_x.py"],
            "a.zip/doe_1_2_y.py",
            "a.zip/doe_1",
        ),
        (
            ["a.zip/Jo Li_5_assignsubmission_file_/x.py"],
            "a.zip/Jo Li_5_assignsubmission_file_/x.py",
            "a.zip/Jo Li_5_assignsubmission_file_",
        ),
    ],
)
def test_the_folder_that_wraps_an_archive_is_no_submission(names, name, group):
    assert Grouping("a.zip", names).group(name) == group


def unpacked(folder, *names):
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(name)


@pytest.mark.parametrize(
    "names",
    [
        ("submission_7001", "submission_7002"),
        ("lab3-ann", "lab3-bob", "lab3-cleo"),
        ("Ann Doe_12_assignsubmission_file_", "Bob Roe_13_assignsubmission_file_"),
    ],
)
def test_the_folder_of_an_export_that_was_unpacked_is_nobodys_submission(tmp_path, monkeypatch, names):
    monkeypatch.chdir(tmp_path)
    unpacked(tmp_path / "hw", *(f"export/{name}/src/main.py" for name in names))
    assert list(groups(take("hw"))) == [f"hw/export/{name}" for name in names]


@pytest.mark.parametrize("names", [("src", "test"), ("my-src", "my-test"), ("a", "b", "c")])
def test_the_folders_of_one_submission_are_no_submissions(tmp_path, monkeypatch, names):
    monkeypatch.chdir(tmp_path)
    unpacked(tmp_path / "hw", *(f"ann/{name}/main.py" for name in names))
    assert list(groups(take("hw"))) == ["hw/ann"]
