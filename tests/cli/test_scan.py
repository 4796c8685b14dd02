import csv
import io
import json
import random

import pytest

from tests.cli.program import ROOT, copysift, write
from tests.cli.texts import prose

A, B, C = prose(1), prose(2), prose(3)
PART, VERSIONS = ("./notes/c.md", "./old/part.txt"), ("./notes/a.txt", "./notes/b.txt")
BOTH = {PART, VERSIONS}


@pytest.fixture
def folder(tmp_path):
    write(
        tmp_path,
        {
            "notes/a.txt": A,
            "notes/b.txt": A[:700] + B,  # the beginning of a, then its own
            "notes/c.md": C,
            "old/a copy.txt": A,
            "old/part.txt": C[200:500],
        },
    )
    return tmp_path


def pairs(done):
    return {(pair["left"], pair["right"]): pair for pair in json.loads(done.out)["pairs"]}


def test_the_table_shows_equal_files_then_pairs_then_a_summary(folder):
    done = copysift(folder, "scan", ".")
    assert (done.status, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "Equal files: 1 set, 966 B wasted"
    assert lines[1].split() == ["2", "×", "966", "B", "./notes/a.txt"]
    assert lines[2].split() == ["./old/a", "copy.txt"]
    assert lines[4] == "Similar files: 2 pairs"
    assert lines[6].split()[-2:] == ["./notes/c.md", "./old/part.txt"]
    assert lines[7].split()[-2:] == ["./notes/a.txt", "./notes/b.txt"]
    assert lines[-1].startswith("5 files compared (")
    assert lines[-1].endswith("): 1 equal set, 2 similar pairs with similarity ≥ 25%, 2 clusters")


def test_json_has_every_field_of_the_schema_and_is_the_same_every_time(folder):
    done = copysift(folder, "scan", ".", "--format", "json")
    assert done.status == 0
    content = json.loads(done.out)
    assert list(content) == [
        "version", "settings", "documents", "pairs", "equal", "clusters", "ignored", "skipped", "notes",
    ]  # fmt: skip
    for document in content["documents"]:
        assert set(document) == {"name", "group", "kind", "bytes", "fingerprints", "read_as"}
    for pair in content["pairs"]:
        assert set(pair) == {
            "left", "right", "equal", "similarity", "resemblance", "containment_left", "containment_right",
            "shared", "longest", "lines", "channel", "intervals", "regions",
        }  # fmt: skip
        for region in pair["regions"]:
            assert set(region) == {"length", "left", "right"}
            for side in (region["left"], region["right"]):
                assert set(side) == {"file", "start", "end", "first_line", "last_line"}
    again = copysift(folder, "scan", ".", "--format", "json", "--jobs", "1", "--memory", "16MB")
    assert again.out == done.out


def test_regions_are_the_passages_themselves(folder):
    found = pairs(copysift(folder, "scan", ".", "--format", "json"))
    (region,) = found["./notes/c.md", "./old/part.txt"]["regions"]
    left, right = region["left"], region["right"]
    assert C[left["start"] : left["end"]].strip() == C[200:500].strip()
    part = C[200:500]
    assert (right["start"], right["end"]) == (len(part) - len(part.lstrip()), len(part.rstrip()))
    assert left["first_line"] == 1 + C[: left["start"]].count("\n")
    assert left["last_line"] == 1 + C[: left["end"] - 1].count("\n")
    assert found["./notes/a.txt", "./old/a copy.txt"]["equal"] is True
    whole = found["./notes/a.txt", "./old/a copy.txt"]["regions"]
    assert [(each["left"]["start"], each["left"]["end"]) for each in whole] == [(0, len(A) - 1)]


def test_percentages_are_right_when_sizes_differ_a_hundredfold(tmp_path):
    part = prose(7, words=60)
    write(tmp_path, {"large.txt": prose(8, words=6000) + part + prose(9, words=6000), "small.txt": part})
    ((pair),) = pairs(copysift(tmp_path, "scan", ".", "--format", "json")).values()
    assert (pair["left"], pair["containment_right"], pair["similarity"]) == ("./large.txt", 1.0, 1.0)
    assert pair["containment_left"] == pytest.approx(1 / 200, rel=0.3)


def test_groups_are_listed_as_sif_does_each_set_once(folder):
    write(folder, {"notes/a2.txt": A[:-40]})
    done = copysift(folder, "scan", ".", "--groups", "--include", "a*.txt", "--format", "sif")
    assert done.out == (
        "The following groups of files are equal.\n"
        "\n"
        "R100 ./notes/a.txt 966\n"
        "   100 ./old/a copy.txt 966\n"
        "\n"
        "The following groups of files are similar. Minimum similarity = 25%\n"
        "\n"
        "R100 ./notes/a2.txt 926\n"
        "   100 ./notes/a.txt 966\n"
        "\n"
        "R indicates the file with which all others are compared. The first number is the percentage of\n"
        "similarity with the R file. The numbers at the end indicate the file sizes.\n"
    )


def test_csv_goes_to_the_file_whose_suffix_says_so(folder):
    done = copysift(folder, "scan", ".", "-o", "found.csv")
    assert (done.status, done.out) == (0, "")
    rows = list(csv.DictReader(io.StringIO((folder / "found.csv").read_text())))
    assert [row["equal"] for row in rows] == ["true", "false", "false"]
    assert sorted(path.name for path in folder.iterdir()) == ["found.csv", "notes", "old"]


def test_names_come_in_and_go_out_nul_separated(folder):
    listed = b"notes/a.txt\0notes/b.txt\0"
    done = copysift(folder, "scan", "-0", "--files-from", "-", stdin=listed)
    assert (done.status, done.out) == (0, "notes/a.txt\0notes/b.txt\0")
    done = copysift(folder, "scan", "--files-from", "-", "--format", "csv", stdin=listed)
    assert done.out.splitlines()[1].startswith("notes/a.txt,notes/b.txt,false,")
    (folder / "list").write_bytes(b"notes/a.txt\nold/a copy.txt\n")
    done = copysift(folder, "scan", "--files-from", "list", "-0", "--groups", "--no-null")
    assert done.out.startswith("Equal files: 1 set")


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (["--same-suffix"], {VERSIONS}),
        (["--size-ratio", "2"], {VERSIONS}),
        (["--threshold", "99%"], {PART}),
        (["--threshold", "99%", "--min-match", "400"],
         BOTH),
        (["--threshold", "99%", "--min-match", "700"], {PART}),
        (["--measure", "longest", "--threshold", "300"], {VERSIONS}),
        (["--measure", "shared", "--threshold", "30"], {VERSIONS}),
        (["--measure", "resemblance", "--threshold", "33%"], {VERSIONS}),
        (["--min-shared", "1000"], set()),
        (["--threshold", "0"], BOTH),
        (["--scheme", "all"], BOTH),
        (["--scheme", "min"], BOTH),
        (["--scheme", "adaptive-mod"], BOTH),
        (["--scheme", "open-closed"], BOTH),
        (["--scheme", "mod", "--disjoint", "--modulus", "8"],
         BOTH),
        (["--scheme", "anchor", "--anchor", "ba", "--anchor", "so"],
         BOTH),
        (["--kind", "words"], BOTH),
        (["--seed", "secret"], BOTH),
    ],
)  # fmt: skip
def test_every_filter_and_scheme(folder, options, expected):
    done = copysift(folder, "scan", ".", "--format", "csv", *options)
    rows = csv.DictReader(io.StringIO(done.out))
    assert {(row["left"], row["right"]) for row in rows if row["equal"] == "false"} == expected
    assert done.status == 0  # the equal ones are always found


