"""A scan gives the same pairs whether it is saved or not."""

from __future__ import annotations

import json
import random

import pytest

from tests.cli.program import copysift

STEPS = (
    "int total{n} = 0;",
    "for (int i = 0; i < {n}; i++) {{ total = total + values[i] * {n}; }}",
    'System.out.println("the sum of the row is " + total);',
    "if (values[{n}] > limit) {{ return values[{n}] - limit; }}",
    "while (left < right) {{ left++; right -= {n}; }}",
    'String name{n} = reader.readLine().trim().replace("a", "b");',
    "double[][] matrix = new double[{n}][{n}];",
    'throw new IllegalStateException("no such value: " + {n});',
)


def program(chance: random.Random) -> str:
    """Give a program with a comment that others have too, which is text and no token."""
    topic = chance.randrange(5)
    comment = "// " + " ".join(f"remark{number + 100 * topic}" for number in range(150))
    steps = [chance.choice(STEPS).format(n=chance.randrange(3)) for _ in range(24)]
    return f"{comment}\nclass Main {{\n" + "\n".join(steps) + "\n}\n"


@pytest.mark.parametrize("measure", ["similarity", "resemblance", "containment"])
def test_saving_a_class_changes_none_of_its_pairs(tmp_path, measure):
    chance = random.Random(3)
    for number in range(30):
        folder = tmp_path / "class" / f"student{number:02}"
        folder.mkdir(parents=True)
        folder.joinpath("Main.java").write_text(program(chance))
    options = ("--by", "dir", "--measure", measure, "--threshold", "40%", "--format", "json", "--no-regions")
    found, saved = (
        json.loads(copysift(tmp_path, "scan", "class", *options, *more).out)["pairs"]
        for more in ((), ("--save", "run"))
    )
    assert found
    assert found == saved
