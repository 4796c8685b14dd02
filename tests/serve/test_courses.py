"""Courses: a team shares checks and marks, earlier terms are compared, and pairs are counted."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import subprocess
import sys
import urllib.parse
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from copysift.errors import UsageError
from copysift.serve.courses import Courses, people, person
from copysift.serve.database import Database
from copysift.serve.jobs import Jobs
from copysift.serve.limits import Limits
from copysift.serve.marks import Mark, csv_table
from tests.serve.running import Server
from tests.serve.test_options import multipart

ROLES = {"ann": "teacher", "bob": "assistant", "cat": "teacher", "zoe": "admin"}
TOKENS = {name: f"{name}-token-0123456789" for name in ROLES}


@pytest.fixture(scope="module")
def school(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("school")
    lines = [f"{name} {TOKENS[name]} {role}\n" for name, role in ROLES.items()]
    (folder / "tokens").write_text("".join(lines))
    options = ("--token-file", str(folder / "tokens"), "--moss-port", "-1")
    # Started in a folder around the data, as by hand or by systemd: names are shown without it all the same.
    with Server(folder / "data", *options, cwd=folder) as server:
        yield server


def essay(number: int) -> str:
    """Give a text of its own; equal numbers give equal texts."""
    words = random.Random(number)
    return " ".join("".join(words.choices("abcdefghij", k=6)) for _ in range(120))


def page(server: Server, user: str, path: str) -> tuple[int, str]:
    return server.ask("GET", path, token=TOKENS[user])


def send(server: Server, user: str, path: str, /, **fields: str) -> tuple[int, str]:
    """Send a form of a page as a browser does."""
    _, shown = page(server, user, "/courses")
    found = re.search(r'name="form-token" content="([^"]+)"', shown)
    assert found
    body = urllib.parse.urlencode({"form_token": found[1], **fields}).encode()
    headers = {"content-type": "application/x-www-form-urlencoded"}
    return server.ask("POST", path, body, headers, token=TOKENS[user])


def course(server: Server, name: str, *team: str) -> int:
    """Make a course of ann's, with a team."""
    send(server, "ann", "/courses", name=name)
    found = re.search(rf'/courses/(\d+)">{name}<', page(server, "ann", "/courses")[1])
    assert found
    for member in team:
        assert send(server, "ann", f"/courses/{found[1]}/join", user=member)[0] == 303
    return int(found[1])


def check(
    server: Server, user: str, where: tuple[str, str, str], people: dict[str, int], **settings: Any
) -> dict[str, Any]:
    """Check one file of each person; equal numbers are equal programs."""
    place = dict(zip(("course", "term", "exercise"), where, strict=True))
    documents = [{"name": f"{name}.txt", "text": essay(number)} for name, number in people.items()]
    body = {"documents": documents, "settings": {"threshold": 0.9, **settings}, **place}
    status, job = server.ask("POST", "/api/v1/jobs", body, token=TOKENS[user])
    assert status == 202, job
    return server.finished(job["id"], token=TOKENS[user])


def pairs(server: Server, job: dict[str, Any]) -> set[tuple[str, ...]]:
    _, found = server.ask("GET", f"/api/v1/jobs/{job['id']}/result", token=TOKENS["ann"])
    return {tuple(sorted((each["left"], each["right"]))) for each in found["pairs"]}


