import contextlib
import gzip
import json
import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from tests.cli.program import copysift, environment, write
from tests.cli.texts import prose

A = prose(1)


def scanned(tmp_path, *options, timeout=300):
    done = copysift(tmp_path, "scan", ".", "--format", "json", *options, timeout=timeout)
    assert "Traceback" not in done.err
    return done, json.loads(done.out)


def test_empty_one_character_and_short_files_are_documents_without_fingerprints(tmp_path):
    write(
        tmp_path,
        {"empty": "", "empty2": "", "one": "x", "short": "a few words", "short2": "a few words", "a.txt": A},
    )
    done, content = scanned(tmp_path)
    assert (done.status, done.err) == (0, "")
    counts = {each["name"]: each["fingerprints"] for each in content["documents"]}
    assert counts.pop("./a.txt") > 20
    assert counts == {"./empty": 0, "./empty2": 0, "./one": 0, "./short": 0, "./short2": 0}
    assert [(pair["left"], pair["right"], pair["equal"]) for pair in content["pairs"]] == [
        ("./short", "./short2", True)
    ]


def test_nul_bytes_make_a_file_binary_and_it_is_still_compared(tmp_path):
    data = bytes(range(256)) * 2 + os.urandom(4000)
    write(tmp_path, {"a.bin": data, "b.bin": b"\0\0" + data[:3000] + os.urandom(500)})
    done, content = scanned(tmp_path)
    assert {each["kind"] for each in content["documents"]} == {"bytes"}
    assert len(content["pairs"]) == 1
    assert done.status == 0


@pytest.mark.parametrize(
    "encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "utf-32", "latin-1", "cp1252"]
)
def test_the_same_text_is_found_in_every_encoding(tmp_path, encoding):
    text = "".join(f"{line} déjà vu, naïve façade, über alles\n" for line in A.splitlines())
    write(tmp_path, {"utf8.txt": text, "other.txt": text.encode(encoding)})
    _, content = scanned(tmp_path)
    (pair,) = content["pairs"]
    assert pair["similarity"] > 0.9


@pytest.mark.parametrize("encoding", ["shift_jis", "gb18030", "big5", "koi8-r", "euc-kr", "iso2022_jp"])
def test_odd_encodings_never_stop_the_scan(tmp_path, encoding):
    words = {
        "koi8-r": "съешь же ещё этих мягких французских булок, да выпей чаю ",
        "euc-kr": "다람쥐 헌 쳇바퀴에 타고파 ",
        "big5": "中國人民大學生活 ",
    }
    text = words.get(encoding, "日本中国人民大学生活 ") * 30
    write(tmp_path, {"odd.txt": text.encode(encoding), "a.txt": A})
    done, content = scanned(tmp_path)
    assert done.status == 1
    assert len(content["documents"]) == 2


def test_invalid_utf_8_is_replaced_never_raised(tmp_path):
    broken = A.encode()
    broken = b"\xff\xfe\x80 ".join([broken[:300], broken[300:600], broken[600:]])[2:]
    write(tmp_path, {"a.txt": A, "broken.txt": broken + b"\xe2\x82"})
    _, content = scanned(tmp_path, "--kind", "text")
    assert content["pairs"][0]["similarity"] > 0.7


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read everything")
def test_an_unreadable_file_is_named_and_the_rest_goes_on(tmp_path):
    write(tmp_path, {"a.txt": A, "b.txt": A + " more", "locked.txt": A})
    (tmp_path / "locked.txt").chmod(0)
    done, content = scanned(tmp_path)
    assert done.status == 3
    assert done.err == "copysift: skipped ./locked.txt: permission denied\n"
    assert len(content["pairs"]) == 1


def test_a_file_that_vanishes_after_listing_is_named(tmp_path, monkeypatch):
    import copysift
    from copysift.sources.walk import Walker

    write(tmp_path, {"a.txt": A, "b.txt": A + " more", "gone.txt": A})
    true_below = Walker.below

    def below(*arguments):
        found = list(true_below(*arguments))
        (tmp_path / "gone.txt").unlink()
        return iter(found)

    monkeypatch.setattr(Walker, "below", below)
    result = copysift.scan(tmp_path)
    assert [(each.name, each.reason) for each in result.skipped] == [
        (str(tmp_path / "gone.txt"), "no such file or folder")
    ]
    assert len(result.pairs) == 1


def test_a_fifo_and_a_socket_in_the_tree_never_block(tmp_path):
    import socket

    write(tmp_path, {"a.txt": A, "b.txt": A + " more"})
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as listening:
        with contextlib.chdir(tmp_path):  # the path of a socket must be short
            listening.bind("sock")
        done, content = scanned(tmp_path)
    assert done.status == 3
    assert done.err == (
        "copysift: skipped ./pipe: is a named pipe (FIFO), not a file\n"
        "copysift: skipped ./sock: is a socket, not a file\n"
    )
    assert [each["name"] for each in content["skipped"]] == ["./pipe", "./sock"]
    assert len(content["pairs"]) == 1


