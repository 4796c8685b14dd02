import gzip
import inspect
import json
import re
import shlex
import zipfile

from tests.cli.program import copysift, write
from tests.cli.texts import prose

A, B, C = prose(1), prose(2), prose(3)


def test_two_files_are_shown_with_measures_and_passages_side_by_side(tmp_path):
    write(tmp_path, {"a.txt": A, "b.txt": B + A[:400]})
    done = copysift(tmp_path, "compare", "a.txt", "b.txt")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0].strip() == f"left  a.txt ({len(A)} B)"
    assert [line.split()[0] for line in lines[2:7]] == ["similarity", "resemblance", "of", "of", "shared"]
    assert lines[8].split() == ["passages", "1,", "in", "5", "lines"]
    assert lines[10].split() == ["a.txt:1-5", "│", "b.txt:11-15"]
    assert lines[11].startswith(f" 1 {A[:40]}")
    assert "\x1b" not in done.out
    assert "\x1b[36m" in copysift(tmp_path, "compare", "a.txt", "b.txt", "--color", "always").out


def test_equal_files_and_one_file_twice_are_equal(tmp_path):
    write(tmp_path, {"a.txt": A, "b.txt": A})
    for other in ("b.txt", "a.txt"):
        done = copysift(tmp_path, "compare", "a.txt", other)
        assert done.status == 0
        assert "byte for byte" in done.out


def test_one_file_twice_has_its_own_size_and_sif_lists_two_files(tmp_path):
    write(tmp_path, {"a.txt": A, "b.txt": A[:700] + B})
    assert copysift(tmp_path, "compare", "a.txt", "a.txt").out.count(f"a.txt ({len(A)} B)") == 2
    listed = copysift(tmp_path, "compare", "a.txt", "b.txt", "--format", "sif").out
    assert f"R100 a.txt {len(A)}" in listed


def test_a_folder_and_a_file_are_refused_and_reports_that_cannot_be_written_are_told(tmp_path):
    write(tmp_path, {"a.txt": A, "z.zip": b"PK\x03\x04", "list": "a.txt\r\nb.txt\r\n", "b.txt": A})
    refused = "cannot compare a folder, an archive or records with a single file"
    assert refused in copysift(tmp_path, "compare", "a.txt", ".").err
    assert refused in copysift(tmp_path, "compare", "z.zip", "a.txt").err
    full = copysift(tmp_path, "scan", "--files-from", "list", "-o", "/dev/full")
    assert full.status == 2
    assert full.err == (
        "copysift: cannot write /dev/full: No space left on device; the report is incomplete\n"
    )
    assert "it is a folder" in copysift(tmp_path, "scan", "a.txt", "-o", str(tmp_path)).err


def test_files_that_share_nothing_are_status_1(tmp_path):
    write(tmp_path, {"a.txt": A, "b.txt": B, "empty.txt": ""})
    for other in ("b.txt", "empty.txt"):
        done = copysift(tmp_path, "compare", "a.txt", other)
        assert (done.status, done.err) == (1, "")
        assert "similarity  0%" in done.out


def test_a_passage_between_noise_and_guarantee_is_found_by_compare(tmp_path):
    write(tmp_path, {"a.txt": A[:60] + B, "b.txt": C + A[:60] + prose(9)})
    done = copysift(tmp_path, "compare", "a.txt", "b.txt", "--format", "json", "--noise", "30")
    (pair,) = json.loads(done.out)["pairs"]
    assert pair["longest"] >= 45


def test_a_missing_file_and_a_file_against_a_folder_are_errors(tmp_path):
    write(tmp_path, {"a.txt": A})
    done = copysift(tmp_path, "compare", "a.txt", "none.txt")
    assert (done.status, done.err) == (2, "copysift: none.txt: no such file or folder\n")
    assert copysift(tmp_path, "compare", "a.txt", ".").status == 2


def folders(tmp_path):
    write(
        tmp_path,
        {
            "left/same.txt": A, "right/moved/same.txt": A,
            "left/twice-1.txt": B, "left/twice-2.txt": B, "right/twice-2.txt": B,
            "left/edited.txt": C, "right/edited.txt": C[:500] + prose(5, words=40),
            "left/gone.txt": prose(6), "right/new.txt": prose(7),
        },
    )  # fmt: skip


