"""Every built-in format passes the kit, and the kit finds what is wrong with others."""

import dataclasses

import pytest

from copysift.report import conformance
from copysift.report.conformance import check
from copysift.report.format import PAIRS, Format, format_by_suffix, format_of, formats_for
from copysift.runtime import registry


@pytest.mark.parametrize("name", registry.built_in(registry.REPORTS))
def test_a_built_in_format_passes_the_kit(name):
    made = registry.load(registry.REPORTS, name)
    assert made.name == name
    check(made)


def fine(result, view):
    return "".join(f"{pair.left!a} {pair.right!a}\n" for pair in result.pairs[: view.limit])


calls = []


def counting(result, view):
    calls.append(1)
    return fine(result, view) * len(calls)


FINE = Format("fine", "names", {PAIRS: fine}, (".fine",))


def test_a_fine_format_passes():
    check(FINE)


@pytest.mark.parametrize(
    ("changes", "law", "reason"),
    [
        ({"name": "Not fine"}, conformance.has_a_definition, "is not a name"),
        ({"description": ""}, conformance.has_a_definition, "needs a description"),
        ({"suffixes": ("fine",)}, conformance.has_a_definition, "is not a suffix"),
        ({"writers": {"query": fine}}, conformance.has_a_definition, "does not show pairs"),
        ({"folder": True}, conformance.shows_pairs, "a folder, or not"),
        ({"writers": {PAIRS: lambda result, view: ""}}, conformance.shows_pairs, "does not show a.txt"),
        ({"writers": {PAIRS: counting}}, conformance.repeats_itself, "the second time"),
        (
            {"writers": {PAIRS: lambda result, view: fine(result, dataclasses.replace(view, limit=None))}},
            conformance.keeps_the_limit,
            "more than the limit",
        ),
        (
            {"writers": {PAIRS: lambda result, view: "".join(pair.right for pair in result.pairs)}},
            conformance.is_safe_to_print,
            "commands the terminal",
        ),
        (
            {"writers": {PAIRS: lambda result, view: "<html>" + result.pairs[1].right}},
            conformance.is_safe_to_print,
            "a name is markup",
        ),
    ],
)
def test_the_kit_names_the_law_that_a_format_breaks(changes, law, reason):
    with pytest.raises(AssertionError, match=reason):
        law(dataclasses.replace(FINE, **changes))


def test_a_format_that_fails_without_pairs_is_found():
    first = dataclasses.replace(FINE, writers={PAIRS: lambda result, view: result.pairs[0].left})
    with pytest.raises(IndexError):
        conformance.shows_nothing(first)


def test_every_command_knows_its_formats_from_their_definitions():
    assert formats_for("scan") == ("table", "json", "csv", "sif", "html", "moss", "github")
    assert formats_for("query") == ("table", "json", "csv", "sif")
    assert formats_for("changes") == ("table", "json", "html")
    assert formats_for("copies") == formats_for("index-list") == ("table", "json", "csv")
    for command in ("index-info", "locate", "history", "recluster", "cluster-of", "collapse", "languages"):
        assert formats_for(command) == ("table", "json")


def test_suffixes_choose_one_format_each():
    suffixes = [each for name in registry.built_in(registry.REPORTS) for each in format_of(name).suffixes]
    assert len(set(suffixes)) == len(suffixes)
    assert format_by_suffix(".htm") == "html"
    assert format_by_suffix(".docx") == format_by_suffix("") == ""
