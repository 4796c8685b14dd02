"""axe-core finds nothing serious on any page of the server and its reports: light, dark, on a phone."""

from __future__ import annotations

import json
import os
import re
import sys
import urllib.parse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("selenium", reason="selenium is not installed: pip install selenium")

from tests.browser.chromium import MISSING, chromium, wait_for
from tests.serve.running import Server, program
from tests.serve.test_cleared_passages import FILES
from tests.serve.test_users import command, logged_in

AXE = Path(
    os.environ.get("COPYSIFT_AXE")
    or Path(sys.prefix) / "readers" / "axe-core" / "node_modules" / "axe-core" / "axe.min.js"
)
pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING} (Debian: chromium, chromium-driver)"),
    pytest.mark.skipif(not AXE.exists(), reason="axe-core is not installed: ./dev readers"),
    pytest.mark.xdist_group("browser"),
]
RUN = """
const done = arguments[arguments.length - 1];
axe.run(document, {resultTypes: ["violations"]}).then((found) => done(JSON.stringify(
  found.violations.map((each) => [each.impact, each.id, each.nodes.slice(0, 3).map((node) =>
    [node.target, node.html.slice(0, 90), ...node.any.map((one) => one.message.slice(0, 150))].join(" "))]))),
  (error) => done(JSON.stringify([["critical", String(error), []]])));
"""
SERIOUS = ("serious", "critical")


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, list[str]]]:
    """A server with something on every page."""
    folder = tmp_path_factory.mktemp("axe")
    options = ("--workers", "1", "--moss-port", "-1", "--import-from", "git.example.org")
    with Server(folder / "data", *options) as server:
        documents = [{"name": name, "text": text} for name, text in FILES.items()]
        _, job = server.ask("POST", "/api/v1/jobs", {"documents": documents, "title": "Homework 3"})
        ended = server.finished(job["id"])
        assert ended["state"] == "done"
        _, failed = server.ask(
            "POST", "/api/v1/jobs", {"documents": [{"name": "a.pdf", "text": "%PDF-1.4 no"}]}
        )
        assert server.finished(failed["id"])["state"] == "failed"
        body = {"documents": [{"name": "tides.py", "text": program(3)}]}
        _, adding = server.ask("POST", "/api/v1/indexes/essays/documents", body)
        server.finished(adding["id"])
        token = re.search(r'name="form-token" content="([^"]+)"', server.ask("GET", "/courses")[1])
        assert token is not None
        form = urllib.parse.urlencode({"form_token": token[1], "name": "Programming 1"}).encode()
        server.ask("POST", "/courses", form, {"content-type": "application/x-www-form-urlencoded"})
        yield server, [
            "/", "/courses/1", f"/checks/{job['id']}",
            f"/checks/{failed['id']}", f"/checks/{job['id']}/report",
            f"/checks/{job['id']}/report#/pair/0", f"/checks/{job['id']}/report#/clusters",
            f"/checks/{job['id']}/report#/submissions", f"/checks/{job['id']}/report#/submission/0",
            f"/checks/{job['id']}/report#/sheet/0", "/ask", "/indexes", "/indexes/essays",
            "/courses", "/admin", "/how-it-works", "/api", "/nothing-here",
            "/indexes/essays/changes", "/indexes/essays/timeline",
        ]  # fmt: skip


def faults(driver: Any, address: str) -> list[tuple[str, str, list[str]]]:
    """Give what axe finds serious on a page."""
    driver.get("about:blank")
    driver.get(address)
    if "/report" in address:
        page = address.partition("#")[2]
        wanted = f"#{page}" if page else "#/"
        wait_for(driver, f"return document.body.dataset.page === {wanted!r}", 30)
        wait_for(driver, "return document.querySelector('.chart:not([data-ready])') === null", 30)
    return faults_shown(driver)


def faults_shown(driver: Any) -> list[tuple[str, str, list[str]]]:
    """Give what axe finds serious on the page that is shown."""
    driver.execute_cdp_cmd("Runtime.evaluate", {"expression": AXE.read_text(encoding="utf-8")})
    found = json.loads(driver.execute_async_script(RUN))
    return [(impact, name, nodes) for impact, name, nodes in found if impact in SERIOUS]


PHONE = 390  # pixels


@pytest.mark.parametrize(
    ("width", "dark"), [(1280, False), (1280, True), (PHONE, True)], ids=["light", "dark", "phone"]
)
def test_no_page_has_a_serious_fault(pages: tuple[Server, list[str]], width: int, dark: bool) -> None:
    server, paths = pages
    with chromium(width, dark=dark) as driver:
        driver.set_script_timeout(60)
        found = {path: faults(driver, server.url + path) for path in paths}
    assert {path: each for path, each in found.items() if each} == {}


@pytest.mark.parametrize(
    ("width", "dark"), [(1280, False), (1280, True), (PHONE, True)], ids=["light", "dark", "phone"]
)
def test_the_list_of_what_an_erasure_removes_has_no_serious_fault(
    pages: tuple[Server, list[str]], width: int, dark: bool
) -> None:
    server, _ = pages
    with chromium(width, dark=dark) as driver:
        driver.set_script_timeout(60)
        for name, words in (("tides", "made again without them"), ("nobody at all", "Nothing here is of")):
            driver.get(f"{server.url}/admin")
            driver.find_element("css selector", "input[name=name]").send_keys(f"{name}\n")
            wait_for(driver, f"return document.body.textContent.includes({words!r})", 30)
            if folder := os.environ.get("COPYSIFT_SCREENSHOTS"):
                driver.save_screenshot(str(Path(folder) / f"erase-{name[:5]}-{width}-{dark}.png"))
            assert faults_shown(driver) == []
            frames = "[...document.querySelectorAll('.scroller')]"
            assert not any(driver.execute_script(f"return {frames}.map(f => f.scrollWidth - f.clientWidth)"))


def test_the_login_page_has_no_serious_fault(guarded: Server) -> None:
    for dark in (False, True):
        with chromium(dark=dark) as driver:
            driver.set_script_timeout(60)
            assert faults(driver, f"{guarded.url}/login") == []


def test_the_list_of_users_fits_a_phone_and_has_no_serious_fault(tmp_path: Path) -> None:
    data = tmp_path / "data"
    token = command(data, "add", "maximiliane.mustermann").stdout.strip()
    command(data, "add", "bob", "--role", "assistant")
    with Server(data, "--workers", "1", "--moss-port", "-1") as server:
        name, _, value = logged_in(server, token).partition("=")
        with chromium(PHONE) as driver:
            driver.set_script_timeout(60)
            driver.get(f"{server.url}/login")
            driver.add_cookie({"name": name, "value": value})
            assert faults(driver, f"{server.url}/admin") == []
            frame = "const f = document.querySelector('[aria-label=Users]'); return "
            assert driver.execute_script(frame + "f.textContent.includes('mustermann')")
            assert driver.execute_script(frame + "f.scrollWidth - f.clientWidth") == 0


def test_a_page_without_labels_is_found_out() -> None:
    with chromium() as driver:
        driver.set_script_timeout(60)
        page = "data:text/html,<html lang=en><title>x</title><main><h1>x</h1><input></main>"
        assert [name for _, name, _ in faults(driver, page)] == ["label"]
