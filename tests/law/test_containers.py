"""Containers are opened in every command, by content, not by name; --no-containers turns it off."""

import gzip
import io
import json
import os
import re
import shutil
import subprocess
import time
import zipfile

import pytest

import copysift
from copysift.errors import InputError
from copysift.sources.inputs import Inputs
from tests.cli.program import copysift as run
from tests.cli.texts import prose
from tests.sources.packing import tarred, zipped

OLD = time.time() - 100
FILES = {f"d/{n}.txt": (prose(n // 2) + f" number {n}").encode() for n in range(6)}


def put(path, data):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    os.utime(path, (OLD, OLD))


def documents(folder, *arguments):
    content = json.loads(run(folder, "scan", *arguments, "--format", "json").out)
    return {each["name"]: each["read_as"] for each in content["documents"]}


@pytest.mark.parametrize("name", ["X.zip", "x-1.0-py3-none-any.whl", "x.jar", "no_suffix", "x.txt"])
@pytest.mark.parametrize("place", ["", "in/"])
def test_every_command_opens_a_zip_whatever_its_name(tmp_path, name, place):
    put(tmp_path / (place + name), zipped(FILES))
    given = place or name
    names = {f"{place}{name}!{inner}" for inner in FILES}
    assert documents(tmp_path, given) == dict.fromkeys(names, "member of a zip archive")
    assert run(tmp_path, "index", "add", "i.sift", given).out == "6 added, 0 changed, 0 unchanged\n"
    queries = json.loads(run(tmp_path, "query", "i.sift", given, "--format", "json").out)["queries"]
    assert {each["name"] for each in queries} == names
    assert "6 documents, 3 clusters" in run(tmp_path, "cluster", given, "-o", "run").err
    assert "6 documents: 3 kept" in run(tmp_path, "dedup", given, "-o", "out.jsonl").out
    assert "6 documents: 6 new" in run(tmp_path, "sweep", "s.sift", given, "--date", "2026-01-01").out


@pytest.mark.parametrize("pack", [tarred, lambda files: gzip.compress(tarred(files))])
def test_a_tar_is_known_by_its_content(tmp_path, pack):
    put(tmp_path / "in/data", pack(FILES))
    assert documents(tmp_path, "in") == {f"in/data!{name}": "member of a tar archive" for name in FILES}


def test_no_containers_turns_it_off_everywhere(tmp_path):
    put(tmp_path / "in/X.zip", zipped(FILES))
    put(tmp_path / "in/a.txt.gz", gzip.compress(prose(1).encode()))
    assert set(documents(tmp_path, "in", "--no-containers")) == {"in/X.zip", "in/a.txt.gz"}
    assert run(tmp_path, "index", "add", "i.sift", "in", "--no-containers").out.startswith("2 added")
    assert "is binary, not text" in run(tmp_path, "cluster", "in", "--no-containers", "-o", "run").err


def test_compressed_files_are_unpacked(tmp_path):
    import bz2
    import lzma

    text = prose(1).encode()
    put(tmp_path / "in/a.txt.gz", gzip.compress(text))
    put(tmp_path / "in/b.txt.bz2", bz2.compress(text))
    put(tmp_path / "in/c.txt.xz", lzma.compress(text))
    put(tmp_path / "in/plain.txt", text)
    content = json.loads(run(tmp_path, "scan", "in", "--format", "json").out)
    names = ["in/a.txt.gz!a.txt", "in/b.txt.bz2!b.txt", "in/c.txt.xz!c.txt", "in/plain.txt"]
    assert [each["members"] for each in content["equal"]] == [names]
    done = run(tmp_path, "compare", "in/a.txt.gz", "in/plain.txt")
    assert re.search(r"content +the same\n +wrapper +differs", done.out)


def test_archives_are_compared_like_folders(tmp_path):
    put(tmp_path / "A.zip", zipped(FILES))
    put(tmp_path / "B.whl", zipped({name: data + b" changed" for name, data in FILES.items()}))
    for name, data in FILES.items():
        put(tmp_path / "folder" / name, data)
    done = run(tmp_path, "compare", "A.zip", "B.whl", "--format", "json")
    changes = json.loads(done.out)["changes"]
    assert {(each["relation"], *each["left"], *each["right"]) for each in changes} == {
        ("changed", name, name) for name in FILES
    }
    found = copysift.compare_folders(tmp_path / "A.zip", tmp_path / "folder")
    assert found.equal == tuple((name, name) for name in FILES)
    with pytest.raises(InputError, match="is an archive"):
        copysift.compare(tmp_path / "A.zip", tmp_path / "B.whl")


def test_containers_inside_containers_are_opened_to_a_depth(tmp_path):
    inner = zipped(FILES)
    put(tmp_path / "in/x", zipped({"y": gzip.compress(tarred({"z.bin": inner})), "w": inner}))
    names = documents(tmp_path, "in")
    assert set(names) == {f"in/x!y!z.bin!{name}" for name in FILES} | {f"in/x!w!{name}" for name in FILES}


def test_records_in_a_container_are_records(tmp_path):
    rows = [json.dumps({"id": f"r{n}", "text": prose(n // 2)}) for n in range(6)]
    files = {f"part-{n}.jsonl": "\n".join(rows[2 * n : 2 * n + 2]).encode() + b"\n" for n in range(3)}
    put(tmp_path / "S.zip", zipped(files))
    assert set(documents(tmp_path, "S.zip")) == {f"S.zip!part-{n // 2}.jsonl!r{n}" for n in range(6)}
    assert "6 documents, 3 clusters" in run(tmp_path, "cluster", "S.zip", "-o", "run").err


def test_a_hostile_container_is_a_named_skip_and_the_rest_is_read(tmp_path):
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}", b"\0" * (100 << 20))
    put(tmp_path / "in/bomb.zip", bomb.getvalue())
    put(tmp_path / "in/cut.zip", zipped(FILES)[:200])
    put(tmp_path / "in/good.zip", zipped(FILES))
    done = run(tmp_path, "scan", "in", "--format", "json", "--limit", "1")
    assert done.status == 3
    content = json.loads(done.out)
    assert {f"in/good.zip!{name}" for name in FILES} <= {each["name"] for each in content["documents"]}
    reasons = {each["name"]: each["reason"] for each in content["skipped"]}
    assert "unpacks to more than" in reasons["in/bomb.zip"]
    assert "truncated or damaged" in reasons["in/cut.zip"]


def test_what_only_begins_like_a_container_is_a_document(tmp_path):
    put(tmp_path / "in/odd", b"\x1f\x8b\x08 is how gzip begins; " + prose(1).encode())
    put(tmp_path / "in/PK", b"PK\3\4" + prose(1).encode())
    found = documents(tmp_path, "in")
    assert set(found) == {"in/PK", "in/odd"}


def test_an_unchanged_archive_is_not_opened_again_and_lost_members_go(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "in/X.zip", zipped(FILES))
    opened = Inputs.members
    with copysift.Index("i.sift") as index:
        assert index.add("in").added == 6
        assert index.source("in/X.zip!d/3.txt") == FILES["d/3.txt"]
        monkeypatch.setattr(Inputs, "members", None)
        assert index.update().unchanged == 6
        monkeypatch.setattr(Inputs, "members", opened)
        put(tmp_path / "in/X.zip", zipped({"d/1.txt": FILES["d/1.txt"]}))
        done = index.update()
        assert (done.unchanged, done.removed) == (1, 5)


def test_an_index_that_has_an_archive_as_one_document_gets_its_members(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    put(tmp_path / "X.zip", zipped(FILES))
    with copysift.Index("i.sift", no_containers=True) as index:
        assert index.add("X.zip").added == 1
    with copysift.Index("i.sift") as index:
        assert index.update().unchanged == 1  # how it was read last is remembered
    with copysift.Index("i.sift", no_containers=False) as index:
        done = index.update()
        assert (done.added, done.removed) == (6, 1)
        assert {each.name for each in index.documents()} == {f"X.zip!{name}" for name in FILES}


def test_members_are_judged_by_their_own_names(tmp_path):
    put(
        tmp_path / "a.zip",
        zipped({"Makefile": b"all:\n\tcc -o x x.c\n" * 20, "x.py": b"def f(a):\n    return a\n" * 20}),
    )
    content = json.loads(run(tmp_path, "scan", "a.zip", "--kind", "code", "--format", "json").out)
    assert {each["name"]: each["kind"] for each in content["documents"]}["a.zip!x.py"] == "code"


def test_a_submission_may_be_a_container_of_any_name(tmp_path):
    files = {"src/main.py": prose(1).encode(), "notes!.txt": prose(2).encode()}
    for name in ("ann", "bob.zip", "cleo.submission"):
        put(tmp_path / "hw" / name, zipped(files))
    content = json.loads(run(tmp_path, "scan", "--by", "dir", "hw", "--format", "json").out)
    groups = {each["name"]: each["group"] for each in content["documents"]}
    authors = ("ann", "bob.zip", "cleo.submission")
    assert groups == {f"hw/{name}!{inner}": f"hw/{name}" for name in authors for inner in files}


def test_include_looks_into_containers(tmp_path):
    put(tmp_path / "in/X.zip", zipped({"a.py": b"x = 1\n", "b.txt": b"text"}))
    put(tmp_path / "in/c.txt", b"text")
    assert set(documents(tmp_path, "in", "--include", "*.py")) == {"in/X.zip!a.py"}


def test_a_git_revision_is_read_like_a_folder(tmp_path):
    repository = tmp_path / "repo"
    put(repository / "X.zip", zipped(FILES))
    put(repository / "c.jsonl", b'{"uri": "http://a", "text": "one two three"}\n')
    put(repository / "a.txt", prose(7).encode())
    for step in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", "-C", str(repository), *step], check=True)
    shutil.copytree(repository, tmp_path / "copy", ignore=shutil.ignore_patterns(".git"))
    done = run(tmp_path, "sweep", "s.sift", "repo", "--revision", "HEAD", "--date", "2026-01-01")
    assert "8 documents: 8 new" in done.out
    done = run(tmp_path, "sweep", "s.sift", "copy", "--date", "2026-01-02")
    assert "8 documents: 0 new, 0 changed, 8 unchanged, 0 gone" in done.out


def test_a_sweep_of_a_folder_names_a_damaged_archive_and_one_of_the_archive_itself_refuses_it(tmp_path):
    put(tmp_path / "in/a.txt", prose(7).encode())
    put(tmp_path / "in/X.zip", zipped(FILES)[:-30])
    done = run(tmp_path, "sweep", "s.sift", "in", "--date", "2026-01-01")
    assert (done.status, "X.zip: is truncated or damaged" in done.err) == (3, True)
    assert run(tmp_path, "sweep", "t.sift", "in/X.zip", "--date", "2026-01-01").status == 2
