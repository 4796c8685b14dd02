"""MOSS clients against the running server: the classic one, mosspy, and hostile ones."""

from __future__ import annotations

import contextlib
import itertools
import os
import random
import re
import socket
import sqlite3
import threading
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from copysift.errors import UsageError
from copysift.serve.config import Config
from copysift.serve.moss_server import knows_language, shown
from tests.serve.moss_client import raw, submit
from tests.serve.running import Server, program

mosspy = pytest.importorskip("mosspy")
HEAD = b"moss 1\ndirectory 0\nX 0\nmaxmatches 10\nshow 250\nlanguage c\n"
ROW = re.compile(
    r'<TR><TD><A HREF="(\S+/match\d+\.html)">(.*) \((\d+)%\)</A>\n'
    r' +<TD><A HREF="\S+">(.*) \((\d+)%\)</A>\n<TD ALIGN=right>(\d+)'
)


def page(server: Server, address: str) -> str:
    status, content = server.ask("GET", address.removeprefix(server.url))
    assert status == 200
    return str(content)


def pairs(server: Server, address: str) -> set[tuple[str, str]]:
    return {(row[2], row[4]) for row in ROW.finditer(page(server, address))}


@pytest.mark.parametrize(
    ("comment", "title"),
    [
        ('"homework 3"', "homework 3"),
        ('the "first" homework', 'the "first" homework'),
        ('homework "3"', 'homework "3"'),
        ('"', '"'),
        ("tab\there", "tab?here"),
    ],
)
def test_only_quotes_around_a_comment_are_left_out(comment: str, title: str) -> None:
    assert shown(comment) == title


def lasting(server: Server) -> set[str]:
    return {path.name for place in ("incoming", "jobs") for path in (server.data / place).iterdir()}


def test_the_classic_client_gets_an_address_with_a_table_that_scripts_can_parse(server: Server) -> None:
    files = [(f"dir{n}/main.py", program(n % 3).encode()) for n in range(6)]
    accepted, address = submit(server.moss_port, files, comment="homework 3", base=[("kit.py", b"x = 1\n")])
    assert accepted == "yes"
    assert address.startswith(f"{server.url}/results/")
    rows = ROW.findall(page(server, address))
    assert {(row[1], row[3]) for row in rows if row[2] == row[4] == "100"} >= {
        (f"dir{n}/main.py", f"dir{n + 3}/main.py") for n in range(3)
    }
    first = rows[0][0]
    frames = page(server, first)
    sources = re.findall(r'FRAME SRC="([^"]+)"', frames)
    assert [name.partition("-")[2] for name in sources] == ["top.html", "0.html", "1.html"]
    for name in sources:
        assert page(server, f"{first.rpartition('/')[0]}/{name}")
    assert "def shared_1" in page(server, f"{first.rpartition('/')[0]}/{sources[1]}")
    report = re.search(r'HREF="(/[^"]+/report)"', page(server, address))
    assert report is not None
    assert "copysift report" in page(server, report[1])


def test_with_directory_a_submission_is_a_folder(server: Server) -> None:
    files = [
        ("../hw/ann/a.py", program(1).encode()), ("../hw/ann/b.py", b"print(1)\n" * 9),
        ("../hw/bob/c.py", program(1).encode()),
    ]  # fmt: skip
    _, address = submit(server.moss_port, files, directory=1)
    assert pairs(server, address) == {("../hw/ann/", "../hw/bob/")}


def varied(seed: int, lines: int) -> str:
    """Give a program no line of which has the tokens of another."""
    chosen = random.Random(seed)
    terms = ("first +", "second *", "third -", "f(2) //", "g[3] %")
    return "".join(f"value = {' '.join(chosen.choices(terms, k=9))} 1\n" for _ in range(lines))