def test_earlier_terms_are_compared_automatically_and_not_with_each_other(school: Server) -> None:
    course(school, "Terms")
    old = check(school, "ann", ("Terms", "2024-1", "Lists"), {"old": 1, "twin": 1})
    assert pairs(school, old) == {("old.txt", "twin.txt")}
    new = check(school, "ann", ("Terms", "2025-1", "Lists"), {"new": 1, "other": 2})
    assert new["summary"]["earlier"] is True
    assert (new["summary"]["documents"], new["summary"]["earlier_documents"]) == (4, 2)
    tiles = re.findall(r"<b>(\d+)</b><span>(.*?)</span>", page(school, "ann", f"/checks/{new['id']}")[1])
    assert tiles[:2] == [("2", "submissions"), ("2", "of earlier years")]
    _, result = school.ask("GET", f"/api/v1/jobs/{new['id']}/result", token=TOKENS["ann"])
    shown = {each["name"]: each["label"] for each in result["submissions"] if each["earlier"]}
    assert shown == {f"2024-1/Lists/{name}.txt": f"2024-1/Lists/{name}.txt" for name in ("old", "twin")}
    found = pairs(school, new)
    assert found
    assert found <= {("2024-1/Lists/old.txt", "new.txt"), ("2024-1/Lists/twin.txt", "new.txt")}
    again = check(school, "ann", ("Terms", "2024-1", "Sets"), {"late": 1, "own": 5})
    assert pairs(school, again) == set()  # a later term is not an earlier one
    # What is deleted there is no longer found.
    assert school.ask("DELETE", f"/api/v1/jobs/{old['id']}", token=TOKENS["ann"])[0] == 204
    assert not list((school.data / "indexes").glob("course-*-before-2025-1/*"))
    later = check(school, "ann", ("Terms", "2025-1", "Lists"), {"new": 1, "other": 2})
    assert {name for pair in pairs(school, later) for name in pair} <= {"2024-1/Sets/late.txt", "new.txt"}