def test_the_unknown_seed_changes_the_fingerprints_but_not_the_finds_and_is_not_told(folder):
    told = copysift(folder, "scan", ".", "--format", "json", "--seed", "hush 12345").out
    assert "hush" not in told
    assert (
        json.loads(told)["settings"]["seed"]
        != json.loads(copysift(folder, "scan", ".", "--format", "json", "--seed", "another").out)["settings"][
            "seed"
        ]
    )


def test_passages_have_their_line_numbers(folder):
    done = copysift(folder, "scan", ".", "--passages", "1", "-q")
    shown = done.out[done.out.index("Longest") :].splitlines()
    assert shown[0] == "Longest shared passages: 1"
    assert shown[2] == "   ./notes/a.txt:1-8"
    assert shown[3] == "   ./notes/b.txt:1-8"
    assert shown[4] == f"   1 │ {A.splitlines()[0]}"


def test_too_common_fingerprints_are_ignored_and_told(tmp_path):
    write(tmp_path, {f"{n}.txt": A + prose(100 + n, words=200) for n in range(6)})
    done = copysift(tmp_path, "scan", ".", "--max-shared", "5", "--format", "json")
    content = json.loads(done.out)
    assert (done.status, content["pairs"]) == (1, [])
    assert content["ignored"][0]["groups"] == 6
    squeezed = A.replace(" ", "").replace("\n", "")
    for each in content["ignored"]:
        assert len(each["hash"]) == 16
        assert each["text"].replace(" ", "").replace("\n", "") in squeezed
    table = copysift(tmp_path, "scan", ".", "--max-shared", "5")
    assert "fingerprints ignored as too common" in table.out


