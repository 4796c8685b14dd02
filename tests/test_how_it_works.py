"""The page that explains: its computation is that of the kernels."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

from copysift import kernels
from copysift.fingerprints.options import FingerprintSettings
from copysift.fingerprints.stream import Fingerprinter
from copysift.kinds.text import Text
from copysift.match.estimators import ESTIMATORS
from copysift.model.traits import SMALLEST

PAGE = Path(__file__).parents[1] / "src/copysift/serve/static/how-it-works.html"
SCHEMES = ("robust", "winnow", "open-closed", "mod", "safe-mod", "all")
TEXTS = (
    "A do run run run, a do run run.",
    "a" * 60,
    "".join(map(chr, np.random.default_rng(3).integers(32, 127, 400))),
    "Größe ÉTÉ façade, Ωμέγα и так далее",
)
LOOP = """
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(({text, scheme, k, w, seed}) => {
  const {symbols} = canonical(text), {keys, places} = fingerprints(symbols, scheme, k, w, seed);
  return places.map(i => keys[i].hash.toString());
})));
"""


ESTIMATES = """
const cases = JSON.parse(require("fs").readFileSync(0, "utf8"));
console.log(JSON.stringify(cases.map(each => estimates(...each))));
"""


def computed(loop, cases, place):
    """Give what the script of the page makes of some cases."""
    if not shutil.which("node"):
        pytest.skip("node is not installed")
    script = re.search(r'<script id="twin">(.*?)</script>', PAGE.read_text(), re.DOTALL)
    assert script is not None
    program = place / "twin.js"
    program.write_text(script[1] + loop)
    done = subprocess.run(
        ["node", program], input=json.dumps(cases), capture_output=True, text=True, check=True
    )
    return json.loads(done.stdout)


def test_the_page_computes_what_the_kernels_compute(tmp_path):
    cases = [
        {"text": text, "scheme": scheme, "k": k, "w": w, "seed": seed}
        for text in TEXTS
        for scheme in SCHEMES
        for k, w, seed in ((5, 4, 0), (8, 5, 1), (11, 9, 0), (25, 26, 7), (3, 1, 0), (2, 3, 0), (40, 12, 2))
    ]
    for case, found in zip(cases, computed(LOOP, cases, tmp_path), strict=True):
        settings = FingerprintSettings(
            scheme=case["scheme"], k=case["k"], w=case["w"], seed=case["seed"], inner=4
        )
        symbols = Text().whole(case["text"].encode())
        wanted = Fingerprinter(settings).fingerprint([symbols], spans=False).hashes
        assert [int(each) for each in found] == wanted.tolist(), case


@pytest.mark.parametrize("size", [16, 64, 512])
def test_the_page_estimates_what_sketches_estimate(tmp_path, size):
    cases = [[shared, 2000 - shared, size, seed] for shared in (0, 700, 1999, 2000) for seed in range(3)]
    for (shared, own, _, seed), found in zip(cases, computed(ESTIMATES, cases, tmp_path), strict=True):
        values = kernels.selection.hashes(np.arange(shared + 2 * own, dtype=np.uint64), 1, seed)
        both, one, two = values[:shared], values[shared : shared + own], values[shared + own :]
        left, right = np.sort(np.append(both, one)), np.sort(np.append(both, two))
        assert found["min"] == ESTIMATORS[SMALLEST](left[:size], right[:size], size)[0]
        modulus = np.uint64(round(2000 / size))
        left, right = left[left % modulus == 0], right[right % modulus == 0]
        assert found["mod"] == len(np.intersect1d(left, right)) / len(np.union1d(left, right))


def test_the_page_loads_nothing_from_elsewhere():
    assert not re.search(r"""(?:src|href)\s*=|@import|url\(|fetch\(""", PAGE.read_text())
