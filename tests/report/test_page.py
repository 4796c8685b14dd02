import base64
import hashlib
import json
import re
import shutil
import subprocess
import zlib
from html.parser import HTMLParser
from importlib.resources import files

import pytest

from copysift.model.values import Cluster, Group, Ignored, Pair, Region, Result, Side, Skipped, Submission
from copysift.report.highlight import coloured, readable
from copysift.report.layout import placed, sides
from copysift.report.page import SCRIPTS, report
from copysift.report.units import labels_of
from copysift.report.view import View

HOSTILE = "</script><script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
SOURCES = {
    "hw/ann/a.py": f"# é {HOSTILE}\nprint('one')\nprint('two')\n".encode(),
    "hw/ann/b.bin": b"\0\1\2",
    f"hw/<img src=x onerror=alert(1)>/{HOSTILE.replace('/', '')}.py": f"x = 1\n# é {HOSTILE}\n".encode(),
}
ANN, IMG = "hw/ann", "hw/<img src=x onerror=alert(1)>"
FILES = list(SOURCES)


def example(**changes):
    start = SOURCES[FILES[2]].index(b"#")
    left = Side(FILES[0], 0, len(SOURCES[FILES[0]].splitlines()[0]), 1, 1)
    right = Side(FILES[2], start, len(SOURCES[FILES[2]]) - 1, 2, 2)
    values = {
        "settings": {"measure": "similarity", "threshold": 0.25, "kind": "auto"},
        "documents": (
            Group(FILES[0], ANN, "text", 100, 9), Group(FILES[1], ANN, "bytes", 3, 1),
            Group(FILES[2], IMG, "text", 80, 7),
        ),
        "pairs": (Pair(ANN, IMG, False, 0.8, 0.5, 0.7, 0.6, 6, 90, 1, (Region(90, left, right),)),),
        "clusters": (Cluster((ANN, IMG)),),
        "ignored": (Ignored(7, 12, HOSTILE),),
        "skipped": (Skipped(f"hw/{HOSTILE}", HOSTILE),),
        "submissions": (
            Submission(ANN, author="Ann", covered=0.6), Submission(IMG, label=HOSTILE),
            Submission("hw/e", note="empty"),
        ),
        "ignored_count": 1,
    }  # fmt: skip
    return Result(**{**values, **changes})


def source(name, start, end):
    return SOURCES[name][start:end]


class Tags(HTMLParser):
    def __init__(self, page):
        super().__init__()
        self.tags, self.scripts, self.open = [], {}, None
        self.feed(page)

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        self.open = len(self.tags) if tag == "script" else None

    def handle_endtag(self, tag):
        self.open = None

    def handle_data(self, data):
        if self.open is not None:
            self.scripts[self.open] = self.scripts.get(self.open, "") + data


def data_of(page):
    found = re.findall(r'<script type="application/json" id="data-(\w+)">(.*?)</script>', page, re.DOTALL)
    return {name: json.loads(text) for name, text in found}


def unpacked(text):
    return json.loads(zlib.decompress(base64.b64decode(text)))


def test_the_page_has_its_own_elements_only_whatever_names_and_sources_hold():
    page = report(example(), View(source=source))
    plain = report(example(submissions=(), ignored=(), skipped=(), pairs=()), View(source=source))
    tags = [tag for tag, _ in Tags(page).tags]
    assert "img" not in tags
    assert tags.count("script") == [tag for tag, _ in Tags(plain).tags].count("script") == 5
    assert "<img" not in page
    assert HOSTILE not in page


def test_the_policy_names_exactly_the_scripts_that_are_there():
    found = Tags(report(example(), View(source=source)))
    policy = next(attributes["content"] for tag, attributes in found.tags if attributes.get("http-equiv"))
    allowed = set(re.findall(r"'sha256-([^']+)'", policy))
    scripts = [
        text for at, text in found.scripts.items() if found.tags[at - 1][1].get("type") != "application/json"
    ]
    assert allowed == {base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in scripts}
    assert policy.startswith("default-src 'none'; ")
    assert "script-src 'unsafe-inline'" not in policy
    assert "http" not in policy


def test_offsets_are_those_of_the_text_that_is_shown():
    data = data_of(report(example(), View(source=source)))
    (pair,) = data["overview"]["pairs"]
    length, left_file, start, end, *_ = pair["regions"][0]
    text = unpacked(data["sources"][str(left_file)])["text"]
    assert text[start:end] == SOURCES[FILES[0]].decode().splitlines()[0]
    right_file, start, end = pair["regions"][0][6:9]
    assert unpacked(data["sources"][str(right_file)])["text"][start:end].startswith("# é </script>")
    assert length == 90


def test_a_binary_file_has_no_source_and_is_listed():
    data = data_of(report(example(), View(source=source)))
    assert [each["kind"] for each in data["overview"]["files"]] == ["text", "bytes", "text"]
    assert set(data["sources"]) == {"0", "2"}


