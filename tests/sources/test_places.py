"""Files at URIs: what is listed, noticed, left out and refused."""

from __future__ import annotations

import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

import copysift
from copysift.cli.main import main
from copysift.sources import places
from copysift.sources.walk import WalkSettings, walk
from tests.cli.texts import prose

fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
TEXT, OTHER = prose(1, 200), prose(2, 200)


@pytest.fixture(autouse=True)
def allowed(monkeypatch):
    monkeypatch.setattr(places, "_forbidden", False)


@pytest.fixture
def put():
    """Give a function that writes files into the memory of this process."""
    system = fsspec.filesystem("memory")
    system.store.clear()
    system.pseudo_dirs[:] = [""]

    def write(files):
        for name, text in files.items():
            system.pipe_file(f"/{name}", text.encode() if isinstance(text, str) else text)
        return system

    return write


def names(place, **walking):
    return [each.name.partition("://")[2] for each in walk([place], WalkSettings(**walking))]


def test_a_folder_is_listed_as_one_here_is(put):
    put({"d/b.txt": "b", "d/a.txt": "a", "d/sub/c.txt": "c", "d/.hidden": "h", "d/.git/config": "g"})
    assert names("memory://d") == ["d/a.txt", "d/b.txt", "d/sub/c.txt"]
    assert names("memory://d", hidden=True)[0] == "d/.hidden"
    assert names("memory://d", include=("c.*",)) == ["d/sub/c.txt"]
    assert names("memory://d", exclude=("sub",)) == ["d/a.txt", "d/b.txt"]
    assert names("memory://d/*.txt") == ["d/a.txt", "d/b.txt"]


def test_what_is_not_there_is_named_and_the_rest_is_read(put, capsys):
    put({"d/a.txt": TEXT, "d/b.txt": TEXT + OTHER})
    result = copysift.scan(["memory://d", "memory://gone", "memory://none/*.txt"])
    assert [(each.name, each.reason) for each in result.skipped] == [
        ("memory://gone", "no such file or folder"),
        ("memory://none/*.txt", "matches no file or folder"),
    ]
    assert [(pair.left, pair.right) for pair in result.pairs] == [("memory://d/a.txt", "memory://d/b.txt")]
    assert main(["scan", "memory://gone"]) == 2
    assert "memory://gone: no such file or folder" in capsys.readouterr().err


def test_a_file_that_fails_while_it_is_read_is_named_with_the_reason(put, monkeypatch):
    system = put({"d/a.txt": TEXT, "d/b.txt": TEXT + OTHER})
    opened = type(system).open

    def failing(self, path, *arguments, **named):
        if "b.txt" in path:
            raise RuntimeError("the token has expired\nat 12:00")
        return opened(self, path, *arguments, **named)

    monkeypatch.setattr(type(system), "open", failing)
    result = copysift.scan("memory://d")
    assert [(each.name, each.reason) for each in result.skipped] == [
        ("memory://d/b.txt", "cannot be fetched: the token has expired")
    ]


def test_an_index_reads_only_what_changed_and_gives_passages(put, tmp_path, monkeypatch):
    system = put({"d/a.txt": TEXT, "d/b.txt": OTHER, "d/c.jsonl": json.dumps({"id": "r", "text": TEXT[:-9]})})
    monkeypatch.setattr("copysift.workflows.document_reader.RACY", -(10**12))  # what is new has settled, too
    with copysift.Index(tmp_path / "i.sift") as index:
        assert index.add("memory://d").added == 3
        done = index.update("memory://d")
        assert (done.unchanged, done.changed, done.added) == (3, 0, 0)
        system.pipe_file("/d/b.txt", (OTHER + prose(3, 90)).encode())
        system.rm("/d/a.txt")
        done = index.update("memory://d")
        assert (done.unchanged, done.changed, done.removed) == (1, 1, 1)
        hits = list(index.query(TEXT, text=True, passages=True))
        assert [hit.right for hit in hits] == ["memory://d/c.jsonl!r"]
        assert hits[0].regions
    loads: list[object] = []
    monkeypatch.setattr("copysift.workflows.document_reader.load_many", loads.extend)
    with copysift.Index(tmp_path / "i.sift") as index:
        index.update("memory://d")
    assert loads == []


