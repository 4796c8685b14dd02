"""Prose for tests: sentences that share nothing with each other."""

import random

_SYLLABLES = ["ba", "do", "ki", "lu", "me", "no", "pa", "ri", "so", "tu", "ven", "xal", "zor", "qui", "hep"]


def prose(seed: int, words: int = 120, line: int = 12) -> str:
    """Give words that only this seed gives, in lines."""
    chosen = random.Random(seed)
    made = ["".join(chosen.choices(_SYLLABLES, k=chosen.randint(2, 4))) for _ in range(words)]
    return "\n".join(" ".join(made[at : at + line]) for at in range(0, words, line)) + "\n"