def test_show_limits_the_pairs_to_those_with_the_most_matched_tokens(server: Server) -> None:
    long, short = varied(1, 60), varied(2, 12)
    files = [
        ("long1.py", long + varied(3, 60)), ("long2.py", varied(4, 60) + long),
        ("short1.py", short), ("short2.py", short),
    ]  # fmt: skip
    sent = [(name, text.encode()) for name, text in files]
    assert [row[1] for row in ROW.findall(page(server, submit(server.moss_port, sent)[1]))][:2] == [
        "long1.py", "short1.py",
    ]  # fmt: skip
    _, address = submit(server.moss_port, sent, show=1)
    assert pairs(server, address) == {("long1.py", "long2.py")}
    assert "Options -l python -m 10 -n 1\n" in page(server, address)


def test_every_pair_of_equal_files_is_listed_with_everything_like_them(server: Server) -> None:
    files = [(f"{n}.py", program(1).encode()) for n in range(3)] + [("other.py", program(2).encode())]
    _, address = submit(server.moss_port, files)
    names = [name for name, _ in files]
    assert pairs(server, address) == {(a, b) for a, b in itertools.combinations(names, 2)}


@pytest.mark.parametrize(
    "language", ["cc", "C++", "cpp", "ml", "a8086", "rust", "kotlin", "go", "pygments-tcl"]
)
def test_every_language_is_accepted_under_the_name_of_moss_and_ours(server: Server, language: str) -> None:
    body = b"proc add {a b} { return [expr {$a + $b * 17}] }\nset total [add 1 2]; puts $total\n" * 8
    accepted, address = submit(server.moss_port, [("a.x", body), ("b.x", body + b"x")], language=language)
    assert accepted == "yes"
    assert f"Options -l {language} -m 10\n" in page(server, address)
    assert pairs(server, address) == {("a.x", "b.x")}


def test_what_moss_calls_a_language_is_known_and_what_nobody_reads_is_not() -> None:
    assert all(map(knows_language, mosspy.Moss.languages))
    assert [name for name in ("", "klingon", "pygments-klingon", "text/plain") if knows_language(name)] == []


def test_links_are_absolute_at_the_address_and_relative_below_its_slash(server: Server) -> None:
    files = [("a.py", program(1).encode()), ("b.py", program(1).encode())]
    _, address = submit(server.moss_port, files)
    assert re.findall(r'HREF="([^"]*match[^"]*)"', page(server, address)) == [f"{address}/match0.html"] * 2
    assert re.findall(r'HREF="([^"]*match[^"]*)"', page(server, f"{address}/")) == ["match0.html"] * 2


def test_the_address_of_a_result_is_a_number_that_cannot_be_guessed(server: Server) -> None:
    files = [("a.py", program(1).encode()), ("b.py", program(1).encode())]
    numbers = {submit(server.moss_port, files)[1].rpartition("/")[2] for _ in range(3)}
    assert len(numbers) == 3
    assert all(re.fullmatch(r"[1-9]\d{38}", number) for number in numbers)


def test_private_results_need_a_login_that_leads_back_to_them(tmp_path: Path) -> None:
    (tmp_path / "tokens").write_text("ann ann-token-0123456789\n")
    (tmp_path / "users").write_text("123 ann\n")
    options = ("--token-file", str(tmp_path / "tokens"), "--moss-users", str(tmp_path / "users"))
    files = [("a.py", program(1).encode()), ("b.py", program(1).encode())]
    with Server(tmp_path / "data", "--moss-results", "private", *options) as server:
        path = submit(server.moss_port, files)[1].removeprefix(server.url)
        for page_ in ("", "/", "/match0.html", "/match0-top.html", "/report", "/marks"):
            assert server.ask("GET", path + page_)[0] == 303, page_
            assert server.ask("GET", path + page_, token="ann-token-0123456789")[0] == 200, page_
        assert server.ask("GET", "/results/1")[0] == 404
        opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        with opener.open(f"{server.url}{path}/match0.html") as answer:
            form = answer.read().decode()
        (next_,) = re.findall(r'name="next" value="([^"]*)"', form)
        fields = urllib.parse.urlencode({"token": "ann-token-0123456789", "next": next_}).encode()
        with opener.open(f"{server.url}/login", fields) as answer:
            assert answer.url == f"{server.url}{path}/match0.html"
            assert "Matches for a.py and b.py" in answer.read().decode()


