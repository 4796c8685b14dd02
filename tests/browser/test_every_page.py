"""Every page of a report in a real browser: nothing but words, no error, no sideways scrolling."""

import re

import pytest

pytest.importorskip("selenium", reason="selenium is not installed: pip install selenium")

from tests.browser.chromium import MISSING, chromium, open_page, wait_for
from tests.cli.program import ROOT, copysift, write

pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING} (Debian: chromium, chromium-driver)"),
    pytest.mark.xdist_group("browser"),
]

VIEWS = {"light": (1280, False), "dark": (1280, True), "phone": (390, False)}
UNWANTED = re.compile(r"\[object|\bundefined\b|\bNaN\b|\bnull\b")  # no text of these reports has them
ADDRESSES = """
const data = JSON.parse(document.getElementById('data-overview').textContent);
const each = (name, list) => [...list.keys()].map((number) => `#/${name}/${number}`);
return ['#/pairs', '#/clusters', '#/map', '#/times', '#/together/0,1,2', '#/together/9999,1', '#/cases',
  '#/submissions', ...each('pair', data.pairs), ...each('sheet', data.pairs),
  ...each('submission', data.submissions), '#/pair/999999', '#/'];
"""
WORDS = """
const named = [...document.querySelectorAll('[title], [aria-label]')];
return [document.title, document.body.innerText,
  ...named.flatMap((each) => [each.title, each.getAttribute('aria-label') ?? ''])].join('\\n');
"""


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    folder = tmp_path_factory.mktemp("reports")
    homework = copysift(
        ROOT / "examples" / "homework", "scan", "submissions", "--by", "dir", "--base", "starter",
        "--earlier", "earlier/2025", "--metadata", "submissions.csv", "-o", str(folder / "homework.html"),
    )  # fmt: skip
    assert homework.status == 0, homework.err
    shared = "".join(f"total_{number} = compute_value_{number}(arguments)\n" for number in range(40))
    long_name = "a_name_without_any_place_to_break_" * 4
    write(folder, {f"long/{long_name}{n}/{long_name}.txt": f"{shared * n}{'x' * 3000}\n" for n in (1, 2)})
    write(folder, {f"long/twin{n}/copy.txt": shared for n in (1, 2)})  # identical submissions
    long = copysift(folder, "scan", "long", "--by", "dir", "--threshold", "0", "-o", "long.html")
    assert long.status == 0, long.err
    write(folder, {"alone/only/a.txt": "nothing like it\n", "alone/broken.zip": "not a zip"})
    alone = copysift(folder, "scan", "alone", "--by", "dir", "-o", "alone.html")
    assert (folder / "alone.html").exists(), alone.err
    return folder


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("name", ["homework", "long", "alone"])
def test_every_page_shows_words_without_errors_or_sideways_scrolling(reports, name, view):
    width, dark = VIEWS[view]
    with chromium(width=width, dark=dark) as driver:
        open_page(driver, reports / f"{name}.html")
        addresses = driver.execute_script(ADDRESSES)
        assert len(addresses) > (20 if name == "homework" else 5)
        wrong = []
        for address in addresses:
            driver.execute_script("location.hash = arguments[0]", address)
            wait_for(driver, f"return document.body.dataset.page === {address!r}")
            wait_for(driver, "return document.querySelector('.chart:not([data-ready])') === null")
            words = driver.execute_script(WORDS)
            wrong += [
                (address, words[max(0, at.start() - 60) : at.end() + 60]) for at in UNWANTED.finditer(words)
            ]
            wrong += [
                (address, each["message"]) for each in driver.get_log("browser") if each["level"] == "SEVERE"
            ]
            wide = driver.execute_script("return document.documentElement.scrollWidth")
            if wide > width:
                wrong.append((address, f"{wide} pixels wide"))
        assert wrong == []
