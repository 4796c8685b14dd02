"""A passage that is declared base code is gone wherever it occurs, and lifts nothing of what is left."""

from __future__ import annotations

import random
import re
from typing import Any

from tests.serve.running import Server

WORDS = (
    "count",
    "total",
    "queue",
    "graph",
    "node",
    "edge",
    "weight",
    "left",
    "right",
    "value",
    "depth",
    "seen",
)


def function(seed: int, lines: int) -> str:
    """Give a function that no other seed has."""
    pick = random.Random(seed)
    body = [f"def work_{seed}({pick.choice(WORDS)}, {pick.choice(WORDS)}):"]
    for _ in range(lines):
        one, two, three = (pick.choice(WORDS) for _ in range(3))
        body.append(
            pick.choice(
                [f"    {one} = {two} + {three} * {pick.randint(2, 99)}", f"    {one}.append({two}[{three}])",
                 f"    if {one} < {two} and not {three}:\n        return {one}",
                 f"    for {one} in range({two}, len({three})):\n        {two} -= {one} ** 2",
                 f"    while {one}({two}):\n        {three}.pop()", f"    print({one}, {two}, sep={three!r})"]
            )
        )  # fmt: skip
    return "\n".join(body) + "\n\n"


PASSAGE, IDIOM = function(1, 40), function(2, 6)
FILES = {
    "ann.py": function(11, 4) + PASSAGE + IDIOM,
    "bob.py": IDIOM + function(12, 4) + PASSAGE,
    "cem.py": function(13, 40) + PASSAGE,
    "dan.py": function(14, 30) + IDIOM + function(15, 30),
    "eve.py": function(16, 50),
}


def posted(server: Server, id_: str, path: str, body: dict[str, str]) -> str:
    """Send what the script of the report sends, and give the new check."""
    _, page = server.ask("GET", f"/checks/{id_}")
    token = re.search(r'name="form-token" content="([^"]*)"', page)
    assert token is not None
    headers = {"x-form-token": token[1], "accept": "application/json"}
    status, moved = server.ask("POST", f"/checks/{id_}/{path}", body, headers)
    assert status == 201, moved
    return str(moved["location"].rpartition("/")[2])


def found(server: Server, id_: str) -> tuple[dict[Any, Any], dict[str, Any]]:
    assert server.finished(id_)["state"] == "done"
    _, result = server.ask("GET", f"/api/v1/jobs/{id_}/result")
    return {(each["left"], each["right"]): each for each in result["pairs"]}, result


def similar(server: Server, id_: str) -> dict[frozenset[str], float]:
    pairs, _ = found(server, id_)
    return {frozenset(names): pair["similarity"] for names, pair in pairs.items()}


def test_a_cleared_passage_is_gone_everywhere_and_lifts_nothing(server: Server) -> None:
    body = {
        "documents": [{"name": name, "text": text} for name, text in FILES.items()],
        "settings": {"threshold": 0.0, "kind": "code"},
    }
    _, job = server.ask("POST", "/api/v1/jobs", body)
    before = similar(server, job["id"])
    with_passage = [
        frozenset(pair) for pair in (("ann.py", "bob.py"), ("ann.py", "cem.py"), ("bob.py", "cem.py"))
    ]
    assert all(before[pair] > 0.6 for pair in with_passage), before
    again = posted(server, job["id"], "base", {"name": "passage.py", "text": PASSAGE})
    after = similar(server, again)
    for pair, value in after.items():
        assert value <= before.get(pair, 0.25) + 1e-6, (pair, before.get(pair), value)
    assert all(after.get(pair, 0.0) < 0.25 for pair in with_passage), after
    pairs, result = found(server, again)
    spans = [
        FILES[side["file"]].encode()[side["start"] : side["end"]]
        for pair in pairs.values()
        for region in pair["regions"]
        for side in (region["left"], region["right"])
    ]
    middle = PASSAGE.encode()[200:-200]
    assert not any(span in middle for span in spans if len(span) > 40)
    assert any("measured against whole submissions" in note for note in result["notes"])


def test_a_second_passage_and_a_rerun_are_measured_against_the_first_check(server: Server) -> None:
    body = {
        "documents": [{"name": name, "text": text} for name, text in FILES.items()],
        "settings": {"threshold": 0.0, "kind": "code"},
    }
    _, job = server.ask("POST", "/api/v1/jobs", body)
    before = similar(server, job["id"])
    second = posted(server, job["id"], "base", {"name": "passage.py", "text": PASSAGE})
    assert server.finished(second)["state"] == "done"
    third = posted(server, second, "base", {"name": "passage.py", "text": IDIOM})
    after = similar(server, third)
    assert all(value <= before.get(pair, 0.25) + 1e-6 for pair, value in after.items())
    assert after.get(frozenset(("ann.py", "bob.py")), 0.0) < 0.1