def test_nothing_found_is_status_1_and_skipped_input_status_3(tmp_path):
    write(tmp_path, {"a.txt": A, "b.txt": B})
    assert copysift(tmp_path, "scan", ".").status == 1
    done = copysift(tmp_path, "scan", ".", "missing.txt")
    assert done.status == 3
    assert done.err == "copysift: skipped missing.txt: no such file or folder\n"


def test_quiet_prints_the_findings_and_nothing_else(tmp_path):
    write(tmp_path, {"a.txt": A, "b.txt": B})
    done = copysift(tmp_path, "scan", ".", "-q")
    assert (done.status, done.out, done.err) == (1, "", "")


def test_an_html_version_is_found_as_the_text_that_it_is(tmp_path):
    page = "<html><head><style>p { color: red }</style></head><body>" + "".join(
        f"<p class=x{n}>{line}</p>\n" for n, line in enumerate(A.splitlines())
    )
    write(tmp_path, {"a.txt": A, "a.html": page})
    found = pairs(copysift(tmp_path, "scan", ".", "--format", "json"))
    assert found["./a.html", "./a.txt"]["containment_right"] > 0.95


def test_colours_only_when_asked_for_or_on_a_terminal(folder):
    assert "\x1b[" not in copysift(folder, "scan", ".").out
    assert "\x1b[" in copysift(folder, "scan", ".", "--color", "always").out


def test_the_bundled_example_has_the_copies_it_was_made_with():
    done = copysift(ROOT, "scan", "examples/essays", "--format", "json")
    found = {tuple(name.removeprefix("examples/essays/") for name in pair) for pair in pairs(done)}
    assert found >= {
        ("lighthouse.txt", "old/copy of lighthouse.txt"),
        ("bees-rearranged.txt", "bees.txt"),
        ("bread.txt", "shouting.txt"),
        ("drafts/tides-1.txt", "drafts/tides-2.txt"),
        ("drafts/tides-2.txt", "web/tides.html"),
        ("market.txt", "reader.txt"),
    }
    assert not any("notes.txt" in pair for pair in found)


def test_the_same_suffix_is_looked_for_in_all_files_of_an_equal_set(tmp_path):
    text = prose(1)
    edited = text + prose(2)[:200]
    write(tmp_path, {"a.dat": text, "b.txt": text, "c.txt": text, "d.txt": edited, "e.md": edited})
    copysift(tmp_path, "scan", ".", "--save", "../run")
    for command in (["scan", "."], ["show", "../run"]):
        done = copysift(tmp_path, *command, "--same-suffix", "--format", "json")
        found = [(pair["left"], pair["right"], pair["equal"]) for pair in json.loads(done.out)["pairs"]]
        assert found == [("./b.txt", "./c.txt", True), ("./b.txt", "./d.txt", False)]


