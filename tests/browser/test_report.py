"""The report in a real browser: click, filter, slider, keys, and that nothing hostile runs."""

import base64
import datetime
import json
import re
import zipfile

import pytest

pytest.importorskip("selenium", reason="selenium is not installed: pip install selenium")

from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

from tests.browser.chromium import MISSING, chromium, open_page, wait_for
from tests.cli.program import ROOT, copysift, write
from tests.cli.texts import prose

pytestmark = [
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {MISSING} (Debian: chromium, chromium-driver)"),
    pytest.mark.xdist_group("browser"),
]

HOMEWORK = ROOT / "examples" / "homework"
EVIL = "</script><script>window.owned=1</script><img src=x onerror='window.owned=1'>"
EVIL_NAME = "<img src=x onerror=window.owned=1>"


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    target = tmp_path_factory.mktemp("report") / "report.html"
    done = copysift(
        HOMEWORK, "scan", "submissions", "--by", "dir", "--base", "starter", "--earlier", "earlier/2025",
        "--metadata", "submissions.csv", "--title", "Loans <2026>", "-o", str(target),
    )  # fmt: skip
    assert done.status == 0, done.err
    return target


@pytest.fixture(scope="module")
def driver():
    with chromium() as opened:
        yield opened


def pair_named(driver, *names):
    """Give the address of the pair of two submissions."""
    number = driver.execute_script(
        "const data = JSON.parse(document.getElementById('data-overview').textContent);"
        "return data.pairs.findIndex((pair) => arguments[0].includes(data.submissions[pair.left].label)"
        " && arguments[0].includes(data.submissions[pair.right].label));",
        names,
    )
    assert number >= 0
    return f"#/pair/{number}"


def asked_for(driver):
    """Give the addresses that the browser has requested since this was last asked."""
    messages = (json.loads(entry["message"])["message"] for entry in driver.get_log("performance"))
    return [
        each["params"]["request"]["url"] for each in messages if each["method"] == "Network.requestWillBeSent"
    ]


def text(driver, selector):
    return driver.find_element(By.CSS_SELECTOR, selector).text


def move_slider(driver, value):
    driver.execute_script(
        "const input = document.querySelector('input[type=range]'); input.value = arguments[0];"
        "input.dispatchEvent(new Event('input', { bubbles: true }));",
        value,
    )


def test_the_overview_counts_and_draws(driver, report):
    open_page(driver, report)
    tiles = [tile.text.split("\n") for tile in driver.find_elements(By.CSS_SELECTOR, ".tile")]
    assert ["10", "submissions"] in tiles
    assert ["1", "of earlier years"] in tiles
    assert "with nothing but base code: Kai Brandt" in text(driver, ".notice")
    wait_for(driver, "return document.querySelector('#histogram-chart[data-ready]') !== null")
    assert driver.execute_script("return document.querySelector('#histogram-chart > *').shadowRoot !== null")


def test_a_class_too_small_for_the_model_of_chance_has_no_such_column_and_says_why(driver, report):
    open_page(driver, report, "#/pairs")
    assert "By chance" not in text(driver, "thead")
    why = "too small for a model of chance: 11 submissions, at least 20 are needed"
    assert why in text(driver, ".page")
    open_page(driver, report, "#/")
    assert why in text(driver, ".page")


def test_the_page_has_a_title_and_a_date(driver, report):
    open_page(driver, report)
    assert driver.find_element(By.TAG_NAME, "h1").text == "Loans <2026>"
    assert driver.title == "Overview – Loans <2026>"
    assert str(datetime.date.today().year) in driver.find_element(By.CSS_SELECTOR, "h1 + p").text


def test_identical_submissions_come_first_and_are_marked(driver, tmp_path):
    target = tmp_path / "report.html"
    copysift(
        HOMEWORK, "scan", "submissions", "earlier/2025", "--by", "dir", "--base", "starter", "-o", str(target)
    )
    open_page(driver, target)
    first, second, *_ = (row.text for row in driver.find_elements(By.CSS_SELECTOR, "tr[data-pair]"))
    assert all(word in first for word in ("emil", "jonas", "identical"))
    assert "100%" in second
    assert "identical" not in second