def test_only_sources_of_the_reported_pairs_are_embedded_and_the_rest_is_counted():
    documents = tuple(Group(f"hw/{name}", f"hw/{name}", "text", 5, 3) for name in "abcd")
    pairs = tuple(Pair(f"hw/{a}", f"hw/{b}", False, 0.9, 0.9, 0.9, 0.9, 3, 5, 1, ()) for a, b in ("ab", "cd"))
    result = example(documents=documents, pairs=pairs, submissions=(), clusters=())
    data = data_of(report(result, View(limit=1, source=lambda *_: b"hello")))
    assert set(data["sources"]) == {"0", "1"}
    assert data["overview"]["allPairs"] == 2


def test_base_code_is_marked_in_the_source():
    spans = {FILES[0]: ((2, 6),), FILES[2]: ()}
    page = report(example(), View(source=source, base=lambda name: spans[name]))
    assert unpacked(data_of(page)["sources"]["0"])["base"] == [2, 5]  # é takes two bytes


def test_a_result_without_pairs_is_a_page_too():
    assert "data-charts" in report(example(pairs=(), clusters=()), View(source=source))


def test_the_same_result_gives_the_same_sources_and_pairs():
    first, second = (data_of(report(example(), View(source=source))) for _ in range(2))
    assert (first["overview"], first["sources"]) == (second["overview"], second["sources"])


@pytest.mark.parametrize("text", ["", "x", "é💥\r\nx", "def f():\n\treturn '''a\n", "\ufeffx", "a\0b\u202ec"])
def test_runs_of_colours_cover_the_text_exactly(text):
    shown = coloured("x.py", text)
    assert sum(shown.runs[1::2]) == len(text.encode("utf-16-le")) // 2
    assert shown.text == text


def test_damaged_bytes_move_nothing_behind_them_and_disguises_are_shown():
    text, places = readable(b"a\xffb\xe2\x80\xaec\x1b\xf0\x9f\x92\xa5d", {0, 2, 3, 6, 7, 12, 13, 99})
    assert text == "a�b�c␛💥d"
    units = text.encode("utf-16-le")
    firsts = [units[2 * places[at] :].decode("utf-16-le")[:1] for at in (0, 2, 3, 6, 12)]
    assert firsts == ["a", "b", "�", "c", "d"]
    assert places[99] == places[13]


def test_labels_are_as_short_as_they_are_unique():
    names = ("2023/ann", "2024/ann", "2024/bob", "x/y/z.py")
    result = example(
        documents=tuple(Group(name, name, "text", 1, 1) for name in names),
        submissions=tuple(Submission(name, label="Zed" if name == "x/y/z.py" else "") for name in names),
    )
    assert list(labels_of(result).values()) == ["2023/ann", "2024/ann", "bob", "Zed"]


def test_the_label_of_a_member_does_not_repeat_its_archive():
    names = (
        "class.zip!ann",
        "class.zip!bob/work.tar.gz!main.py",
        "class.zip!eve",
        "old/eve",
        "Stop!",
        "a/Hi!.py",
    )
    result = example(
        documents=tuple(Group(name, name, "text", 1, 1) for name in names),
        submissions=tuple(Submission(name) for name in names),
    )
    labels = ["ann", "main.py", "class.zip!eve", "old/eve", "Stop!", "Hi!.py"]
    assert list(labels_of(result).values()) == labels


def test_the_layout_is_the_same_every_time_and_keeps_nodes_apart():
    edges = [(a, b, 0.5) for a in range(6) for b in range(a)] + [(7, 8, 0.9)]
    spots = placed(10, edges)
    assert (spots == placed(10, edges)).all()
    apart = ((spots[:, None] - spots[None]) ** 2).sum(axis=2) ** 0.5
    assert min(apart[a, b] for a in range(10) for b in range(a)) > 0.1


def test_names_have_room_beside_their_clusters_and_point_away_from_the_middle():
    edges = [(0, 1, 1.0), (2, 3, 1.0), (4, 5, 1.0), (5, 6, 1.0)]

    def narrowest(places):
        """Give the room between two components that are beside each other."""
        boxes = [(places[each].min(axis=0), places[each].max(axis=0)) for each in ([0, 1], [2, 3], [4, 5, 6])]
        return min(
            right[0] - left[0]
            for low, left in boxes
            for right, high in boxes
            if right[0] > left[0] and right[1] <= left[1] and low[1] <= high[1]
        )

    roomy = placed(7, edges, names=True)
    assert narrowest(placed(7, edges)) == pytest.approx(1.6)
    assert narrowest(roomy) == pytest.approx(4.4)
    beside = sides(7, edges, roomy)
    assert sorted(beside[[0, 1], 0].tolist()) == [-1, 1]
    assert sorted(beside[[4, 5, 6], 0].tolist()) == [-1, 0, 1]


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("name", SCRIPTS)
def test_each_script_parses(name):
    with (files("copysift.report") / "static" / name).open() as script:
        subprocess.run(["node", "--check", "-"], stdin=script, check=True, capture_output=True)


def test_the_page_leaves_out_what_stands_for_markup_inside_of_words():
    assert readable(b"\x7f\x7fa\x7f-b", [2, 5]) == ("a-b", {2: 0, 5: 2})