def zipped_check(server: Server, course_: str, term: str, files: dict[str, int], **settings: Any) -> Any:
    """Check one zip; equal numbers are equal texts."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, number in files.items():
            archive.writestr(name, essay(number))
    asked = json.dumps({"threshold": 0.8, **settings}).encode()
    parts = [("files", "all.zip", packed.getvalue()), ("settings", "", asked)]
    place = {"course": course_, "term": term, "exercise": "Trees"}
    parts += [(name, "", value.encode()) for name, value in place.items()]
    body, headers = multipart(parts)
    _, job = server.ask("POST", "/api/v1/jobs", body, headers, token=TOKENS["ann"])
    job = server.finished(job["id"], token=TOKENS["ann"])
    assert job["state"] == "done", job
    return job


def test_submissions_in_folders_are_submissions_of_earlier_terms(school: Server) -> None:
    course(school, "Folders")
    for term, names in (("2024", ("ida", "jon")), ("2025", ("kim", "lea"))):
        files = {f"{name}/part{n}.txt": 10 + at * 2 + n for at, name in enumerate(names) for n in range(2)}
        job = zipped_check(school, "Folders", term, files)
    assert pairs(school, job) == {("2024/Trees/ida", "kim"), ("2024/Trees/jon", "lea")}


@pytest.mark.parametrize("parts", [("loans.txt",), ("loans.txt", "books.txt")], ids=["one file", "two files"])
def test_an_earlier_zip_of_one_folder_is_one_submission_of_its_person(
    school: Server, parts: tuple[str, ...]
) -> None:
    name = f"Alone {len(parts)}"
    id_ = course(school, name)
    zipped_check(school, name, "2024", {f"hanna/{part}": 60 + at for at, part in enumerate(parts)})
    files = {f"{who}/{part}": first + at for who, first in (("kim", 60), ("lea", 70))
             for at, part in enumerate(parts)}  # fmt: skip
    by_file = zipped_check(school, name, "2025", files, by="file")
    assert {each for pair in pairs(school, by_file) for each in pair} == {
        *(f"2024/Trees/hanna/{part}" for part in parts), *(f"kim/{part}" for part in parts)
    }  # fmt: skip
    by_folder = zipped_check(school, name, "2025", files)
    assert pairs(school, by_folder) == {("2024/Trees/hanna", "kim")}
    _, found = school.ask(
        "GET", f"/api/v1/courses/{urllib.parse.quote(name)}/pairs?term=2025", token=TOKENS["ann"]
    )
    assert [(each["left"], each["right"]) for each in found["pairs"]] == [("hanna", "kim")]
    assert "hanna" in page(school, "ann", f"/courses/{id_}")[1]


def test_a_folder_around_the_files_of_several_people_is_none_of_them(school: Server) -> None:
    course(school, "Around")
    zipped_check(school, "Around", "2024", {"essays/ida.txt": 80, "essays/jon.txt": 81})
    job = zipped_check(school, "Around", "2025", {"kim/text.txt": 80, "lea/text.txt": 82})
    assert pairs(school, job) == {("2024/Trees/essays/ida.txt", "kim")}


def test_a_team_shares_checks_and_marks_and_others_see_nothing(school: Server) -> None:
    id_ = course(school, "Sharing", "bob")
    job = check(school, "ann", ("Sharing", "2025", "One"), {"ann": 1, "bob": 1})
    mark = {"left": "ann.txt", "right": "bob.txt", "verdict": "confirmed", "note": "=same typo"}
    place = f"/api/v1/jobs/{job['id']}"
    assert school.ask("PUT", f"{place}/marks", mark, token=TOKENS["bob"])[0] == 200
    _, marks = school.ask("GET", f"{place}/marks", token=TOKENS["ann"])
    assert [(each["verdict"], each["author"]) for each in marks["marks"]] == [("confirmed", "bob")]
    assert marks["marks"][0]["changed"]
    rows = list(csv.reader(io.StringIO(page(school, "ann", f"/checks/{job['id']}/marks.csv")[1])))
    assert rows[1][:5] == ["ann.txt", "bob.txt", "confirmed", "'=same typo", "bob"]
    _, exported = page(school, "ann", f"/checks/{job['id']}/marks.json")
    assert exported == marks
    assert "/marks.csv" in page(school, "bob", f"/checks/{job['id']}")[1]
    for path in (place, f"{place}/marks"):
        assert school.ask("GET", path, token=TOKENS["cat"])[0] == 404
        assert school.ask("GET", path, token=TOKENS["zoe"])[0] == 404  # an admin does not read checks
    assert page(school, "cat", f"/courses/{id_}")[0] == 404
    send(school, "bob", f"/checks/{job['id']}/again")
    repeated = school.ask("GET", "/api/v1/jobs", token=TOKENS["bob"])[1]["jobs"][0]
    school.finished(repeated["id"], token=TOKENS["bob"])
    _, carried = school.ask("GET", f"/api/v1/jobs/{repeated['id']}/marks", token=TOKENS["ann"])
    assert carried == marks
    assert (repeated["term"], repeated["exercise"]) == ("2025", "One")


def test_an_assistant_marks_but_does_not_delete_what_others_checked(school: Server) -> None:
    id_ = course(school, "Roles", "bob", "cat")
    job = check(school, "ann", ("Roles", "2025", "One"), {"ann": 1, "bob": 1})
    assert school.ask("DELETE", f"/api/v1/jobs/{job['id']}", token=TOKENS["bob"])[0] == 403
    assert send(school, "bob", f"/checks/{job['id']}/share")[0] == 403
    assert send(school, "bob", f"/courses/{id_}/join", user="zoe")[0] == 403
    assert send(school, "bob", "/courses", name="Mine")[0] == 403
    assert "Delete this check" not in page(school, "bob", f"/checks/{job['id']}")[1]
    assert send(school, "cat", f"/courses/{id_}/leave", user="bob")[0] == 303
    assert school.ask("GET", f"/api/v1/jobs/{job['id']}", token=TOKENS["bob"])[0] == 404
    assert school.ask("DELETE", f"/api/v1/jobs/{job['id']}", token=TOKENS["cat"])[0] == 204


def test_pairs_are_counted_over_the_exercises_of_a_course(school: Server) -> None:
    id_ = course(school, "Counting")
    for at, exercise in enumerate(("One", "Two", "Three")):
        people = {"ida": at, "jon": at, "kim": 20 + at, "lea": at if exercise == "Two" else 30 + at}
        check(school, "ann", ("Counting", "2025", exercise), people)
    _, found = school.ask("GET", "/api/v1/courses/Counting/pairs", token=TOKENS["ann"])
    counted = [(each["left"], each["right"], len(each["similarity"])) for each in found["pairs"]]
    assert counted[0] == ("ida", "jon", 3)
    assert sorted(counted[1:]) == [("ida", "lea", 1), ("jon", "lea", 1)]
    shown = page(school, "ann", f"/courses/{id_}")[1]
    assert "2025, One (100%); 2025, Three (100%); 2025, Two (100%)" in shown
    _, none = school.ask("GET", "/api/v1/courses/Counting/pairs?term=2024", token=TOKENS["ann"])
    assert none == {"pairs": [], "next": None}
    assert school.ask("GET", "/api/v1/courses/Counting/pairs", token=TOKENS["cat"])[0] == 404
    check(school, "ann", ("Counting", "2026", "One"), {"max": 0, "noa": 50})
    _, found = school.ask("GET", "/api/v1/courses/Counting/pairs?term=2026", token=TOKENS["ann"])
    assert {(each["left"], each["right"]) for each in found["pairs"]} == {("ida", "max"), ("jon", "max")}


def test_the_page_of_a_course_folds_all_but_the_first_pairs(school: Server) -> None:
    id_ = course(school, "Long")
    check(school, "ann", ("Long", "2025", "One"), {f"p{number}": 1 for number in range(8)})
    shown = page(school, "ann", f"/courses/{id_}")[1]
    first, folded = shown.split("<details><summary>3 more pairs</summary>")
    assert [part.partition("</details>")[0].count("2025, One (100%)") for part in (first, folded)] == [25, 3]


def test_a_course_is_made_filled_and_read_in_pages_by_rest(school: Server) -> None:
    def ask(who: str, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        return school.ask(method, f"/api/v1/courses{path}", body, token=TOKENS[who])

    assert ask("bob", "POST", "", {"name": "By REST"})[0] == 403  # an assistant
    assert ask("ann", "POST", "", {"name": "By REST"}) == (201, {"name": "By REST", "team": ["ann"]})
    assert ask("ann", "POST", "", {"name": "By REST"})[0] == 400
    assert ask("bob", "GET", "/By%20REST")[0] == 404
    assert ask("ann", "PUT", "/By%20REST/team/bob")[1]["team"] == ["ann", "bob"]
    assert ask("ann", "PUT", "/By%20REST/team/nobody")[0] == 400
    assert ask("bob", "DELETE", "/By%20REST/team/ann")[0] == 403
    for term in ("2025", "2026"):
        sent = check(school, "bob", ("By REST", term, "One"), {"kim": 70, "lea": 70, "max": 70})
        assert (sent["course"], sent["term"], sent["owner"]) == ("By REST", term, "bob")
    status, first = ask("ann", "GET", "/By%20REST/jobs?limit=1")
    assert (status, [each["term"] for each in first["jobs"]], first["next"]) == (200, ["2026"], 1)
    _, second = ask("ann", "GET", "/By%20REST/jobs?limit=1&offset=1")
    assert ([each["term"] for each in second["jobs"]], second["next"]) == (["2025"], None)
    assert len(ask("ann", "GET", "/By%20REST/jobs?term=2025")[1]["jobs"]) == 1
    _, people = ask("ann", "GET", "/By%20REST/pairs?limit=2")
    assert (len(people["pairs"]), people["next"]) == (2, 2)
    assert ask("ann", "DELETE", "/By%20REST/team/bob")[0] == 204
    assert ask("bob", "GET", "/By%20REST")[0] == 404


def test_an_admin_sees_users_queue_and_disk_and_nobody_else_does(school: Server) -> None:
    assert page(school, "ann", "/admin")[0] == 403
    assert send(school, "ann", "/admin/add", user="eve")[0] == 403
    status, shown = page(school, "zoe", "/admin")
    assert status == 200
    assert all(name in shown for name in ROLES)
    assert 'href="/admin"' in shown
    assert 'href="/admin"' not in page(school, "ann", "/")[1]


def test_an_admin_adds_limits_and_erases_a_user(school: Server) -> None:
    status, shown = send(school, "zoe", "/admin/add", user="eve", role="teacher")
    found = re.search(r"<code>([^<]+)</code>", shown)
    assert status == 200
    assert found
    token = found[1]
    secret = "A very unusual sentence about zebras in the observatory."
    documents = [{"name": f"unusual-name-{at}.txt", "text": secret * 9} for at in range(2)]
    status, job = school.ask("POST", "/api/v1/jobs", {"documents": documents}, token=token)
    assert status == 202
    school.finished(job["id"], token=token)
    body = {"documents": documents}
    _, added = school.ask("POST", "/api/v1/indexes/zebras/documents", body, token=token)
    school.finished(added["id"], token=token)
    for name in ("jobs.sqlite.version-1.bak", "jobs.sqlite.moved"):  # as an upgrade and a move leave them
        (school.data / name).write_bytes((school.data / "jobs.sqlite").read_bytes() + job["id"].encode())
    assert send(school, "zoe", "/admin/quota", user="eve", max_jobs="0")[0] == 303
    assert school.ask("POST", "/api/v1/jobs", {"documents": documents}, token=token)[0] == 429
    assert send(school, "zoe", "/admin/erase", user="eve", again="ev")[0] == 400
    assert send(school, "zoe", "/admin/erase", user="zoe", again="zoe")[0] == 400
    assert send(school, "zoe", "/admin/erase", user="eve", again="eve")[0] == 303
    assert school.ask("GET", "/api/v1/jobs", token=token)[0] == 401
    left = [
        path for path in school.data.rglob("*") if path.is_file() and _mentions(path, job["id"], "unusual")
    ]
    assert left == []


def _mentions(path: Path, *words: str) -> bool:
    content = path.read_bytes()
    return any(word.encode() in content for word in words)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (("Nowhere", "2025", "One"), "there is no course 'Nowhere'"),
        (("", "2025", ""), "term and exercise need a course"),
        (("Maths", "spring", "One"), "invalid term 'spring'"),
        (("Maths", "2025", ""), "invalid exercise ''"),
        (("Maths", "2025", "../x"), "invalid exercise '../x'"),
    ],
)
def test_a_place_that_is_not_one_is_refused(
    database: Database, place: tuple[str, str, str], words: str
) -> None:
    courses = Courses(database, lambda job: Path())
    courses.add("Maths", "ann")
    with pytest.raises(UsageError) as caught:
        courses.place("ann", *place)
    assert caught.value.message == words


def test_the_last_member_of_a_team_cannot_leave(database: Database) -> None:
    courses = Courses(database, lambda job: Path())
    made = courses.add("Maths", "ann")
    with pytest.raises(UsageError, match="the last member"):
        courses.leave(made, "ann")
    with pytest.raises(UsageError, match="there is a course 'Maths' already"):
        courses.add("Maths", "bob")


@pytest.mark.parametrize(
    ("name", "who"),
    [
        ("ann.txt", "ann"), ("hw1/ann", "ann"), ("2024-1/Lists/old.txt", "old"), ("all.zip!bob/", "bob"),
        ("Jane Doe_12345_assignsubmission_file_main.py", "Jane Doe"), (".hidden", ".hidden"),
    ],
)  # fmt: skip
def test_people_are_known_by_the_names_of_their_submissions(name: str, who: str) -> None:
    assert person(name) == who


def test_people_are_known_by_authors_and_without_the_name_of_an_exercise() -> None:
    clones = {"all/hw-1-ann": "ann", "all/hw-1-andy-b": "andy-b", "all/hw-1-bob": "bob"}
    assert people(clones, {}) == clones
    assert people(["2025/hw-1-ann", "all/hw-1-bob"], {}) == {
        "2025/hw-1-ann": "hw-1-ann",
        "all/hw-1-bob": "hw-1-bob",
    }
    graded = ["x/submission_12345", "x/submission_12346"]
    assert people(graded, {graded[0]: "J. Doe"}) == {graded[0]: "J. Doe", graded[1]: "submission_12346"}


def test_clones_of_two_exercises_are_of_the_same_people(school: Server) -> None:
    course(school, "Clones")
    for exercise, numbers in (("hw-1", (80, 80, 81)), ("hw-2", (82, 82, 83))):
        documents = [
            {"name": f"{exercise}-{name}/main.txt", "text": essay(number)}
            for name, number in zip(("ann", "bob", "cid"), numbers, strict=True)
        ]
        place = {"course": "Clones", "term": "2026", "exercise": exercise}
        body = {"documents": documents, "settings": {"threshold": 0.9}, **place}
        _, job = school.ask("POST", "/api/v1/jobs", body, token=TOKENS["ann"])
        assert school.finished(job["id"], token=TOKENS["ann"])["state"] == "done"
    _, found = school.ask("GET", "/api/v1/courses/Clones/pairs", token=TOKENS["ann"])
    (pair,) = found["pairs"]
    assert (pair["left"], pair["right"], len(pair["similarity"])) == ("ann", "bob", 2)


def test_no_cell_of_the_marks_is_a_formula() -> None:
    table = csv_table([Mark("=a", " +b", "cleared", "-c\n@d", "ann", 0.0)])
    assert next(csv.reader(io.StringIO(table.partition("\n")[2]))) == [
        "'=a", "' +b", "cleared", "'-c\n@d", "ann", "",
    ]  # fmt: skip


def test_checks_of_a_course_do_not_expire(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    jobs = Jobs(tmp_path / "data", Limits())
    made = Courses(jobs.database, jobs.data / "jobs").add("Maths", "ann")
    with jobs.incoming("ann") as upload:
        upload.add("a", b"1")
        job = jobs.accept(upload, "ann", "scan", {}, course=made.id, term="2025", exercise="One")
    assert job.expires is None
    assert json.dumps(job.request) == "{}"
    jobs.close()


def test_a_check_of_a_course_can_use_an_index_of_earlier_years_too(school: Server, tmp_path: Path) -> None:
    course(school, "Both")
    body = {"documents": [{"name": "archive/zed.txt", "text": essay(71)}]}
    _, job = school.ask("POST", "/api/v1/indexes/years/documents", body, token=TOKENS["ann"])
    assert school.finished(job["id"], token=TOKENS["ann"])["state"] == "done"
    check(school, "ann", ("Both", "2023-1", "Lists"), {"first": 72, "second": 73})
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, number in {"third": 74, "fourth": 75}.items():
            archive.writestr(f"{name}/work.txt", essay(number))
    place = {"course": "Both", "term": "2024-1", "exercise": "Trees"}
    parts = [
        ("files", "all.zip", packed.getvalue()),
        *((name, "", value.encode()) for name, value in place.items()),
    ]
    sent, headers = multipart(parts)
    _, job = school.ask("POST", "/api/v1/jobs", sent, headers, token=TOKENS["ann"])
    assert school.finished(job["id"], token=TOKENS["ann"])["state"] == "done"

    new = {"new.txt": 71, "newer.txt": 72, "newest.txt": 74, "own.txt": 76}
    fields = {"course": "Both", "term": "2025-1", "exercise": "Sets", "earlier_index": "years"}
    documents = [{"name": name, "text": essay(number)} for name, number in new.items()]
    body = {"documents": documents, "settings": {"threshold": 0.9}, **fields}
    _, job = school.ask("POST", "/api/v1/jobs", body, token=TOKENS["ann"])
    by_rest = school.finished(job["id"], token=TOKENS["ann"])
    expected = {
        ("archive/zed.txt", "new.txt"),
        ("2023-1/Lists/first.txt", "newer.txt"),
        ("2024-1/Trees/third/work.txt", "newest.txt"),
    }
    assert pairs(school, by_rest) == expected
    assert by_rest["summary"]["earlier_documents"] >= 4
    # On the page: the same choices, and the same again when the check is repeated.
    _, shown = page(school, "ann", "/")
    token = re.search(r'name="form-token" content="([^"]+)"', shown)
    assert token
    parts = [("files", name, essay(number).encode()) for name, number in new.items()]
    parts += [(name, "", value.encode()) for name, value in {**fields, "threshold": "90%"}.items()]
    sent, headers = multipart([("form_token", "", token[1].encode()), *parts])
    status, _ = school.ask("POST", "/checks", sent, headers, token=TOKENS["ann"])
    assert status == 303
    listed = school.ask("GET", "/api/v1/courses/Both/jobs?term=2025-1", token=TOKENS["ann"])[1]["jobs"]
    by_page = school.finished(listed[0]["id"], token=TOKENS["ann"])
    assert pairs(school, by_page) == expected
    assert send(school, "ann", f"/checks/{by_page['id']}/again")[0] == 303
    listed = school.ask("GET", "/api/v1/courses/Both/jobs?term=2025-1", token=TOKENS["ann"])[1]["jobs"]
    assert pairs(school, school.finished(listed[0]["id"], token=TOKENS["ann"])) == expected
    # From the command line: --earlier names an index of the server if there is no such file.
    (tmp_path / "mine.txt").write_text(essay(71))
    arguments = ["scan", "mine.txt", "--earlier", "years", "--server", school.url, "--format", "json"]
    command = [sys.executable, "-m", "copysift", *arguments]
    variables = {**os.environ, "COPYSIFT_TOKEN": TOKENS["ann"]}
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False, env=variables)
    assert ran.returncode == 0, ran.stderr
    assert [(each["left"], each["right"]) for each in json.loads(ran.stdout)["pairs"]] == [
        ("mine.txt", "archive/zed.txt")
    ]