def test_the_list_of_files_says_how_each_was_read_and_which_are_equal(driver, tmp_path):
    write(tmp_path, {"a.txt": prose(1), "b.txt": prose(1), "c.html": f"<html><p>{prose(2)}</p></html>"})
    copysift(tmp_path, "scan", ".", "-o", "page.html")
    driver.get(f"file://{tmp_path}/page.html#/submissions")
    wait_for(driver, "return document.querySelector('tbody tr') !== null")
    rows = [
        [cell.text for cell in row.find_elements(By.TAG_NAME, "td")]
        for row in driver.find_elements(By.CSS_SELECTOR, "tbody tr")
    ]
    assert [(row[0], row[1], row[3]) for row in rows] == [
        ("a.txt", "equal", "plain text"),
        ("b.txt", "equal", "plain text"),
        ("c.html", "–", "HTML without its markup"),
    ]


def test_the_clusters_of_files_say_where_equal_files_are(driver, tmp_path):
    write(tmp_path, {"a.txt": prose(1), "b.txt": prose(1), "c.txt": prose(2), "d.txt": prose(2) + prose(3)})
    copysift(tmp_path, "scan", ".", "-o", "page.html")
    driver.get(f"file://{tmp_path}/page.html#/clusters")
    wait_for(driver, "return document.querySelector('#cluster-count') !== null")
    assert text(driver, "#cluster-count") == "2 clusters of 4 files"
    assert (
        driver.find_element(By.CSS_SELECTOR, "#cluster-count + p a").get_attribute("href").endswith("#/equal")
    )


def test_search_and_slider_filter_the_pairs_and_a_column_sorts_them(driver, report):
    open_page(driver, report, "#/pairs")
    every = len(driver.find_elements(By.CSS_SELECTOR, "tbody tr"))
    assert every >= 5
    box = driver.find_element(By.CSS_SELECTOR, "input[type=search]")
    box.send_keys("zoé")
    rows = [row.text for row in driver.find_elements(By.CSS_SELECTOR, "tbody tr")]
    assert 0 < len(rows) < every
    assert all("Zoé Petit" in row for row in rows)
    box.clear()
    box.send_keys(" ")
    move_slider(driver, 99)
    rows = [row.text for row in driver.find_elements(By.CSS_SELECTOR, "tbody tr")]
    assert len(rows) < every
    assert all(row.startswith(("99%", "100%")) for row in rows)
    assert text(driver, "#pair-count").startswith(f"{len(rows)} of {every} ")
    move_slider(driver, 0)
    assert len(driver.find_elements(By.CSS_SELECTOR, "tbody tr")) == every
    driver.find_elements(By.CSS_SELECTOR, "thead button")[1].click()
    names = [cell.text for cell in driver.find_elements(By.CSS_SELECTOR, "tbody tr td:nth-child(2)")]
    assert names == sorted(names)
    assert driver.find_element(By.CSS_SELECTOR, "th[aria-sort]").get_attribute("aria-sort") == "ascending"


def test_a_click_on_a_passage_brings_its_other_side_into_view(driver, report):
    open_page(driver, report)
    open_page(driver, report, pair_named(driver, "Leo Martin", "Zoé Petit"))
    mark = driver.find_elements(By.CSS_SELECTOR, ".pane.left .mark")[-1]
    number = mark.get_attribute("data-mark")
    driver.execute_script("document.querySelector('.pane.right .pane-body').scrollTop = 1e6")
    driver.execute_script("arguments[0].scrollIntoView({ block: 'center' })", mark)
    mark.click()
    seen = driver.execute_script(
        "const body = document.querySelector('.pane.right .pane-body').getBoundingClientRect();"
        "const mark = document.querySelector(`.pane.right .mark.on[data-mark='${arguments[0]}']`)"
        ".getBoundingClientRect();"
        "return mark.top >= body.top && mark.top < body.bottom;",
        number,
    )
    assert seen
    assert {
        each.get_attribute("data-mark") for each in driver.find_elements(By.CSS_SELECTOR, ".mark.on")
    } == {number}
    assert text(driver, "#position").startswith(f"Passage {int(number) + 1} of ")


