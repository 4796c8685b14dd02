"""Indexes over REST, and `--server` of query and scan."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from copysift.serve.indexes import without_paths
from tests.serve.conftest import TOKENS
from tests.serve.running import Server, program
from tests.sources import samples

ESSAYS = Path(__file__).parents[2] / "examples" / "essays"
PLACE = "/api/v1/indexes"


@pytest.fixture(scope="module")
def filled(server: Server) -> Server:
    names = ("bees.txt", "bread.txt", "lighthouse.txt")
    documents = [{"name": name, "text": (ESSAYS / name).read_text()} for name in names]
    status, job = server.ask("POST", f"{PLACE}/library/documents", {"documents": documents})
    assert (status, job["kind"]) == (202, "index")
    done = server.finished(job["id"])
    assert (done["state"], done["summary"]["added"]) == ("done", 3)
    assert server.ask("GET", f"/checks/{job['id']}")[0] == 404  # no check of files, though a job
    return server


def query(server: Server, text: str, **more: Any) -> tuple[int, Any]:
    return server.ask("POST", f"{PLACE}/library/query", {"text": text, **more})


def test_an_index_answers_where_a_passage_stands(filled: Server) -> None:
    passage = (ESSAYS / "lighthouse.txt").read_text()[:300]
    status, answer = query(filled, f"Mine. {passage}", passages=True, threshold=0.3)
    assert (status, [hit["right"] for hit in answer["hits"]]) == (200, ["lighthouse.txt"])
    assert answer["hits"][0]["regions"][0]["length"] > 150
    assert query(filled, "nothing like it " * 30)[1]["hits"] == []


def test_an_index_tells_what_it_holds_and_forgets_on_demand(filled: Server) -> None:
    documents = [{"name": "gone.txt", "text": "to be removed " * 40}]
    _, job = filled.ask("POST", f"{PLACE}/library/documents", {"documents": documents})
    filled.finished(job["id"])
    assert filled.ask("GET", f"{PLACE}/library")[1]["documents"] == 4
    assert len(query(filled, "to be removed " * 40)[1]["hits"]) == 1
    names = [each["name"] for each in filled.ask("GET", f"{PLACE}/library/documents")[1]["documents"]]
    assert names == ["bees.txt", "bread.txt", "lighthouse.txt", "gone.txt"]
    assert filled.ask("DELETE", f"{PLACE}/library/documents?document=gone.txt")[1] == {"removed": 1}
    assert filled.ask("DELETE", f"{PLACE}/library/documents?document=gone.txt")[0] == 404
    assert query(filled, "to be removed " * 40)[1]["hits"] == []


def test_bad_questions_are_refused(filled: Server) -> None:
    for content in (
        {}, {"text": 1}, {"text": "a", "measure": "moon"}, {"text": "a", "window": 1}, {"text": "a", "x": 1},
    ):  # fmt: skip
        status, problem = filled.ask("POST", f"{PLACE}/library/query", content)
        assert status in (400, 422), content
        assert problem["error"]["message"]
    assert filled.ask("POST", f"{PLACE}/none/query", {"text": "a"})[0] == 404
    documents = {"documents": [{"name": "a", "text": "b"}]}
    assert filled.ask("POST", f"{PLACE}/..%2fevil/documents", documents)[0] in (400, 404)
    assert filled.ask("POST", f"{PLACE}/a%20b/documents", documents)[0] == 400


def test_indexes_of_others_are_not_there(guarded: Server) -> None:
    ann, bob = TOKENS["ann"], TOKENS["bob"]
    documents = {"documents": [{"name": "a", "text": program(1)}]}
    _, job = guarded.ask("POST", f"{PLACE}/mine/documents", documents, token=ann)
    guarded.finished(job["id"], token=ann)
    assert guarded.ask("GET", PLACE, token=bob)[1] == {"indexes": [], "next": None}
    assert guarded.ask("POST", f"{PLACE}/mine/query", {"text": "a"}, token=bob)[0] == 404
    assert guarded.ask("DELETE", f"{PLACE}/mine", token=bob)[0] == 404
    assert guarded.ask("DELETE", f"{PLACE}/mine", token=ann)[0] == 204
    assert guarded.ask("GET", PLACE, token=ann)[1] == {"indexes": [], "next": None}


def copysift(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "copysift", *arguments]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)


def test_an_error_about_an_index_does_not_say_where_it_is(filled: Server) -> None:
    status, page = filled.ask("GET", "/indexes/library/changes")
    assert (status, "the index has no sweeps" in page, str(filled.data) in page) == (409, True, False)
    data, public = Path("/srv/data"), {"shared": Path("/srv/old.sift")}
    for said, shown in (
        ("/srv/data/indexes/a-B_1.sift is damaged", "the index is damaged"),
        ("/srv/data/cache/a.sift/v2 is damaged", "the index is damaged"),
        ("/srv/data/indexes/a.sift/catalog.sqlite is damaged", "the index/catalog.sqlite is damaged"),
        ("/srv/old.sift is damaged", "shared is damaged"),
    ):
        assert without_paths(said, data, public) == shown


def test_query_can_be_done_by_a_server(filled: Server, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text((ESSAYS / "bees.txt").read_text()[:500])
    done = copysift("query", "library", "mine.txt", "gone.txt", "--server", filled.url, folder=tmp_path)
    assert "bees.txt" in done.stdout
    assert (done.returncode, done.stderr) == (3, "copysift: skipped gone.txt: no such file or directory\n")
    asked = ("query", "library", "mine.txt", "--server", filled.url)
    assert "bees.txt" in copysift(*asked, "--kind", "text", folder=tmp_path).stdout
    assert "has no documents read as words" in copysift(*asked, "--kind", "words", folder=tmp_path).stderr
    for option in (("--base", "mine.txt"), ("--by", "dir")):
        refused = copysift(*asked, *option, folder=tmp_path)
        assert (refused.returncode, f"{option[0]} cannot be sent to a server" in refused.stderr) == (2, True)
    (tmp_path / "mine.docx").write_bytes(samples.docx((ESSAYS / "bees.txt").read_text()))
    done = copysift("query", "library", "mine.docx", "--server", filled.url, folder=tmp_path)
    assert (done.returncode, "bees.txt" in done.stdout) == (0, True)
    wrong = copysift("query", "nowhere", "mine.txt", "--server", filled.url, folder=tmp_path)
    assert (wrong.returncode, wrong.stderr) == (2, "copysift: the server says: index not found\n")


def test_a_server_that_wants_a_token_is_told_where_from(guarded: Server, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("some text")
    refused = copysift("scan", ".", "--server", guarded.url, folder=tmp_path)
    assert (refused.returncode, refused.stderr) == (
        2,
        "copysift: the server says: a token is needed\n"
        "hint: set the variable COPYSIFT_TOKEN to a token of this server\n",
    )


def test_scan_by_a_server_gives_what_it_gives_here(server: Server, tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"s{number}.py").write_text(program(number % 3, 60))
    here = copysift("scan", ".", "--format", "csv", folder=tmp_path)
    there = copysift("scan", ".", "--format", "csv", "--server", server.url, folder=tmp_path)
    assert here.returncode == there.returncode == 0, there.stderr
    strip = [line.split(",")[:3] for line in here.stdout.splitlines()]
    assert [line.split(",")[:3] for line in there.stdout.splitlines()] == strip
    few = ("scan", ".", "--limit", "1", "--threshold", "0")
    counted, whole = (
        copysift(*few, *more, folder=tmp_path).stdout for more in (("--server", server.url), ())
    )
    assert counted.splitlines()[-1] == whole.splitlines()[-1]
    missing = copysift("scan", "nowhere", "--server", server.url, folder=tmp_path)
    assert (missing.returncode, missing.stderr) == (2, "copysift: nowhere: no such file or folder\n")
    gone = copysift("scan", ".", "--server", "http://127.0.0.1:9", folder=tmp_path)
    assert gone.returncode == 2
    assert "the server cannot be reached" in gone.stderr


def test_a_run_can_be_browsed_by_cluster(tmp_path: Path) -> None:
    essay = (ESSAYS / "lighthouse.txt").read_text()
    rows = [{"id": f"copy <{n}>", "text": f"{essay} {n}"} for n in range(60)]
    rows += [{"id": f"alone {n}", "text": program(n, 90)} for n in range(3)]
    rows += [{"id": f"bees {n}", "text": (ESSAYS / "bees.txt").read_text()} for n in range(2)]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = copysift("cluster", "c.jsonl", "-o", "crawl", "-q", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    with Server(tmp_path / "data", "--workers", "1", "--run", str(tmp_path / "crawl")) as server:
        assert '<a href="/runs/crawl">crawl</a>' in server.ask("GET", "/runs")[1]
        _, page = server.ask("GET", "/runs/crawl")
        assert page.index("copy &lt;0&gt;</a></td><td>60</td>") < page.index("bees 0</a></td><td>2</td>")
        assert "bees 0" not in server.ask("GET", "/runs/crawl?find=COPY")[1]
        status, members = server.ask("GET", "/runs/crawl/cluster?of=bees%200")
        assert (status, members.count("<tr><td")) == (200, 2)
        assert "identical" in members
        assert "100%" in members
        for nowhere in ("/runs/none", "/runs/crawl/cluster?of=alone%200", "/runs/..%2fdata"):
            assert server.ask("GET", nowhere)[0] == 404
    missing = copysift("serve", "--data", "d", "--port", "0", "--run", "nowhere", folder=tmp_path)
    assert (missing.returncode, "nowhere is not a run" in missing.stderr) == (2, True)
