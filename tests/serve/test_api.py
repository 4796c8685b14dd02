"""REST: jobs from upload to deletion, users apart from each other, one shape of errors."""

from __future__ import annotations

import io
import json
import socket
import time
import urllib.error
import urllib.request
import zipfile
from typing import Any

import pytest

from tests.serve.conftest import TOKENS
from tests.serve.running import Server, _opener, program

BOUNDARY = "----x"


def multipart(fields: list[tuple[str, str | None, bytes]]) -> tuple[bytes, dict[str, str]]:
    """Give a form: name, file name or None, content."""
    parts = []
    for name, filename, content in fields:
        shown = f'; filename="{filename}"' if filename is not None else ""
        parts.append(f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"{shown}\r\n\r\n'.encode())
        parts.append(content + b"\r\n")
    body = b"".join(parts) + f"--{BOUNDARY}--\r\n".encode()
    return body, {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}


def documents(*texts: str, **more: Any) -> dict[str, Any]:
    return {"documents": [{"name": f"{n}.py", "text": text} for n, text in enumerate(texts)], **more}


def logged_in(server: Server, token: str, whole: bool = False) -> str:
    """Give the cookie that the login page sets for a token, with its attributes or without."""
    form = {"content-type": "application/x-www-form-urlencoded"}
    request = urllib.request.Request(f"{server.url}/login", f"token={token}".encode(), form)
    with pytest.raises(urllib.error.HTTPError) as moved:
        _opener.open(request)
    with moved.value as answer:
        cookie = str(answer.headers["set-cookie"])
    return cookie if whole else cookie.split(";")[0]


def test_texts_are_compared_and_the_result_is_the_json_of_scan(server: Server) -> None:
    status, job = server.ask(
        "POST", "/api/v1/jobs", documents(program(1), program(1), program(2), title="Three")
    )
    assert (status, job["state"], job["title"], job["files"]) == (202, "queued", "Three", 3)
    done = server.finished(job["id"])
    assert (done["state"], done["summary"]["documents"]) == ("done", 3)
    status, result = server.ask("GET", f"/api/v1/jobs/{job['id']}/result")
    assert (status, result["version"]) == (200, 1)
    assert [
        pair["equal"] for pair in result["pairs"] if {pair["left"], pair["right"]} == {"0.py", "1.py"}
    ] == [True]
    assert str(server.data) not in json.dumps(result)
    assert server.ask("DELETE", f"/api/v1/jobs/{job['id']}")[0] == 204
    assert server.ask("GET", f"/api/v1/jobs/{job['id']}")[0] == 404
    assert not (server.data / "jobs" / job["id"]).exists()


def test_files_and_base_code_come_as_a_form(server: Server) -> None:
    kit = "".join(f"def handed_out_{n}(value):\n    return value * {n} + {n * n}\n" for n in range(12))
    body, headers = multipart(
        [
            ("settings", None, b'{"by": "dir", "threshold": "10%"}'),
            ("files", "class/ann/a.py", (kit + program(1)).encode()),
            ("files", "class/bob/b.py", (kit + program(2)).encode()),
            ("files", "class/cyd/c.py", (kit + program(1)).encode()),
            ("base", "kit.py", kit.encode()),
            ("files", "", b""),
        ]
    )
    status, job = server.ask("POST", "/api/v1/jobs", body, headers)
    assert status == 202
    assert server.finished(job["id"])["state"] == "done"
    _, result = server.ask("GET", f"/api/v1/jobs/{job['id']}/result")
    best = result["pairs"][0]
    assert {best["left"], best["right"]} == {"class/ann", "class/cyd"}
    assert best["similarity"] == 1.0


def test_a_zip_is_opened_and_its_name_is_left_out(server: Server) -> None:
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w") as archive:
        for name in ("ann", "bob"):
            archive.writestr(f"hw/{name}/main.py", program(5))
            archive.writestr(f"hw/{name}/../../../evil.py", "x = 1")
    body, headers = multipart([("files", "hw.zip", held.getvalue())])
    _, job = server.ask("POST", "/api/v1/jobs", body, headers)
    assert server.finished(job["id"])["state"] == "done"
    _, result = server.ask("GET", f"/api/v1/jobs/{job['id']}/result")
    assert [(pair["left"], pair["right"]) for pair in result["pairs"]] == [("hw/ann", "hw/bob")]


def test_a_job_can_be_cancelled_and_a_result_that_is_not_there_is_a_conflict(server: Server) -> None:
    texts = [program(number, 4000) for number in range(40)]
    _, job = server.ask("POST", "/api/v1/jobs", documents(*texts))
    status, problem = server.ask("GET", f"/api/v1/jobs/{job['id']}/result")
    assert (status, problem["error"]["code"]) == (409, "conflict")
    assert server.ask("POST", f"/api/v1/jobs/{job['id']}/cancel")[1]["state"] == "cancelled"
    time.sleep(1)
    assert server.finished(job["id"])["state"] == "cancelled"
    assert server.ask("GET", "/api/v1/health")[1]["status"] == "ok"


def test_a_bad_setting_is_refused_before_anything_is_kept(server: Server) -> None:
    before = sorted(path.name for path in (server.data / "jobs").iterdir())
    for settings, words in (
        ({"nonsense": 1}, "there is no setting 'nonsense'"),
        ({"base": ["/etc"]}, "base cannot be set by a client"),
        ({"tmp_dir": "/etc"}, "tmp_dir cannot be set by a client"),
        ({"threshold": "lots"}, "threshold"),
        ({"by": "moon"}, "by cannot be 'moon'"),
        ({"limit": 10**9}, "between 1 and 5,000"),
    ):
        status, problem = server.ask("POST", "/api/v1/jobs", documents("a", "b", settings=settings))
        assert status == 400, settings
        assert words in problem["error"]["message"]
    assert sorted(path.name for path in (server.data / "jobs").iterdir()) == before
    assert not list((server.data / "incoming").iterdir())


def test_every_error_has_one_shape(server: Server) -> None:
    for method, path, content, status in (
        ("GET", "/api/v1/nowhere", None, 404),
        ("PATCH", "/api/v1/jobs", None, 405),
        ("GET", "/api/v1/jobs/xyz", None, 404),
        ("GET", "/api/v1/jobs?limit=0", None, 422),
        ("POST", "/api/v1/jobs", {}, 400),
        ("POST", "/api/v1/jobs", b"{", 415),
        ("POST", "/api/v1/compare", {"left": {"text": "a"}}, 422),
        ("POST", "/api/v1/fingerprints", {"text": "a", "settings": {"scheme": "moon"}}, 400),
        ("POST", "/api/v1/indexes/none/query", b"{", 415),
        ("POST", "/api/v1/indexes/none/query", {"text": 1}, 422),
        ("POST", "/api/v1/indexes/none/query", {"text": "a", "nonsense": 1}, 422),
        ("POST", "/api/v1/indexes/none/query", {"text": "a"}, 404),
    ):
        found, problem = server.ask(method, path, content)
        assert (found, set(problem), set(problem["error"])) == (
            status, {"error"}, {"code", "message", "hint"},
        ), (method, path, found, problem)  # fmt: skip


def test_two_texts_are_compared_at_once(server: Server) -> None:
    left, right = {"name": "a.py", "text": program(1)}, {"name": "../b.py", "text": "x = 1\n" + program(1)}
    status, pair = server.ask("POST", "/api/v1/compare", {"left": left, "right": right})
    assert (status, pair["left"], pair["right"]) == (200, "a.py", "../b.py")
    assert pair["containment_left"] > 0.9
    assert pair["regions"][0]["right"]["file"] == "../b.py"
    assert not list((server.data / "incoming").iterdir())


def test_fingerprints_are_those_of_python(server: Server) -> None:
    import copysift

    text = "A do run run run, a do run run. " * 5
    _, found = server.ask("POST", "/api/v1/fingerprints", {"text": text, "settings": {"kind": "text"}})
    ours = copysift.fingerprint(text)
    assert found["hashes"] == [f"{value:016x}" for value in ours.hashes.tolist()]
    assert found["starts"] == ours.starts.tolist()


def test_pairs_are_marked(server: Server) -> None:
    _, job = server.ask("POST", "/api/v1/jobs", documents(program(1), program(1)))
    mark = {"left": "0.py", "right": "1.py", "verdict": "confirmed", "note": "same"}
    (written,) = server.ask("PUT", f"/api/v1/jobs/{job['id']}/marks", mark)[1]["marks"]
    assert written.pop("changed")
    assert written == {**mark, "author": "local"}
    assert server.ask("PUT", f"/api/v1/jobs/{job['id']}/marks", {**mark, "verdict": "guilty"})[0] == 422
    empty = {**mark, "verdict": "", "note": ""}
    assert server.ask("PUT", f"/api/v1/jobs/{job['id']}/marks", empty)[1] == {"marks": []}


def test_metrics_count_jobs_and_requests(server: Server) -> None:
    assert server.ask("GET", "/api/v1/jobs")[0] == 200
    _, text = server.ask("GET", "/api/v1/metrics")
    assert 'copysift_jobs{state="done"}' in text
    assert 'copysift_requests_total{method="GET",status="200"}' in text


def test_without_a_token_nothing_is_told_but_that_it_lives(guarded: Server) -> None:
    assert guarded.ask("GET", "/api/v1/health")[0] == 200
    for method, path in (("GET", "jobs"), ("POST", "jobs"), ("GET", "indexes"), ("POST", "compare")):
        status, problem = guarded.ask(method, f"/api/v1/{path}", {} if method == "POST" else None)
        assert (status, problem["error"]["code"]) == (401, "unauthorised")
        assert problem["error"]["message"] == "a token is needed"
    status, problem = guarded.ask("GET", "/api/v1/jobs", token="x" * 20)
    assert (status, problem["error"]["message"]) == (401, "this token is not valid")
    assert guarded.ask("GET", "/")[0] == 303


def test_users_see_nothing_of_each_other(guarded: Server) -> None:
    ann, bob = TOKENS["ann"], TOKENS["bob"]
    _, job = guarded.ask("POST", "/api/v1/jobs", documents(program(1), program(1)), token=ann)
    guarded.finished(job["id"], token=ann)
    place = f"/api/v1/jobs/{job['id']}"
    for method, path in (
        ("GET", ""), ("GET", "/result"), ("POST", "/cancel"), ("DELETE", ""), ("GET", "/marks"),
    ):  # fmt: skip
        assert guarded.ask(method, place + path, token=bob)[0] == 404
    assert guarded.ask("GET", "/api/v1/jobs", token=bob)[1]["jobs"] == []
    assert guarded.ask("GET", place, token=ann)[0] == 200


def test_a_browser_logs_in_with_its_token(guarded: Server) -> None:
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert guarded.ask("POST", "/login", b"token=wrong-token-000000", form)[0] == 403
    cookie = logged_in(guarded, TOKENS["ann"], whole=True)
    assert "HttpOnly" in cookie
    assert "SameSite=strict" in cookie
    value = cookie.split(";")[0]
    status, content = guarded.ask("GET", "/", headers={"cookie": value})
    assert status == 200
    assert "ann" in content
    assert guarded.ask("GET", "/api/v1/jobs", headers={"cookie": value})[0] == 401
    forged = value[:-1] + ("0" if value[-1] != "0" else "1")
    assert guarded.ask("GET", "/", headers={"cookie": forged})[0] == 303


def test_foreign_pages_cannot_make_a_browser_act(server: Server) -> None:
    content = documents("a", "b")
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
        assert server.ask("POST", "/api/v1/jobs", content, headers)[0] == 403
    own = {"origin": server.url, "sec-fetch-site": "same-origin"}
    assert server.ask("POST", "/api/v1/jobs", content, own)[0] == 202
    assert server.ask("GET", "/api/v1/jobs", headers={"host": "evil.example"})[0] == 403


def test_forms_without_the_token_of_the_page_are_refused(server: Server) -> None:
    body, headers = multipart([("files", "a.py", b"x"), ("form_token", None, b"0" * 64)])
    assert server.ask("POST", "/checks", body, headers)[0] == 403
    _, job = server.ask("POST", "/api/v1/jobs", documents("a", "b"))
    form = {"content-type": "application/x-www-form-urlencoded"}
    assert server.ask("POST", f"/checks/{job['id']}/delete", b"form_token=", form)[0] == 403
    assert server.ask("GET", f"/api/v1/jobs/{job['id']}")[0] == 200
    assert not list((server.data / "incoming").iterdir())


def test_pages_carry_a_policy_that_lets_nothing_foreign_in(server: Server) -> None:
    with urllib.request.urlopen(f"{server.url}/") as answer:
        policy, content = answer.headers["content-security-policy"], answer.read().decode()
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "style=" not in content
    assert "<script>" not in content
    for place in ("src=", "href="):
        for piece in content.split(place)[1:]:
            assert piece.startswith(('"/', '"#')), piece[:60]


def test_a_body_that_is_too_large_is_refused_while_it_comes(server: Server) -> None:
    head = (
        f"POST /api/v1/jobs HTTP/1.1\r\nHost: 127.0.0.1:{server.port}\r\nContent-Type: application/json\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port), 20) as link:
        link.sendall((head + "Content-Length: 99999999999\r\n\r\n").encode())
        assert b" 413 " in link.recv(4096)
    with socket.create_connection(("127.0.0.1", server.port), 20) as link:
        link.sendall((head + "Transfer-Encoding: chunked\r\n\r\n").encode())
        piece = b"80000\r\n" + b"x" * 0x80000 + b"\r\n"
        try:
            for _ in range(64):
                link.sendall(piece)
        except ConnectionError:
            return
        assert b" 413 " in link.recv(4096)


def test_a_form_that_is_damaged_or_cut_short_leaves_nothing(server: Server) -> None:
    body, headers = multipart([("files", "a.py", b"x" * 100)])
    for damaged in (body[:-20], b"garbage", body.replace(b"--" + BOUNDARY.encode(), b"--y", 1)):
        assert server.ask("POST", "/api/v1/jobs", damaged, headers)[0] == 400
    body, headers = multipart([("evil", "a.py", b"x")])
    assert server.ask("POST", "/api/v1/jobs", body, headers)[0] == 400
    assert not list((server.data / "incoming").iterdir())
