"""Submissions as teachers have them: by folder, archives, base code, earlier years, authors."""

import csv
import io
import random
import tarfile
import zipfile

import pytest

from tests.cli.program import copysift, write
from tests.cli.submissions import KIT, A, B, C, D, essay, pairs, scan, zipped


def test_a_folder_is_compared_as_a_whole(tmp_path):
    write(tmp_path, {"hw/ann/1.txt": A, "hw/ann/2.txt": B, "hw/bob/all.txt": A + B, "hw/cleo/x.txt": C})
    content, done = scan(tmp_path, "hw", "--by", "dir")
    assert done.status == 0
    assert set(pairs(content)) == {("hw/ann", "hw/bob")}
    pair = pairs(content)["hw/ann", "hw/bob"]
    assert pair["similarity"] > 0.9
    assert not pair["equal"]
    assert [(each["left"]["file"], each["right"]["file"]) for each in pair["regions"]] == [
        ("hw/ann/1.txt", "hw/bob/all.txt"),
        ("hw/ann/2.txt", "hw/bob/all.txt"),
    ]
    second = pair["regions"][1]
    assert (second["left"]["start"], second["right"]["first_line"]) == (0, 2)
    assert [(each["name"], each["group"]) for each in content["documents"]] == [
        ("hw/ann/1.txt", "hw/ann"),
        ("hw/ann/2.txt", "hw/ann"),
        ("hw/bob/all.txt", "hw/bob"),
        ("hw/cleo/x.txt", "hw/cleo"),
    ]


def test_files_of_one_folder_are_never_compared_with_each_other(tmp_path):
    write(tmp_path, {"hw/ann/1.txt": A, "hw/ann/2.txt": A, "hw/bob/1.txt": B})
    content, done = scan(tmp_path, "hw", "--by", "dir")
    assert content["pairs"] == []
    assert done.status == 1


def test_equal_submissions_are_marked_whatever_their_files_are_called(tmp_path):
    write(tmp_path, {"hw/ann/1.txt": A, "hw/ann/2.txt": B, "hw/bob/x.txt": B, "hw/bob/y.txt": A})
    content, _ = scan(tmp_path, "hw", "--by", "dir")
    assert [(pair["equal"], pair["similarity"]) for pair in content["pairs"]] == [(True, 1.0)]
    done = copysift(tmp_path, "scan", "hw", "--by", "dir", "--kind", "text")
    assert "Equal submissions: 1 set" in done.out


def test_base_code_counts_for_nothing(tmp_path):
    write(
        tmp_path,
        {
            "hw/ann/x.txt": KIT + A,
            "hw/bob/x.txt": KIT + B,
            "hw/cleo/x.txt": KIT + A,
            "hw/dan/x.txt": KIT,
            "kit.txt": KIT,
        },
    )
    without, _ = scan(tmp_path, "hw", "--by", "dir")
    assert pairs(without)["hw/ann", "hw/bob"]["similarity"] > 0.25
    content, _ = scan(tmp_path, "hw", "--by", "dir", "--base", "kit.txt")
    assert set(pairs(content)) == {("hw/ann", "hw/cleo")}
    pair = pairs(content)["hw/ann", "hw/cleo"]
    assert (pair["similarity"], pair["equal"]) == (1.0, True)
    assert pairs(without)["hw/ann", "hw/cleo"]["similarity"] == 1.0
    assert all(each["left"]["first_line"] == 2 for each in pair["regions"])
    assert [each["fingerprints"] for each in content["documents"] if each["group"] == "hw/dan"] == [0]
    table = copysift(tmp_path, "scan", "hw", "--by", "dir", "--base", "kit.txt", "--kind", "text").out
    assert "with nothing but base code    hw/dan" in table


def test_every_k_gram_of_the_base_is_left_out_also_at_the_edges_of_an_edit(tmp_path):
    for number in range(8):
        cut = 40 * number + 30
        write(tmp_path, {f"hw/s{number}/x.txt": KIT[:cut] + essay(50 + number, 3) + KIT[cut:]})
    write(tmp_path, {"kit/x.txt": KIT})
    content, _ = scan(tmp_path, "hw", "--by", "dir", "--base", "kit", "--threshold", "0", "--min-shared", "1")
    assert content["pairs"] == []


