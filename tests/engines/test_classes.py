"""Documents that are the same are found whatever parts they are in, at hand or on disk."""

import numpy as np
import pytest

from copysift.clusters.classes import ALONE, IDENTICAL, LEXICAL, SKETCH, collapse
from copysift.runs.sets import Sets
from tests.corpus.texts import run, write_jsonl

FACTS = {  # the last two are empty, the two before them have no word
    "content": [1, 1, 2, 3, 4, 9, 9, 0, 0],
    "lexical": [5, 5, 5, 6, 7, 0, 0, 0, 0],
    "sets": [8, 8, 8, 8, 8, 0, 0, 0, 0],
    "bytes": [50, 50, 51, 70, 70, 1, 1, 0, 0],
    "words": [9, 9, 9, 12, 12, 0, 0, 0, 0],
    "shingles": [4, 4, 4, 4, 3, 0, 0, 0, 0],
}


@pytest.mark.parametrize("edges", [[0, 9], [0, 1, 2, 2, 5, 6, 9], [0, 4, 9]])
def test_classes_do_not_depend_on_parts(edges):
    def fact(part, name):
        kind = np.uint64 if name in ("content", "lexical", "sets") else np.int64
        return np.array(FACTS[name], kind)[edges[part] : edges[part + 1]]

    first, how = collapse(np.array(edges), fact)
    assert first.tolist() == [0, 0, 0, 0, 4, 5, 5, 7, 8]
    assert how.tolist() == [ALONE, IDENTICAL, LEXICAL, SKETCH, ALONE, ALONE, IDENTICAL, ALONE, ALONE]


def test_numbers_that_are_let_go_are_read(tmp_path, monkeypatch):
    texts = [" ".join(f"w{number % 7}x{at}" for at in range(60)) for number in range(40)]
    path = write_jsonl(
        tmp_path / "some.jsonl", [{"id": str(at), "text": each} for at, each in enumerate(texts)]
    )
    run(path, tmp_path / "held")
    let_go = Sets.let_go
    monkeypatch.setattr(Sets, "let_go", lambda self, _: let_go(self, 0))
    run(path, tmp_path / "read")
    for name in ("documents.parquet", "pairs.parquet", "clusters.parquet"):
        assert (tmp_path / "held" / name).read_bytes() == (tmp_path / "read" / name).read_bytes()
