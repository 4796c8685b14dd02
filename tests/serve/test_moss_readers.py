"""Real MOSS clients send to the server, and real readers of MOSS results read what it answers.

Each program runs in a process of its own, as its users run it, with nothing changed but the host and port;
`./dev readers` installs them. Readers that no registry has are represented by the rule by which they find a
match.
"""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.serve.moss_client import submit
from tests.serve.running import Server, program

ROOT = Path(__file__).parents[2]
CLIENT = "import json, sys, mosspy; mosspy.Moss.server, mosspy.Moss.port = '127.0.0.1', int(sys.argv[1])\n"
ALICE, BOB, CAROL = program(1), "import os\n\n\n" + program(1), "print('nothing in common')\n" * 3


def run(reader: str, script: str, *arguments: object, folder: Path) -> str:
    """Run a script where a reader is installed and give what it prints."""
    python = ROOT / ".venv" / "readers" / reader / "bin" / "python"
    if not python.exists():
        pytest.skip("./dev readers installs it")
    command = [str(python), "-c", script, *map(str, arguments)]
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=300, env=environment
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def fetch(server: Server, address: str) -> str:
    status, content = server.ask("GET", address.removeprefix(server.url))
    assert status == 200
    return str(content)


@pytest.fixture(scope="module")
def address(server: Server) -> str:
    """Submissions 101 and 102 in folders, with a comment; 101 has a second file."""
    files = [
        ("hw/101/main.py", ALICE.encode()), ("hw/101/odd.py", CAROL.encode()),
        ("hw/102/main.py", BOB.encode()), ("hw/103/main.py", b"for each in range(10):\n    yield each\n"),
    ]  # fmt: skip
    return submit(server.moss_port, files, directory=1, comment="homework 3")[1]