def test_a_starter_kit_inside_the_folder_is_no_submission(tmp_path):
    write(tmp_path, {"hw/starter/x.txt": KIT, "hw/ann/x.txt": KIT + A, "hw/bob/x.txt": KIT + A})
    content, done = scan(tmp_path, "hw", "--by", "dir", "--base", "hw/starter")
    assert {each["group"] for each in content["documents"]} == {"hw/ann", "hw/bob"}
    assert done.status == 0


def test_a_base_that_is_not_there_is_an_error(tmp_path):
    write(tmp_path, {"hw/ann/x.txt": A})
    done = copysift(tmp_path, "scan", "hw", "--base", "kit")
    assert (done.status, done.err) == (2, "copysift: --base kit: no such file or folder\n")


def test_earlier_years_are_compared_with_new_ones_only(tmp_path):
    write(
        tmp_path,
        {
            "2024/ann/x.txt": A,
            "2024/bob/x.txt": B,
            "2023/ann/x.txt": A,
            "2023/cleo/x.txt": C,
            "2022/dan/x.txt": C,
        },
    )
    content, _ = scan(tmp_path, "2024", "--by", "dir", "--earlier", "2023", "--earlier", "2022")
    assert set(pairs(content)) == {("2024/ann", "2023/ann")}


def test_a_zip_of_zips_is_opened_in_place(tmp_path):
    inner = [zipped({"main.txt": text, "pad/more.txt": D}) for text in (A, A + "!", B)]
    write(tmp_path, {"all.zip": zipped({f"s{number}.zip": data for number, data in enumerate(inner)})})
    content, done = scan(tmp_path, "all.zip", "--by", "dir")
    assert ("all.zip!s0.zip", "all.zip!s1.zip") in pairs(content)
    assert len({each["group"] for each in content["documents"]}) == 3
    assert done.status == 0


def test_a_folder_that_wraps_an_archive_is_no_submission(tmp_path):
    folders = ("year/", "year/hw/", "year/hw/ann/", "year/hw/bob/", "year/hw/none/")
    files = {"year/hw/ann/x.txt": A, "year/hw/bob/x.txt": B}
    write(tmp_path, {"all.zip": zipped({**dict.fromkeys(folders, ""), **files})})
    done = copysift(tmp_path, "scan", "all.zip", "--by", "dir", "--kind", "text")
    assert "3 submissions compared" in done.out
    assert "Without a score: 1 submission\n" in done.out
    assert "empty                         all.zip!year/hw/none\n" in done.out


def test_a_tar_is_opened_in_place_and_its_files_compared(tmp_path):
    with tarfile.open(tmp_path / "all.tar.gz", "w:gz") as archive:
        for name, text in (("a.txt", A), ("b.txt", A + B)):
            info = tarfile.TarInfo(name)
            info.size = len(text.encode())
            archive.addfile(info, io.BytesIO(text.encode()))
    content, _ = scan(tmp_path, "all.tar.gz")
    assert set(pairs(content)) == {("all.tar.gz!a.txt", "all.tar.gz!b.txt")}
    passages = copysift(tmp_path, "scan", "all.tar.gz", "--passages", "1").out
    assert A.split()[0] in passages


def test_an_archive_is_opened_once_wherever_it_is_met_first(tmp_path):
    write(tmp_path, {"all/b.txt": B})
    (tmp_path / "all/hw.zip").write_bytes(zipped({"a.txt": A, "c.txt": A + C}))
    for paths in (("all", "all/hw.zip"), ("all/hw.zip", "all"), ("all",)):
        content, _ = scan(tmp_path, *paths)
        assert set(pairs(content)) == {("all/hw.zip!a.txt", "all/hw.zip!c.txt")}
        assert len(content["documents"]) == 3


