"""The lock files: every package that a ./dev command installs has one version, and they name nothing else."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
LOCK = ROOT / "requirements.lock"
READERS = ROOT / "tests" / "serve" / "readers"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")


def pins(lock):
    """Give the requirements of a lock file."""
    lines = (line.partition(" #")[0].strip() for line in lock.read_text(encoding="utf-8").splitlines())
    return [Requirement(line) for line in lines if line and not line.startswith("#")]


def version(lock, name, python):
    """Give the version that `python` on Linux installs, or None."""
    environment = {**default_environment(), "python_version": python, "python_full_version": f"{python}.9"}
    found = [
        str(pin.specifier)
        for pin in pins(lock)
        if canonicalize_name(pin.name) == canonicalize_name(name)
        and (pin.marker is None or pin.marker.evaluate(environment))
    ]
    assert len(found) <= 1, f"{name}: {found}"
    return found[0].removeprefix("==") if found else None


def named():
    """Give every requirement of pyproject.toml."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    groups = [project["build-system"]["requires"], project["project"]["dependencies"]]
    groups += project["project"]["optional-dependencies"].values()
    return sorted({requirement for group in groups for requirement in group})


@pytest.mark.parametrize("python", PYTHONS)
def test_the_lock_has_a_version_of_every_package_in_pyproject_that_fits(python):
    for text in named():
        requirement = Requirement(text)
        found = version(LOCK, requirement.name, python)
        assert found, f"{requirement.name} is not in requirements.lock: run ./dev lock"
        assert requirement.specifier.contains(found, prereleases=True), f"{text}: {found}; run ./dev lock"


def test_every_line_of_a_lock_is_one_exact_version():
    for lock in [LOCK, *READERS.glob("*.lock")]:
        for pin in pins(lock):
            assert [each.operator for each in pin.specifier] == ["=="], f"{lock.name}: {pin}"
            assert not pin.url
            assert not pin.extras, f"{lock.name}: pip takes no extras in constraints: {pin}"


def test_the_locks_name_no_index_and_no_place_of_a_machine():
    for lock in [LOCK, *READERS.glob("*.lock")]:
        assert not re.search(r"://|--|^-|(?:^|\s)/\w", lock.read_text(encoding="utf-8"), re.M), lock.name


def test_every_reader_has_its_lock():
    lines = READERS.with_suffix(".txt").read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines if not line.startswith("npm:")]
    readers = {each[0].partition("==")[0]: each for each in words}
    assert {lock.stem for lock in READERS.glob("*.lock")} == set(readers)
    for name, requirements in readers.items():
        for text in requirements:
            requirement = Requirement(text)
            found = version(READERS / f"{name}.lock", requirement.name, "3.12")
            assert found, f"{name}: {requirement.name} is not in its lock: run ./dev lock"
            assert requirement.specifier.contains(found, prereleases=True)


def test_every_installation_by_dev_reads_a_lock():
    text = (ROOT / "dev").read_text(encoding="utf-8").replace("\\\n", " ")
    installs = [line for line in text.splitlines() if "-m pip install" in line]
    assert len(installs) == 2
    assert all("--constraint" in line for line in installs)