def test_a_listed_file_of_records_gives_its_records(tmp_path):
    records = "".join(f'{{"id": "{n}", "text": "{"words of it " * 20}"}}\n' for n in range(3))
    write(tmp_path, {"a.jsonl": records, "b.jsonl": records, "names": "a.jsonl\nb.jsonl\n"})
    done = copysift(tmp_path, "scan", "--files-from", "names", "--format", "json")
    assert len(json.loads(done.out)["documents"]) == 6


def test_a_match_of_the_guaranteed_length_is_found_by_its_length(tmp_path):
    shared = prose(7).replace("\n", " ")[:90]
    write(tmp_path, {"a.txt": prose(1) + shared, "b.txt": prose(2) + shared})
    done = copysift(tmp_path, "scan", ".", "--measure", "longest", "--threshold", "50")
    assert done.status == 0
    assert "a.txt" in done.out


def test_common_fingerprints_are_ignored_and_nothing_is_skipped_for_it(tmp_path):
    write(
        tmp_path,
        {f"{number}.txt": prose(1, words=600) + prose(100 + number, words=100) for number in range(12)},
    )
    done = copysift(tmp_path, "scan", ".", "--max-shared", "10")
    assert done.status == 1
    assert "12 files are mostly text found in over 10 files" in done.err
    assert "which is ignored; --max-shared 12 compares it" in done.err
    assert "skipped" not in done.out + done.err
    assert copysift(tmp_path, "scan", ".", "--max-shared", "10", "-q").err == ""


def test_equal_files_are_not_said_to_be_mostly_common_text(tmp_path):
    alone = {f"{number}.txt": prose(100 + number, words=300) for number in range(12)}
    shared = {
        f"{number}-common.txt": prose(1, words=60) + prose(200 + number, words=300) for number in range(12)
    }
    write(tmp_path, alone | shared | {f"again/{name}": text for name, text in alone.items()})
    done = copysift(tmp_path, "scan", ".", "--max-shared", "10")
    assert "ignored as too common" in done.out + done.err
    assert "mostly text" not in done.err


def test_many_near_copies_of_one_file_are_one_cluster_in_a_scan_and_in_what_it_saves(tmp_path):
    chance = random.Random(1)
    words = prose(1, words=300).split()
    files = {}
    for number in range(60):
        own = [f"w{chance.randrange(10**9)}" if chance.random() < 0.02 else word for word in words]
        files[f"n/{number:03}.txt"] = " ".join(own)
    write(tmp_path, files)
    done = copysift(tmp_path, "scan", "n", "--max-shared", "20", "--save", "run", "--limit", "1")
    assert "60 files differ from text found in over 20 files in a few words only" in done.err
    assert ", 1 cluster," in done.out
    assert ", 1 cluster," in copysift(tmp_path, "show", "run", "--limit", "1").out
    found = copysift(tmp_path, "scan", "n", "--max-shared", "20", "--format", "json")
    (cluster,) = json.loads(found.out)["clusters"]
    assert len(cluster["members"] if isinstance(cluster, dict) else cluster) == 60


def test_a_query_ignores_what_a_scan_ignores_and_finds_near_copies(tmp_path):
    write(tmp_path, {f"t/{number}.txt": prose(1) + prose(100 + number, words=60) for number in range(12)})
    write(tmp_path, {"asked.txt": prose(1) + prose(999, words=60), "copy.txt": prose(1) + "\nmore"})
    assert copysift(tmp_path, "index", "add", "t.sift", "t").status == 0
    assert copysift(tmp_path, "query", "t.sift", "asked.txt").out.count("t/") == 12
    done = copysift(tmp_path, "query", "t.sift", "asked.txt", "--max-shared", "10")
    assert done.status == 1
    assert "fingerprints in more than 10 documents are ignored (--max-shared)" in done.err
    assert copysift(tmp_path, "query", "t.sift", "copy.txt", "--max-shared", "10").out.count("t/") == 12
    default = copysift(tmp_path, "query", "--help").out
    assert "1000" in default[default.index("--max-shared") :][:400]


