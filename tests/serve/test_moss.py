"""MOSS clients against the running server: the classic one, mosspy, and hostile ones."""

from __future__ import annotations

import logging
import os
import re
import shutil
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any

import pytest

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


def lasting(server: Server) -> set[str]:
    return {path.name for place in ("incoming", "jobs") for path in (server.data / place).iterdir()}


def test_the_classic_client_gets_an_address_with_a_table_that_scripts_can_parse(server: Server) -> None:
    files = [(f"dir {n}/main.py", program(n % 3).encode()) for n in range(6)]
    accepted, address = submit(server.moss_port, files, comment="homework 3", base=[("kit.py", b"x = 1\n")])
    assert accepted == "yes"
    assert address.startswith(f"{server.url}/results/")
    rows = ROW.findall(page(server, address))
    assert {(row[1], row[3]) for row in rows if row[2] == row[4] == "100"} >= {
        (f"dir {n}/main.py", f"dir {n + 3}/main.py") for n in range(3)
    }
    first = rows[0][0]
    frames = page(server, first)
    sources = re.findall(r'FRAME SRC="([^"]+)"', frames)
    assert [name.partition("-")[2] for name in sources] == ["top.html", "0.html", "1.html"]
    for name in sources:
        assert page(server, f"{first.rpartition('/')[0]}/{name}")
    assert "def shared_1" in page(server, f"{first.rpartition('/')[0]}/{sources[1]}")
    report = re.search(r'HREF="([^"]+/report)"', page(server, address))
    assert report is not None
    assert "copysift report" in page(server, report[1])


def test_mosspy_sends_and_downloads_unchanged_but_for_host_and_port(server: Server, tmp_path: Path) -> None:
    for number in range(4):
        (tmp_path / f"s {number}.py").write_text(program(number % 2))
    (tmp_path / "kit.py").write_text("import sys\n")
    client = mosspy.Moss(987654321, "python")
    client.server, client.port = "127.0.0.1", server.moss_port
    client.addBaseFile(str(tmp_path / "kit.py"))
    client.addFilesByWildcard(str(tmp_path / "s *.py"))
    client.addFile(str(tmp_path / "s 0.py"), "a name with spaces.py")
    address = client.send()
    client.saveWebPage(address, str(tmp_path / "saved.html"))
    assert "a name with spaces.py (100%)" in (tmp_path / "saved.html").read_text()
    mosspy.download_report(address, str(tmp_path / "report"), connections=1, log_level=logging.WARNING)
    names = {path.name for path in (tmp_path / "report").iterdir()}
    matches = len({name for name in names if re.fullmatch(r"match\d+\.html", name)})
    assert matches >= 2
    assert names == {"index.html"} | {
        f"match{n}{part}.html" for n in range(matches) for part in ("", "-top", "-0", "-1")
    }
    assert server.url not in (tmp_path / "report" / "match0.html").read_text()


def test_with_directory_a_submission_is_a_folder(server: Server) -> None:
    files = [
        ("../hw/ann/a.py", program(1).encode()), ("../hw/ann/b.py", b"print(1)\n" * 9),
        ("../hw/bob/c.py", program(1).encode()),
    ]  # fmt: skip
    _, address = submit(server.moss_port, files, directory=1)
    assert pairs(server, address) == {("../hw/ann", "../hw/bob")}


def test_show_limits_the_pairs(server: Server) -> None:
    files = [(f"{n}.py", program(n % 2).encode()) for n in range(6)]
    _, address = submit(server.moss_port, files, show=2)
    assert len(pairs(server, address)) == 2


def test_an_unknown_language_is_refused_and_what_comes_all_the_same_is_drained(
    server: Server, tmp_path: Path
) -> None:
    before = lasting(server)
    assert submit(server.moss_port, [("a.py", b"x")], language="klingon") == (
        "no", "Error: this server has no language `klingon`",
    )  # fmt: skip
    assert lasting(server) == before


def test_users_are_let_in_by_the_list_and_own_what_they_send(guarded: Server) -> None:
    files = [("a.py", program(1).encode()), ("b.py", program(1).encode())]
    assert submit(guarded.moss_port, files, user="999")[0] == "no"
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
        (b"GET / HTTP/1.1\r\n\r\n", b"Error: a MOSS client begins with `moss USERID`\n"),
        (os.urandom(5000).replace(b"\n", b"x"), b"Error: a line is longer than 4096 bytes\n"),
        (HEAD + b"file 1 c 99999999999 a.c\n", b"yes\nError: a file is larger than 20000000 bytes\n"),
        (
            HEAD + b"file 1 c 10 a.c\nabc",
            b"yes\nError: the connection ended 7 bytes before the end of a file\n",
        ),
        (HEAD + b"file 1 c 3 a.c\nabcdef\n", b"yes\nError: `def` is not expected here\n"),
        (HEAD + b"query 0 c\n", b"yes\nError: there is nothing to compare: no file was sent\n"),
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
    assert "\\xff\\xfe \\x1b[31m.py" in content
    assert "ü ñ.py" in content


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


PERL = r"""
use strict; use IO::Socket;
my ($port, $language, @files) = @ARGV;
my $sock = new IO::Socket::INET (PeerAddr => '127.0.0.1', PeerPort => $port, Proto => 'tcp') or die;
$sock->autoflush(1);
print $sock "moss 987654321\n", "directory 0\n", "X 0\n", "maxmatches 10\n", "show 250\n";
print $sock "language $language\n";
my $msg = <$sock>; chop($msg);
if ($msg eq "no") { print $sock "end\n"; die "Unrecognized language $language."; }
my $id = 1;
for my $file (@files) {
    open(my $in, '<', $file) or die; my $size = -s $file; my $shown = $file; $shown =~ s/\s/_/g;
    print $sock "file $id $language $size $shown\n"; print $sock $_ while <$in>; $id++;
}
print $sock "query 0 perl\n";
my $answer = <$sock>;
print $sock "end\n"; close($sock);
print $answer;
"""


@pytest.mark.skipif(shutil.which("perl") is None, reason="perl is not installed")
def test_a_perl_client_that_talks_as_the_classic_one_is_served(server: Server, tmp_path: Path) -> None:
    (tmp_path / "client.pl").write_text(PERL)
    for number in range(3):
        (tmp_path / f"s {number}.py").write_text(program(number % 2))
    names = [f"s {n}.py" for n in range(3)]

    def run(language: str) -> subprocess.CompletedProcess[str]:
        command = ["perl", "client.pl", str(server.moss_port), language, *names]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=60)

    done = run("python")
    assert done.returncode == 0, done.stderr
    assert ("s_0.py", "s_2.py") in pairs(server, done.stdout.strip())
    assert "Unrecognized language elvish" in run("elvish").stderr


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
