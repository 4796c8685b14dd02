"""How many submissions have a passage."""

import random

from copysift.settings.comparison import Settings
from copysift.workflows.scan import Scan
from tests.clusters.test_families import program


def test_a_passage_is_counted_in_every_submission_that_has_it(tmp_path):
    idiom = program(random.Random("idiom"), 3)
    copied = program(random.Random("copied"), 3)
    for at in range(12):
        text = program(random.Random(at), 4)
        if at < 8:
            text += idiom
        if at in (2, 5):
            text += copied
        (tmp_path / f"p{at}").mkdir()
        (tmp_path / f"p{at}" / "a.java").write_text(text)
    scan = Scan(Settings(by="dir", threshold=0.0))
    result = scan.run([tmp_path], regions=True)
    file = str(tmp_path / "p2" / "a.java")
    text = (tmp_path / "p2" / "a.java").read_text()
    start = text.index(idiom)
    assert scan.holders(file, "code", start, start + len(idiom)) == 8
    start = text.index(copied)
    assert scan.holders(file, "code", start, start + len(copied)) == 2
    assert scan.holders(file, "code", 0, 3) == 0  # no fingerprint is so short
    assert result.distribution is not None
