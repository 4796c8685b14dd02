"""Erase a student: from uploads, results, marks and indexes, and from the bytes of every file."""

from __future__ import annotations

import io
import re
import tarfile
import time
import urllib.parse
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from copysift.serve.student_files import Student
from tests.serve.running import Server
from tests.serve.test_courses import essay
from tests.serve.test_options import multipart

NAME, SECRET = "evelyn", "xylophonequartz"
ROLES = {"ann": "teacher", "bob": "assistant", "zoe": "admin"}
TOKENS = {name: f"{name}-token-0123456789" for name in ROLES}


@pytest.fixture
def school(tmp_path: Path) -> Iterator[Server]:
    lines = [f"{name} {TOKENS[name]} {role}\n" for name, role in ROLES.items()]
    (tmp_path / "tokens").write_text("".join(lines))
    options = ("--token-file", str(tmp_path / "tokens"), "--moss-port", "-1", "--log-format", "json")
    with Server(tmp_path / "data", *options) as server:
        yield server


def ask(server: Server, user: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    return server.ask(method, path, body, token=TOKENS[user])


def work(number: int) -> str:
    return f"{essay(number)} {SECRET} {essay(number + 1)}"


def send(server: Server, files: list[tuple[str, bytes]], **fields: str) -> dict[str, Any]:
    parts = [("metadata" if name.endswith(".csv") else "files", name, data) for name, data in files]
    body, headers = multipart([*parts, *((name, "", value.encode()) for name, value in fields.items())])
    status, job = server.ask("POST", "/api/v1/jobs", body, headers, token=TOKENS["ann"])
    assert status == 202, job
    done: dict[str, Any] = server.finished(job["id"], token=TOKENS["ann"])
    assert done["state"] == "done", done
    return done


def packed(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return out.getvalue()


def holders(folder: Path, *words: str) -> dict[str, list[str]]:
    """Give the files of a folder whose name or bytes have one of the words, whatever the case."""
    found: dict[str, list[str]] = {}
    for path in (each for each in folder.rglob("*") if each.is_file()):
        content = path.read_bytes()
        if zipfile.is_zipfile(io.BytesIO(content)) and content[:2] == b"PK":
            with zipfile.ZipFile(path) as archive:
                content += b"".join(archive.read(name) for name in archive.namelist())
        there = [word for word in words if word.encode() in content.lower() or word in path.name.lower()]
        if there:
            found[str(path.relative_to(folder))] = there
    return found


def test_a_student_is_gone_from_every_file_of_the_data_folder(school: Server) -> None:
    assert ask(school, "ann", "POST", "/api/v1/courses", {"name": "Algebra"})[0] == 201
    place = {"course": "Algebra", "exercise": "Sets"}
    old = send(
        school,
        [("evelyn.txt", work(1).encode()), ("tom.txt", work(1).encode().replace(SECRET.encode(), b"piano")),
         ("kim.txt", essay(9).encode())],
        term="2024-1", title="Evelyn and others", **place,
    )  # fmt: skip
    class_list = "file,label,author\ns1,One,Evelyn\ns2,Two,Max\n"
    archived = packed({"s1/a.txt": work(1), "s2/a.txt": essay(1) + essay(2), "s3/a.txt": essay(40)})
    new = send(school, [("all.zip", archived), ("class.csv", class_list.encode())], term="2025-1", **place)
    anonymous = send(school, [("evelyn.txt", work(1).encode()), ("lea.txt", work(1).encode())],
                     settings='{"anonymise": true}')  # fmt: skip
    tarred = io.BytesIO()
    with tarfile.open(fileobj=tarred, mode="w") as archive:
        for name, number in {"evelyn/a.txt": 1, "joe/a.txt": 50}.items():
            member = tarfile.TarInfo(name)
            member.size = len(work(number))
            archive.addfile(member, io.BytesIO(work(number).encode()))
    inside = send(school, [("class.tar", tarred.getvalue())])
    body = {
        "documents": [
            {"name": "2023/evelyn.txt", "text": work(1)},
            {"name": "2023/ida.txt", "text": essay(7)},
        ]
    }
    _, job = ask(school, "ann", "POST", "/api/v1/indexes/years/documents", body)
    school.finished(job["id"], token=TOKENS["ann"])
    mark = {"left": "evelyn.txt", "right": "tom.txt", "verdict": "confirmed", "note": "Evelyn told me"}
    assert ask(school, "ann", "PUT", f"/api/v1/jobs/{old['id']}/marks", mark)[0] == 200
    other = {"left": "kim.txt", "right": "tom.txt", "verdict": "cleared", "note": "not like evelyn at all"}
    assert ask(school, "ann", "PUT", f"/api/v1/jobs/{old['id']}/marks", other)[0] == 200
    before = holders(school.data, NAME, SECRET)
    assert len(before) > 10

    wish = {"name": "EVELYN"}
    status, plan = ask(school, "zoe", "POST", "/api/v1/erasures", wish)
    assert status == 200
    assert plan["erased"] is False
    actions = {each["id"] or each["name"]: each["action"] for each in plan["found"]}
    assert actions[old["id"]] == actions[new["id"]] == "1 file removed, checked again"
    assert actions[inside["id"]] == "deleted"
    assert actions["years"] == "made again without them"
    assert holders(school.data, NAME, SECRET) == before, "a dry run changes nothing"

    assert ask(school, "zoe", "POST", "/api/v1/erasures", {**wish, "dry_run": False})[1]["erased"] is True
    for job_ in (old, new, anonymous):
        assert school.finished(job_["id"], token=TOKENS["ann"])["state"] == "done"
    assert ask(school, "ann", "GET", f"/api/v1/jobs/{inside['id']}")[0] == 404
    deadline = time.monotonic() + 10
    while (found := holders(school.data, NAME)) and time.monotonic() < deadline:
        time.sleep(0.2)
    assert not found
    copied = {name for name in holders(school.data, SECRET) if anonymous["id"] not in name}
    assert not copied, "only lea's own copy has those words"
    # What is of others is there, and works.
    assert [
        each["note"] for each in ask(school, "ann", "GET", f"/api/v1/jobs/{old['id']}/marks")[1]["marks"]
    ] == ["not like … at all"]
    again = ask(school, "ann", "GET", f"/api/v1/jobs/{new['id']}/result")[1]
    assert {each["group"] for each in again["documents"]} >= {"s2", "s3"}
    assert not any("s1" in each["name"] for each in again["documents"])
    _, hits = ask(school, "ann", "POST", "/api/v1/indexes/years/query", {"text": essay(7)})
    assert [each["right"] for each in hits["hits"]] == ["2023/ida.txt"]
    assert NAME not in school.log().lower()
    assert "student erased" in school.log()
    assert ask(school, "zoe", "POST", "/api/v1/erasures", wish)[1]["found"] == []


def test_who_may_erase_a_student_from_what(school: Server) -> None:
    for name in ("One", "Two"):
        assert ask(school, "ann", "POST", "/api/v1/courses", {"name": name})[0] == 201
        files = [(f"{each}.txt", essay(at).encode()) for at, each in enumerate(("evelyn", "tom", "kim"))]
        send(school, files, course=name, term="2024", exercise="E")
    wish = {"name": NAME, "dry_run": False}
    assert ask(school, "ann", "POST", "/api/v1/erasures", wish)[0] == 403
    assert ask(school, "bob", "POST", "/api/v1/erasures", {**wish, "course": "One"})[0] == 403
    assert ask(school, "zoe", "POST", "/api/v1/erasures", {**wish, "course": "One"})[0] == 404
    # On the page of the course: first what would go, then the name again.
    token = re.search(r'name="form-token" content="([^"]+)"', ask(school, "ann", "GET", "/courses")[1])
    assert token
    fields = {"form_token": token[1], "name": NAME, "course": "One"}

    def sent(**more: str) -> tuple[int, str]:
        body = urllib.parse.urlencode({**fields, **more}).encode()
        kind = {"content-type": "application/x-www-form-urlencoded"}
        return school.ask("POST", "/erase", body, kind, token=TOKENS["ann"])

    status, shown = sent()
    assert status == 200
    assert "1 file removed, checked again" in shown
    assert sent(again="somebody")[0] == 400
    assert "Erased." in sent(again=NAME)[1]
    left = ask(school, "zoe", "POST", "/api/v1/erasures", {"name": NAME})[1]["found"]
    assert len(left) == 1, "the other course was not touched"


@pytest.mark.parametrize(
    ("path", "theirs"),
    [
        ("evelyn.txt", True),
        ("hw1/Evelyn/main.c", True),
        ("Evelyn_123_assignsubmission_file_main.py", True),
        ("evelyn_1234_5678_main.py", True),
        ("class.zip!evelyn/a.c", True),
        ("evelyne.txt", False),
        ("for-evelyn-only.txt", False),
        ("tom/main.c", False),
    ],
)
def test_files_are_known_by_their_names(path: str, theirs: bool) -> None:
    assert Student(" Evelyn ").has(path) is theirs


def test_clones_of_a_classroom_are_known_without_the_exercise() -> None:
    paths = [f"hw-1-{name}/main.c" for name in ("evelyn", "tom", "kim")]
    assert Student(NAME).of(paths) == {"hw-1-evelyn/main.c"}
