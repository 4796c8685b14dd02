import os
import stat
import time

import pytest

from copysift.errors import UsageError
from copysift.serve.access import (
    COOKIE,
    SECRET,
    Access,
    Refusal,
    is_loopback,
    read_client_secret,
    read_metrics_token,
    read_moss_users,
    read_tokens,
    secret,
)
from copysift.serve.users import SESSION_SECONDS, Known, digest_of


class Directory:
    """Users by the digests of their tokens."""

    def __init__(self, **tokens):
        self.names = {digest_of(token): name for name, token in tokens.items()}
        self.any = True

    def by_digest(self, digest):
        return self.names.get(digest)


TOKEN = "ada-token-0123456789"


def access(key, users=None, **named):
    return Access(key, users or Directory(ada=TOKEN), frozenset(), **named)


def test_the_secret_is_made_once_and_only_its_owner_can_read_it(tmp_path):
    path = tmp_path / "secret"
    made = secret(path)
    assert len(made) == SECRET
    assert secret(path) == path.read_bytes() == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [each.name for each in tmp_path.iterdir()] == ["secret"]


@pytest.mark.parametrize("rest", [b"", b"short", bytes(31), bytes(33)])
def test_what_a_crash_left_of_a_secret_is_replaced(tmp_path, rest):
    path = tmp_path / "secret"
    path.write_bytes(rest)
    made = secret(path)
    assert len(made) == SECRET
    assert made != rest
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    cookie = access(made).session(TOKEN)
    assert access(secret(path)).user({}, {COOKIE: cookie}) == "ada"


@pytest.mark.parametrize("key", [b"", bytes(31), bytes(33)])
def test_no_session_is_signed_with_a_key_of_another_size(key):
    with pytest.raises(ValueError, match="32 bytes"):
        access(key)


def test_a_secret_that_cannot_be_written_is_not_there(tmp_path, monkeypatch):
    def full(number):
        raise OSError("no space")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        secret(tmp_path / "secret")
    assert list(tmp_path.iterdir()) == []


def test_a_secret_that_others_can_read_is_closed_to_them(tmp_path):
    path = tmp_path / "secret"
    made = secret(path)
    path.chmod(0o644)
    assert secret(path) == made
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_a_session_ends_after_its_time(monkeypatch):
    known = access(bytes(32))
    cookie = {COOKIE: known.session(TOKEN)}
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + SESSION_SECONDS - 5)
    assert known.user({}, cookie) == "ada"
    monkeypatch.setattr(time, "time", lambda: now + SESSION_SECONDS + 1)
    assert known.user({}, cookie) is None


def test_a_session_cannot_be_made_longer():
    known = access(bytes(32))
    user, until, digest, signature = known.session(TOKEN).split(".")
    assert known.user({}, {COOKIE: f"{user}.{int(until) + 1}.{digest}.{signature}"}) is None


def test_a_session_ends_with_its_token_or_its_user():
    users = Directory(ada=TOKEN, bob="bob-token-0123456789")
    known = access(bytes(32), users)
    cookie = {COOKIE: known.session(TOKEN)}
    assert known.user({}, cookie) == "ada"
    users.names[digest_of(TOKEN)] = "bob"  # given to somebody else
    assert known.user({}, cookie) is None
    del users.names[digest_of(TOKEN)]
    assert known.user({}, cookie) is None


@pytest.mark.parametrize("cookie", ["", ".", "...", "zz.1.a.b", "61.٣.a.b", "é.1.2.3"])
def test_what_is_not_a_session_is_nobody(cookie):
    assert access(bytes(32)).user({}, {COOKIE: cookie}) is None


@pytest.mark.parametrize(
    "headers",
    [
        {"host": "[::1"},
        {"host": "127.0.0.1:80 evil"},
        {"host": "127.0.0.1:80,evil"},
        {"host": "127.0.0.1:99999"},
        {"host": "ok", "origin": "http://["},
    ],
)
def test_a_host_or_origin_that_is_not_an_address_is_a_bad_request(headers):
    refused = access(bytes(32)).refusal("POST", headers)
    assert refused == Refusal("Host or Origin is not an address", 400)


FOREIGN = Refusal("requests of other pages are refused", 403)
OWN = {"host": "Sift.org:80"}


@pytest.mark.parametrize(
    ("headers", "refused"),
    [
        ({}, None), ({"sec-fetch-site": "same-origin"}, None), ({"sec-fetch-site": "none"}, None),
        ({"sec-fetch-site": "cross-site"}, FOREIGN), ({"sec-fetch-site": "same-site"}, FOREIGN),
        ({"origin": "http://sift.org:80"}, None), ({"origin": "http://SIFT.org:80"}, None),
        ({"origin": "http://sift.org"}, FOREIGN), ({"origin": "http://evil.org"}, FOREIGN),
        ({"origin": "null"}, FOREIGN), ({"origin": ""}, FOREIGN),
        ({"origin": "https://public.org"}, None),
        ({"origin": "http://sift.org:80", "sec-fetch-site": "cross-site"}, FOREIGN),
    ],
)  # fmt: skip
def test_only_pages_of_this_server_may_change_something(headers, refused):
    known = access(bytes(32), public_url="https://public.org")
    assert known.refusal("POST", {**OWN, **headers}) == refused
    assert known.refusal("GET", {**OWN, **headers}) is None
    assert known.refusal("HEAD", {**OWN, **headers}) is None


