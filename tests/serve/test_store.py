"""A store: what is put is there as a whole, an index is sent once, and what nobody needs goes."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from copysift.errors import StoreError
from copysift.serve.store import ORPHAN, Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(str(tmp_path / "store"))


def folder(path: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (path / name).parent.mkdir(parents=True, exist_ok=True)
        (path / name).write_text(text)
    return path


def content(path: Path) -> dict[str, str]:
    return {str(each.relative_to(path)): each.read_text() for each in path.rglob("*") if each.is_file()}


def objects(tmp_path: Path) -> set[str]:
    return set(content(tmp_path / "store"))


def test_a_folder_comes_back_as_it_was(store: Store, tmp_path: Path) -> None:
    files = {"1": "x = 1\n", "deep/2": "ä", "files.json": "[]"}
    store.put_folder("jobs/a/in.tar", folder(tmp_path / "in", files))
    (tmp_path / "here").mkdir()
    store.get_folder("jobs/a/in.tar", tmp_path / "here" / "in")
    assert content(tmp_path / "here" / "in") == files
    assert [path.name for path in (tmp_path / "here").iterdir()] == ["in"]
    store.remove("jobs/a")
    with pytest.raises(StoreError, match=r"the store has no jobs/a/in\.tar"):
        store.get_folder("jobs/a/in.tar", tmp_path / "here" / "gone")
    assert not (tmp_path / "here" / "gone").exists()


def test_a_change_of_an_index_sends_only_what_is_new_and_both_versions_can_be_had(
    store: Store, tmp_path: Path
) -> None:
    index = folder(tmp_path / "i", {"catalog": "one", "segments/1": "long" * 1000})
    store.put_index("i.sift", index, "v1", "")
    before = objects(tmp_path)
    folder(index, {"catalog": "two", "segments/2": "more"})
    store.put_index("i.sift", index, "v2", "v1")
    assert len(objects(tmp_path) - before) == 3  # the catalog, a segment, the list
    for version, catalog in (("v1", "one"), ("v2", "two")):
        store.get_index("i.sift", version, tmp_path / version)
        assert content(tmp_path / version)["catalog"] == catalog
    assert store.index_bytes("i.sift", "v2") == 3 + 4000 + 4
    store.prune_index("i.sift", "v2")
    store.get_index("i.sift", "v2", tmp_path / "again")
    assert content(tmp_path / "again") == content(index)
    with pytest.raises(StoreError):
        store.get_index("i.sift", "v1", tmp_path / "old")


def test_what_was_never_accepted_is_removed_after_a_while(store: Store, tmp_path: Path) -> None:
    for name in ("known", "orphan", "young"):
        store.put_folder(f"jobs/{name}/in.tar", folder(tmp_path / name, {"1": name}))
    past = time.time() - ORPHAN - 10
    for name in ("known", "orphan"):
        os.utime(tmp_path / "store" / "jobs" / name / "in.tar", (past, past))
    store.remove_orphans({"known"}.__contains__)
    assert objects(tmp_path) == {"jobs/known/in.tar", "jobs/young/in.tar"}


def test_a_store_that_cannot_be_written_is_refused_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(StoreError, match="cannot write to store"):
        Store(str(tmp_path / "file"))
