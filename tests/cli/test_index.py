import json
import subprocess
import sys

import pytest

from tests.cli.program import copysift, environment, write
from tests.cli.test_main import HEAVY
from tests.cli.texts import prose


def three(folder):
    write(folder, {"d/a.txt": prose(1), "d/b.txt": prose(1) + prose(2), "d/c.txt": prose(3)})


def test_add_list_and_info_tell_what_is_there(tmp_path):
    three(tmp_path)
    done = copysift(tmp_path, "index", "add", "x.sift", "d")
    assert (done.status, done.out, done.err) == (0, "3 added, 0 changed, 0 unchanged\n", "")
    done = copysift(tmp_path, "index", "list", "x.sift")
    assert done.status == 0
    assert [line.split()[-1] for line in done.out.splitlines()] == ["d/a.txt", "d/b.txt", "d/c.txt"]
    sizes = [int(line.split()[0].replace(",", "")) for line in done.out.splitlines()]
    assert sizes == [(tmp_path / "d" / name).stat().st_size for name in ("a.txt", "b.txt", "c.txt")]
    done = copysift(tmp_path, "index", "list", "x.sift", "-0")
    assert done.out == "d/a.txt\0d/b.txt\0d/c.txt\0"
    rows = [
        json.loads(line)
        for line in copysift(tmp_path, "index", "list", "x.sift", "--format", "json").out.splitlines()
    ]
    assert [row["name"] for row in rows] == ["d/a.txt", "d/b.txt", "d/c.txt"]
    assert set(rows[0]) == {"name", "kind", "bytes", "fingerprints", "checksum", "kept", "unit"}
    done = copysift(tmp_path, "index", "list", "x.sift", "--format", "csv")
    assert done.out.splitlines()[0] == "name,kind,bytes,fingerprints,checksum,kept,unit"
    done = copysift(tmp_path, "index", "info", "x.sift")
    for words in (
        "documents     3 (3 different)",
        "bytes per fingerprint",
        "% of the text",
        "made with     kind auto",
    ):
        assert words in done.out
    numbers = json.loads(copysift(tmp_path, "index", "info", "x.sift", "--format", "json").out)
    assert numbers["documents"] == 3
    assert numbers["text_bytes"] == sum(sizes)
    assert numbers["fingerprints"] == sum(row["fingerprints"] for row in rows)


def test_query_ranks_with_both_containments(tmp_path):
    three(tmp_path)
    copysift(tmp_path, "index", "add", "x.sift", "d")
    done = copysift(tmp_path, "query", "x.sift", "d/a.txt")
    lines = done.out.splitlines()
    assert done.status == 0
    assert lines[0] == "d/a.txt: 2 documents"
    assert lines[1].split() == [
        "of",
        "query",
        "of",
        "document",
        "resemblance",
        "sif",
        "shared",
        "size",
        "document",
    ]
    assert lines[2].split()[:4] == ["100%", "100%", "100%", "100%"]
    assert lines[2].endswith("  d/a.txt  (equal)")
    assert lines[3].endswith("  d/b.txt")
    assert done.err == ""


def test_query_takes_standard_input_and_text(tmp_path):
    three(tmp_path)
    copysift(tmp_path, "index", "add", "x.sift", "d")
    done = copysift(tmp_path, "query", "x.sift", "-", "--format", "csv", stdin=prose(3).encode())
    header, row = done.out.splitlines()
    assert header.startswith("left,right,equal,resemblance,containment_left,containment_right,sif,shared")
    assert row.startswith("-,d/c.txt,true,1.000000,1.000000,1.000000,1.000000,")
    done = copysift(tmp_path, "query", "x.sift", "--text", prose(2), "--format", "json")
    content = json.loads(done.out)
    assert set(content) == {"version", "settings", "queries", "hits", "skipped"}
    (hit,) = content["hits"]
    assert set(hit) == {
        "left", "right", "equal", "resemblance", "containment_left", "containment_right", "sif", "shared",
        "bytes_right", "longest", "lines", "channel", "intervals", "regions", "similarity",
    }  # fmt: skip
    assert hit["right"] == "d/b.txt"
    assert hit["regions"][0]["right"]["file"] == "d/b.txt"


