"""Submissions to scan, and the pairs that a scan finds."""

import io
import json
import zipfile

from tests.cli.program import copysift

# Passages that share nothing with each other, long enough for a score.
WORDS = """
    harbour lantern copper orchard violet granite meadow thunder saddle pepper walnut compass marble
    feather cinder ribbon tunnel pigeon anchor basket candle drummer eagle forest guitar hammer
    island jacket kettle ladder mirror needle oyster pillow quarry rocket silver timber umbrella
    valley window yellow zebra
""".split()  # noqa: SIM905 - a list of them is a page long


def essay(seed, count=60):
    """Give words in an order of their own, the same for the same seed."""
    state, chosen = seed * 7919 + 13, []
    for _ in range(count):
        state = (state * 1103515245 + 12345) % 2**31
        chosen.append(WORDS[state >> 8 & 31] + WORDS[(state >> 16) % len(WORDS)])
    return " ".join(chosen) + "\n"


A, B, C, D, KIT = (essay(seed) for seed in range(1, 6))


def scan(folder, *arguments):
    done = copysift(folder, "scan", *arguments, "--format", "json", "--kind", "text")
    assert done.status in (0, 1, 3), done.err
    return json.loads(done.out), done


def pairs(content):
    return {(pair["left"], pair["right"]): pair for pair in content["pairs"]}


def zipped(members):
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, data in members.items():
            archive.writestr(name, data)
    return content.getvalue()
