"""Every fuzz target takes what was found before, and changed samples."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

FUZZ = Path(__file__).parents[1] / "fuzz"
sys.path.insert(0, str(FUZZ))

from kernel_targets import KERNELS  # noqa: E402
from seeds import seeds  # noqa: E402
from targets import TARGETS  # noqa: E402

CHANGES = 60
# WARC is read by a library that warns about itself when it is loaded.
pytestmark = pytest.mark.filterwarnings("ignore:Use the new Reader:DeprecationWarning")
FOUND = [path for path in sorted((FUZZ / "corpus").rglob("*")) if path.is_file()]


def changed(data: bytes, rng: random.Random) -> bytes:
    """Change an input in a few places: bytes replaced, put in, taken out, repeated, bits flipped."""
    made = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 9))):
        how, at = rng.randrange(5), rng.randrange(len(made) + 1)
        if how == 0:
            made[at:at] = rng.randbytes(rng.choice((1, 2, 8)))
        elif how == 1:
            del made[at : at + rng.choice((1, 3, 20, 200))]
        elif how == 2:
            start = rng.randrange(len(made) + 1)
            made[at:at] = made[start : start + rng.choice((1, 4, 30, 300))]
        elif at < len(made):
            made[at] = rng.randrange(256) if how == 3 else made[at] ^ 1 << rng.randrange(8)
    return bytes(made)


@pytest.mark.parametrize("path", FOUND, ids=lambda path: f"{path.parent.name}-{path.name}")
def test_what_fuzzing_found_is_fixed(path: Path) -> None:
    TARGETS[path.parent.name](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_takes_changed_samples_in_a_short_time(target: str) -> None:
    rng = random.Random(target)
    samples = list(seeds(target))
    for _ in range(CHANGES):
        data = changed(rng.choice(samples), rng)
        begun = time.process_time()
        TARGETS[target](data)
        assert time.process_time() - begun < 20, data


def test_a_kernel_that_differs_from_its_twin_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    import kernel_targets

    monkeypatch.setattr(kernel_targets.selection, "winnow", lambda *_: ([], []))
    with pytest.raises(AssertionError):
        TARGETS["selection"](b"\0\1\1\1\0\1\1\0" + bytes(range(30)))


def test_every_kernel_has_a_target() -> None:
    kernels = Path(__file__).parents[1] / "src/copysift/kernels"
    names = {path.stem.removeprefix("_") for path in kernels.glob("_*.pyx")}
    assert names <= {*TARGETS}


@pytest.mark.skipif(shutil.which("cc") is None, reason="needs a C compiler")
def test_the_targets_without_python_fit_the_kernels(tmp_path: Path) -> None:
    root = FUZZ.parent
    tables = subprocess.run(
        [sys.executable, str(FUZZ / "lex_tables.py")],
        env={**os.environ, "PYTHONPATH": str(root / "src")}, capture_output=True, check=True,
    )  # fmt: skip
    (tmp_path / "lex_tables.h").write_bytes(tables.stdout)
    done = subprocess.run(
        ["cc", "-fsyntax-only", "-Werror=implicit-function-declaration", "-Isrc/copysift/kernels",
         f"-I{tmp_path}", "-DFUZZ=fuzz_text", "fuzz/native.c"],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_every_kernel_has_a_target_without_python() -> None:
    written = "".join(path.read_text() for path in FUZZ.glob("native*.[ch]"))
    missing = {name for name in KERNELS if f"static void fuzz_{name}(input in) {{" not in written}
    assert missing == {"files"}  # it only opens and reads files
