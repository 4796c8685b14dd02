"""The pages in a real browser: from upload to report, marks, base code, sharing, asking and deleting.

COPYSIFT_SCREENSHOTS=DIR keeps a picture of every page.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium")
from tests.browser import chromium
from tests.serve.running import Server, program
from tests.serve.test_indexes import copysift

MISSING = pytest.mark.skipif(bool(chromium.MISSING), reason=f"not installed: {chromium.MISSING}")
pytestmark = [pytest.mark.slow, MISSING]
WAIT = 60.0


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    with chromium.chromium() as driver:
        yield driver


def resized(browser: Any, width: int, height: int) -> None:
    metrics = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)


def picture(browser: Any, name: str) -> None:
    folder = os.environ.get("COPYSIFT_SCREENSHOTS")
    if folder:
        browser.save_screenshot(str(Path(folder) / f"{name}.png"))


def found(browser: Any, selector: str, words: str = "") -> Any:
    """Wait for an element that has these words, and give it."""
    deadline = time.monotonic() + WAIT
    while time.monotonic() < deadline:
        try:
            for each in browser.find_elements("css selector", selector):
                if each.is_displayed() and words in each.text:
                    return each
        except Exception as error:  # the page is being replaced
            if "stale" not in str(error).lower():
                raise
        time.sleep(0.1)
    shown = browser.find_element("css selector", "body").text[:500]
    raise AssertionError(f"no {selector} with {words!r}: {shown}")


def complaints(browser: Any) -> list[str]:
    """Give what the browser complained about: refused scripts, failed requests."""
    return [entry["message"] for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]


def test_a_class_is_checked_marked_shared_and_deleted(server: Server, browser: Any, tmp_path: Path) -> None:
    for number in range(5):
        (tmp_path / f"student {number}.py").write_text(program(number % 4, 60))
    resized(browser, 1200, 900)
    browser.get(f"{server.url}/")
    picture(browser, "start")
    files = browser.find_element("css selector", "#files")
    files.send_keys("\n".join(str(path) for path in sorted(tmp_path.glob("*.py"))))
    assert "student 4.py" in found(browser, "#chosen").text
    browser.find_element("css selector", "input[name=title]").send_keys("Homework 3")
    found(browser, "button.primary", "Check").click()
    found(browser, "a#report", "Open the report")
    assert found(browser, "h1").text == "Homework 3"
    picture(browser, "check")
    check = browser.current_url
    browser.get(f"{check}/report")
    found(browser, "h1", "Homework 3")
    time.sleep(1.5)
    picture(browser, "report")
    browser.get(f"{check}/report#/pair/0")
    found(browser, "#verdict")
    browser.find_element("css selector", "#verdict option[value=confirmed]").click()
    note = browser.find_element("css selector", "#note")
    note.send_keys("same typo", "\n")
    found(browser, "#mark-bar", "saved")
    picture(browser, "pair")
    assert "null" not in found(browser, "#main").text.split("\n")
    browser.get("about:blank")
    browser.get(f"{check}/report#/pairs")
    found(browser, "tr[data-pair] td:first-child .tag", "confirmed")  # where a phone shows it too
    browser.get(check)
    assert "same typo" in found(browser, ".card", "Marked pairs").text
    found(browser, "button", "Share with a link").click()
    link = found(browser, "#link").text
    browser.get(link)
    found(browser, "h1", "Homework 3")
    browser.get(f"{link}/report#/pair/0")
    found(browser, ".pair-head")
    assert not browser.find_elements("css selector", "#mark-bar")
    browser.get(check)
    browser.execute_script("window.confirm = () => true")
    found(browser, "button.danger", "Delete").click()
    found(browser, "h1", "Compare submissions")
    browser.get(check)
    found(browser, "h1", "That did not work")
    browser.get(link)
    found(browser, "h1", "That did not work")
    severe = [each for each in complaints(browser) if "404" not in each]
    assert severe == []


def test_a_passage_becomes_base_code_and_counts_no_more(server: Server, browser: Any) -> None:
    lines = (f"def given_{n}(alpha, beta):\n    return alpha * {n} + beta - {n * n}\n" for n in range(30))
    kit = "".join(lines)
    texts = [{"name": f"{n}.py", "text": kit + program(50 + n, 12).split("\n\n")[-1]} for n in range(2)]
    _, job = server.ask("POST", "/api/v1/jobs", {"documents": texts, "settings": {"by": "file"}})
    assert server.finished(job["id"])["summary"]["pairs"] == 1
    browser.get(f"{server.url}/checks/{job['id']}/report#/pair/0")
    found(browser, "#as-base").click()
    deadline = time.monotonic() + WAIT
    while job["id"] in browser.current_url and time.monotonic() < deadline:
        time.sleep(0.1)
    second = server.finished(browser.current_url.rpartition("/")[2])
    assert (second["files"], second["summary"]["pairs"]) == (3, 0)


def words(number: int) -> str:
    made = random.Random(number)
    return " ".join("".join(made.choices("abcdefghij", k=6)) for _ in range(120)) + "\n"


def test_which_of_several_passages_is_base_code_has_to_be_said(server: Server, browser: Any) -> None:
    texts = [{"name": f"{n}.txt", "text": words(0) + words(n) + words(9)} for n in (1, 2)]
    _, job = server.ask("POST", "/api/v1/jobs", {"documents": texts, "settings": {"by": "file"}})
    assert server.finished(job["id"])["summary"]["pairs"] == 1
    browser.get(f"{server.url}/checks/{job['id']}/report#/pair/0")
    found(browser, "#as-base").click()
    found(browser, "#mark-bar", "Choose a passage first.")
    browser.find_elements("css selector", ".chip[data-go]")[0].click()
    found(browser, "#as-base").click()
    deadline = time.monotonic() + WAIT
    while job["id"] in browser.current_url and time.monotonic() < deadline:
        time.sleep(0.1)
    assert server.finished(browser.current_url.rpartition("/")[2])["files"] == 3


def test_a_text_is_asked_for_and_found(server: Server, browser: Any, tmp_path: Path) -> None:
    essays = Path(__file__).parents[2] / "examples" / "essays"
    browser.get(f"{server.url}/indexes")
    browser.find_element("css selector", "input[name=name]").send_keys("essays")
    chosen = [str(essays / name) for name in ("bees.txt", "bread.txt", "lighthouse.txt")]
    browser.find_element("css selector", "input[name=files]").send_keys("\n".join(chosen))
    found(browser, "button.primary").click()
    found(browser, "td", "lighthouse.txt")
    picture(browser, "index")
    browser.get(f"{server.url}/ask")
    passage = (essays / "lighthouse.txt").read_text()[:400]
    area = browser.find_element("css selector", "#text")
    browser.execute_script("arguments[0].value = arguments[1]", area, f"Mine before. {passage} Mine after.")
    found(browser, "button.primary", "Ask").click()
    hit = found(browser, ".hit", "lighthouse.txt")
    assert "% of your text is in this document" in hit.text
    assert len(hit.find_elements("css selector", ".passages-of pre")) >= 2
    picture(browser, "ask")
    browser.get(f"{server.url}/indexes/essays")
    browser.execute_script("window.confirm = () => true")
    found(browser, "button.danger").click()
    found(browser, "h1", "Indexes")
    assert complaints(browser) == []


@pytest.fixture(scope="module")
def places(server: Server) -> dict[str, str]:
    """Give an address of every kind of page, by name."""
    texts = [{"name": f"class/student {n}/main.py", "text": program(n % 3, 60)} for n in range(6)]
    _, job = server.ask("POST", "/api/v1/jobs", {"documents": texts, "title": "Homework 4"})
    assert server.finished(job["id"])["state"] == "done"
    mark = {"left": "class/student 0", "right": "class/student 3", "verdict": "confirmed", "note": "a typo"}
    server.ask("PUT", f"/api/v1/jobs/{job['id']}/marks", mark)
    essays = Path(__file__).parents[2] / "examples" / "essays"
    held = [{"name": path.name, "text": path.read_text()} for path in sorted(essays.glob("*.txt"))]
    _, added = server.ask("POST", "/api/v1/indexes/library-of-essays/documents", {"documents": held})
    server.finished(added["id"])
    check = f"/checks/{job['id']}"
    return {
        "start": "/", "check": check, "report": f"{check}/report", "pairs": f"{check}/report#/pairs",
        "clusters": f"{check}/report#/clusters", "pair": f"{check}/report#/pair/0", "ask": "/ask",
        "indexes": "/indexes", "index": "/indexes/library-of-essays", "nowhere": "/checks/none",
    }  # fmt: skip


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("size", "width", "height"), [("wide", 1200, 900), ("phone", 400, 850)])
def test_every_page_fits_wide_and_on_a_phone_light_and_dark(
    server: Server, browser: Any, places: dict[str, str], theme: str, size: str, width: int, height: int
) -> None:
    resized(browser, width, height)
    media = {"features": [{"name": "prefers-color-scheme", "value": theme}]}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", media)
    for name, place in places.items():
        browser.get("about:blank")
        browser.get(f"{server.url}{place}")
        found(browser, "h1")
        time.sleep(0.5 if "report" in place else 0)  # charts are drawn, marks fetched
        picture(browser, f"{size}-{theme}-{name}")
        over = browser.execute_script("return document.documentElement.scrollWidth - innerWidth")
        assert over <= 0, name
        ground = browser.execute_script("return getComputedStyle(document.body).backgroundColor")
        assert (sum(map(int, ground[4:-1].split(","))) < 300) == (theme == "dark"), name


def test_everything_can_be_reached_by_keyboard(server: Server, browser: Any) -> None:
    resized(browser, 1200, 900)
    browser.get(f"{server.url}/")
    body = browser.find_element("css selector", "body")
    reached = []
    for _ in range(24):
        body.send_keys("\ue004")
        reached.append(
            browser.execute_script(
                "const e = document.activeElement; return e.id || e.name || e.textContent.trim()"
            )
        )
    for wanted in ("Skip to content", "Ask", "files", "title", "by", "Check"):
        assert wanted in reached, reached


def test_a_user_logs_in_and_browses_the_clusters_of_a_run(browser: Any, tmp_path: Path) -> None:
    rows = [{"id": f"page {n}", "text": program(n % 20, 400)} for n in range(70)]
    (tmp_path / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    made = copysift("cluster", "c.jsonl", "-o", "crawl", "-q", folder=tmp_path)
    assert made.returncode == 0, made.stderr
    (tmp_path / "tokens").write_text("ann ann-token-0123456789\n")
    options = ("--token-file", str(tmp_path / "tokens"), "--run", str(tmp_path / "crawl"), "--workers", "1")
    resized(browser, 1200, 900)
    complaints(browser)  # those of other tests are theirs
    with Server(tmp_path / "data", *options) as server:
        browser.get(f"{server.url}/runs")
        picture(browser, "login")
        found(browser, "input[name=token]").send_keys("ann-token-0123456789\n")
        found(browser, "h1", "Compare submissions")
        found(browser, "nav a", "Runs").click()
        picture(browser, "runs")
        found(browser, "td a", "crawl").click()
        found(browser, ".tile", "clusters")
        picture(browser, "run")
        resized(browser, 400, 850)
        found(browser, "td a", "page 0").click()
        found(browser, "h1", "Cluster of page 0")
        found(browser, "td", "page 20")
        picture(browser, "phone-cluster")
        assert browser.execute_script("return document.documentElement.scrollWidth - innerWidth") <= 0
        found(browser, "button", "Log out").click()
        found(browser, "h1", "Log in")
    assert complaints(browser) == []
