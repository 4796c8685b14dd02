"""Forms and REST offer the options of scan from the same declarations; what is unknown is refused."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from copysift.cli.options import declared
from copysift.errors import UsageError
from copysift.serve import forms, requests
from copysift.settings.refusals import is_refused
from tests.serve.running import Server, program

Part = tuple[str, str, bytes]  # field, file name ("" for a plain field), content


def multipart(parts: list[Part]) -> tuple[bytes, dict[str, str]]:
    body = b""
    for field, name, content in parts:
        file = f'; filename="{name}"' if name else ""
        body += f'--edge\r\nContent-Disposition: form-data; name="{field}"{file}\r\n\r\n'.encode()
        body += content + b"\r\n"
    return body + b"--edge--\r\n", {"content-type": "multipart/form-data; boundary=edge"}


def form_token(server: Server) -> str:
    _, page = server.ask("GET", "/")
    found = re.search(r'name="form_token" value="([^"]+)"', page)
    assert found
    return found[1]


def check(server: Server, parts: list[Part]) -> tuple[int, Any]:
    """Send the form of the start page as a script does; give the status, and the job when it has ended."""
    body, headers = multipart(parts)
    headers |= {"accept": "application/json", "x-form-token": form_token(server)}
    status, answer = server.ask("POST", "/checks", body, headers)
    if status != 201:
        return status, answer["error"]["message"]
    return status, server.finished(answer["location"].rpartition("/")[2])


def result(server: Server, job: dict[str, Any]) -> Any:
    return server.ask("GET", f"/api/v1/jobs/{job['id']}/result")[1]


@pytest.fixture(scope="module")
def files() -> list[Part]:
    return [("files", f"{name}.py", program(at).encode()) for at, name in enumerate(("ann", "bob", "eve"))]


def test_every_option_of_scan_is_offered_or_refused_with_a_reason() -> None:
    scan = {name for name in declared("scan") if not is_refused(name, "scan")}
    offered = set(requests.allowed()) | {"by"}
    assert scan <= offered | set(requests.REFUSED)
    assert offered <= scan
    assert not offered & set(requests.REFUSED)


@pytest.mark.parametrize("command", ["scan", "index"])
def test_a_form_has_every_option_once(command: str) -> None:
    form = forms.form_for(command)
    names = [each.name for each in (*form.often, *(each for _, some in form.sections for each in some))]
    assert sorted(names) == sorted(requests.allowed(command))
    assert all(each.help and each.label for each in form.often)


@pytest.mark.parametrize("command", ["scan", "index"])
def test_a_form_does_not_speak_of_the_command_line(command: str) -> None:
    form = forms.form_for(command)
    fields = [*form.often, *(each for _, some in form.sections for each in some)]
    shown = {each.name: f"{each.help} {each.placeholder}" for each in fields}
    assert {name: words for name, words in shown.items() if "--" in words or "copysift" in words} == {}


def test_a_form_decodes_switches_lists_and_numbers() -> None:
    given = {"same_suffix": "on", "include": "*.py  *.c", "noise": " 5 ", "threshold": "", "by": "dir"}
    given |= {"kind": "auto", "scheme": "open-closed"}  # as they are unless somebody chooses
    assert forms.settings_of_form(given, "scan") == {
        "same_suffix": True, "include": ["*.py", "*.c"], "noise": "5", "by": "dir",
    }  # fmt: skip
    with pytest.raises(UsageError, match="there is no field 'treshold'"):
        forms.settings_of_form({"treshold": "1"}, "scan")
    assert requests.checked({"noise": "5", "include": ["*.py"]})["noise"] == "5"


def test_the_page_shows_every_option(server: Server) -> None:
    _, page = server.ask("GET", "/")
    for name in (*requests.allowed(), "by", "title", "base", "earlier", "metadata"):
        assert f'name="{name}"' in page, name


def test_settings_of_the_form_reach_the_comparison(server: Server, files: list[Part]) -> None:
    chosen = [("kind", "", b"text"), ("noise", "", b"30"), ("guarantee", "", b"60"), ("threshold", "", b"1%")]
    status, job = check(server, [*files, *chosen, ("hidden", "", b"on"), ("title", "", b"Mine")])
    assert (status, job["state"], job["title"]) == (201, "done", "Mine")
    settings = result(server, job)["settings"]
    assert (settings["kind"], settings["noise"], settings["guarantee"]) == ("text", 30, 60)
    assert settings["hidden"] is True


@pytest.mark.parametrize(
    ("part", "words"),
    [
        (("treshold", "", b"1%"), "there is no field 'treshold'"),
        (("memory", "", b"9GB"), "there is no field 'memory'"),
        (("starter", "x.py", b"x"), "there is no file field 'starter'"),
        (("earlier_index", "", b"nowhere"), "there is no index 'nowhere'"),
        (("kind", "", b"nonsense"), "nonsense"),
    ],
)
def test_unknown_fields_of_the_form_are_refused(
    server: Server, files: list[Part], part: Part, words: str
) -> None:
    status, message = check(server, [*files, part])
    if status == 201:  # a kind is looked up where the comparison runs
        assert message["state"] == "failed"
        message = message["error"]
    assert words in message


def test_unknown_fields_of_rest_are_refused(server: Server) -> None:
    documents = [{"name": "a", "text": "x"}, {"name": "b", "text": "y"}]
    status, problem = server.ask("POST", "/api/v1/jobs", {"documents": documents, "tittle": "x"})
    assert (status, problem["error"]["message"]) == (400, "there is no field 'tittle'")
    body, headers = multipart([("files", "a.py", b"x"), ("threshold", "", b"1")])
    status, problem = server.ask("POST", "/api/v1/jobs", body, headers)
    assert (status, problem["error"]["message"]) == (400, "there is no field 'threshold'")


def test_a_class_list_names_authors_and_keeps_their_work_apart(server: Server, files: list[Part]) -> None:
    listed = (
        "file;label;author;team\nann.py;Ann A.;ann;\n\nbob;Bob B.;ann;\neve.py;Eve;eve;\nzoe.py;Zoe;zoe;\n"
    )
    _, job = check(server, [*files, ("metadata", "class.csv", listed.encode()), ("threshold", "", b"1%")])
    assert job["state"] == "done", job
    found = result(server, job)
    pairs = {frozenset((each["left"], each["right"])) for each in found["pairs"]}
    assert pairs == {frozenset(("ann.py", "eve.py")), frozenset(("bob.py", "eve.py"))}
    report = server.ask("GET", f"/checks/{job['id']}/report")[1]
    assert all(label in report for label in ("Ann A.", "Bob B.", "Eve"))
    assert {"name": "class.csv, line 6", "reason": "'zoe.py' names no submission"} in [
        {key: each[key] for key in ("name", "reason")} for each in found["skipped"]
    ]
    assert str(server.data) not in str(found)


def test_a_class_list_that_is_not_a_table_says_where(server: Server, files: list[Part]) -> None:
    _, job = check(server, [*files, ("metadata", "class.csv", b"one,two\n1,2\n")])
    assert (job["state"], job["error"][:39]) == ("failed", "class.csv, line 1: no column file or na")


def test_a_class_list_names_folders_too(server: Server) -> None:
    files = [("files", f"hw/{name}/main.py", program(at).encode()) for at, name in enumerate(("ann", "bob"))]
    listed = b"file,label\nann,Ann A.\nhw/bob/,Bob B.\n"
    _, job = check(server, [*files, ("metadata", "c.csv", listed), ("threshold", "", b"1%")])
    report = server.ask("GET", f"/checks/{job['id']}/report")[1]
    assert all(label in report for label in ("Ann A.", "Bob B."))
    assert result(server, job)["skipped"] == []


def test_an_anonymised_check_shows_no_names_and_its_owner_has_the_key(
    server: Server, files: list[Part]
) -> None:
    _, job = check(server, [*files, ("anonymise", "", b"on"), ("threshold", "", b"1%")])
    assert job["state"] == "done", job
    shown = str(result(server, job)) + server.ask("GET", f"/checks/{job['id']}/report")[1]
    assert "S01" in shown
    assert not re.search(r"\b(ann|bob|eve)\.py", shown)
    _, key = server.ask("GET", f"/checks/{job['id']}/pseudonyms")
    assert f"pseudonyms read job={job['id']} user=local" in server.log()
    assert sorted(line.partition(",")[2] for line in key.splitlines()[1:]) == ["ann.py", "bob.py", "eve.py"]
    body, headers = f"form_token={form_token(server)}".encode(), {
        "content-type": "application/x-www-form-urlencoded", "accept": "application/json",
    }  # fmt: skip
    _, moved = server.ask("POST", f"/checks/{job['id']}/again", body, headers)
    again = server.finished(moved["location"].rpartition("/")[2])
    assert server.ask("GET", f"/api/v1/jobs/{again['id']}/pseudonyms")[1] == key
    _, plain = check(server, files)
    assert server.ask("GET", f"/api/v1/jobs/{plain['id']}/pseudonyms")[0] == 404


def test_an_index_serves_as_earlier_years(server: Server, files: list[Part]) -> None:
    old = [("files", f"{name}.py", program(0).encode()) for name in ("old", "two")]
    body, headers = multipart([*old, ("settings", "", b'{"kind": "code", "noise": 10, "guarantee": 14}')])
    _, job = server.ask("POST", "/api/v1/indexes/years/documents", body, headers)
    assert server.finished(job["id"])["state"] == "done"
    assert "<option>years</option>" in server.ask("GET", "/")[1]
    _, job = check(server, [files[0], ("earlier_index", "", b"years"), ("threshold", "", b"50%")])
    assert job["state"] == "done", job
    pairs = [{each["left"], each["right"]} for each in result(server, job)["pairs"]]
    # a browser sends what was not changed, too
    chosen = ("kind", "", b"auto"), ("scheme", "", b"open-closed")
    _, same = check(server, [files[0], *chosen, ("earlier_index", "", b"years")])
    assert same["state"] == "done", same
    assert {"ann.py", "old.py"} in pairs or {"ann.py", "two.py"} in pairs
    assert {"old.py", "two.py"} not in pairs


def test_include_and_exclude_are_about_the_names_that_were_sent(server: Server, files: list[Part]) -> None:
    _, job = check(server, [*files, ("exclude", "", b"eve*"), ("threshold", "", b"1%")])
    found = result(server, job)
    assert {each["name"] for each in found["documents"]} == {"ann.py", "bob.py"}
    assert "1 file left out by include and exclude" in found["notes"]


def test_records_of_an_upload_keep_its_name(server: Server) -> None:
    text = " ".join(map(str, range(300)))
    lines = "".join(f'{{"id": "{name}", "text": "{text}"}}\n' for name in "ab").encode()
    _, job = check(server, [("files", "essays.jsonl", lines), ("files", "more.jsonl", lines)])
    names = {each["name"] for each in result(server, job)["documents"]}
    assert names == {"essays.jsonl!a", "essays.jsonl!b", "more.jsonl!a", "more.jsonl!b"}


def test_python_that_is_checked_as_java_is_noted(server: Server, files: list[Part]) -> None:
    words = "3 of 3 files by extension Python, but read as Java: matches may be missing or wrong"
    _, job = check(server, [*files, ("language", "", b"java")])
    assert words in result(server, job)["notes"]
    assert words in server.ask("GET", f"/checks/{job['id']}")[1]
    _, job = check(server, [*files, ("language", "", b"python")])
    assert result(server, job)["notes"] == []


def test_python_in_an_archive_that_is_checked_as_java_is_noted(server: Server, files: list[Part]) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for _, name, content in files:
            archive.writestr(f"{name.partition('.')[0]}/{name}", content)
    words = "3 of 3 files by extension Python, but read as Java: matches may be missing or wrong"
    archive_only: list[Part] = [("files", "class.zip", packed.getvalue())]
    _, job = check(server, [*archive_only, ("language", "", b"java")])
    assert words in result(server, job)["notes"]
    _, job = check(server, [*archive_only, ("language", "", b"python")])
    assert result(server, job)["notes"] == []


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kind": "java"}, "there is no kind 'java'"),
        ({"language": "klingon"}, "there is no language 'klingon'"),
        ({"scheme": "foo"}, "there is no scheme 'foo'"),
    ],
)
def test_a_name_that_there_is_not_is_refused_before_anything_is_queued(
    server: Server, settings: dict[str, str], message: str
) -> None:
    body = {"documents": [{"name": "a.py", "text": program(1)}], "settings": settings}
    for place in ("jobs", "indexes/names/documents"):
        status, answer = server.ask("POST", f"/api/v1/{place}", body)
        assert (status, answer["error"]["message"]) == (400, message)


@pytest.fixture
def indexes(server: Server) -> Iterator[Server]:
    yield server
    for each in server.ask("GET", "/api/v1/indexes")[1]["indexes"]:
        server.ask("DELETE", f"/api/v1/indexes/{each['name']}")


def test_kind_and_language_of_an_index_are_chosen_and_shown(indexes: Server) -> None:
    settings = b'{"language": "java", "kind": "code"}'
    body, headers = multipart([("files", "a.py", program(1).encode()), ("settings", "", settings)])
    _, job = indexes.ask("POST", "/api/v1/indexes/java/documents", body, headers)
    assert "by extension Python" in indexes.finished(job["id"])["summary"]["notes"][0]
    about = indexes.ask("GET", "/api/v1/indexes/java")[1]
    assert (about["kind"], about["language"]) == ("code", "java")
    page = indexes.ask("GET", "/indexes/java")[1]
    assert "kind code, language java" in page
    assert "by extension Python" in page
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("ann/b.py", program(2))
    body, headers = multipart([("files", "b.zip", packed.getvalue()), ("settings", "", settings)])
    _, job = indexes.ask("POST", "/api/v1/indexes/java/documents", body, headers)
    assert "by extension Python" in indexes.finished(job["id"])["summary"]["notes"][0]
    body, headers = multipart([("files", "a.py", b"x"), ("settings", "", b'{"nonsense": 1}')])
    status, problem = indexes.ask("POST", "/api/v1/indexes/java/documents", body, headers)
    assert (status, problem["error"]["message"]) == (400, "there is no setting 'nonsense'")
    body, headers = multipart([("files", "a.py", b"x"), ("settings", "", b'{"by": "dir"}')])
    assert indexes.ask("POST", "/api/v1/indexes/java/documents", body, headers)[0] == 400
    body, headers = multipart([("base", "a.py", b"x")])
    assert indexes.ask("POST", "/api/v1/indexes/java/documents", body, headers)[0] == 400


def test_what_of_an_archive_cannot_be_read_is_shown(indexes: Server, tmp_path: Path) -> None:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        archive.writestr("a.py", program(1))
        archive.writestr("b.py", program(2) * 3, zipfile.ZIP_DEFLATED)
    damaged = packed.getvalue().replace(b"PK\x03\x04", b"PK\x03\x04", 1)
    at = damaged.index(b"b.py") + 10
    damaged = damaged[:at] + b"\xff" * 20 + damaged[at + 20 :]
    body, headers = multipart([("files", "x.zip", damaged)])
    _, job = indexes.ask("POST", "/api/v1/indexes/part/documents", body, headers)
    summary = indexes.finished(job["id"])["summary"]
    assert (summary["added"], summary["skipped"]) == (1, 1)
    assert "of the last upload could not be read" in indexes.ask("GET", "/indexes/part")[1]
