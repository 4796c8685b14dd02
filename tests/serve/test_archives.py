"""An upload that is a bad archive is an error in words, on every way in: form, REST and MOSS."""

from __future__ import annotations

import io
import zipfile

import pytest

from tests.serve.moss_client import submit
from tests.serve.running import Server, program
from tests.serve.test_options import check, multipart


def packed(files: dict[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return made.getvalue()


WHOLE = packed({f"{name}/main.py": program(at).encode() for at, name in enumerate(("ann", "bob", "eve"))})
MEMBERS = WHOLE[: WHOLE.index(b"PK\x01\x02")].split(b"PK\x03\x04")
LIST = WHOLE[WHOLE.index(b"PK\x01\x02") :]
DAMAGED, NONE = "class.zip is truncated or damaged", "class.zip is not a zip"
NOTHING = "there is nothing to compare: no files, or hidden ones only"
# What is refused when it is sent, and why.
REFUSED = {
    "words": (b"<html>please log in</html>", NONE),
    "two letters": (b"PK", NONE),
    "letters and words": (b"PK is how this text begins, which is long enough to be compared. " * 20, NONE),
    "a head and words": (b"PK\x03\x04 not a zip at all", DAMAGED),
    "a head and bytes": (b"PK\x03\x04" + bytes(at * 7919 % 251 for at in range(5000)), DAMAGED),
    "the first half": (WHOLE[: len(WHOLE) // 2], DAMAGED),
    "all but the end": (WHOLE[:-10], DAMAGED),
    "all but a list of names": (WHOLE.removesuffix(LIST), DAMAGED),
}
# What only the comparison finds out.
EMPTY = {
    "no file": (packed({}), NOTHING),
    "folders": (packed({"ann/": b"", "bob/": b""}), NOTHING),
    "hidden files": (packed({".DS_Store": b"x" * 99, "__MACOSX/._ann": b"y" * 99}), NOTHING),
    "damaged files": (
        b"PK\x03\x04".join(each[:41] + b"\xff" * len(each[41:]) for each in MEMBERS) + LIST,
        "nothing could be read (ann/main.py: is truncated or damaged inside the archive; "
        "bob/main.py: is truncated or damaged inside the archive; "
        "eve/main.py: is truncated or damaged inside the archive)",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_zip_is_refused(server: Server, name: str) -> None:
    content, words = REFUSED[name]
    files = [("files", "a.py", program(1).encode()), ("files", "class.zip", content)]
    assert check(server, files) == (400, words)
    for path in ("/api/v1/jobs", "/api/v1/indexes/zips/documents"):
        status, answer = server.ask("POST", path, *multipart(files))
        assert (status, answer["error"]["message"]) == (400, words)
    assert server.ask("GET", "/api/v1/indexes/zips")[0] == 404
    assert submit(server.moss_port, [("class.zip", content)])[1] == f"Error: {words}"


@pytest.mark.parametrize("name", EMPTY)
def test_a_zip_with_nothing_in_it_is_a_check_that_failed(server: Server, name: str) -> None:
    content, words = EMPTY[name]
    status, job = check(server, [("files", "class.zip", content)])
    assert (status, job["state"], job["error"]) == (201, "failed", words)
    assert f"The check failed: {words}." in server.ask("GET", f"/checks/{job['id']}")[1]
    assert submit(server.moss_port, [("class.zip", content)])[1] == f"Error: the check failed: {words}"
    _, job = server.ask(
        "POST", "/api/v1/indexes/empty/documents", *multipart([("files", "class.zip", content)])
    )
    ended = server.finished(job["id"])
    error = ended["error"].replace("class.zip!", "")
    assert (ended["state"], error) == ("failed", words.replace("compare", "add"))
    server.ask("DELETE", "/api/v1/indexes/empty")


def test_a_damaged_archive_by_another_name_is_not_a_result(server: Server) -> None:
    content, _ = REFUSED["a head and bytes"]
    for name in ("class", "class.jar"):
        _, job = check(server, [("files", name, content)])
        assert job["state"] == "failed"
        assert "is truncated or damaged" in job["error"]
        assert len(job["error"]) < 400


def test_a_whole_zip_is_compared(server: Server) -> None:
    _, job = check(server, [("files", "class.zip", WHOLE)])
    assert (job["state"], job["summary"]["documents"]) == ("done", 3)
    assert submit(server.moss_port, [("class.zip", WHOLE)])[1].startswith(server.url)