def test_one_bad_file_costs_no_other_file_of_its_submission(tmp_path):
    write(
        tmp_path,
        {
            "hw/ann/good.txt": A,
            "hw/ann/empty.txt": "",
            "hw/ann/noise.bin": bytes(range(256)) * 40,
            "hw/ann/odd.txt": ("naïve café " + B).encode("utf-16"),
            "hw/ann/broken.txt": b"\xff\xfe\xfa broken \x00 text",
            "hw/bob/good.txt": A,
            "hw/bob/odd.txt": "naïve café " + B,
        },
    )
    content, _ = scan(tmp_path, "hw", "--by", "dir")
    pair = pairs(content)["hw/ann", "hw/bob"]
    assert {each["left"]["file"] for each in pair["regions"]} == {"hw/ann/good.txt", "hw/ann/odd.txt"}


def test_what_cannot_be_opened_is_named(tmp_path):
    noise = random.Random(1).randbytes(9000)
    write(tmp_path, {"hw/ann/x.txt": A, "hw/ann/Paper.PDF": noise, "hw/bob.rar": noise, "hw/cleo.7z": noise})
    write(tmp_path, {"hw/dan.zip": zipped({"a/x.rar": noise, "a/y.txt": B})})
    done = copysift(tmp_path, "scan", "hw", "--by", "dir")
    assert done.status == 3
    for name, what in (
        ("ann/Paper.PDF", "a PDF"), ("bob.rar", "a RAR archive"), ("cleo.7z", "a 7z archive"),
        ("dan.zip!a/x.rar", "a RAR archive"),
    ):  # fmt: skip
        reason = f"cannot be opened: {what} is compared byte for byte only"
        assert f"copysift: skipped hw/{name}: {reason}\n" in done.err
    assert done.err.count("\n") == 4
    assert "Equal submissions: 1 set" in done.out
    assert copysift(tmp_path, "scan", "hw").err == ""


def test_links_in_submissions_are_named(tmp_path):
    write(tmp_path, {"hw/ann/x.txt": A, "hw/bob/x.txt": B, "other/y.txt": C})
    (tmp_path / "hw/ann/y.txt").symlink_to("../../other/y.txt")
    (tmp_path / "hw/bob/.hidden").symlink_to("x.txt")
    (tmp_path / "hw/cleo").symlink_to("../other")
    reason = "is a symbolic link, which is read with --follow only"
    done = copysift(tmp_path, "scan", "hw", "--by", "dir")
    assert done.status == 3
    assert done.err == f"copysift: skipped hw/ann/y.txt: {reason}\ncopysift: skipped hw/cleo: {reason}\n"
    assert "3 submissions compared" in done.out
    assert copysift(tmp_path, "scan", "hw", "--by", "dir", "--follow").err == ""
    assert copysift(tmp_path, "scan", "hw").err == ""


def test_an_empty_submission_is_listed_as_such(tmp_path):
    write(tmp_path, {"hw/ann/x.txt": A, "hw/bob/x.txt": B, "hw/zero/x.txt": ""})
    (tmp_path / "hw/none").mkdir()
    done = copysift(tmp_path, "scan", "hw", "--by", "dir", "--kind", "text")
    assert "empty                         hw/none" in done.out
    assert "empty                         hw/zero" in done.out
    assert "4 submissions compared" in done.out


def test_submissions_of_the_same_name_are_kept_apart(tmp_path):
    write(tmp_path, {"2023/ann/x.txt": A, "2024/ann/x.txt": A})
    content, _ = scan(tmp_path, "2023", "2024", "--by", "dir")
    assert set(pairs(content)) == {("2023/ann", "2024/ann")}


def test_names_may_hold_any_characters(tmp_path):
    names = ["a b;c", "quote'\"", "<b>", "ü💥", "new\nline", "-rf", "$(x)"]
    write(tmp_path, {f"hw/{name}/x.txt": A for name in names})
    content, done = scan(tmp_path, "hw", "--by", "dir")
    assert {each["group"] for each in content["documents"]} == {f"hw/{name}" for name in names}
    assert len(content["pairs"]) == 21
    assert done.status == 0