def test_names_of_any_bytes_are_reported_safely(tmp_path):
    for name in (b"caf\xe9.txt", b"new\nline.txt", b"\x1b[31mred.txt"):
        with open(bytes(tmp_path) + b"/" + name, "wb") as file:
            file.write(A.encode() + name * 3)
    table = copysift(tmp_path, "scan", ".")
    assert "caf\\xe9.txt" in table.out
    assert "new\\x0aline.txt" in table.out
    assert "\x1b" not in table.out
    _, content = scanned(tmp_path)
    assert {os.fsencode(each["name"]) for each in content["documents"]} == {
        b"./caf\xe9.txt", b"./new\nline.txt", b"./\x1b[31mred.txt",
    }  # fmt: skip
    assert sorted(copysift(tmp_path, "scan", ".", "-0").out.split("\0"))[-1] == "./new\nline.txt"


def peak_megabytes(tmp_path, *arguments):
    """Run a scan and give its status, output and the most memory that it held."""
    code = (
        "import resource, sys\n"
        "from copysift.cli.main import main\n"
        "status = main(sys.argv[1:])\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024, status, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        cwd=tmp_path, env=environment(), capture_output=True, text=True, timeout=150, check=True,
    )  # fmt: skip
    peak, status = done.stderr.split()[-2:]
    return int(peak), int(status), done.stdout