@pytest.fixture(scope="module")
def stanford(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that the name server of a network gives as moss.stanford.edu."""
    place = tmp_path_factory.mktemp("stanford") / "data"
    with Server(place, "--moss-url", "http://moss.stanford.edu") as running:
        yield running


@pytest.fixture(scope="module")
def nothing(server: Server) -> str:
    return submit(server.moss_port, [("a.py", b"x = 1\n"), ("b.py", b"print('b')\n")])[1]


@pytest.fixture
def class_(tmp_path: Path) -> Path:
    """A folder of three submissions in folders, the first two alike."""
    for name, text in (("alice", ALICE), ("bob", BOB), ("carol", CAROL)):
        (tmp_path / "projects" / name).mkdir(parents=True)
        (tmp_path / "projects" / name / "main.py").write_text(text)
    return tmp_path


# ---- programs from PyPI


def test_mosspy_sends_and_downloads_a_report_of_relative_links(server: Server, class_: Path) -> None:
    script = """
moss = mosspy.Moss(1, "python")
moss.addFilesByWildcard("projects/*/main.py")
url = moss.send()
moss.saveWebPage(url, "saved.html")
mosspy.download_report(url, "report", connections=1, log_level=40)
print(url)
"""
    url = run("plagcheck", CLIENT + script, server.moss_port, folder=class_).strip()
    assert re.fullmatch(rf"{server.url}/results/\d+", url)
    assert "projects/alice/main.py (100%)" in (class_ / "saved.html").read_text()
    names = {path.name for path in (class_ / "report").iterdir()}
    assert names == {"index.html", "match0.html", "match0-top.html", "match0-0.html", "match0-1.html"}
    assert server.url not in (class_ / "report" / "index.html").read_text()


def test_pymoss_gets_an_address_or_the_reason_why_not(server: Server, class_: Path) -> None:
    script = """
import sys, moss
client = moss.MOSS(1, "python", moss_host="127.0.0.1", moss_port=int(sys.argv[1]))
client.add_file_from_disk("projects/*/main.py", wildcard=True)
print(client.process())
client.language = "elvish"
try:
    client.process()
except moss.MOSSException as error:
    print(error)
"""
    lines = run("pymoss", script, server.moss_port, folder=class_).splitlines()
    assert "projects/bob/main.py" in fetch(server, lines[0])
    assert lines[1] == "language 'elvish' not accepted by server"


def test_plagcheck_lists_the_lines_that_match(server: Server, class_: Path) -> None:
    script = """
import plagcheck
found = plagcheck.check("python", 1)
found.addFilesByWildCard("projects/*/main.py")
found.submit()
print(json.dumps(found.getResults()))
"""
    (row,) = json.loads(run("plagcheck", CLIENT + script, server.moss_port, folder=class_))
    last = ALICE.rstrip().count("\n") + 1
    assert {row["file1"], row["file2"]} == {"projects/alice/main.py", "projects/bob/main.py"}
    assert sorted(row["lines_matched"][0]) == [f"1-{last}", f"4-{last + 3}"]
    assert row["no_of_lines_matched"] == last


def test_mossnet_builds_its_network_with_the_sources_of_both_sides(server: Server, class_: Path) -> None:
    files = [(f"{name}@x.org/main.py", text.encode()) for name, text in (("alice", ALICE), ("bob", BOB))]
    _, address = submit(server.moss_port, files)
    script = """
import sys, mossnet
network = mossnet.build([sys.argv[1]])
(pair,) = network.traverse_pairs()
((left, right),) = network.get_pair(*pair).values()
print(*sorted(pair), left[0], right[0])
print(left[1])
"""
    shown = run("mossnet", script, address, folder=class_)
    assert shown.startswith("alice@x.org bob@x.org 100 100\n")
    assert ALICE.strip() in shown


def test_a_client_for_node_takes_an_address_at_stanford(stanford: Server, class_: Path) -> None:
    package = ROOT / ".venv" / "readers" / "moss-node-client" / "node_modules" / "moss-node-client"
    if not package.exists():
        pytest.skip("./dev readers installs it")
    script = """
const net = require("net"), connect = net.Socket.prototype.connect, [folder, port] = process.argv.slice(1)
net.Socket.prototype.connect = function (_, __, then) { return connect.call(this, port, "127.0.0.1", then) }
const client = new (require(folder))("python", 1)
for (const name of ["alice", "bob"]) client.addFile(`projects/${name}/main.py`, name)
setTimeout(() => client.process().then(url => { console.log(`URL ${url}`); process.exit() }), 500)
"""
    command = ["node", "-e", script, str(package), str(stanford.moss_port)]
    done = subprocess.run(command, cwd=class_, capture_output=True, text=True, timeout=60)
    found = re.search(r"URL http://moss\.stanford\.edu(\S+)", done.stdout)
    assert found is not None, done.stdout + done.stderr
    assert "alice (100%)" in fetch(stanford, found[1])


MOUSSE = """
import runpy
sys.argv = ["mousse", "-c", "mousse.ini", "-l", "python", "."]
runpy.run_module("mousse", run_name="__main__")
"""


def test_mousse_draws_the_distances_of_projects(server: Server, class_: Path) -> None:
    (class_ / "mousse.ini").write_text("[moss]\nuserid = 1\n")
    (class_ / "projects" / "dora").mkdir()
    (class_ / "projects" / "dora" / "main.py").write_text(ALICE[: len(ALICE) // 2] + "\n" + CAROL)
    run("pymousse", CLIENT + MOUSSE, server.moss_port, folder=class_)
    with (class_ / "dists.csv").open() as file:
        rows = {row[""]: row for row in csv.DictReader(file)}
    assert float(rows["alice"]["bob"]) < 0.1 < float(rows["alice"]["dora"])
    assert (class_ / "dists.pdf").stat().st_size > 1000


def test_mousse_says_so_where_nothing_matches(server: Server, class_: Path) -> None:
    (class_ / "mousse.ini").write_text("[moss]\nuserid = 1\n")
    shutil.rmtree(class_ / "projects" / "bob")
    with pytest.raises(AssertionError, match="MOSS reported no matches"):
        run("pymousse", CLIENT + MOUSSE, server.moss_port, folder=class_)


def test_markus_moss_writes_its_report_with_the_passages_of_each_case(server: Server, class_: Path) -> None:
    (class_ / "projects").rename(class_ / "submission_files")
    script = """
from markus_moss import markusmoss
moss = markusmoss.MarkusMoss(moss_userid=1, language="python", workdir=".", markus_assignment="a1")
moss._MarkusMoss__membership_data = {name: [] for name in ("alice", "bob", "carol")}
moss.get_path_from_header = moss.format_header = str
moss.run(["run_moss", "download_moss_report", "write_final_report"])
case = markusmoss._Case("final_report/a1/case_1/moss.html", moss)
print(json.dumps([[[side.start, side.end, side.code] for side in match] for match in case]))
"""
    passages = json.loads(run("markus-moss", CLIENT + script, server.moss_port, folder=class_))
    with (class_ / "final_report" / "a1" / "case_overview.csv").open() as file:
        (row,) = csv.DictReader(file)
    assert row["groups"] in ("alice;bob", "bob;alice")
    texts = {name: text.splitlines() for name, text in (("alice", ALICE), ("bob", BOB))}
    for name, (start, end, code) in zip(row["groups"].split(";"), passages[0], strict=True):
        assert code.splitlines() == texts[name][start - 1 : end]


# ---- a client in Perl


@pytest.mark.skipif(shutil.which("perl") is None, reason="perl is not installed")
def test_a_perl_client_of_the_classic_form_prints_the_address_or_the_reason(
    server: Server, guarded: Server, class_: Path
) -> None:
    client = Path(__file__).parent / "classic_client.pl"

    def send(to: Server, *options: str) -> subprocess.CompletedProcess[str]:
        files = sorted(str(path.relative_to(class_)) for path in class_.glob("projects/*/main.py"))
        command = ["perl", str(client), "127.0.0.1", str(to.moss_port), *options, "--", *files]
        return subprocess.run(command, cwd=class_, capture_output=True, text=True, timeout=60)

    done = send(server, "-l", "python", "-d", "-c", "homework 3")
    assert done.returncode == 0, done.stderr
    assert "projects/alice/ (100%)" in fetch(server, done.stdout.splitlines()[-1])
    assert "Unrecognized language elvish" in send(server, "-l", "elvish").stderr
    refused = send(guarded, "-l", "python", "-u", "999")
    assert refused.stdout.splitlines()[-1] == "Error: this server does not know the user `999`"


# ---- the rules of readers that no registry has


def rows(page: str) -> Iterator[list[str]]:
    """Find the cells of each row after the first, whatever is in them."""
    for row in page.partition("<TABLE>")[2].partition("</TABLE>")[0].split("<TR>")[2:]:
        yield [re.sub("<[^>]*>", "", cell).strip() for cell in row.split("<TD")[1:]]


def test_the_third_paragraph_is_the_comment_for_mossum(server: Server, address: str, nothing: str) -> None:
    """mossum takes the comment from the third <p>, and splits each cell of a row at its one blank."""
    bs4 = pytest.importorskip("bs4")
    soup = bs4.BeautifulSoup(fetch(server, address), "html5lib")
    assert [each.text.strip() for each in soup("p")][1:3] == ["Options -l python -d -m 10", "homework 3"]
    ((first, second, lines),) = [[cell.text for cell in row("td")] for row in soup.table("tr")[1:]]
    assert [first.split(), second.split()] == [["hw/101/", "(89%)"], ["hw/102/", "(100%)"]]
    assert int(lines) == 30
    empty = bs4.BeautifulSoup(fetch(server, nothing), "html5lib")
    assert len(empty("p")) >= 3
    assert len(empty.table("tr")) == 1


def test_moss_ruby_finds_ids_shares_and_sources(server: Server, address: str) -> None:
    """moss_ruby wants both links of a row on lines of their own, and the name between <HR> and <p><PRE>."""
    page = fetch(server, address)
    assert re.findall(
        r'<TR><TD><A HREF=".*?match(\d+).html">.*\((\d+)%\)</A>\n.*<TD><A.*\((\d+)%\)', page
    ) == [("0", "89", "100")]
    side = fetch(server, f"{address}/match0-1.html")
    found = re.search(r"<HR>\s+(\S+)<p><PRE>\n(.*)</PRE>\n</PRE>\n</BODY>\n</HTML>", side, re.DOTALL)
    assert found is not None
    assert found[1] == "hw/102/"
    assert "def shared_1(first, second):\n" in found[2]
    top = fetch(server, f"{address}/match0-top.html")
    assert re.search(r"<TH>(\S+)\s\((\d+)%\).*<TH>(\S+)\s\((\d+)%\)", top).groups() == (  # type: ignore[union-attr]
        "hw/101/", "89", "hw/102/", "100",
    )  # fmt: skip


def test_moodle_plagiarism_programming_finds_numbered_folders_and_whole_lines(server: Server) -> None:
    """It reads the page below a slash: relative links, `ID/` before the share; marks begin and end lines."""
    files = [("101/main.py", ALICE.encode()), ("101/odd.py", CAROL.encode()), ("102/main.py", BOB.encode())]
    _, address = submit(server.moss_port, files, directory=1)
    page = fetch(server, f"{address}/")
    assert re.findall(r'<A HREF="(match\d+\.html)">([^/]*)/\s\((\d+)%\)</A>', page) == [
        ("match0.html", "101", "89"), ("match0.html", "102", "100"),
    ]  # fmt: skip
    lines = fetch(server, f"{address}/match0-1.html").split("<PRE>\n")[1].split("\n")
    (start,) = [
        at for at, line in enumerate(lines) if re.match(r'<A NAME="0"></A><FONT color = #[0-9A-F]{6}>', line)
    ]
    (end,) = [at for at, line in enumerate(lines) if line.startswith("</FONT>")]
    assert lines[start + 1] == ""
    assert lines[start + 2 : end] == ALICE.rstrip("\n").split("\n")
    assert lines[:start] == ["&gt;&gt;&gt;&gt; file: main.py", "import os", "", ""]


def test_moodle_plagiarism_moss_finds_the_name_of_stanford_where_that_is_the_address(
    stanford: Server,
) -> None:
    """It looks for links to moss.stanford.edu with a numeric result, and for folders named by a number."""
    files = [("hw/101/main.py", ALICE.encode()), ("hw/102/main.py", BOB.encode())]
    _, address = submit(stanford.moss_port, files, directory=1)
    assert re.fullmatch(r"http://moss\.stanford\.edu/results/\d+", address)
    path = address.removeprefix("http://moss.stanford.edu")
    _, page = stanford.ask("GET", f"{path}/", headers={"host": "moss.stanford.edu"})
    rule = (
        r'(http://moss\.stanford\.edu/results/\d+/match\d+\.html)">.+?/(\d+)/ \((\d+)%\)'
        r".+?/(\d+)/ \((\d+)%\).+?right>(\d+)\n"
    )
    assert re.findall(rule, page, re.DOTALL) == [(f"{address}/match0.html", "101", "100", "102", "100", "30")]


def test_scripts_find_the_date_and_the_options(server: Server, address: str, nothing: str) -> None:
    page = fetch(server, nothing)
    assert re.search(r"Moss Results<p>\s\w{3} \w{3} [ \d]\d [\d:]{8} \w+ \d{4}\s<p>\sOptions", page)
    assert re.search(r"<p>\sOptions (.+)\s<HR>", page)[1] == "-l python -m 10"  # type: ignore[index]
    assert "No matches were found in your submission." in page
    assert "No matches were found" not in fetch(server, address)
    assert [row[2].partition(">")[2] for row in rows(fetch(server, address))] == ["30"]