def test_query_shows_sif_s_listing_and_passages(tmp_path):
    three(tmp_path)
    copysift(tmp_path, "index", "add", "x.sift", "d")
    done = copysift(tmp_path, "query", "x.sift", "d/a.txt", "--format", "sif")
    size = [(tmp_path / "d" / name).stat().st_size for name in ("a.txt", "b.txt")]
    first, equal, part = done.out.splitlines()
    assert first == f"R100 d/a.txt {size[0]}"
    assert equal == f" EQUAL d/a.txt {size[0]}"
    assert part.split()[1:] == ["d/b.txt", str(size[1])]
    done = copysift(tmp_path, "query", "x.sift", "d/a.txt", "--passages", "1")
    assert "Longest shared passages: 1\n" in done.out
    assert "   d/b.txt:1-10\n" in done.out
    assert prose(1).splitlines()[3][:40] in done.out


def test_query_says_when_nothing_is_found_and_when_input_is_skipped(tmp_path):
    three(tmp_path)
    copysift(tmp_path, "index", "add", "x.sift", "d")
    done = copysift(tmp_path, "query", "x.sift", "--text", prose(9))
    assert done.status == 1
    assert done.out.endswith(": 0 documents\n")
    done = copysift(tmp_path, "query", "x.sift", "d/c.txt", "none.txt")
    assert done.status == 3
    assert done.err == "copysift: skipped none.txt: no such file or folder\n"
    assert "d/c.txt: 1 document\n" in done.out


def test_a_text_below_the_guarantee_threshold_is_remarked(tmp_path):
    three(tmp_path)
    copysift(tmp_path, "index", "add", "x.sift", "d")
    done = copysift(tmp_path, "query", "x.sift", "--text", "too short to be sure")
    assert "is shorter than the guarantee threshold (50): matches may be missed" in done.err


def test_query_options_window_quick_limit_and_threshold(tmp_path):
    three(tmp_path)
    copysift(tmp_path, "index", "add", "x.sift", "d")
    rows = {}
    for name, more in {"all": (), "window": ("--window", "80"), "quick": ("--quick", "7")}.items():
        done = copysift(tmp_path, "query", "x.sift", "d/a.txt", "--format", "csv", *more)
        rows[name] = [line.split(",") for line in done.out.splitlines()[1:]]
        assert [row[1] for row in rows[name]] == ["d/a.txt", "d/b.txt"]
    assert int(rows["all"][0][7]) > int(rows["window"][0][7]) > 0
    assert rows["quick"][0][7] == "7"
    done = copysift(tmp_path, "query", "x.sift", "d/a.txt", "--format", "csv", "--limit", "1")
    assert len(done.out.splitlines()) == 2
    done = copysift(tmp_path, "query", "x.sift", "d/a.txt", "--window", "3")
    assert done.status == 2
    assert done.err.startswith(
        "copysift: --window is 3, but the index was created with windows of 26 for text\nhint: "
    )


@pytest.mark.parametrize(
    ("measure", "threshold", "found"),
    [
        ("containment-right", "40%", 2),
        ("containment", "90%", 2),
        ("resemblance", "90%", 1),
        ("sif", "110%", 1),
        ("shared", "9", 2),
    ],
)  # what is equal is always named
def test_every_measure_may_rank_and_select(tmp_path, measure, threshold, found):
    three(tmp_path)
    copysift(tmp_path, "index", "add", "x.sift", "d")
    done = copysift(tmp_path, "query", "x.sift", "d/a.txt", "--measure", measure, "--threshold", threshold)
    assert bool(done.err) == (measure == "containment")  # whose meaning has changed
    assert len(done.out.splitlines()) == 2 + found


def test_wrong_usage_is_a_message_and_status_2(tmp_path):
    three(tmp_path)
    for arguments, message in [
        (
            ["query", "x.sift", "d/a.txt"],
            "copysift: x.sift is not an index\nhint: create one with copysift index add\n",
        ),
        (["index", "info", "d"], "copysift: d is not an index\nhint: create one with copysift index add\n"),
        (
            ["index", "update", "x.sift", "d"],
            "copysift: x.sift is not an index\nhint: create one with copysift index add\n",
        ),
        (
            ["index", "add", "d", "d"],
            "copysift: d already exists and is not an index\nhint: choose another name\n",
        ),
        (
            ["index", "add", "d/a.txt", "d"],
            "copysift: d/a.txt is a file and not an index\nhint: choose another name\n",
        ),
        (["index", "add", "y.sift", "d", "--scheme", "min"], None),
        (["index", "add", "y.sift"], None),
        (["index", "shred", "y.sift"], None),
    ]:
        done = copysift(tmp_path, *arguments)
        assert (done.status, done.out) == (2, ""), arguments
        assert done.err.startswith("copysift: ")
        assert len(done.err.splitlines()) <= 2
        if message:
            assert done.err == message
    assert not (tmp_path / "x.sift").exists()
    assert not (tmp_path / "y.sift").exists()
    copysift(tmp_path, "index", "add", "x.sift", "d")
    done = copysift(tmp_path, "query", "x.sift")
    assert (done.status, done.err.splitlines()[0]) == (2, "copysift: nothing to look up")
    done = copysift(tmp_path, "index", "add", "x.sift", "d", "--noise", "9")
    assert done.status == 2
    assert done.err.splitlines()[0] == "copysift: x.sift was created with --noise by kind; you gave --noise 9"


