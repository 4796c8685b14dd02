"""COPYSIFT_KERNELS chooses the edition of the kernels, and every edition gives the same answers."""

import os
import subprocess
import sys

import pytest

from copysift.kernels import _selection, _text

pytestmark = pytest.mark.thorough

PROGRAM = """
import hashlib
import numpy as np
from copysift import kernels

chance = np.random.default_rng(3)
letters = chance.integers(97, 123, 6000).astype(np.uint8)
letters[chance.integers(0, 6000, 1000)] = 32
text = letters.tobytes() + " Straße “größer” 中文，中国 <b>x</b> &amp; ".encode() * 5
data, offsets = np.frombuffer(text, np.uint8), np.array([0, 4000, len(text)])
results = [
    *kernels.selection.winnow(data, 25, 26), *kernels.selection.winnow(data, 25, 26, 0, True, 4),
    *kernels.text.words_block(text, 0, True)[:3], *kernels.text.unicode_block(text, True)[:5],
    *kernels.shingle.shingles(data, offsets, 3),
    *kernels.batch.winnow_texts([text, text], [False, True], 25, 26),
]
joined = b"".join(np.ascontiguousarray(each).tobytes() for each in results)
print(kernels.edition(), hashlib.sha256(joined).hexdigest())
"""


def run(edition: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COPYSIFT_KERNELS": edition}
    return subprocess.run([sys.executable, "-c", PROGRAM], env=environment, capture_output=True, text=True)


def able(edition: str) -> bool:
    has = {"avx512": _text.has_avx512(), "avx2": _text.has_avx2(), "vector": _selection.has_vector()}
    return has.get(edition, True)


@pytest.mark.parametrize("edition", ["avx512", "avx2", "vector", "portable"])
def test_a_forced_edition_runs_and_gives_the_answers_of_the_readable_one(edition: str) -> None:
    found = run(edition)
    if not able(edition):
        assert found.returncode
        assert edition.upper() in found.stderr
        return
    assert found.stdout.split() == [edition, run("reference").stdout.split()[1]], found.stderr


def test_an_edition_that_does_not_exist_is_an_error() -> None:
    found = run("avx1024")
    assert found.returncode
    assert "names no edition" in found.stderr