def test_the_help_offers_no_option_that_has_no_effect(tmp_path):
    assert "--sketch" in copysift(tmp_path, "scan", "--help").out
    assert "--sketch" not in copysift(tmp_path, "index", "add", "--help").out
    assert "--sketch" not in copysift(tmp_path, "sweep", "--help").out


def test_a_name_with_a_backslash_is_told_from_one_with_a_control_character(tmp_path):
    write(tmp_path, {"a\\x1b": prose(1), "a\x1b": prose(1) + "more"})
    out = copysift(tmp_path, "scan", ".").out
    assert "a\\\\x1b" in out
    assert out.count("a\\x1b") == 1


def test_options_that_a_scan_has_no_use_for_are_named(tmp_path):
    write(tmp_path, {"a.txt": prose(1), "b.txt": prose(1)})
    cases = {
        ("--key-file", "k"): "--key-file has no effect without --anonymise",
        ("--equal-only", "--passages", "2"): "--passages has no effect with --equal-only",
        ("--folders", "--format", "csv"): "--folders has no effect in this report",
        ("--sets", "-0"): "--sets has no effect in this report",
    }
    for given, message in cases.items():
        assert message in copysift(tmp_path, "scan", ".", *given).err
        assert copysift(tmp_path, "scan", ".", *given, "-q").err == ""
    for given in ((), ("--folders", "--sets"), ("--sets", "--format", "json"), ("--passages", "2")):
        assert copysift(tmp_path, "scan", ".", *given).err == ""


def test_sets_and_folders_are_printed_together(tmp_path):
    shared = {f"{number}.txt": prose(number) for number in range(3)}
    write(tmp_path, {f"{side}/{name}": text + side for side in "ab" for name, text in shared.items()})
    found = copysift(tmp_path, "scan", ".", "--folders", "--sets").out
    assert "Sets of files: 3" in found
    assert "Similar folders: 1 pair" in found


def test_base_on_files_says_that_they_are_compared_as_a_class(tmp_path):
    program = "def f(n):\n    return [i * n for i in range(n) if i % 3]\n" * 8
    write(tmp_path, {"w/a.py": program, "w/b.py": program + "x = 1\n", "base/c.py": "import os\n"})
    write(tmp_path, {"t/a.txt": prose(1), "t/b.txt": prose(1) + " more", "base/c.txt": prose(9)})
    said = "weaker pairs of programs are listed"
    assert said in copysift(tmp_path, "scan", "w", "--base", "base").err
    assert said not in copysift(tmp_path, "scan", "w").err
    assert said not in copysift(tmp_path, "scan", "t", "--base", "base").err
    assert said not in copysift(tmp_path, "scan", "w", "--by", "dir", "--base", "base").err


def test_starter_code_and_earlier_years_without_files_are_named(tmp_path):
    write(tmp_path, {"w/a/a.txt": prose(1), "w/b/b.txt": prose(1) + " more", "old/c/c.txt": prose(2)})
    (tmp_path / "empty").mkdir()
    done = copysift(tmp_path, "scan", "w", "--by", "dir", "--base", "empty", "--earlier", "w")
    assert done.status == 0
    assert done.err.splitlines() == [
        "copysift: --base empty has no files of its own",
        "copysift: --earlier w has no files of its own",
    ]
    assert copysift(tmp_path, "scan", "w", "--by", "dir", "--earlier", "old").err == ""


def test_what_stands_for_markup_inside_of_words_is_not_shown(tmp_path):
    page = ".TH X 1\n.SH NAME\n" + "".join(f"\\fB{word}\\fP\\-name\n" for word in prose(4).split())
    write(tmp_path, {"a.1": page, "b.1": page + "One line more.\n"})
    for options in (("--passages", "1"), ("--sets",)):
        done = copysift(tmp_path, "scan", ".", *options)
        assert done.status == 0, done.err
        assert "x7f" not in done.out
    assert "-name" in copysift(tmp_path, "scan", ".", "--passages", "1").out