def test_keys_step_through_the_passages_and_enter_crosses_over(driver, report):
    open_page(driver, report)
    open_page(driver, report, pair_named(driver, "Ayşe Kaya", "Zoé Petit"))
    body = driver.find_element(By.TAG_NAME, "body")
    total = len(driver.find_elements(By.CSS_SELECTOR, ".passages li"))

    def at(key):
        body.send_keys(key)
        return int(text(driver, "#position").split()[1])

    keys = ("j", "n", Keys.ARROW_RIGHT, "k", "p", Keys.ARROW_LEFT, "k")
    places, expected = [], 0
    for key in keys:
        places.append(at(key))
    for key in keys:
        expected += 1 if key in ("j", "n", Keys.ARROW_RIGHT) else -1
        assert places.pop(0) == (expected - 1) % total + 1
    mark = driver.find_element(By.CSS_SELECTOR, ".pane.left .mark[tabindex]")
    mark.send_keys(Keys.ENTER)
    assert driver.execute_script("return document.activeElement.closest('.pane').classList.contains('right')")
    body.send_keys(Keys.ESCAPE)
    wait_for(driver, "return location.hash === '#/pairs'")


def test_base_code_is_grey_and_every_file_is_there(driver, report):
    open_page(driver, report)
    open_page(driver, report, pair_named(driver, "Leo Martin", "Zoé Petit"))
    grey = driver.execute_script(
        "return [...document.querySelectorAll('.pane.left .base')].map((each) => each.textContent).join('')"
    )
    assert "def read_rows(path):" in grey
    assert "counted" not in grey
    options = [each.text for each in driver.find_elements(By.CSS_SELECTOR, ".pane.right select option")]
    assert sorted(options) == ["src/extra.py", "src/loans.py"]


def test_the_slider_of_the_clusters_joins_and_parts(driver, report):
    open_page(driver, report, "#/clusters")
    wait_for(driver, "return document.querySelector('#graph-chart[data-ready]') !== null")
    before = len(driver.find_elements(By.CSS_SELECTOR, ".cluster"))
    assert before >= 2
    alphas = "Bokeh.documents.at(-1).get_model_by_name('edges').data.alpha"
    faded = f"return {alphas}.filter((each) => each === 0).length"
    assert driver.execute_script(faded) == 0
    move_slider(driver, 100)
    after = len(driver.find_elements(By.CSS_SELECTOR, ".cluster"))
    assert after < before
    assert driver.execute_script(faded) > 0
    assert text(driver, "#cluster-count").startswith(f"{after} cluster")


def test_a_node_of_the_graph_leads_to_its_submission(driver, report):
    open_page(driver, report, "#/clusters")
    wait_for(driver, "return document.querySelector('#graph-chart[data-ready]') !== null")
    driver.execute_script("Bokeh.documents.at(-1).get_model_by_name('nodes').selected.indices = [0]")
    wait_for(driver, "return /^#\\/submission\\/\\d+$/.test(location.hash)")


def test_a_submission_shows_its_nearest_and_what_others_cover(driver, report):
    open_page(driver, report, "#/submissions")
    driver.find_element(By.LINK_TEXT, "Ayşe Kaya").click()
    wait_for(driver, "return document.querySelector('.cover') !== null")
    assert "weighed by rarity, is in other submissions too" in text(driver, ".cover")
    covered = driver.find_elements(By.CSS_SELECTOR, ".line.covered")
    assert covered
    assert "Zoé Petit" in "".join(line.get_attribute("title") for line in covered)
    assert "hanna" in text(driver, "tbody")


