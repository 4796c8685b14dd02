"""Bodies that are well-formed but odd: halves of characters, boundaries without end. None is a 500."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.serve.running import Server, program
from tests.serve.test_api import multipart

HALF = "\ud800"  # of a surrogate pair: JSON can spell it, a file and a database cannot keep it


def spelled(value: Any) -> bytes:
    return json.dumps(value).encode()


@pytest.mark.parametrize("where", ["name", "text", "title"])
def test_half_of_a_character_is_replaced_in_a_job(server: Server, where: str) -> None:
    text = f"# {HALF}\n{program(1)}" if where == "text" else program(1)
    names = [f"{HALF}a.py" if where == "name" else "a.py", "b.py"]
    body = {
        "documents": [{"name": name, "text": text} for name in names],
        "title": f"x {HALF}" if where == "title" else "x",
    }
    status, job = server.ask("POST", "/api/v1/jobs", spelled(body), {"content-type": "application/json"})
    assert status == 202, job
    assert job["title"] == ("x \ufffd" if where == "title" else "x")
    done = server.finished(job["id"])
    assert done["state"] == "done", done
    _, result = server.ask("GET", f"/api/v1/jobs/{job['id']}/result")
    assert {each["name"] for each in result["documents"]} == {names[0].replace(HALF, "\ufffd"), "b.py"}


def test_half_of_a_character_is_replaced_in_an_index(server: Server) -> None:
    body = spelled({"documents": [{"name": f"{HALF}.py", "text": program(1)}]})
    json_ = {"content-type": "application/json"}
    status, job = server.ask("POST", "/api/v1/indexes/halves/documents", body, json_)
    assert status == 202, job
    assert server.finished(job["id"])["state"] == "done"
    question = spelled({"text": program(1) + HALF})
    status, found = server.ask("POST", "/api/v1/indexes/halves/query", question, json_)
    assert status in (200, 422), found
    if status == 200:
        assert [each["document"] for each in found["hits"]] == ["\ufffd.py"]


def test_half_of_a_character_in_the_settings_of_a_form_is_no_setting(server: Server) -> None:
    settings = spelled({"kind": HALF})
    body, headers = multipart([("files", "a.py", program(1).encode()), ("settings", None, settings)])
    status, answer = server.ask("POST", "/api/v1/jobs", body, headers)
    assert status == 400, answer


@pytest.mark.parametrize("path", ["/api/v1/jobs", "/api/v1/indexes/x/documents", "/checks"])
def test_a_boundary_without_end_is_refused(server: Server, path: str) -> None:
    for boundary in ("b" * 257, "b" * 5000):
        headers = {"content-type": f"multipart/form-data; boundary={boundary}"}
        status, answer = server.ask("POST", path, b"--" + boundary.encode() + b"--\r\n", headers)
        assert 400 <= status < 500, answer
