"""The experiments read what a user names, and pages have the numbers that came out."""

import gzip
import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXPERIMENTS = ROOT / "experiments"
RENDERED = sorted(path.parent.name for path in EXPERIMENTS.glob("*/render.py"))
# In the place of plots.py, which needs Matplotlib: the tables are made without it.
NO_PLOTS = """
from contextlib import contextmanager
from unittest.mock import MagicMock

@contextmanager
def figure(*_, **__):
    axes = MagicMock()
    axes.plot.side_effect = lambda *_, **__: [MagicMock()]
    yield axes
"""


def results(paper, name="results"):
    return json.loads((EXPERIMENTS / paper / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("paper", RENDERED)
def test_the_tables_of_an_experiment_are_those_of_its_results(paper, tmp_path):
    shutil.copytree(EXPERIMENTS / paper, tmp_path / paper)
    shutil.copy(EXPERIMENTS / "pages.py", tmp_path)
    (tmp_path / "plots.py").write_text(NO_PLOTS)
    subprocess.run([sys.executable, tmp_path / paper / "render.py"], check=True)
    assert (tmp_path / paper / "README.md").read_text() == (EXPERIMENTS / paper / "README.md").read_text()


@pytest.mark.parametrize("plot", ["winnowing/densities.svg", "broder/errors.svg"])
def test_the_documentation_shows_the_plots_of_the_experiments(plot):
    shown = ROOT / "docs" / "images" / Path(plot).name
    assert shown.read_bytes() == (EXPERIMENTS / plot).read_bytes()


def short(value, digits=3):
    """Write a share as the pages do: .827."""
    return f"{value:.{digits}f}".removeprefix("0")


def percent(value):
    return f"{100 * value:.0f}"


def irplag():
    """Give the figures of both schemes, those of the default first."""
    found = results("plagiarism", "schemes")["IR-Plag"]
    figures = ("roc_auc", "average_precision")
    return {
        "default": [short(found[each][1]) for each in figures],
        "robust": [short(found[each][0]) for each in figures],
        "gains": [short(end) for each in figures for end in found[f"{each}_gain"]],
    }


def fewer(name):
    old, new = results("plagiarism", "schemes")[name]
    return percent(1 - new / old)


def estimated(figure, scheme):
    return next(row[figure] for row in results("winnowing")["estimators"] if row["scheme"] == scheme)


def saved_by_window():
    """Give the least and the most that `open-closed` saves where the window is one or two k-grams long."""
    found = results("winnowing")
    shares = [
        row["open-closed"] / row["robust"] for row in found["random"]["schemes"] if row["w"] in (50, 100)
    ]
    shares.append(found["pages"]["densities"]["open-closed"] / found["pages"]["densities"]["robust"])
    return [percent(1 - max(shares)), percent(1 - min(shares))]


def held(figure, *schemes):
    """Give between which percentages intervals hold, without the exception that the page names."""
    rows = [row for row in results("winnowing")["intervals"] if row["scheme"] in schemes]
    shares = [sum(row[figure]) / 3 for row in rows]
    return [percent(min(shares)), percent(max(shares))]


def hidden(scheme):
    return [row[scheme] for row in results("winnowing")["edges"]]


def random_test(threshold):
    row = next(row for row in results("sif")["random_test"] if row["threshold"] == threshold)
    return [str(row[each]) for each in ("found", "times", "only", "alone")]


def similarities():
    row = results("sif")["random_test"][0]
    return [percent(row["lowest"]), percent(row["highest"])]


CLAIMS = {
    "measures, programs": (
        "measures",
        r"On IR-Plag .* ROC-AUC (\S+) and average precision (\S+)\. "
        r"With `--scheme robust` it is (\S+) and (\S+)\. ",
        lambda: [*irplag()["default"], *irplag()["robust"]],
    ),
    "science, programs": (
        "science",
        r"On IR-Plag its ROC-AUC is (\S+), that of `robust` (\S+); average precision is (\S+) and (\S+)\. "
        r".* differences, (\S+) to (\S+) and (\S+) to (\S+), have no 0",
        lambda: [
            *[each for pair in zip(irplag()["default"], irplag()["robust"], strict=True) for each in pair],
            *irplag()["gains"],
        ],
    ),
    "science, pairs of independent programs": (
        "science",
        r"independent programs of IR-Plag it reports (\d+) % fewer",
        lambda: [fewer("reported without copies")],
    ),
    "science, fingerprints": (
        "science",
        r"keeps (\d+) % fewer fingerprints of text at the defaults and (\d+) % fewer of the tokens",
        lambda: [
            percent(1 - estimated("fingerprints", "open-closed") / estimated("fingerprints", "robust")),
            fewer("fingerprints"),
        ],
    ),
    "science, density": ("science", r"keeps (\d+) to (\d+) % less", saved_by_window),
    "science, bias": (
        "science",
        r"a bias of −(\S+) where `robust` has −(\S+), and "
        r"a root mean square error of (\S+) where it has (\S+)\. ",
        lambda: [
            short(abs(estimated(figure, scheme)))
            for figure in ("bias", "rmse")
            for scheme in ("open-closed", "robust")
        ],
    ),
    "science, hidden": (
        "science",
        r"hides about (\S+) fingerprints beside it \(`open-closed` (\S+) to (\S+)\)",
        lambda: [
            short(max(hidden("robust")), 2),
            short(min(hidden("open-closed")), 2),
            short(max(hidden("open-closed")), 2),
        ],
    ),
    "science, intervals": (
        "science",
        r"intervals of `robust` and `open-closed` hold in (\d+) to (\d+) % of the cases, "
        r"those of `mod` and of sketches in (\d+) to (\d+) %\. "
        r"Wilson's .* holds for `robust` in (\d+) to (\d+) %",
        lambda: [
            *held("holds", "robust", "open-closed"),
            *held("holds", "mod", "min", "adaptive-mod"),
            *held("wilson_holds", "robust"),
        ],
    ),
    "science, pairs of headers": (
        "science",
        r"(\S+) pairs are at least 25 % similar by all their k-grams; "
        r"`open-closed` lists (\S+) and `robust` (\S+)\. ",
        lambda: [f"{results('sif')['pairs'][each]:,}" for each in ("all", "open-closed", "robust")],
    ),
    "performance, sif": (
        "performance",
        r"25 % \(the default\) \| (\d+) of (\d+) \| (\d+) \| (\d+) \| "
        r".* 5 % \(the paper's\) \| (\d+) of (\d+) \| (\d+) \| (\d+) \|",
        lambda: [*random_test("25%"), *random_test("5%")],
    ),
    "performance, similarities": (
        "performance",
        r"changed files are (\d+) % to (\d+) % similar to their originals",
        similarities,
    ),
}


@pytest.mark.parametrize("claim", CLAIMS)
def test_the_documentation_has_the_numbers_of_the_experiments(claim):
    page, pattern, wanted = CLAIMS[claim]
    text = " ".join((ROOT / "docs" / f"{page}.md").read_text(encoding="utf-8").split())
    found = re.search(pattern, text)
    assert found, f"docs/{page}.md has no sentence like this: {pattern}"
    assert list(found.groups()) == wanted()


@pytest.fixture
def data(monkeypatch, tmp_path):
    """Give the module that finds material, with a folder of its own to unpack into."""
    pytest.importorskip("fastwarc")
    monkeypatch.setattr(sys, "path", [str(EXPERIMENTS), *sys.path])
    monkeypatch.setenv("COPYSIFT_DATA", str(tmp_path / "cache"))
    monkeypatch.delitem(sys.modules, "data", raising=False)
    import data

    yield data
    sys.modules.pop("data", None)


def response(uri, body, status="200 OK"):
    """Give the record of a page."""
    block = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n".encode() + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Record-ID: <urn:uuid:{uri}>\r\nWARC-Target-URI: {uri}\r\n"
        "WARC-Date: 2026-01-01T00:00:00Z\r\nContent-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"


def test_an_experiment_takes_folders_and_warc_files(data, tmp_path):
    crawl = tmp_path / "crawl.warc.gz"
    pages = [b"<p>one", b"<p>two"]
    records = [response(f"http://a/{number}", page) for number, page in enumerate(pages)]
    records.insert(1, response("http://a/gone", b"no such page", "404 Not Found"))
    crawl.write_bytes(b"".join(map(gzip.compress, records)))
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "three.html").write_bytes(b"<p>three")
    for _ in range(2):  # unpacked, then found there
        found = data.html_pages([str(crawl), str(tmp_path / "folder")])
        assert [path.read_bytes() for path in found] == [*pages, b"<p>three"]


@pytest.mark.parametrize("name", ["absent", "notes.txt"])
def test_an_experiment_says_what_it_cannot_read(data, tmp_path, name):
    (tmp_path / "notes.txt").write_text("no records")
    with pytest.raises(SystemExit, match=f"{name}"):
        list(data.html_pages([str(tmp_path / name)]))