def test_the_evidence_sheet_prints_measures_passages_sources_settings_and_version(driver, report, tmp_path):
    open_page(driver, report, "#/sheet/0")
    page = text(driver, ".sheet")
    for words in ("Similarity", "Passage 1", "Source of", "Settings, copysift", "threshold"):
        assert words in page
    meant = text(driver, ".sheet details.unusual")
    assert "the hash of 8 tokens in a row" in meant
    shared, all_left = re.search(r"Of left\n(\d+) of the (\d+) fingerprints", meant).groups()
    assert f"{shared} of {all_left} on the left and" in text(driver, ".sheet .measures")
    printed = driver.execute_cdp_cmd("Page.printToPDF", {"printBackground": True})
    pdf = base64.b64decode(printed["data"])
    assert pdf.startswith(b"%PDF")
    assert pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") >= 2


def test_the_theme_button_switches_to_dark_and_back(driver, report):
    open_page(driver, report)
    ground = "return getComputedStyle(document.body).backgroundColor"
    light = driver.execute_script(ground)
    driver.find_element(By.ID, "theme").click()
    assert driver.execute_script(ground) != light
    driver.find_element(By.ID, "theme").click()
    assert driver.execute_script(ground) == light


def test_a_phone_needs_no_sideways_scrolling(report):
    with chromium(width=390, height=800) as phone:
        for address in ("#/", "#/pairs", "#/clusters", "#/pair/0", "#/submission/0", "#/sheet/0"):
            open_page(phone, report, address)
            assert phone.execute_script("return document.documentElement.scrollWidth") <= 390, address


def test_hostile_names_and_sources_do_nothing(driver, tmp_path):
    shared = "\n".join(f"total_{number} = compute_value_{number}(arguments)  {EVIL}" for number in range(12))
    write(
        tmp_path,
        {
            f"hw/{EVIL_NAME}/a{EVIL_NAME}.py": f"# {EVIL}\n{shared}\n",
            "hw/javascript:alert(1)/b.html": f"<body onload='window.owned=1'>{EVIL}\n{shared}",
            "hw/'\"><svg onload=window.owned=1>/c.py": f"{shared}\n# end {EVIL}",
        },
    )
    (tmp_path / "class.csv").write_text(f'name,label\njavascript:alert(1),"{EVIL_NAME} {EVIL}"\n')
    done = copysift(
        tmp_path, "scan", "hw", "--by", "dir", "--kind", "text", "--threshold", "0", "-o", "r.html",
        "--metadata", "class.csv",
    )  # fmt: skip
    assert done.status == 0, done.err
    asked_for(driver)
    for address in (
        "#/",
        "#/pairs",
        "#/clusters",
        "#/submissions",
        "#/pair/0",
        "#/sheet/0",
        "#/submission/1",
    ):
        open_page(driver, tmp_path / "r.html", address)
        if address in ("#/", "#/clusters"):
            wait_for(driver, "return document.querySelector('.chart[data-ready]') !== null")
        assert driver.execute_script("return window.owned") is None
        assert driver.find_elements(By.CSS_SELECTOR, "#main img, #main script, #main svg") == []
    page = (tmp_path / "r.html").resolve().as_uri()
    others = {url.partition("#")[0] for url in asked_for(driver)} - {page, "about:blank"}
    assert {url for url in others if not url.startswith(("data:", "blob:"))} == set()


def test_an_injected_script_is_stopped_by_the_policy(driver, report):
    open_page(driver, report)
    driver.execute_script(
        "window.stopped = 0;"
        "document.addEventListener('securitypolicyviolation', () => { window.stopped += 1; });"
        "const script = document.createElement('script'); script.textContent = 'window.owned = 1';"
        "document.body.append(script);"
        "const holder = document.createElement('div');"
        "holder.innerHTML = '<img src=x onerror=\"window.owned=1\">';"
        "document.body.append(holder);"
    )
    wait_for(driver, "return window.stopped >= 1")
    assert driver.execute_script("return window.owned") is None


