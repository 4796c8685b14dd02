"""A small web over five sweeps, in which everything that happens is known."""

from __future__ import annotations

import random

from tests.cli.texts import prose

DATES = ("2026-01-01", "2026-02-01", "2026-03-01", "2026-04-01", "2026-05-01")
A, B = "http://a.example", "http://b.example"


def edited(text: str, share: float, seed: int) -> str:
    """Give a text with one run of its words replaced by words that stand nowhere else."""
    words = text.split()
    chosen = random.Random(seed)
    count = max(1, round(len(words) * share))
    at = chosen.randrange(len(words) - count)
    return " ".join([*words[:at], *prose(10_000 + seed, count).split(), *words[at + count :]]) + "\n"


STAY, EDIT, GUIDE, PAPER, NEWS = (prose(number, 300) for number in range(1, 6))
DEAD, PART_ONE, PART_TWO, ONE = (prose(number, 300) for number in range(11, 15))
TWO = prose(15, 400)  # so that most of what it is merged with is its own
RETURNS, LATE, TEMPLATE = (prose(number, 300) for number in range(21, 24))
EDIT_2, EDIT_4 = edited(EDIT, 0.05, 1), edited(edited(EDIT, 0.05, 1), 0.3, 2)
PAPER_4 = edited(PAPER, 0.1, 3)
NEWS_4 = edited(NEWS, 0.1, 4)
LONG = PART_ONE + PART_TWO[: len(PART_TWO) // 2]


def sweeps() -> list[dict[str, str]]:
    """Give the five sweeps: address → text."""
    first = {
        f"{A}/stay": STAY, f"{A}/edit": EDIT, f"{A}/old/guide": GUIDE, f"{A}/paper": PAPER, f"{A}/news": NEWS,
        f"{A}/dead": DEAD, f"{A}/long": LONG, f"{A}/one": ONE, f"{A}/two": TWO, f"{A}/returns": RETURNS,
    }  # fmt: skip
    second = dict(first)
    second[f"{A}/edit"] = EDIT_2
    second[f"{B}/paper"] = second.pop(f"{A}/paper")  # moves to another host
    second[f"{B}/mirror"] = STAY  # is copied
    third = dict(second)
    third[f"{A}/new/guide"] = third.pop(f"{A}/old/guide")  # moves within its host
    del third[f"{A}/dead"], third[f"{A}/returns"]
    del third[f"{A}/long"]  # is split
    third[f"{A}/long-1"], third[f"{A}/long-2"] = PART_ONE, PART_TWO[: len(PART_TWO) // 2]
    fourth = dict(third)
    fourth[f"{A}/edit"] = EDIT_4
    fourth[f"{B}/paper"] = PAPER_4
    del fourth[f"{A}/news"]
    fourth[f"{B}/archive/news"] = NEWS_4  # moves and is edited at once
    fourth[f"{A}/both"] = fourth.pop(f"{A}/one") + fourth.pop(f"{A}/two")  # are merged
    fourth[f"{A}/returns"] = RETURNS
    fifth = dict(fourth)
    fifth[f"{B}/late"] = LATE
    return [first, second, third, fourth, fifth]