@pytest.mark.parametrize(
    "next_", ["//example.org/x", "https://example.org/", "/results/1//example.org", "/api/v1"]
)
def test_a_login_leads_to_a_result_of_this_server_only(guarded: Server, next_: str) -> None:
    fields = urllib.parse.urlencode({"token": "ann-token-0123456789", "next": next_}).encode()
    opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
    with opener.open(f"{guarded.url}/login", fields) as answer:
        assert answer.url == f"{guarded.url}/"


def test_the_moss_port_has_an_address_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "users").write_text("123\n")
    options = ("--moss-host", "127.0.0.2", "--moss-users", str(tmp_path / "users"))
    with Server(tmp_path / "data", *options) as server:
        socket.create_connection(("127.0.0.2", server.moss_port)).close()
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", server.moss_port))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"moss_host": "0.0.0.0"}, "MOSS clients that connect to 0.0.0.0 need to be known"),
        ({"moss_results": "private"}, "--moss-results private needs users who can log in"),
        ({"moss_url": "moss.stanford.edu"}, "--moss-url moss.stanford.edu is not an address"),
    ],
)
def test_a_set_up_that_cannot_work_is_refused_at_the_start(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        Config(data=Path("data"), **given)
    assert caught.value.message == message


def test_a_result_of_version_0_1_is_still_shown_at_its_old_address(server: Server) -> None:
    """Its address has letters, and its request does not say what the client asked for."""
    files = [("a.py", program(1).encode()), ("b.py", program(1).encode())]
    _, address = submit(server.moss_port, files)
    old, new = "aVeryOld-Address_123456", address.rpartition("/")[2]
    with contextlib.closing(sqlite3.connect(server.data / "jobs.sqlite", timeout=30)) as database, database:
        database.execute(
            "UPDATE jobs SET share = ?, request = json_set(request, '$.moss', json('true')) WHERE share = ?",
            (old, new),
        )
    assert pairs(server, f"{server.url}/results/{old}") == {("a.py", "b.py")}
    assert "<PRE>" in page(server, f"{server.url}/results/{old}/match0-0.html")


def test_an_unknown_language_is_refused_and_what_comes_all_the_same_is_drained(
    server: Server, tmp_path: Path
) -> None:
    before = lasting(server)
    assert submit(server.moss_port, [("a.py", b"x")], language="klingon") == (
        "no", "Error: this server has no language `klingon`",
    )  # fmt: skip
    assert "this server has no language `klingon`" in server.log()
    assert lasting(server) == before


def test_users_are_let_in_by_the_list_and_own_what_they_send(guarded: Server) -> None:
    files = [("a.py", program(1).encode()), ("b.py", program(1).encode())]
    assert submit(guarded.moss_port, files, user="999") == (
        "yes", "Error: this server does not know the user `999`",
    )  # fmt: skip
    reason = 'reason="this server does not know the user `999`"'
    assert f"MOSS client refused peer=127.0.0.1 {reason}" in guarded.log()
    assert submit(guarded.moss_port, files, user="123", comment="by ann")[0] == "yes"
    assert submit(guarded.moss_port, files, user="456")[0] == "yes"
    titles = {
        name: [
            job["title"]
            for job in guarded.ask("GET", "/api/v1/jobs", token=f"{name}-token-0123456789")[1]["jobs"]
        ]
        for name in ("ann", "bob")
    }
    assert "by ann" in titles["ann"]
    assert titles["bob"] == []


@pytest.mark.parametrize(
    ("data", "answer"),
    [
        (b"GET / HTTP/1.1\r\n\r\n", b"Error: expected `moss USERID` as the first line\n"),
        (os.urandom(5000).replace(b"\n", b"x"), b"Error: a line is longer than 4096 bytes\n"),
        (HEAD + b"file 1 c 99999999999 a.c\n", b"yes\nError: a file is larger than 20000000 bytes\n"),
        (
            HEAD + b"file 1 c 10 a.c\nabc",
            b"yes\nError: the connection ended 7 bytes before the end of a file\n",
        ),
        (HEAD + b"file 1 c 3 a.c\nabcdef\n", b"yes\nError: `def` is not expected here\n"),
        (HEAD + b"query 0 c\n", b"yes\nError: nothing to compare: no file was sent\n"),
    ],
)
def test_lies_and_garbage_end_with_one_line_and_leave_nothing(
    server: Server, data: bytes, answer: bytes
) -> None:
    before = lasting(server)
    assert raw(server.moss_port, data, close=True) == answer
    deadline = time.monotonic() + 5
    while lasting(server) != before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert lasting(server) == before


def test_a_client_that_drops_in_the_middle_leaves_nothing(server: Server) -> None:
    before = lasting(server)
    link = socket.create_connection(("127.0.0.1", server.moss_port))
    link.sendall(HEAD + b"file 1 c 3 a.c\nabcfile 2 c 100000 b.c\n" + b"x" * 500)
    deadline = time.monotonic() + 5
    while lasting(server) == before and time.monotonic() < deadline:
        time.sleep(0.02)
    assert lasting(server) != before
    link.close()
    while lasting(server) != before and time.monotonic() < deadline:
        time.sleep(0.05)
    assert lasting(server) == before


def test_a_silent_client_is_let_go(server: Server) -> None:
    begun = time.monotonic()
    assert raw(server.moss_port, HEAD) == b"yes\nError: the client was silent or slow for too long\n"
    assert 2.5 < time.monotonic() - begun < 20


def test_names_of_any_bytes_are_shown_and_harm_nothing(server: Server) -> None:
    body = program(1).encode()
    names = [
        b"../../x.py",
        b"\xff\xfe \x1b[31m.py",
        b"<script>alert(1)</script>.py",
        "ü ñ.py".encode(),
    ]
    stream = HEAD.replace(b"language c", b"language python")
    for number, name in enumerate(names, 1):
        stream += b"file %d python %d %s\n" % (number, len(body), name) + body
    answer = raw(server.moss_port, stream + b"query 0 \nend\n").decode().split()
    content = page(server, answer[1])
    assert "<script" not in content
    assert "&lt;script&gt;alert(1)&lt;/script&gt;.py" in content
    assert "\\xff\\xfe_\\x1b[31m.py" in content
    assert "ü_ñ.py" in content


def test_many_clients_at_once_all_get_their_own_answer(server: Server) -> None:
    found: dict[int, Any] = {}

    def client(number: int) -> None:
        files = [(f"c{number}_{n}.py", program(100 * number + n % 4).encode()) for n in range(6)]
        found[number] = submit(server.moss_port, files)

    threads = [threading.Thread(target=client, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({address for _, address in found.values()}) == 8
    for number, (accepted, address) in found.items():
        assert accepted == "yes"
        shown = pairs(server, address)
        assert {(f"c{number}_0.py", f"c{number}_4.py"), (f"c{number}_1.py", f"c{number}_5.py")} <= shown
        assert all(name.startswith(f"c{number}_") for pair in shown for name in pair)


def test_mosspy_does_not_notice_a_no_and_is_told_with_its_answer(server: Server, tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text(program(1))
    client = mosspy.Moss(987654321, "python")
    client.options["l"] = "elvish"
    client.server, client.port = "127.0.0.1", server.moss_port
    client.addFile(str(tmp_path / "a.py"))
    before = lasting(server)
    assert client.send() == "Error: this server has no language `elvish`"
    assert lasting(server) == before


def test_what_more_than_maxmatches_share_counts_for_nothing(server: Server) -> None:
    kit = "".join(f"def handed_out_{n}(value):\n    return value * {n} + {n * n}\n" for n in range(12))
    files = [(f"{n}.py", (kit + program(n % 4).split("\n\n")[-1]).encode()) for n in range(5)]
    few, many = (submit(server.moss_port, files, maxmatches=most)[1] for most in (2, 10))
    assert pairs(server, few) == {("0.py", "4.py")}
    assert ("0.py", "1.py") in pairs(server, many)