def test_decisions_are_kept_exported_and_make_a_dossier(driver, report):
    open_page(driver, report, "#/pair/0")
    wait_for(driver, "return document.getElementById('decision') !== null")
    driver.execute_script(
        "const box = document.getElementById('decision'); box.value = 'case';"
        "box.dispatchEvent(new Event('change'));"
    )
    driver.find_element(By.ID, "decision-note").send_keys("same bug")
    open_page(driver, report, "#/pairs")
    driver.find_element(By.CSS_SELECTOR, "input[type=search]").send_keys("case")
    wait_for(driver, "return document.querySelectorAll('tbody tr').length === 1")
    open_page(driver, report, "#/cases")
    wait_for(driver, "return document.querySelector('.dossier .sheet') !== null")
    assert "same bug" in text(driver, ".dossier ol")
    assert text(driver, ".dossier h1") == "Cases: 1"
    driver.execute_script("localStorage.clear()")


def first_pair(driver):
    """Give the names of the submissions of the first pair, and their bytes."""
    return driver.execute_script(
        "const data = JSON.parse(document.getElementById('data-overview').textContent);"
        "const both = [data.pairs[0].left, data.pairs[0].right].map((at) => data.submissions[at]);"
        "return [both.map((each) => each.name), both.map((each) => each.bytes)];"
    )


def test_decisions_of_this_browser_on_another_class_are_neither_shown_nor_exported(driver, report):
    """Files opened from a disk share what a browser keeps, and classes may have the same names."""
    open_page(driver, report)
    (left, right), sizes = first_pair(driver)
    row = {"left": left, "right": right, "state": "case", "note": "", "when": "2026-01-01"}
    others = [{**row, "bytes": [each + 1 for each in sizes]}, {**row, "left": "another class/a"}]
    store = "copysift decisions: Loans <2026>"
    driver.execute_script("localStorage.setItem(...arguments)", store, json.dumps(others))
    open_page(driver, report, "#/cases")
    assert text(driver, ".dossier h1") == "Cases: 0"
    open_page(driver, report, "#/pair/1")
    driver.find_element(By.ID, "decision-note").send_keys("mine")
    assert len(json.loads(driver.execute_script("return localStorage.getItem(arguments[0])", store))) == 3
    open_page(driver, report, "#/pairs")
    driver.execute_script("URL.createObjectURL = (file) => { window.exported = file; return 'blob:none'; }")
    driver.find_element(By.ID, "export").click()
    exported = driver.execute_async_script("window.exported.text().then(arguments[0])")
    assert [each["note"] for each in json.loads(exported)["decisions"]] == ["mine"]
    driver.execute_script("localStorage.clear()")


def test_an_import_says_what_came_of_it(driver, report, tmp_path):
    open_page(driver, report)
    names, _ = first_pair(driver)
    row = {"left": names[0], "right": names[1], "state": "case", "note": "", "when": "2026-01-01"}
    file = tmp_path / "d.json"
    file.write_text(json.dumps({"copysift": "decisions", "decisions": [row, {**row, "right": "gone"}]}))
    open_page(driver, report, "#/pairs")
    driver.find_element(By.ID, "decisions-file").send_keys(str(file))
    said = wait_for(driver, "return document.getElementById('imported')?.textContent")
    assert said == "2 decisions read; 1 decision of the file names a submission that is not in this report"
    file.write_text("{}")
    driver.find_element(By.ID, "decisions-file").send_keys(str(file))
    wait_for(driver, "return document.getElementById('imported')?.textContent.startsWith('d.json: ')")
    driver.execute_script("localStorage.clear()")


def test_a_search_finds_names_without_accents_and_bounds_of_the_measure(driver, report):
    open_page(driver, report, "#/pairs")
    box = driver.find_element(By.CSS_SELECTOR, "input[type=search]")
    box.send_keys("zoe")
    wait_for(driver, "return document.querySelectorAll('tbody tr').length > 0")
    rows = driver.find_elements(By.CSS_SELECTOR, "tbody tr")
    assert all("Zoé Petit" in row.text for row in rows)
    box.send_keys(" >99.5")
    wait_for(driver, f"return document.querySelectorAll('tbody tr').length < {len(rows)}")


def test_names_can_be_hidden(driver, report):
    open_page(driver, report, "#/pairs")
    driver.find_element(By.ID, "names").click()
    wait_for(driver, "return document.getElementById('main').textContent.includes('Submission ')")
    shown = text(driver, "#main")
    assert "Zoé" not in shown
    assert "Ayşe" not in shown
    driver.find_element(By.ID, "names").click()


