"""The overview and the page of clusters count what the comparison counted, equal files among it."""

import json
import re

import pytest

pytest.importorskip("selenium", reason="selenium is not installed: pip install selenium")

from selenium.webdriver.common.by import By

from tests.browser.chromium import MISSING, chromium, open_page
from tests.browser.test_report import move_slider
from tests.cli.program import ROOT, copysift

pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING} (Debian: chromium, chromium-driver)"),
    pytest.mark.xdist_group("browser"),
]

CASES = {
    "submissions": ("homework", "submissions", "--by", "dir", "--base", "starter"),
    "files": (".", "essays"),
    "files, the best two pairs": (".", "essays", "--limit", "2"),
}


@pytest.mark.parametrize("case", CASES)
def test_tiles_and_clusters_are_those_of_the_comparison(case, tmp_path):
    folder, *options = CASES[case]
    whole = [each for each in options if each not in ("--limit", "2")]
    found = json.loads(copysift(ROOT / "examples" / folder, "scan", *whole, "--format", "json").out)
    copysift(ROOT / "examples" / folder, "scan", *options, "-o", str(tmp_path / "page.html"))
    unit = "identical submissions" if case == "submissions" else "equal files"
    with chromium(width=390) as driver:
        open_page(driver, tmp_path / "page.html")
        tiles = dict(tile.text.split("\n")[::-1] for tile in driver.find_elements(By.CSS_SELECTOR, ".tile"))
        similar = sum(not pair["equal"] for pair in found["pairs"])
        assert tiles["clusters"] == str(len(found["clusters"]))
        assert tiles[f"set of {unit}"] == str(len(found["equal"])) == "1"
        assert tiles.get("similar pairs", tiles.get("similar pairs, the best 2 in this report")) == str(
            similar
        )
        nav = driver.find_element(By.TAG_NAME, "nav")
        assert driver.execute_script("return arguments[0].scrollWidth <= arguments[0].clientWidth", nav)
        open_page(driver, tmp_path / "page.html", "#/clusters")
        cards = [card.text for card in driver.find_elements(By.CSS_SELECTOR, "li.cluster")]
        sizes = sorted(int(re.search(r"(\d+) \w+", card.split(":")[1])[1]) for card in cards)
        assert sizes == sorted(len(each["members"]) for each in found["clusters"])
        move_slider(driver, 99)  # equal ones are clusters at any threshold
        several = [card.text for card in driver.find_elements(By.CSS_SELECTOR, "li.cluster")]
        copy = "jonas" if case == "submissions" else "copy of lighthouse.txt"
        assert any(copy in card and "100% on average" in card for card in several)
        assert "at an average of 99%" in driver.find_element(By.ID, "cluster-count").text
        move_slider(driver, 25)
        assert len(driver.find_elements(By.CSS_SELECTOR, "li.cluster")) == len(found["clusters"])