def test_update_and_remove(tmp_path):
    three(tmp_path)
    copysift(tmp_path, "index", "add", "x.sift", "d")
    (tmp_path / "d/c.txt").unlink()
    write(tmp_path, {"d/a.txt": prose(5)})
    done = copysift(tmp_path, "index", "update", "x.sift", "d")
    assert (done.status, done.out) == (0, "0 added, 1 changed, 1 unchanged, 1 removed\n")
    done = copysift(tmp_path, "index", "remove", "x.sift", "d/a.txt", "d/none.txt")
    assert (done.status, done.out) == (3, "1 removed\n")
    assert done.err == "copysift: skipped d/none.txt: not in the index\n"
    assert copysift(tmp_path, "index", "remove", "x.sift", "d/none.txt").status == 1
    done = copysift(tmp_path, "index", "compact", "x.sift")
    assert done.status == 0
    assert ", now 1 segment of " in done.out
    done = copysift(tmp_path, "index", "check", "x.sift")
    assert (done.status, done.out) == (0, "x.sift: no damage found\n")
    assert copysift(tmp_path, "index", "list", "x.sift").out.split()[-1] == "d/b.txt"


def test_check_names_what_is_damaged_and_repair_mends_it(tmp_path):
    three(tmp_path)
    copysift(tmp_path, "index", "add", "x.sift", "d", "--scheme", "robust")  # three pages of fingerprints
    segment = tmp_path / "x.sift/postings/00000001.seg"
    data = bytearray(segment.read_bytes())
    for at in (200, 850, -1):  # the first page, the second, and the entry of the last in the directory
        data[at] ^= 1
    segment.write_bytes(data)
    done = copysift(tmp_path, "query", "x.sift", "d/c.txt")
    assert done.status == 3
    assert done.err.startswith("copysift: skipped postings/00000001.seg: page 0 of 3 fails its checksum\n")
    done = copysift(tmp_path, "index", "check", "x.sift")
    assert done.status == 2
    assert "copysift: postings/00000001.seg page 0 of 3 fails its checksum\n" in done.err
    assert "copysift: d/a.txt has 0 of its " in done.err
    (tmp_path / "d/c.txt").unlink()
    done = copysift(tmp_path, "index", "check", "x.sift", "--repair")
    assert (done.status, done.out) == (3, "x.sift is partly repaired\n")
    assert "d/c.txt lost " in done.err
    done = copysift(tmp_path, "index", "check", "x.sift")
    assert (done.status, done.out) == (2, "")
    assert done.err.startswith("copysift: d/c.txt is incomplete: ")
    done = copysift(tmp_path, "query", "x.sift", "d/a.txt")
    assert (done.status, done.err) == (0, "")


def test_scan_of_an_index_is_the_scan_of_its_files(tmp_path):
    three(tmp_path)
    copysift(tmp_path, "index", "add", "x.sift", "d")
    expected = copysift(tmp_path, "scan", "d")
    assert expected.status == 0
    assert copysift(tmp_path, "scan", "x.sift").out == expected.out
    for path in (tmp_path / "d").iterdir():
        path.unlink()
    assert copysift(tmp_path, "scan", "x.sift").out == expected.out
    done = copysift(tmp_path, "scan", "x.sift", "d")
    reason = "no such file or folder, and x.sift stores no texts"  # beside others it is read as a source
    assert (done.status, done.err.splitlines()[0].partition(": ")[2].partition(": ")[2]) == (3, reason)


def test_new_files_are_compared_with_an_index_and_each_other_but_not_the_index_with_itself(tmp_path):
    three(tmp_path)
    copysift(tmp_path, "index", "add", "x.sift", "d")
    write(tmp_path, {"new/1.txt": prose(2) + prose(7), "new/2.txt": prose(7), "new/3.txt": prose(3)})
    done = copysift(tmp_path, "scan", "new", "--earlier", "x.sift", "--format", "csv")
    pairs = {tuple(line.split(",")[:3]) for line in done.out.splitlines()[1:]}
    assert pairs == {
        ("new/3.txt", "d/c.txt", "true"),
        ("new/1.txt", "new/2.txt", "false"),
        ("new/1.txt", "d/b.txt", "false"),
    }  # fmt: skip