def test_what_raised_the_score_is_marked_where_it_is_and_can_be_hidden(driver, report):
    open_page(driver, report)
    open_page(driver, report, pair_named(driver, "Leo Martin", "Zoé Petit"))
    assert "statements word for word" in text(driver, ".reasons")
    marked = driver.execute_script(
        "return [...document.querySelectorAll('.pane.right .clue-string')].map((each) => each.textContent)"
    )
    assert '"9999-99"' in marked
    line = driver.execute_script(
        "return getComputedStyle(document.querySelector('.pane .clue-statement')).textDecorationLine"
    )
    assert line == "underline"
    driver.find_elements(By.CSS_SELECTOR, ".keys-of-clues input")[-1].click()
    line = driver.execute_script(
        "return getComputedStyle(document.querySelector('.pane .clue-statement')).textDecorationLine"
    )
    assert line == "none"


def test_every_occurrence_of_a_passage_is_marked(driver, tmp_path):
    step = "for (int i = 0; i < wide; i++) { sum = sum * 31 + cells[i] % 7; if (sum > 9000) { sum = 0; } }\n"
    write(
        tmp_path,
        {
            "hw/one/a.java": f"throw new Failure();\n{step}",
            "hw/two/a.java": f"goto a;\n{step}else b[1];\n{step}",
        },
    )
    done = copysift(tmp_path, "scan", "hw", "--by", "dir", "--threshold", "0", "-o", "r.html")
    assert done.status == 0, done.err
    open_page(driver, tmp_path / "r.html", "#/pair/0")
    wait_for(driver, "return document.querySelector('.pane.right .mark') !== null")
    lines = (
        "return [...document.querySelectorAll('.pane.{} .mark')]"
        ".map((each) => each.closest('.line').dataset.line)"
    )
    assert set(driver.execute_script(lines.format("left"))) <= {"1", "2"}
    assert set(driver.execute_script(lines.format("right"))) >= {"2", "4"}


def test_the_heat_map_has_every_pair_and_opens_one(driver, report):
    open_page(driver, report, "#/map")
    wait_for(driver, "return document.querySelector('canvas.heat-map') !== null")
    names = [each.text for each in driver.find_elements(By.CSS_SELECTOR, ".heat-names li")]
    assert len(names) == 11
    cells = driver.execute_script(
        "const canvas = document.querySelector('canvas.heat-map');"
        "return [canvas.width,"
        " ...canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data]"
    )
    wide, data = cells[0], cells[1:]
    assert wide == 11

    def redness(row, column):
        red, green, _ = data[4 * (wide * row + column) : 4 * (wide * row + column) + 3]
        return red - green

    mira, tom, ida = (
        next(at for at, name in enumerate(names) if who in name) for who in ("Mira", "Tom", "Ida")
    )
    assert redness(mira, tom) > 120
    assert redness(mira, tom) == redness(tom, mira)
    assert redness(mira, ida) < 40
    driver.execute_script(
        "const canvas = document.querySelector('canvas.heat-map');"
        "const box = canvas.getBoundingClientRect();"
        "const at = (number) => (number + 0.5) * box.width / 11;"
        "for (const name of ['pointermove', 'click']) canvas.dispatchEvent(new MouseEvent(name,"
        " { clientX: box.left + at(arguments[0]), clientY: box.top + at(arguments[1]), bubbles: true }));",
        mira,
        tom,
    )
    wait_for(driver, "return /^#\\/pair\\/\\d+$/.test(location.hash)")
    wait_for(driver, "return document.querySelector('.pair-head h1') !== null")
    assert {"Mira Berg", "Tom Weiss"} <= set(text(driver, ".pair-head h1 span:nth-child(2)").split(" and "))