def test_two_folders_are_compared_by_content(tmp_path):
    folders(tmp_path)
    done = copysift(tmp_path, "compare", "left", "right")
    assert (done.status, done.err) == (0, "")
    lines = [" ".join(line.split()) for line in done.out.splitlines()]
    assert lines[0].startswith("changed ")
    assert lines[0].endswith("% edited.txt")
    assert lines[1:5] == [
        "gone gone.txt",
        "new new.txt",
        "moved same.txt → moved/same.txt",
        "gone twice-1.txt (equal to twice-2.txt)",
    ]
    assert lines[-1] == "left → right: 1 same, 1 changed, 1 moved, 1 new, 2 gone"


def test_the_page_of_two_folders_shows_the_changes_that_there_are_and_the_terminal_names_it(tmp_path):
    folders(tmp_path)
    done = copysift(tmp_path, "compare", "left", "right", "-o", "page.html")
    counts = "1 same, 1 changed, 1 moved, 1 new, 2 gone"
    assert (done.status, done.err) == (0, f"copysift: {counts}: page.html\n")
    tiles = re.findall(r'class="tile"><b>(\d+)</b><span>([a-z ]+)<', (tmp_path / "page.html").read_text())
    assert ", ".join(map(" ".join, tiles)) == counts
    assert copysift(tmp_path, "compare", "left", "right", "-o", "page.html", "--quiet").err == ""


def test_two_folders_as_json(tmp_path):
    folders(tmp_path)
    content = json.loads(copysift(tmp_path, "compare", "left/", "right", "--format", "json").out)
    assert list(content) == [
        "version", "left", "right", "settings", "counts", "changes", "equal", "similar", "only_left",
        "only_right", "skipped",
    ]  # fmt: skip
    assert content["settings"]["threshold"] == 0.25
    assert content["skipped"] == []
    changes = {(each["relation"], *each["left"], *each["right"]): each for each in content["changes"]}
    (edited,) = changes["changed", "edited.txt", "edited.txt"]["pairs"]
    assert 0 < edited["resemblance"] < edited["containment_right"] < 1
    assert 0 < edited["containment_left"] < edited["containment_right"]
    assert ("gone", "gone.txt") in changes
    assert changes["moved", "same.txt", "moved/same.txt"]["equal"]


def test_among_equally_similar_files_the_one_of_the_same_name_is_chosen(tmp_path):
    write(tmp_path, {"l/z.txt": A + B, "r/a.txt": A + C, "r/z.txt": A + C + " ", "r/q/z.txt": A + C + "  "})
    content = json.loads(copysift(tmp_path, "compare", "l", "r", "--format", "json").out)
    assert [(each["relation"], each["right"]) for each in content["changes"] if each["left"]] == [
        ("changed", ["z.txt"])
    ]


def test_no_line_is_cut_where_there_is_no_terminal(tmp_path):
    line = " ".join(A.split())
    write(tmp_path, {"a.txt": line, "b.txt": B + "\n" + line})
    out = copysift(tmp_path, "compare", "a.txt", "b.txt").out
    assert out.count(line) == 2
    assert "…" not in out
    assert line in copysift(tmp_path, "scan", ".", "--passages", "1").out


def test_a_long_passage_is_shown_whole_when_that_is_asked_for(tmp_path):
    long = "\n".join(f"{number} {prose(number, words=6).strip()}" for number in range(60))
    write(tmp_path, {"a.txt": long, "b.txt": B + "\n" + long})
    last = long.splitlines()[-1]
    for command in (["compare", "a.txt", "b.txt"], ["scan", ".", "--passages", "1"]):
        cut, whole = (copysift(tmp_path, *command, *more).out for more in ((), ("--whole",)))
        assert last not in cut
        assert "36 more lines (--whole shows all)" in cut
        assert last in whole
        assert "more line" not in whole


def test_the_lines_that_are_not_shown_are_those_of_the_passage(tmp_path):
    long = "\n".join(f"{number} {prose(number, words=60).strip()}" for number in range(400))
    write(tmp_path, {"a.txt": long, "b.txt": B + "\n" + long})
    hidden = f"{len(long.splitlines()) - 24:,} more lines (--whole shows all)"
    assert hidden in copysift(tmp_path, "compare", "a.txt", "b.txt").out