def test_the_seed_comes_from_a_file_and_is_asked_for(tmp_path):
    three(tmp_path)
    write(tmp_path, {"secret": "open sesame\n"})
    done = copysift(tmp_path, "index", "add", "x.sift", "d", "--seed-file", "secret")
    assert done.status == 0
    done = copysift(tmp_path, "query", "x.sift", "d/a.txt")
    assert done.err == "copysift: x.sift was created with a secret seed\nhint: add --seed-file\n"
    done = copysift(tmp_path, "query", "x.sift", "d/a.txt", "--seed-file", "secret")
    assert (done.status, done.out.splitlines()[0]) == (0, "d/a.txt: 2 documents")
    assert copysift(tmp_path, "scan", "x.sift", "--seed-file", "secret").status == 0
    assert "open sesame" not in (tmp_path / "x.sift/catalog.sqlite").read_bytes().decode("latin-1")


def test_a_second_writer_is_told_who_writes(tmp_path):
    from copysift.store.writer import Writer

    three(tmp_path)
    copysift(tmp_path, "index", "add", "x.sift", "d")
    with Writer(tmp_path / "x.sift"):
        done = copysift(tmp_path, "index", "add", "x.sift", "d")
        assert done.status == 2
        assert done.err.startswith("copysift: x.sift is being written by process ")
        assert copysift(tmp_path, "query", "x.sift", "d/a.txt").status == 0


@pytest.mark.parametrize("arguments", [["query", "--help"], ["index", "--help"], ["index", "add", "--help"]])
def test_help_starts_light(arguments):
    code = (
        "import sys\n"
        "from copysift.cli.main import main\n"
        f"main({arguments!r})\n"
        f"print([name for name in sys.modules if name.startswith({HEAVY!r})], file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True
    )
    assert done.stderr == "[]\n"


def test_old_words_of_query_and_scan_work_and_print_a_note(tmp_path):
    three(tmp_path)
    copysift(tmp_path, "index", "add", "x.sift", "d", "-q")
    for old, new in (
        ("reverse", "containment-right"),
        ("either", "containment"),
    ):
        done = copysift(tmp_path, "query", "x.sift", "d/a.txt", "--measure", old)
        assert done.err == f"copysift: --measure {old} is now --measure {new}\n"
        assert done.out == copysift(tmp_path, "query", "x.sift", "d/a.txt", "--measure", new).out
    done = copysift(tmp_path, "query", "x.sift", "d/a.txt", "--measure", "containment")
    assert done.err == (
        "copysift: --measure containment is now the larger of the two; "
        "--measure containment-left is what it was\n"
    )
    done = copysift(tmp_path, "scan", "d/a.txt", "--against", "x.sift")
    assert done.err == "copysift: --against is now --earlier\n"
    assert done.out == copysift(tmp_path, "scan", "d/a.txt", "--earlier", "x.sift").out


def test_a_limit_of_0_lists_all_and_regions_are_left_out_of_json_on_request(tmp_path):
    three(tmp_path)
    copysift(tmp_path, "index", "add", "x.sift", "d", "-q")
    every = ("query", "x.sift", "d/a.txt", "--threshold", "0", "--format", "json")
    assert len(json.loads(copysift(tmp_path, *every, "--limit", "1").out)["hits"]) == 1
    hits = json.loads(copysift(tmp_path, *every, "--limit", "0").out)["hits"]
    assert len(hits) > 1
    assert any(hit["regions"] for hit in hits)
    bare = json.loads(copysift(tmp_path, *every, "--no-regions").out)["hits"]
    assert [hit["right"] for hit in bare] == [hit["right"] for hit in hits]
    assert not any(hit["regions"] for hit in bare)
    done = copysift(tmp_path, "scan", "d", "--format", "json", "--no-regions")
    assert not any(pair["regions"] for pair in json.loads(done.out)["pairs"])


def test_names_are_in_one_column_whatever_the_kind(tmp_path):
    write(
        tmp_path,
        {"d/a.py": "print(1)\n" * 20, "d/b.txt": "some text of a page " * 9, "d/c.js": "f(1);\n" * 20},
    )
    copysift(tmp_path, "index", "add", "x.sift", "d")
    listed = copysift(tmp_path, "index", "list", "x.sift").out.splitlines()
    assert len({line.index("d/") for line in listed}) == 1
    assert len(listed) == 3