def one_byte_file(path, size, byte=b"0"):
    with open(path, "wb") as file:
        if byte == b"\0":
            file.truncate(size)
            return
        for _ in range(size // (1 << 20)):
            file.write(byte * (1 << 20))


@pytest.mark.parametrize("byte", [b"0", b"\0", b" "])
def test_a_large_file_of_one_byte_takes_bounded_memory(tmp_path, byte):
    one_byte_file(tmp_path / "large", 64 << 20, byte)
    one_byte_file(tmp_path / "less", 8 << 20, byte)
    base, _, _ = peak_megabytes(tmp_path, "scan", "--files-from", os.devnull, "/dev/null")
    peak, status, _ = peak_megabytes(tmp_path, "scan", ".", "--format", "csv")
    assert status in (0, 1)
    assert peak < base + 150


@pytest.mark.slow
def test_a_gigabyte_of_one_byte_takes_bounded_memory(tmp_path):
    one_byte_file(tmp_path / "large", 1 << 30)
    write(tmp_path, {"a.txt": A})
    peak, status, _ = peak_megabytes(tmp_path, "scan", ".", "--format", "json")
    assert status == 1
    assert peak < 400


@pytest.mark.slow
def test_a_line_of_a_hundred_megabytes_is_compared_and_shown(tmp_path):
    line = (A.replace("\n", " ") * 2).encode()
    large = b"".join(b"%d %s" % (number, line) for number in range((100 << 20) // len(line)))
    write(tmp_path, {"line.txt": large, "a.txt": A})
    peak, status, out = peak_megabytes(tmp_path, "scan", ".", "--passages", "1")
    assert status == 0
    assert "a.txt" in out
    assert len(out) < 20_000
    assert peak < 3000


def test_a_name_that_fills_the_screen_is_cut_in_the_middle(tmp_path):
    write(tmp_path, {"a.txt": A, "names": "x" * 9000})
    done = copysift(tmp_path, "scan", "a.txt", "--files-from", "names")
    assert done.status == 3
    assert len(done.err) < 600
    assert "xxx … xxx" in done.err


@pytest.mark.parametrize("comments", [60, 100_000])
def test_many_comments_before_the_first_tag_are_passed_over_once(tmp_path, comments):
    head = '<?xml version="1.0"?>\n' + "<!-- -->\n" * comments
    write(tmp_path, {"drawing.svg": f"{head}<svg></svg>\n", "page": f"{head}<html><p>{A}</p></html>\n"})
    done, content = scanned(tmp_path, timeout=60)
    assert (done.status, done.err) == (1, "")  # read to the end, and no pair found
    assert {each["name"] for each in content["documents"]} == {"./drawing.svg", "./page"}


@pytest.mark.parametrize("pax", [False, True])
@pytest.mark.parametrize("name", ["hostile.tar", "hostile.tar.gz"])
def test_a_tar_that_claims_more_than_it_has_is_named_and_the_rest_goes_on(tmp_path, name, pax):
    whole, claiming = tarfile.TarInfo("whole.txt"), tarfile.TarInfo("claiming.txt")
    whole.size = len(A.encode())
    if pax:
        claiming.pax_headers = {"size": str(1 << 60)}
    else:
        claiming.size = 1 << 60
    body = A.encode() + bytes(-len(A.encode()) % 512)
    header = claiming.tobuf(tarfile.PAX_FORMAT if pax else tarfile.GNU_FORMAT)
    data = whole.tobuf() + body + header + b"some text"
    write(tmp_path, {name: gzip.compress(data) if name.endswith("gz") else data, "a.txt": A})
    done = copysift(tmp_path, "scan", "a.txt", name, "--by", "dir", "--format", "json", timeout=60)
    content = json.loads(done.out)
    assert {each["name"] for each in content["documents"]} == {"a.txt", f"{name}!whole.txt"}
    assert {each["name"]: each["reason"] for each in content["skipped"]} == {
        f"{name}!claiming.txt": "is truncated or damaged inside the archive",
        f"{name}": "is truncated or damaged: what came before was kept",
    }


@pytest.mark.parametrize(
    "command",
    [
        ("scan", "nowhere"),
        ("index", "add", "new.sift", "nowhere"),
        ("query", "old.sift", "nowhere"),
        ("cluster", "nowhere", "-o", "run"),
        ("dedup", "nowhere", "-o", "clean.jsonl"),
        ("order", "nowhere"),
        ("compare", "texts", "nowhere"),
        ("compare", "nowhere", "texts/a.txt"),
        ("sweep", "new.sift", "nowhere", "--date", "2026-01-01"),
    ],
    ids=" ".join,
)
def test_a_path_that_does_not_exist_is_an_error_in_every_command_and_nothing_is_made(tmp_path, command):
    write(tmp_path, {"texts/a.txt": A})
    assert copysift(tmp_path, "index", "add", "old.sift", "texts").status == 0
    done = copysift(tmp_path, *command)
    assert (done.status, done.out) == (2, "")
    assert done.err.splitlines()[0] == "copysift: nowhere: no such file or folder"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["old.sift", "texts"]


@pytest.mark.parametrize("command", [("cluster", "-o", "run"), ("dedup", "-o", "clean.jsonl")], ids=" ".join)
def test_a_corpus_of_which_nothing_can_be_read_is_an_error_and_not_an_empty_corpus(tmp_path, command):
    write(tmp_path, {"bad.jsonl": "garbage{\nmore}\n"})
    done = copysift(tmp_path, *command, "bad.jsonl")
    assert done.status == 2
    assert done.err.startswith("copysift: nothing could be read: bad.jsonl:1 broken JSON")
    assert [each.name for each in tmp_path.iterdir()] == ["bad.jsonl"]


def test_a_match_below_the_thresholds_is_said_to_be_out_of_reach(tmp_path):
    write(tmp_path, {"a.txt": f"{A} hello dear world", "b.txt": f"{prose(2)} hello dear world"})
    ignored = copysift(tmp_path, "scan", ".", "--min-match", "12").err
    assert "shorter than the noise threshold (25) are ignored; --noise 12 --guarantee 12" in ignored
    missed = copysift(tmp_path, "scan", ".", "--min-match", "30").err
    assert "shorter than the guarantee threshold (50) may be missed; --noise 25 --guarantee 30" in missed
    found = copysift(tmp_path, "scan", ".", "--min-match", "12", "--noise", "12", "--guarantee", "12")
    assert (found.status, found.err) == (0, "")


DEEP = 1500  # folders in each other: Python allows 1,000 calls in each other, paths are of 4,096 bytes


@pytest.mark.parametrize(
    "command",
    [
        ("scan", "top"),
        ("index", "add", "x.sift", "top"),
        ("cluster", "top", "-o", "run"),
        ("dedup", "top", "-o", "out.jsonl"),
        ("sweep", "y.sift", "top", "--date", "2026-01-01"),
        ("order", "top"),
        ("check", "top", "--earlier", "other"),
    ],
    ids=lambda command: command[0],
)
def test_a_folder_in_a_thousand_others_is_read(tmp_path, command):
    write(tmp_path, {"top/a.txt": A, "top/b.txt": A + " more", "other/c.txt": prose(5)})
    with contextlib.chdir(tmp_path / "top"):
        for _ in range(DEEP):
            Path("d").mkdir()
            os.chdir("d")
        Path("deep.txt").write_text(A + " and more")
    try:
        done = copysift(tmp_path, *command)
        assert done.status in (0, 1), done.err[-500:]
        assert "skipped" not in done.err
    finally:  # pytest removes folders by calls in each other
        subprocess.run(["rm", "-rf", tmp_path / "top"], check=True)


def test_links_of_one_package_share_a_line_unless_every_name_is_wanted(tmp_path):
    with tarfile.open(tmp_path / "pack.tar", "w") as archive:
        for number in range(5):
            link = tarfile.TarInfo(f"lib/{number}.so")
            link.type, link.linkname = tarfile.SYMTYPE, "libc.so"
            archive.addfile(link)
        pipe = tarfile.TarInfo("pipe")
        pipe.type = tarfile.FIFOTYPE
        archive.addfile(pipe)
    (tmp_path / "a.txt").write_text(prose(1), encoding="utf-8")
    done = copysift(tmp_path, "scan", ".")
    lines = [line for line in done.err.splitlines() if "skipped" in line]
    assert lines == [
        "copysift: skipped 5 members of ./pack.tar, such as ./pack.tar!lib/0.so: is a link inside an archive "
        "(-v names all)",
        "copysift: skipped ./pack.tar!pipe: is a device or a pipe inside an archive",
    ]
    named = copysift(tmp_path, "scan", ".", "-v").err
    assert all(f"skipped ./pack.tar!lib/{number}.so: is a link" in named for number in range(5))
    assert len(json.loads(copysift(tmp_path, "scan", ".", "--format", "json").out)["skipped"]) == 6