def test_without_users_only_own_names_are_answered_to():
    alone = Directory()
    alone.any = False
    known = Access(bytes(32), alone, frozenset({"localhost"}))
    assert known.refusal("GET", {"host": "localhost:8690"}) is None
    assert known.refusal("GET", {"host": "LOCALHOST"}) is None
    refused = Refusal("this server does not answer to that host name", 403)
    assert known.refusal("GET", {"host": "evil.org"}) == refused == known.refusal("GET", {})
    assert Access(bytes(32), alone, frozenset()).refusal("GET", {"host": "evil.org"}) is None
    named = Access(bytes(32), Directory(ada=TOKEN), frozenset({"localhost"}))
    assert named.refusal("GET", {"host": "evil.org"}) is None


# ---- files of tokens and users


def test_a_token_file_has_a_name_a_token_and_maybe_a_role_in_a_line(tmp_path):
    path = tmp_path / "tokens"
    hashed = digest_of("0123456789abcdef-other")
    path.write_text(f"# who\nann 0123456789abcdef\n\nbob sha256:{hashed} assistant  # new\n")
    assert read_tokens(path) == {
        digest_of("0123456789abcdef"): Known("ann", "teacher"),
        hashed: Known("bob", "assistant"),
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ann 0123456789abcde", "line 1: a token needs 16 characters"),
        ("ann", "line 1: a token needs 16 characters"),
        ("\nann 0123456789abcdef king", "line 2: no role 'king'"),
        ("ann 0123456789abcdef teacher x", "line 1: more than 3 words"),
        ("# nobody", "has no token"),
    ],
)
def test_what_is_wrong_in_a_token_file_is_said_with_its_line(tmp_path, text, said):
    path = tmp_path / "tokens"
    path.write_text(text)
    with pytest.raises(UsageError, match=said):
        read_tokens(path)


def test_the_token_of_metrics_is_the_first_word_of_16_characters_or_more(tmp_path):
    path = tmp_path / "token"
    path.write_text("# scrape\n0123456789abcdef\nmore\n")
    assert read_metrics_token(path) == digest_of("0123456789abcdef")
    for text in ("0123456789abcde", "", "# no"):
        path.write_text(text)
        with pytest.raises(UsageError, match="no token of 16 characters"):
            read_metrics_token(path)
    path.write_text("0123456789abcdef two")
    with pytest.raises(UsageError, match="line 1: more than 1 words"):
        read_metrics_token(path)


def test_the_secret_of_a_client_is_one_word(tmp_path):
    path = tmp_path / "client"
    path.write_text("\n hidden # of the provider\nmore\n")
    assert read_client_secret(path) == "hidden"
    path.write_text("two words")
    with pytest.raises(UsageError, match="more than 1 words"):
        read_client_secret(path)
    path.write_text("")
    with pytest.raises(UsageError, match="has no secret"):
        read_client_secret(path)


def test_a_user_of_moss_has_a_number_and_maybe_an_owner(tmp_path):
    path = tmp_path / "users"
    path.write_text("123 ann\n456\n")
    assert read_moss_users(path) == {"123": "ann", "456": "moss:456"}
    path.write_text("1 ann x")
    with pytest.raises(UsageError, match="more than 2 words"):
        read_moss_users(path)


def test_the_digest_of_a_session_is_that_of_its_token_while_it_is_valid():
    known = access(bytes(32))
    cookie = known.session(TOKEN)
    assert known.digest_of_session(cookie) == digest_of(TOKEN)
    assert known.digest_of_session(cookie[:-1]) == ""


@pytest.mark.parametrize(
    ("address", "own"),
    [
        ("127.0.0.1", True), ("127.8.9.1", True), ("::1", True), ("::ffff:127.0.0.1", True),
        ("localhost", True), ("10.0.0.1", False), ("::ffff:10.0.0.1", False), ("0.0.0.0", False),
        ("::", False), ("fe80::1%lo", False), ("example.org", False), ("", False),
    ],
)  # fmt: skip
def test_loopback_is_this_machine_and_no_other(address, own):
    assert is_loopback(address) is own


def test_metrics_are_for_users_their_own_token_and_this_machine():
    scrape = "metrics-token-0123456"
    known = access(bytes(32), metrics=digest_of(scrape))
    assert known.may_measure({"authorization": f"Bearer {scrape}"}, "10.0.0.1")
    assert known.may_measure({"authorization": f"Bearer {TOKEN}"}, "10.0.0.1")
    assert known.may_measure({}, "127.0.0.1")
    assert not known.may_measure({}, "10.0.0.1")
    assert not known.may_measure({"authorization": "Bearer wrong"}, "127.0.0.1")
    assert known.user({"authorization": f"Bearer {scrape}"}, {}) is None
    behind = access(bytes(32), public_url="https://x.org", metrics=digest_of(scrape))
    assert not behind.may_measure({}, "127.0.0.1")  # everyone seems to come from the proxy
    assert not access(bytes(32)).may_measure({"authorization": "Bearer "}, "10.0.0.1")