def test_the_time_line_orders_a_cluster_by_time(driver, report):
    open_page(driver, report, "#/times")
    cards = [card.text for card in driver.find_elements(By.CSS_SELECTOR, ".card")]
    (card,) = (each for each in cards if "Nele Holm" in each and "Kai Brandt" not in each)
    places = [card.index(name) for name in ("18:20 Mira Berg", "23:50 Tom Weiss", "23:58 Nele Holm")]
    assert places == sorted(places)
    assert "Tom Weiss (91%, less than an hour earlier)" in card
    assert len(driver.find_elements(By.CSS_SELECTOR, ".card:last-of-type .dot")) == 10
    assert "1 submission without a time is not here" in text(driver, "#main")


def test_without_times_there_is_no_time_line(driver, tmp_path):
    write(tmp_path, {f"hw/{name}/a.py": "x = [each for each in range(9) if each % 2]\n" * 9 for name in "ab"})
    copysift(tmp_path, "scan", "hw", "--by", "dir", "-o", "r.html")
    open_page(driver, tmp_path / "r.html")
    shown = [each.text for each in driver.find_elements(By.CSS_SELECTOR, "#nav a") if each.is_displayed()]
    assert "Heat map" in shown
    assert "Time line" not in shown


def test_three_submissions_side_by_side_share_colours_and_scroll_together(driver, report):
    open_page(driver, report, "#/clusters")
    driver.find_elements(By.LINK_TEXT, "Side by side")[1].click()  # the first cluster has four
    wait_for(driver, "return document.querySelectorAll('.panes.many .pane').length === 3")
    chip = driver.find_element(By.CSS_SELECTOR, ".passages .chip")
    assert "in 3 of these 3" in chip.text
    chip.click()
    marked = driver.execute_script(
        "return [...document.querySelectorAll('.panes.many .pane')].map((pane) => {"
        " const mark = pane.querySelector('.mark.on').getBoundingClientRect();"
        " const body = pane.querySelector('.pane-body').getBoundingClientRect();"
        " return mark.top >= body.top - 1 && mark.top < body.bottom; })"
    )
    assert marked == [True, True, True]
    driver.find_elements(By.CSS_SELECTOR, ".controls input")[0].click()
    wait_for(driver, "return document.querySelectorAll('.panes.many .pane').length === 2")


def test_comments_and_odd_words_that_only_two_have_are_hints(driver, tmp_path):
    common = "# reads the table of all loans\n"
    for at in range(8):
        own = f"# my own words number {'abcdefgh'[at] * 6}\n" + "".join(
            f"value_{at}_{line} = [each * {line + at} for each in range({line})]\n" for line in range(9)
        )
        if at in (2, 5):
            own += (
                "# here we recieve every wierd result\n" + "total = sum(x ** 3 for x in rows if x % 7)\n" * 8
            )
        write(tmp_path, {f"hw/p{at}/a.py": common + own})
    (tmp_path / "class.csv").write_text("name,attempt\np2,1\np5,3\n")
    done = copysift(
        tmp_path, "scan", "hw", "--by", "dir", "--threshold", "0", "--metadata", "class.csv", "-o", "r.html"
    )
    assert done.status == 0, done.err
    open_page(driver, tmp_path / "r.html")
    open_page(driver, tmp_path / "r.html", pair_named(driver, "p2", "p5"))
    hints = text(driver, ".hints")
    assert "Both have the comment “# here we recieve every wierd result” (a.py:12 and a.py:12)" in hints
    assert "reads the table" not in hints
    assert "attempt 1 of p2" in hints


def test_the_name_of_an_archive_is_nobodys_and_submissions_are_by_name(driver, tmp_path):
    program = "public class Main { int rare = 12345; void f(int x) { g(x + 17); } }\n" * 9
    for archive in ("class.zip", "before.zip"):
        with zipfile.ZipFile(tmp_path / archive, "w") as out:
            for name in ("dora", "anna", "carl", "bert"):
                by = "Anna" if name == "dora" else "me"
                out.writestr(f"{name}/Main.java", f"{program}// by {by}, in {archive} {name[:2]}\n")
    done = copysift(
        tmp_path, "scan", "class.zip", "--by", "dir", "--earlier", "before.zip", "-o", "page.html"
    )
    assert done.status == 0, done.err
    open_page(driver, tmp_path / "page.html", "#/submissions")
    shown = [each.text for each in driver.find_elements(By.CSS_SELECTOR, "tbody td:first-child a")]
    assert shown == sorted(shown)
    assert "class.zip!anna" in shown
    open_page(driver, tmp_path / "page.html", pair_named(driver, "class.zip!anna", "before.zip!dora"))
    hints = text(driver, ".hints")
    assert "The source of before.zip!dora has a name of class.zip!anna (Main.java:10)." in hints
    assert "has a name of before.zip!dora" not in hints


