"""What raised the similarity of a pair is found where it is in the sources."""

import random

import numpy as np
import pytest

from copysift import kinds
from copysift.kinds import lexemes
from copysift.kinds.code import Code
from copysift.settings.comparison import Settings
from copysift.workflows.scan import Scan
from tests.clusters.test_families import program
from tests.kinds.test_languages import SAMPLES

KNOWN = kinds.languages()
STEP = """
    for (int at = 0; at < wide; at++) {{
        total{0} = total{0} * 31 + cells[at] % 7;
        if (total{0} > 9000) {{ total{0} = total{0} - 8999; }}
    }}
"""


def scanned(folder, texts, **settings):
    for name, text in texts.items():
        (folder / name).mkdir()
        (folder / name / "a.java").write_text(text)
    scan = Scan(Settings(by="dir", threshold=0.0, **settings))
    return scan, scan.run([folder], regions=True)


def explained(scan, result, left, right):
    """Explain a pair; give the explanation, the pair, and the source of a clue."""
    (pair,) = (
        each
        for each in result.pairs
        if {each.left.rpartition("/")[2], each.right.rpartition("/")[2]} == {left, right}
    )
    files = [
        next(each.name for each in result.documents if each.group == side) for side in (pair.left, pair.right)
    ]
    found = scan.explain(*files, pair.channel, pair.regions)
    return found, pair, lambda clue: scan.source(clue.file, clue.start, clue.end).decode()


@pytest.mark.parametrize("path", sorted(SAMPLES.glob("*.txt")), ids=lambda path: path.stem)
def test_every_statement_and_string_that_counts_has_its_place(path):
    name, data = path.stem, path.read_bytes()
    code = Code(KNOWN.find(name))
    told = []
    list(code.told([data], told))
    places = code.places(data)
    assert np.array_equal(places.statement_hashes, told[0].statements)
    assert len(places.statements) == len(places.statement_hashes)
    assert set(places.string_hashes.tolist()) <= set(told[0].strings.tolist())
    assert (places.statements[:, 0] < places.statements[:, 1]).all()
    assert (np.diff(places.statements[:, 0]) >= 0).all()


def test_statements_strings_and_rare_code_that_only_two_have_are_named(tmp_path):
    texts = {f"p{at}": program(random.Random(at), 4) for at in range(8)}
    own = 'class Own {\n  void own(int[] given) {\n    String said = "a most peculiar message";\n'
    own += "    peculiar = given[17] << 3 ^ given[4];\n  }\n}\n"
    texts["p2"] += own
    texts["p5"] += own
    scan, result = scanned(tmp_path, texts)
    found, _, source = explained(scan, result, "p2", "p5")
    for side in found.clues:
        said = {
            what: [source(each) for each in side if each.what == what]
            for what in ("statement", "string", "rare")
        }
        assert '"a most peculiar message"' in said["string"]
        assert "peculiar = given[17] << 3 ^ given[4]" in said["statement"]
        assert any("peculiar = given" in each for each in said["rare"])


def test_the_largest_share_is_the_similarity_but_for_what_is_not_word_for_word(tmp_path):
    texts = {f"p{at}": program(random.Random(at), 4) for at in range(8)}
    texts["p3"] = texts["p1"] + program(random.Random("more"), 2)
    scan, result = scanned(tmp_path, texts)
    for pair in result.pairs:
        found, *_ = explained(scan, result, pair.left[-2:], pair.right[-2:])
        best = max(share for _, share in found.shares)
        assert 0.98 * best - 1e-9 <= pair.similarity <= best + 1e-9


def test_what_many_have_is_no_clue(tmp_path):
    idiom = program(random.Random("idiom"), 3)
    texts = {f"p{at}": program(random.Random(at), 4) + idiom for at in range(40)}
    scan, result = scanned(tmp_path, texts)
    pair = result.pairs[0]
    found, *_ = explained(scan, result, pair.left.rpartition("/")[2], pair.right.rpartition("/")[2])
    place = texts[pair.left.rpartition("/")[2]].index(idiom)
    assert all(clue.start < place for clue in found.clues[0] if clue.what == "statement")


def test_base_code_is_no_clue(tmp_path):
    base = tmp_path / "base.java"
    base.write_text('class Base { void f(int a) { log("handed out to all", a, 12); int b = a << 2 ^ 4; } }\n')
    texts = {f"p{at}": base.read_text() + program(random.Random(at % 2), 3) for at in range(2)}
    (tmp_path / "class").mkdir()
    scan, result = scanned(tmp_path / "class", texts, base=(str(base),))
    assert all(
        "handed out" not in scan.source(clue.file, clue.start, clue.end).decode()
        for pair in result.pairs
        for side in explained(scan, result, pair.left[-2:], pair.right[-2:])[0].clues
        for clue in side
    )


def test_a_passage_that_is_once_on_the_left_and_five_times_on_the_right_is_marked_six_times(tmp_path):
    gaps = [f"goto {'else '.join('ab'[: at % 2 + 1])}[{'[' * at}1{']' * at}];\n" for at in range(5)]
    texts = {
        "p1": "throw new Failure();\n" + STEP.format("A"),
        "p2": "".join(gap + STEP.format(letter) for gap, letter in zip(gaps, "BCDEF", strict=True)),
    }
    scan, result = scanned(tmp_path, texts)
    found, pair, _ = explained(scan, result, "p1", "p2")
    (region,) = pair.regions
    assert found.occurrences[0] == ()
    again = found.occurrences[1]
    assert {each.region for each in again} == {0}
    lines = sorted([each.last_line for each in again] + [region.right.last_line])
    source = texts["p2"].split("\n")
    assert lines == [number + 3 for number, line in enumerate(source, 1) if "for (int at" in line]
    turned, _, _ = explained(scan, result, "p2", "p1")
    assert turned == found


def test_a_source_that_is_gone_explains_nothing(tmp_path):
    texts = {f"p{at}": program(random.Random(at % 2), 4) for at in range(4)}
    texts["p2"] += program(random.Random("own"), 1)
    scan, result = scanned(tmp_path, texts)
    (tmp_path / "p0" / "a.java").unlink()
    (pair,) = (each for each in result.pairs if {each.left[-2:], each.right[-2:]} == {"p0", "p2"})
    files = [f"{side}/a.java" for side in (pair.left, pair.right)]
    scan._exact._cache.clear()
    assert scan.explain(*files, pair.channel, pair.regions).clues == ((), ())


def test_lexemes_of_a_page_and_a_notebook_are_placed_in_the_whole(tmp_path):
    page = b"<p>Hi</p><script>let first = 'some words here';\nlet second = first + 1;</script>"
    found = kinds.webpage.WebPage(KNOWN).places(page)
    assert [page[a:b] for a, b in found.strings.tolist()] == [b"'some words here'"]
    assert b"let second = first + 1" in [page[a:b] for a, b in found.statements.tolist()]
    cells = b"# %% python\ntotal = 3 + other\n# %% [markdown]\nwords\n# %% python\nname = 'text'\n"
    found = kinds.notebook.Notebook(KNOWN).places(cells)
    assert [cells[a:b] for a, b in found.statements.tolist()] == [b"total = 3 + other", b"name = 'text'"]
    assert lexemes.PlacedLexemes.together([]).statements.shape == (0, 2)
