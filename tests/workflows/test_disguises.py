"""A disguised copy stands first: small real programs of one task each, and every disguise that is common."""

from pathlib import Path

import pytest

import copysift
from tests.workflows.disguises import DISGUISES, disguised

HERE = Path(__file__).parent / "programs"
HOMEWORK = Path(__file__).parents[2] / "examples" / "homework" / "submissions"
# The loans of examples/homework are copies of one another; these four are not.
PYTHON = {f"{name}.py": HOMEWORK / name / "loans.py" for name in ("mira", "ayse", "ida", "leo")}
CLASSES = {
    ".c": {path.name: path for path in sorted(HERE.glob("c/*"))},
    ".java": {path.name: path for path in sorted(HERE.glob("java/*"))},
    ".py": PYTHON,
}
SEVERAL = [("rename", "reformat", "comment"), ("rename", "literals", "insert", "reorder"), DISGUISES]


@pytest.mark.parametrize("disguises", [*((each,) for each in DISGUISES), *SEVERAL], ids="+".join)
@pytest.mark.parametrize(
    ("suffix", "name"), [(suffix, name) for suffix, files in CLASSES.items() for name in files]
)
def test_a_disguised_copy_ranks_first(tmp_path, suffix, name, disguises):
    for each, path in CLASSES[suffix].items():
        (tmp_path / each).write_text(path.read_text())
    source = CLASSES[suffix][name].read_text()
    copy = disguised(source, suffix, disguises)
    assert copy != source
    (tmp_path / f"copy{suffix}").write_text(copy)
    best, *rest = copysift.scan(tmp_path, threshold=0).pairs
    assert {Path(best.left).name, Path(best.right).name} == {f"copy{suffix}", name}
    assert best.similarity > 0.25
    assert best.similarity > 1.5 * max((pair.similarity for pair in rest), default=0)
