"""Every built-in scheme passes the kit, and the kit finds what is wrong with others."""

import dataclasses

import pytest

from copysift.fingerprints import conformance
from copysift.fingerprints.conformance import SchemeUnderTest, check
from copysift.fingerprints.schemes import Choice
from copysift.model.traits import LEVELS
from copysift.runtime import registry
from tests.fingerprints.twins import TWINS, every


@pytest.mark.parametrize("name", registry.built_in(registry.SCHEMES))
def test_a_built_in_scheme_passes_the_kit(name):
    check(registry.load(registry.SCHEMES, name), TWINS[name])


def test_a_scheme_is_named_like_its_file():
    for name in registry.built_in(registry.SCHEMES):
        assert registry.load(registry.SCHEMES, name).traits.name == name


def like(name, **traits):
    """Give a scheme with other traits than it should have."""
    scheme = registry.load(registry.SCHEMES, name)
    return type("Wrong", (scheme,), {"traits": dataclasses.replace(scheme.traits, **traits)})


class Forgetful(registry.load(registry.SCHEMES, "all")):
    """Drops the symbols before a block, and with them the k-grams across it."""

    def feed(self, symbols, last):
        return super().feed(symbols, last)._replace(keep=len(symbols))


class Shifted(registry.load(registry.SCHEMES, "all")):
    """Gives every place the hash of another."""

    def feed(self, symbols, last):
        chosen = super().feed(symbols, last)
        return Choice(chosen.places, chosen.hashes[::-1].copy(), chosen.keep)


@pytest.mark.parametrize(
    ("scheme", "law", "reason"),
    [
        (like("all", description=""), conformance.has_traits, "needs a description"),
        (like("all", options=("shape",)), conformance.has_traits, "unknown options: shape"),
        (like("mod", learned="anchor"), conformance.has_traits, "learns what is not its option"),
        (Shifted, conformance.chooses_k_grams, "another hash"),
        (Forgetful, conformance.ignores_where_blocks_end, "other choices"),
        (like("mod", options=("modulus",)), conformance.uses_its_options_only, "the traits do not name"),
        (like("robust", options=("modulus",)), conformance.uses_its_options_only, "has no effect"),
        (like("robust", options=("modulus",)), conformance.refuses_other_options, "--modulus is refused"),
        (like("mod", options=("modulus",)), conformance.refuses_other_options, "--disjoint is accepted"),
        (like("mod", guarantee=True), conformance.finds_long_matches, "no match"),
        (like("safe-mod"), conformance.coarser_windows_choose_a_subset, "w = "),
        (like("all", estimator=LEVELS), conformance.keeps_few, "in a sketch of 5"),
    ],
)
def test_the_kit_names_the_law_that_a_scheme_breaks(scheme, law, reason):
    with pytest.raises(AssertionError, match=reason):
        law(SchemeUnderTest(scheme))


def test_a_scheme_that_differs_from_its_twin_is_found():
    with pytest.raises(AssertionError, match="mod, k = "):
        check(registry.load(registry.SCHEMES, "mod"), every)


def test_a_scheme_without_traits_is_found():
    with pytest.raises(AssertionError, match="has no traits"):
        check(object, every)