def test_lines_that_end_with_a_carriage_return_alone_are_counted(tmp_path):
    lines = A.splitlines()
    for end in ("\n", "\r\n", "\r"):
        write(tmp_path, {"a.txt": end.join(lines), "b.txt": "one" + end + "two" + end + end.join(lines)})
        shown = copysift(tmp_path, "compare", "a.txt", "b.txt")
        assert f"a.txt:1-{len(lines)} " in shown.out
        assert f"b.txt:3-{len(lines) + 2}" in shown.out
        assert f"\n{lines[1]}"[1:] in shown.out
        assert "\\x0d" not in shown.out


PROGRAM = inspect.getsource(shlex)
NAMES = {"self": "me", "token": "piece", "state": "mode", "nextchar": "letter", "source": "origin"}


def test_a_renamed_program_is_found_between_folders_whatever_lies_beside_it(tmp_path):
    other = re.sub(r"[a-z]+", lambda word: NAMES.get(word[0], word[0]), re.sub(r"#.*", "", PROGRAM))
    write(tmp_path, {"x/a.py": PROGRAM, "y/b.py": other})
    for options in ((), ("--kind", "code")):
        assert "renamed" in copysift(tmp_path, "compare", "x", "y", *options).out
    write(tmp_path, {"x/notes.txt": A, "y/more.txt": B})
    for options in ((), ("--kind", "code")):
        assert "a.py → b.py" in copysift(tmp_path, "compare", "x", "y", *options).out


def test_a_plan_to_synchronise_is_about_files_not_about_what_is_in_them(tmp_path):
    write(tmp_path, {"x/g": A, "x/same": B, "y/same": B})
    (tmp_path / "y/g.gz").write_bytes(gzip.compress(A.encode()))
    done = copysift(tmp_path, "compare", "x", "y", "--sync-plan", "plan.sh")
    plan = (tmp_path / "plan.sh").read_text()
    assert not any("!" in line for line in plan.splitlines() if line.startswith(("copy", "move")))
    assert "copy g.gz" in plan
    assert "g.gz" in done.out
    assert "g.gz!g" not in done.out


def test_equal_only_looks_at_files_as_they_are_on_disk(tmp_path):
    write(tmp_path, {"plain.txt": A})
    for name, level in (("a.gz", 1), ("b.gz", 9), ("c.gz", 1)):
        (tmp_path / name).write_bytes(gzip.compress(A.encode() * 30, level, mtime=0))
    (tmp_path / "d.gz").write_bytes(gzip.compress(A.encode(), mtime=0))
    found = json.loads(copysift(tmp_path, "scan", ".", "--equal-only", "--format", "json").out)
    assert [each["members"] for each in found["equal"]] == [["./a.gz", "./c.gz"]]


def test_members_of_archives_are_compared_by_the_names_that_a_scan_gives_them(tmp_path):
    """A name copied from the table of a scan was "no such file or folder"."""
    write(tmp_path, {"a.txt": A})
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("in/b.txt", A + B)
        archive.writestr("c.txt.gz", gzip.compress(A.encode()))
    for names in (("a.txt", "x.zip!in/b.txt"), ("x.zip!in/b.txt", "a.txt")):
        found = copysift(tmp_path, "compare", *names, "--format", "json")
        assert (found.status, found.err) == (0, "")
        (pair,) = json.loads(found.out)["pairs"]
        assert (pair["left"], pair["right"]) == names
        assert pair["containment_left" if names[0] == "a.txt" else "containment_right"] == 1
        assert [pair["regions"][0][side]["first_line"] for side in ("left", "right")] == [1, 1]
    two = copysift(tmp_path, "compare", "x.zip!in/b.txt", "x.zip!c.txt.gz!c.txt")
    assert two.status == 0
    assert "x.zip!in/b.txt:1-" in two.out
    assert "byte for byte" in copysift(tmp_path, "compare", "x.zip!c.txt.gz!c.txt", "a.txt").out
    assert "byte for byte" in copysift(tmp_path, "compare", "x.zip!in/b.txt", "x.zip!in/b.txt").out


def test_a_member_that_is_not_there_and_a_name_that_is_only_like_one_are_said(tmp_path):
    write(tmp_path, {"a.txt": A, "b!c.txt": A + B})
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("b.txt", A)
    gone = copysift(tmp_path, "compare", "a.txt", "x.zip!none.txt")
    assert (gone.status, gone.out) == (2, "")
    assert "x.zip!none.txt: no such document in x.zip" in gone.err
    assert "nowhere!a.txt: no such file" in copysift(tmp_path, "compare", "a.txt", "nowhere!a.txt").err
    assert copysift(tmp_path, "compare", "a.txt", "b!c.txt").status == 0
