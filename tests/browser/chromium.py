"""Drives the real browser: Debian's Chromium and ChromeDriver, headless, in a profile of its own."""

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from selenium import webdriver

FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--hide-scrollbars",
    "--force-color-profile=srgb",
)  # fmt: skip
PROGRAMS = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
MISSING = ", ".join(name for name, path in PROGRAMS.items() if path is None)


@contextmanager
def chromium(width: int = 1280, height: int = 900, dark: bool = False) -> Iterator[webdriver.Chrome]:
    """Open a browser window; what it asked the network for is in its performance log."""
    profile = tempfile.mkdtemp(prefix="copysift-chromium-")
    options = webdriver.ChromeOptions()
    options.binary_location = str(PROGRAMS["chromium"])
    for flag in (*FLAGS, f"--user-data-dir={profile}", f"--window-size={width},{height}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"performance": "ALL", "browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(PROGRAMS["chromedriver"])))
    try:
        scheme = "dark" if dark else "light"
        driver.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]}
        )
        driver.execute_cdp_cmd(
            "Emulation.setDeviceMetricsOverride",
            {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600},
        )
        yield driver
    finally:
        driver.quit()
        shutil.rmtree(profile, ignore_errors=True)


def open_page(driver: webdriver.Chrome, report: Path, address: str = "#/") -> None:
    """Open a page of a report and wait until it stands."""
    driver.get("about:blank")
    driver.get(f"{report.resolve().as_uri()}{address}")
    wait_for(driver, f"return document.body.dataset.page === {address!r}")


def wait_for(driver: webdriver.Chrome, script: str, seconds: float = 10) -> object:
    """Wait until a script gives something true, and give that."""
    from selenium.webdriver.support.ui import WebDriverWait

    return WebDriverWait(driver, seconds, poll_frequency=0.05).until(lambda each: each.execute_script(script))
