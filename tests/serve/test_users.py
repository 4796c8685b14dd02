"""Users and tokens: added, listed and revoked while the server runs; only digests are stored."""

from __future__ import annotations

import os
import subprocess
import sys
import urllib.parse
from pathlib import Path

import pytest

from copysift.errors import UsageError
from copysift.serve.access import read_tokens
from copysift.serve.database import Database
from copysift.serve.users import Known, Users, digest_of
from tests.serve.running import Server


def command(data: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "copysift", "serve", "token", *words], capture_output=True, text=True,
        env={**os.environ, "COPYSIFT_SERVE_DATA": str(data)}, check=False,
    )  # fmt: skip


def test_tokens_are_added_listed_and_revoked_while_the_server_runs(tmp_path: Path) -> None:
    data = tmp_path / "data"
    token = command(data, "add", "ann", "--role", "admin").stdout.strip()
    assert len(token) >= 32
    with Server(data, "--moss-port", "-1") as server:
        assert server.ask("GET", "/api/v1/jobs")[0] == 401
        assert server.ask("GET", "/api/v1/jobs", token=token)[0] == 200
        second = command(data, "add", "bob").stdout.strip()
        assert server.ask("GET", "/api/v1/jobs", token=second)[0] == 200
        listed = command(data, "list").stdout.split()
        assert listed == ["ann", "admin", "1", "bob", "teacher", "1"]
        cookie = logged_in(server, second)
        assert server.ask("GET", "/", headers={"cookie": cookie})[0] == 200
        assert command(data, "revoke", "bob").stderr == "copysift: 1 revoked\n"
        assert server.ask("GET", "/api/v1/jobs", token=second)[0] == 401
        assert server.ask("GET", "/", headers={"cookie": cookie})[0] == 303
        assert server.ask("GET", "/api/v1/jobs", token=token)[0] == 200
        command(data, "revoke", "ann")
        assert server.ask("GET", "/api/v1/jobs")[0] == 401  # nobody is left, and still it is not open
        stored = b"".join(path.read_bytes() for path in data.glob("jobs.sqlite*"))
        log = server.log()
    for secret in (token, second):
        assert secret.encode() not in stored
        assert secret not in log
        assert digest_of(secret) not in log
    assert "login user=bob peer=127.0.0.1" in log


def test_roles_of_a_token_file_hold_whoever_adds_tokens(tmp_path: Path) -> None:
    data, filed = tmp_path / "data", "filed-token-0123456789"
    (tmp_path / "tokens").write_text(f"ann {filed} admin\nbob bob-token-0123456789\n")
    with Server(data, "--moss-port", "-1", "--token-file", str(tmp_path / "tokens")) as server:
        added = command(data, "add", "carl")
        assert added.stderr == "copysift: carl has the role teacher\n"  # for there is an admin
        second = command(data, "add", "ann").stdout.strip()
        for token, status in ((filed, 200), (second, 200), (added.stdout.strip(), 403)):
            assert server.ask("GET", "/admin", headers={"cookie": logged_in(server, token)})[0] == status
        revoked = command(data, "revoke", "bob")
        assert revoked.stderr == "copysift: 0 revoked; a token in a token file ends when its line is gone\n"


def test_the_role_in_the_token_file_counts_at_every_start(database: Database) -> None:
    Users(database, {"1": Known("ada", "admin")}).register()
    users = Users(database, {"1": Known("ada", "teacher"), "2": Known("bob", "assistant")})
    users.register()
    assert [(each.name, each.role, each.tokens) for each in users.listed()] == [
        ("ada", "teacher", 1), ("bob", "assistant", 1),
    ]  # fmt: skip
    users.add("bob")
    assert users.role("bob") == "assistant"
    with pytest.raises(UsageError, match="the role of bob is in the token file"):
        users.add("bob", "admin")


def logged_in(server: Server, token: str) -> str:
    """Log in as a browser does, and give the cookie."""
    import http.client

    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    body = urllib.parse.urlencode({"token": token})
    connection.request("POST", "/login", body, {"content-type": "application/x-www-form-urlencoded"})
    answer = connection.getresponse()
    assert answer.status == 303
    cookie = answer.headers["set-cookie"].partition(";")[0]
    connection.close()
    return cookie


@pytest.fixture
def users(database: Database) -> Users:
    return Users(database, {"digest": Known("ada", "teacher")})


def test_the_first_user_is_an_admin(database: Database) -> None:
    users = Users(database)
    for name in ("ann", "bob"):
        users.add(name)
    assert [(each.name, each.role) for each in users.listed()] == [("ann", "admin"), ("bob", "teacher")]


def test_a_role_stays_unless_another_is_given(users: Users) -> None:
    users.add("ann", "assistant")
    users.add("ann")
    assert [(each.name, each.role, each.tokens) for each in users.listed()] == [
        ("ada", "teacher", 1), ("ann", "assistant", 2),
    ]  # fmt: skip
    users.add("ann", "admin")
    assert users.role("ann") == "admin"


@pytest.mark.parametrize("name", ["", "a b", "../x", "x" * 65, "ü"])
def test_a_name_that_could_confuse_is_refused(users: Users, name: str) -> None:
    with pytest.raises(UsageError, match="invalid user name"):
        users.add(name)


def test_who_is_not_known_cannot_be_revoked(users: Users) -> None:
    with pytest.raises(UsageError, match="there is no user 'eve'"):
        users.revoke("eve")
    with pytest.raises(UsageError, match="ada is in the token file"):
        users.revoke("ada")


def test_a_token_file_may_hold_digests_and_roles(tmp_path: Path) -> None:
    path = tmp_path / "tokens"
    path.write_text(f"ann sha256:{digest_of('a secret of ann')} admin\nbob bob-token-0123456789\n")
    assert read_tokens(path) == {
        digest_of("a secret of ann"): Known("ann", "admin"),
        digest_of("bob-token-0123456789"): Known("bob", "teacher"),
    }
    path.write_text("ann ann-token-0123456789 king\n")
    with pytest.raises(UsageError, match="no role 'king'"):
        read_tokens(path)
