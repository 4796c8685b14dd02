"""Damage to any file of an index or a run is named, or changes no answer of any command."""

import random
import shutil

import pytest

from tests.law.damage import STORES, answers, build, silent, trials


@pytest.fixture(scope="module")
def here(tmp_path_factory):
    made = tmp_path_factory.mktemp("damage")
    build(made)
    return made


@pytest.fixture(scope="module")
def expected(here):
    found = {store: answers(here, store) for store in STORES}
    for store, answered in found.items():
        for (command, _), done in zip(store.asked, answered, strict=True):
            assert done.status == 0, (command, done)
            assert done.out, command
    return found


def found_silent(here, expected, store, chosen):
    """Give the trials that went unnoticed, with the commands."""
    kept = here.with_name("kept") / store.name
    shutil.rmtree(kept, ignore_errors=True)
    shutil.copytree(here / store.name, kept)
    wrong = []
    try:
        for trial in chosen:
            shutil.rmtree(here / store.name)
            shutil.copytree(kept, here / store.name)
            if trial.spoil(here / store.name):
                said = silent(expected[store], answers(here, store), store)
                wrong += [f"{trial.file}, {trial.how} {trial.seed}: {each}" for each in said]
    finally:
        shutil.rmtree(here / store.name)
        shutil.copytree(kept, here / store.name)
    return wrong


@pytest.mark.parametrize("store", STORES, ids=lambda store: store.name)
def test_damage_is_named_or_changes_no_answer(here, expected, store):
    every = list(trials(here, store, 1))
    assert not found_silent(here, expected, store, random.Random(17).sample(every, 4))


@pytest.mark.slow  # minutes: every file, every way
@pytest.mark.parametrize("store", STORES, ids=lambda store: store.name)
def test_damage_of_every_file_is_named_or_changes_no_answer(here, expected, store):
    wrong = found_silent(here, expected, store, trials(here, store, 5))
    assert not wrong, "\n".join(wrong)
