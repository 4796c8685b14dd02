"""The page of a check, the list of checks, REST and the report count one check in the same way."""

from __future__ import annotations

import json
import re

from tests.serve.running import Server
from tests.serve.test_courses import essay


def of_page(page: str) -> dict[str, int]:
    """Give the numbers of the tiles, by their words."""
    tiles = re.findall(r'<div class="tile"><b>([\d,]+)</b><span>(.*?)</span>', page)
    return {words: int(number.replace(",", "")) for number, words in tiles}


def test_a_check_of_a_class_is_counted_in_one_way(server: Server) -> None:
    parts = {"ann": (1, 9), "bob": (1, 9), "cem": (1, 8), "dan": (1, 7), "eve": (2, 6), "fay": (2, 5)}
    texts = [
        {"name": f"hw/{name}/{part}.txt", "text": essay(number)}
        for name, numbers in parts.items()
        for part, number in enumerate(numbers)
    ]
    body = {"documents": texts, "title": "Counted", "settings": {"by": "dir", "limit": 2}}
    status, sent = server.ask("POST", "/api/v1/jobs", body)
    assert status == 202, sent
    job = server.finished(sent["id"])
    assert job["state"] == "done", job
    summary = job["summary"]
    assert summary["pairs"] == 7  # six among four, and one
    assert (summary["similar"], summary["equal_sets"], summary["clusters"]) == (6, 1, 2)
    tiles = of_page(server.ask("GET", f"/checks/{job['id']}")[1])
    expected = {"submissions": 6, "set of identical submissions": 1, "similar pairs": 6, "clusters": 2}
    assert tiles == expected
    _, report = server.ask("GET", f"/checks/{job['id']}/report")
    found = re.search(r'id="data-overview"[^>]*>(.*?)</script>', report, re.DOTALL)
    assert found is not None
    data = json.loads(found[1])
    counted = (len(data["submissions"]), data["equalSets"], data["similar"], len(data["clusters"]))
    assert counted == tuple(expected.values())
    assert (data["allPairs"], len(data["pairs"])) == (7, 2)
    _, listed = server.ask("GET", "/")
    row = re.search(r"Counted</a>.*?</tr>", listed, re.DOTALL)
    assert row is not None
    assert "<td>6</td>" in row[0]