def test_a_bomb_a_climber_and_a_locked_zip_are_named_and_the_rest_is_kept(tmp_path):
    locked = bytearray(zipped({"x.txt": A}))
    locked[6] |= 1
    locked[locked.index(b"PK\1\2") + 8] |= 1
    bomb = io.BytesIO()
    with zipfile.ZipFile(bomb, "w", zipfile.ZIP_DEFLATED) as archive:
        for number in range(3):
            archive.writestr(f"{number}.txt", b"0" * (40 << 20))
    climber = zipped({"../../evil.txt": A, "ok.txt": B})
    write(
        tmp_path,
        {
            "hw/locked.zip": bytes(locked),
            "hw/bomb.zip": bomb.getvalue(),
            "hw/climber.zip": climber,
            "hw/ann/x.txt": A,
        },
    )
    content, done = scan(tmp_path, "hw", "--by", "dir")
    assert done.status == 3
    assert "skipped hw/locked.zip!x.txt: is protected by a password" in done.err
    assert "skipped hw/bomb.zip: unpacks to more than" in done.err
    assert "skipped hw/climber.zip!evil.txt: is named '../../evil.txt' in the archive" in done.err
    assert not (tmp_path.parent / "evil.txt").exists()
    assert set(pairs(content)) == {("hw/ann", "hw/climber.zip")}
    table = copysift(tmp_path, "scan", "hw", "--by", "dir", "--kind", "text").out
    assert "without a readable file       hw/locked.zip" in table


def test_what_too_many_submissions_share_is_ignored_and_shown(tmp_path):
    for number in range(10):
        own = A if number < 2 else essay(20 + number)
        write(tmp_path, {f"hw/s{number}/idiom.txt": KIT, f"hw/s{number}/own.txt": own})
    content, _ = scan(tmp_path, "hw", "--by", "dir", "--max-shared", "50%")
    assert set(pairs(content)) == {("hw/s0", "hw/s1")}
    assert content["ignored"]
    assert all(each["groups"] == 10 for each in content["ignored"])
    assert all(each["text"] in KIT for each in content["ignored"])


@pytest.mark.parametrize("value", ["0%", "120%", "1", "-3", "some"])
def test_a_max_shared_that_makes_no_sense_is_refused(tmp_path, value):
    done = copysift(tmp_path, "scan", ".", f"--max-shared={value}")
    assert done.status == 2
    assert "--max-shared" in done.err


def test_sketches_refuse_submissions(tmp_path):
    write(tmp_path, {"hw/ann/x.txt": A})
    done = copysift(tmp_path, "scan", "hw", "--by", "dir", "--scheme", "min")
    assert done.status == 2
    assert "the scheme min compares single files only" in done.err


def test_csv_and_a_saved_run_name_submissions(tmp_path):
    write(tmp_path, {"hw/ann/1.txt": A, "hw/ann/2.txt": C, "hw/bob/all.txt": A + B})
    done = copysift(
        tmp_path, "scan", "hw", "--by", "dir", "--format", "csv", "--save", "run", "--kind", "text"
    )
    (row,) = csv.DictReader(io.StringIO(done.out))
    assert (row["left"], row["right"], row["bytes_left"]) == ("hw/ann", "hw/bob", str(len((A + C).encode())))
    again = copysift(tmp_path, "show", "run", "--format", "csv")
    assert again.out == done.out


def test_a_submission_that_has_only_what_too_many_have_is_listed_as_that(tmp_path):
    write(tmp_path, {f"hw/s{number}/own.txt": A if number < 4 else essay(number) for number in range(7)})
    done = copysift(tmp_path, "scan", "hw", "--by", "dir", "--kind", "text", "--max-shared", "3")
    for number in range(4):
        assert f"with nothing but common code  hw/s{number}\n" in done.out
    assert "ignored as too common" in done.out


def test_programs_beside_texts_need_no_word_about_how_they_are_compared(tmp_path):
    write(tmp_path, {f"hw/{name}/x.py": text for name, text in (("ann", A), ("bob", B), ("cleo", C))})
    write(tmp_path, {f"hw/{name}/notes.txt": D for name in ("ann", "bob", "cleo")})
    assert copysift(tmp_path, "compare", "hw/ann", "hw").err == ""
    for more in ([], ["--kind", "text"], ["--kind", "code"], ["--by", "dir"], ["--format", "csv"]):
        assert copysift(tmp_path, "scan", "hw", *more).err == ""
