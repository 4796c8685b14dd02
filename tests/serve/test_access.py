import os
import stat

import pytest

from copysift.serve.access import COOKIE, SECRET, Access, secret


def access(key):
    return Access(key, {"digest": "ada"}, frozenset())


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
    cookie = access(made).session("ada")
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
