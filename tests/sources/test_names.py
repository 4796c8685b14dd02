import io
import os

from copysift.sources.names import files_from


def test_names_are_separated_by_newlines():
    assert list(files_from(io.BytesIO(b"a b\n\nc\nlast"), nul=False)) == ["a b", "c", "last"]


def test_names_separated_by_nul_may_hold_newlines():
    assert list(files_from(io.BytesIO(b"a\nb\0\0c\0"), nul=True)) == ["a\nb", "c"]


def test_names_that_are_not_utf8_keep_their_bytes():
    (name,) = files_from(io.BytesIO(b"caf\xe9\n"), nul=False)
    assert os.fsencode(name) == b"caf\xe9"


def test_names_across_chunks_are_put_together():
    names = [f"{'x' * 50_000}{number}" for number in range(5)]
    assert list(files_from(io.BytesIO("\n".join(names).encode()), nul=False)) == names


def test_names_are_given_as_they_arrive():
    reading, writing = os.pipe()
    with open(reading, "rb") as stream:
        os.write(writing, b"first\nsec")
        names = files_from(stream, nul=False)
        assert next(names) == "first"
        os.write(writing, b"ond\n")
        os.close(writing)
        assert list(names) == ["second"]