def test_documents_that_are_only_named_like_uris_are_never_fetched(put, tmp_path, monkeypatch):
    put({"d/a.txt": TEXT})
    with copysift.Index(tmp_path / "i.sift") as index:
        index.add([("memory://d/a.txt", TEXT + OTHER)])
        monkeypatch.setattr(places, "_opened_system", lambda uri: pytest.fail(f"{uri} was fetched"))
        assert [hit.right for hit in list(index.query(TEXT, text=True, passages=True))] == [
            "memory://d/a.txt"
        ]


def test_a_server_fetches_nothing(put, monkeypatch):
    put({"d/a.txt": TEXT})
    places.forbid()
    (skipped,) = walk(["memory://d"])
    assert skipped.reason == "is a URI, which a server does not fetch"
    with pytest.raises(copysift.InputError, match="no such file"):
        copysift.scan("memory://d")


def test_python_takes_uris_in_every_function(put, tmp_path):
    records = {"a": TEXT, "b": TEXT + " more", "c": OTHER}
    lines = "".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in records.items())
    put({"r/x.jsonl": lines, "d/a.txt": TEXT, "d/b.txt": TEXT + OTHER})
    assert len(copysift.cluster("memory://r/x.jsonl").clusters) == 1
    assert len(copysift.cluster("memory://r/*.jsonl").clusters) == 1
    kept = copysift.dedup("memory://r")
    assert (kept.kept, kept.removed) == (2, 1)
    assert copysift.compare("memory://d/a.txt", "memory://d/b.txt").containment_left == 1
    assert copysift.compare_folders("memory://d", "memory://d").equal


def test_a_missing_package_is_named_with_the_extra(put, monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "fsspec", None)
    places._by_fsspec.cache_clear()
    assert main(["scan", "memory://d"]) == 2
    places._by_fsspec.cache_clear()
    assert "pip install 'copysift[uri]'" in capsys.readouterr().err


def test_a_protocol_that_nobody_knows_is_refused(capsys):
    assert main(["scan", "nonsense://d"]) == 2
    assert "nonsense:// cannot be read" in capsys.readouterr().err


class Pages(BaseHTTPRequestHandler):
    """A web server of two texts: one with its size and an ETag, one that just comes."""

    def do_GET(self, body=True):
        known = {"/a.txt": TEXT, "/page": TEXT + OTHER, "/x.txt?v=1": OTHER}.get(self.path)
        self.send_response(404 if known is None else 200)
        if known is not None and self.path != "/page":
            self.send_header("Content-Length", str(len(known.encode())))
            self.send_header("ETag", '"1"')
        self.end_headers()
        if body and known is not None:
            self.wfile.write(known.encode())

    def do_HEAD(self):
        self.do_GET(body=False)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def web():
    pytest.importorskip("aiohttp", reason="aiohttp is not installed")
    with ThreadingHTTPServer(("127.0.0.1", 0), Pages) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def test_pages_of_the_web_are_files(web):
    result = copysift.scan([f"{web}/a.txt", f"{web}/page", f"{web}/x.txt?v=1", f"{web}/none"])
    assert [(each.name, each.reason) for each in result.skipped] == [
        (f"{web}/none", "no such file or folder")
    ]
    assert [(pair.left, pair.right) for pair in result.pairs] == [
        (f"{web}/a.txt", f"{web}/page"),
        (f"{web}/page", f"{web}/x.txt?v=1"),
    ]
    assert places.status_of(f"{web}/a.txt").st_mtime_ns > 0