def test_the_subject_of_an_essay_in_its_file_name_is_no_hint(driver, tmp_path):
    essay = "".join(f"Bread number {at} needs flour and time, says the baker.\n" for at in range(12))
    for name, content in (("bread.txt", essay), ("loud.txt", essay.upper())):
        (tmp_path / name).write_text(content)
    done = copysift(tmp_path, "scan", "bread.txt", "loud.txt", "-o", "page.html")
    assert done.status == 0, done.err
    open_page(driver, tmp_path / "page.html", "#/pair/0")
    assert "loud.txt" in text(driver, "body")
    assert "has a name of" not in text(driver, "body")


def test_times_counts_and_hints_are_plain_words(driver, tmp_path):
    """A time is no ISO string, a person is not handed in, and two counts say which side they are of."""
    step = "for (int i = 0; i < wide; i++) { sum = sum * 31 + cells[i] % 7; if (sum > 9000) { sum = 0; } }\n"
    write(
        tmp_path,
        {
            "hw/ann/a.java": f"throw new Failure();\n{step}",
            "hw/bob/a.java": f"goto a;\n{step}else b[1];\n{step}while (free) run();\n",
            "who.csv": "name,time\nann,2026-11-14T04:28:00\nbob,2026-11-20T04:28:00\n",
        },
    )
    done = copysift(
        tmp_path, "scan", "hw", "--by", "dir", "--metadata", "who.csv", "--threshold", "0", "-o", "r.html"
    )
    assert done.status == 0, done.err
    open_page(driver, tmp_path / "r.html", "#/pair/0")
    wait_for(driver, "return document.querySelector('.hints li') !== null")
    assert text(driver, ".hints li") == "The work of ann was handed in 6 days before the work of bob."
    pair = driver.execute_script(
        "return JSON.parse(document.getElementById('data-overview').textContent).pairs[0]"
    )
    left, right = pair["distinct"]
    assert f"{pair['shared']} of {left} on the left and {right} on the right" in text(driver, "#main")
    open_page(driver, tmp_path / "r.html", "#/times")
    assert "2026-11-14 04:28:00 ann" in text(driver, "#main")
    open_page(driver, tmp_path / "r.html", "#/submission/0")
    assert "2026-11-14 04:28:00" in text(driver, "#main")


def test_a_search_finds_letters_that_have_no_accent_to_drop(driver, tmp_path):
    step = "for (int i = 0; i < wide; i++) { sum = sum * 31 + cells[i] % 7; if (sum > 9000) { sum = 0; } }\n"
    write(tmp_path, {"hw/Łukasz Østergård/a.java": step * 3, "hw/Weiß/a.java": f"goto a;\n{step * 3}"})
    done = copysift(tmp_path, "scan", "hw", "--by", "dir", "--threshold", "0", "-o", "r.html")
    assert done.status == 0, done.err
    open_page(driver, tmp_path / "r.html", "#/pairs")
    box = driver.find_element(By.CSS_SELECTOR, "input[type=search]")
    for wanted, rows in (("lukasz ostergard", 1), ("weiss", 1), ("Weiß", 1), ("ostergard garcia", 0)):
        box.clear()
        box.send_keys(wanted)
        wait_for(
            driver, f"return (document.querySelectorAll('tbody tr').length > 0) === {str(bool(rows)).lower()}"
        )
        found = driver.find_elements(By.CSS_SELECTOR, "tbody tr")
        assert sum("Weiß" in row.text for row in found) == rows, wanted
