"""Parts of the sketches by their words: what is read is what was written, and damage is named."""

import random

import numpy as np
import pytest

from copysift.errors import RunError
from copysift.fingerprints.shingles import coded_sets, shingle_sets
from copysift.runs.coded_part import CodedPart, write_codes
from copysift.runs.sketches import SUM
from tests.corpus.texts import mixed
from tests.kernels.test_shingle import packed


@pytest.fixture
def part(tmp_path):
    """Write two blocks of documents, one of them with more words than 16 bits can number."""
    texts = [record["text"] for record in mixed(40)]
    blocks = [texts[:25], [*texts[25:], " ".join(f"w{number}" for number in range(70_000))]]
    made = [coded_sets(*packed(block), 5) for block in blocks]
    path = tmp_path / "words-00000.bin"
    write_codes(path, [(each.codes, each.words) for each in made])
    return path, shingle_sets(*packed([text for block in blocks for text in block]), 5)


def test_sets_and_order_of_all_documents_are_those_that_were_made(part):
    path, made = part
    values, bounds = CodedPart(path).sets()
    assert values.tolist() == made.values.tolist()
    assert bounds.tolist() == made.bounds.tolist()
    order, edges = CodedPart(path).in_order()
    assert order.astype(np.uint32).tolist() == made.order.tolist()
    assert np.diff(edges).tolist() == made.places.tolist()


@pytest.mark.parametrize("which", [[], [0], [24, 25], [3, 7, 26, 39, 40], list(range(41))])
def test_some_documents_are_read_alone(part, which):
    path, made = part
    values, bounds = CodedPart(path).sets(np.array(which, np.int64))
    wanted = [made.values[made.bounds[at] : made.bounds[at + 1]].tolist() for at in which]
    assert values.tolist() == [key for each in wanted for key in each]
    assert np.diff(bounds).tolist() == [len(each) for each in wanted]


def test_a_file_that_was_cut_or_changed_gives_an_error_or_other_words_but_nothing_from_outside(part):
    path, made = part
    path.with_suffix(SUM).unlink()  # which would find every change
    whole, chance = path.read_bytes(), random.Random(5)
    cuts = [whole[:length] for length in (0, 7, 8, 24, 60, len(whole) // 2, len(whole) - 9)]
    for content in cuts:
        path.write_bytes(content)
        with pytest.raises(RunError, match="is damaged"):
            CodedPart(path)
    refused = 0
    for at in [*range(88), *(chance.randrange(len(whole)) for _ in range(300))]:
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << chance.randrange(8)]) + whole[at + 1 :])
        try:
            values, bounds = CodedPart(path).sets()
        except RunError:
            refused += 1
        else:
            assert len(values) == bounds[-1]
    assert refused > 60
    path.write_bytes(whole)
    assert CodedPart(path).sets()[0].tolist() == made.values.tolist()
