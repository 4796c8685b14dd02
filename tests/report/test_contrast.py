"""Every colour of a token can be read on every marked passage, in light, in dark and on paper."""

from __future__ import annotations

import re
from importlib import resources
from itertools import product

import pytest

CSS = (resources.files("copysift") / "report" / "static" / "page.css").read_text(encoding="utf-8")
INKS = ("ink", "base-ink", "tk", "ts", "tc", "tn", "tf", "tp", "tb")
LEAST = 4.5  # WCAG 2.2, 1.4.3
STRING = 0.1  # of --mid over the ground of a string that both have (.clue-string)
THEMES = {
    "light": CSS.index(":root {"),
    "system dark": CSS.index("@media (prefers-color-scheme: dark)"),
    "dark": CSS.index(':root[data-theme="dark"] {'),
    "paper": CSS.index("@media print"),
}


def colours(at):
    """Give the colours that are set in the first rule from a place on, by name."""
    body = CSS[at : CSS.index("}", at)]
    found = re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{3,6})\b", body)
    return {name: channels(value) for name, value in found}


def channels(value):
    digits = value[1:] if len(value) == 7 else "".join(2 * each for each in value[1:])
    return tuple(int(digits[at : at + 2], 16) / 255 for at in (0, 2, 4))


def luminance(colour):
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one, other):
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def mixed(over, under, share):
    return tuple(share * a + (1 - share) * b for a, b in zip(over, under, strict=True))


@pytest.mark.parametrize("theme", THEMES)
def test_tokens_can_be_read_on_marked_passages(theme):
    known = colours(THEMES["light"]) | colours(THEMES[theme])
    grounds = {name: known[name] for name in ("card", *(f"c{at}" for at in range(8)))}
    grounds |= {f"{name} with a string": mixed(known["mid"], each, STRING) for name, each in grounds.items()}
    found = {
        (ink, ground): round(contrast(known[ink], grounds[ground]), 2)
        for ink, ground in product(INKS, grounds)
        if ink != "base-ink" or ground == "card"  # starter code and line numbers are never marked
    }
    assert {pair: value for pair, value in found.items() if value < LEAST} == {}


def test_the_two_dark_themes_are_the_same():
    assert colours(THEMES["system dark"]) == colours(THEMES["dark"])


def test_no_text_is_faded():
    """Half-transparent text has no contrast that a theme could promise."""
    assert "clue-string { outline: 1px dotted var(--mid); outline-offset: -1px; background:" in CSS
    assert f"var(--mid) {STRING:.0%}" in CSS
    faded = re.findall(r"([^{}]*)\{[^{}]*opacity: \.", CSS)
    assert [rule.strip() for rule in faded if "idiom" in rule] == []
