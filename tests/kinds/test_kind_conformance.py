"""Every built-in kind passes the kit, and the kit finds what is wrong with others."""

import dataclasses

import pytest

from copysift.kinds import kind_conformance
from copysift.kinds.kind import Kind
from copysift.kinds.kind_conformance import check
from copysift.kinds.text import KIND, Text
from copysift.model.traits import Thresholds, is_raw, kind_traits
from copysift.runtime import registry

SAMPLES = (b"It was the <b>best</b> of times, 1859.\n" * 20, "größer, Σίσυφος\n中文".encode())


@pytest.mark.parametrize("name", registry.built_in(registry.KINDS))
def test_a_built_in_kind_passes_the_kit(name):
    check(registry.load(registry.KINDS, name), SAMPLES)


class Counting(Text):
    """Gives one symbol less whenever it is used."""

    uses = 0

    def whole(self, data):
        made = super().whole(data)
        Counting.uses += 1
        return dataclasses.replace(made, symbols=made.symbols[Counting.uses :])


class PerChunk(Text):
    """Takes every chunk as a document."""

    def blocks(self, chunks):
        return (super(PerChunk, self).whole(chunk) for chunk in chunks)


@pytest.mark.parametrize(
    ("kind", "law", "reason"),
    [
        (Kind(KIND.traits, Counting), kind_conformance.spans_ascend, "differ in number"),
        (
            Kind(KIND.traits, PerChunk),
            kind_conformance.ignores_how_a_document_is_cut,
            "empty block|other symb",
        ),
    ],
)
def test_the_kit_names_the_law_that_a_kind_breaks(kind, law, reason):
    with pytest.raises(AssertionError, match=reason):
        law(kind, SAMPLES[0])


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"name": "code:java"}, "is not a name"),
        ({"description": ""}, "needs a description"),
        ({"symbols": ""}, "what its symbols are"),
        ({"thresholds": Thresholds(9, 8)}, "no window"),
        ({"channel": "smell"}, "unknown channel"),
        ({"suffixes": ("TXT",)}, "suffixes"),
    ],
)
def test_the_kit_finds_traits_that_make_no_sense(changes, reason):
    with pytest.raises(AssertionError, match=reason):
        kind_conformance.has_traits(Kind(dataclasses.replace(KIND.traits, **changes), Text))


def test_traits_of_a_language_are_those_of_code_and_unknown_kinds_are_like_text():
    assert kind_traits("code:java") == kind_traits("code")
    assert kind_traits("poetry").thresholds == kind_traits("text").thresholds
    assert kind_traits("poetry").markup is None
    assert [is_raw(kind) for kind in ("bytes", "text", "auto", "")] == [True, False, False, False]


def test_symbols_that_differ_are_marked_apart_in_a_corpus():
    names = registry.built_in(registry.KINDS)
    marks = {kind_traits(name).family or name: kind_traits(name).mark for name in names}
    assert len(set(marks.values())) == len(marks) == 5
    assert kind_traits("html").mark == kind_traits("text").mark
