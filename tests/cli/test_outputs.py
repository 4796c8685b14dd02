"""What commands write and say besides their answer."""

import json
import os
import stat
import zipfile

from copysift.engines.output_targets import whole
from tests.cli.program import copysift, write
from tests.cli.submissions import essay
from tests.cli.texts import prose


def test_dedup_says_that_bytes_cannot_be_written_as_text(tmp_path):
    write(
        tmp_path, {"d/a.bin": bytes(range(256)) * 20, "d/b.txt": prose(1), "d/c.bin": b"\0\xff\xfe\x81" * 999}
    )
    done = copysift(tmp_path, "dedup", "d", "-o", "clean.jsonl", "--kind", "bytes")
    assert done.status == 0
    assert "2 documents are not text: clean.jsonl has U+FFFD instead of their bytes" in done.err
    assert "Copy the files that its IDs name" in done.err
    done = copysift(
        tmp_path, "dedup", "d/b.txt", "-o", "text.jsonl", "--kind", "bytes", "--input-format", "folder"
    )
    assert (done.status, done.err) == (0, "")


def test_two_writers_of_one_file_do_not_share_their_unfinished_files(tmp_path):
    target = tmp_path / "out.jsonl"
    with whole([target]) as one, whole([target]) as other:
        one[0].write_text("one")
        other[0].write_text("other")
        assert one[0].read_text() == "one"
    assert target.read_text() == "one"  # the last that was done
    assert list(tmp_path.iterdir()) == [target]


def test_the_key_of_pseudonyms_is_private_from_the_start(tmp_path, monkeypatch):
    from copysift.cli.main import main

    write(tmp_path, {"d/ann/a.txt": essay(1), "d/bob/b.txt": essay(1)})
    monkeypatch.chdir(tmp_path)
    modes = []
    kept = os.open

    def opened(path, flags, mode=0o777, **more):
        made = kept(path, flags, mode, **more)
        if str(path).endswith(".part"):
            modes.append(stat.S_IMODE(os.fstat(made).st_mode))
        return made

    monkeypatch.setattr(os, "open", opened)
    assert main(["scan", "d", "--by", "dir", "--anonymise", "-o", "report.json", "--format", "json"]) == 0
    keys = [each for each in tmp_path.iterdir() if "key" in each.name]
    assert keys
    assert stat.S_IMODE(keys[0].stat().st_mode) == 0o600
    assert 0o600 in modes


def test_a_sweep_tells_starter_code_from_boilerplate(tmp_path):
    kit = essay(9, 90)
    write(tmp_path, {"d/a.txt": kit + essay(1), "d/b.txt": kit + essay(2), "kit.txt": kit})
    done = copysift(tmp_path, "sweep", "s.sift", "d", "--date", "2026-01-01", "--base", "kit.txt")
    (line,) = [each for each in done.out.splitlines() if each.startswith("ignored: ")]
    assert line.startswith("ignored: starter code (--base), ")
    assert "that more than" not in line


def test_an_archive_under_two_names_is_compared_with_itself(tmp_path):
    write(tmp_path, {"a/x.txt": prose(3), "b/y.txt": prose(4)})
    with zipfile.ZipFile(tmp_path / "a/one.zip", "w") as archive:
        archive.writestr("in.txt", prose(1))
    os.link(tmp_path / "a/one.zip", tmp_path / "b/two.zip")
    found = json.loads(copysift(tmp_path, "compare", "a", "b", "--format", "json").out)
    assert [(pair["left"], pair["right"]) for pair in found["equal"]] == [
        ("one.zip!in.txt", "two.zip!in.txt")
    ]
    assert (found["only_left"], found["only_right"]) == (["x.txt"], ["y.txt"])


def test_a_run_is_queried_with_records_or_a_text(tmp_path):
    rows = [{"id": f"n{at}", "text": prose(at)} for at in range(1, 4)]
    write(tmp_path, {"c.jsonl": "".join(json.dumps(row) + "\n" for row in rows)})
    copysift(tmp_path, "cluster", "c.jsonl", "-o", "run", "-q")

    def asked(*given):
        done = copysift(tmp_path, "query", "run", "c.jsonl", "--format", "json", "--threshold", "0", *given)
        return len(json.loads(done.out)["queries"])

    assert asked() == 3
    assert asked("--records", "no") == 1
    assert asked("--input-format", "lines") == 3
    assert (
        copysift(tmp_path, "query", "run", "c.jsonl", "--max-bytes-per-file", "10").err.count(
            "is larger than"
        )
        == 3
    )
