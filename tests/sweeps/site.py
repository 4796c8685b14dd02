"""A documentation site over two sweeps: every page has heavy navigation, some go, some move."""

from __future__ import annotations

import random

from tests.cli.texts import prose
from tests.sweeps.web import edited

SITE = "http://docs.example"
BEFORE, AFTER = "2026-01-01", "2026-02-01"
PAGES, GONE, MOVED = 120, 37, 20


def page(body: str, navigation: str) -> str:
    """Give a page of the site: navigation before and after a body."""
    return f"{navigation}\n{body}\nCopyright of the site. {navigation[:400]}\n"


def site() -> tuple[dict[str, str], dict[str, str], list[str], dict[str, str]]:
    """Give two sweeps, the addresses that are gone for good, and where others went, edited on the way."""
    navigation = prose(1, 400)
    chosen = random.Random(7)
    sizes = {number: chosen.choice([25, 40, 80, 150, 300]) for number in range(PAGES)}
    bodies = {number: prose(1000 + number, size) for number, size in sizes.items()}
    before = {f"{SITE}/a/{number}": page(body, navigation) for number, body in bodies.items()}
    gone = [f"{SITE}/a/{number}" for number in range(GONE)]
    went: dict[str, str] = {}
    after: dict[str, str] = {}
    renewed = edited(navigation, 0.1, 5)
    for number, body in list(bodies.items())[GONE:]:
        if number < GONE + MOVED:
            went[f"{SITE}/a/{number}"] = f"{SITE}/b/{number}"
            after[f"{SITE}/b/{number}"] = page(edited(body, 0.15, number), renewed)
        else:
            after[f"{SITE}/a/{number}"] = page(body, renewed)
    after |= {f"{SITE}/c/{number}": page(prose(5000 + number, 100), renewed) for number in range(30)}
    return before, after, gone, went
