from importlib.metadata import EntryPoint
from pathlib import Path

import pytest

from copysift.errors import UsageError
from copysift.runtime import registry


@pytest.mark.parametrize("group", [registry.KINDS, registry.SCHEMES])
def test_every_built_in_can_be_loaded(group):
    for name in registry.names(group):
        made = registry.load(group, name)
        assert callable(made)
        assert made.traits.name == name


@pytest.mark.parametrize(
    ("group", "folder"), [(registry.SCHEMES, "fingerprints/schemes"), (registry.REPORTS, "report/formats")]
)
def test_every_file_of_a_folder_is_built_in(group, folder):
    files = list((Path(registry.__file__).parents[1] / folder).glob("[a-z]*.py"))
    assert len(files) == len(registry.built_in(group)) > 5


def test_an_unknown_name_is_answered_with_the_known_ones():
    with pytest.raises(UsageError) as caught:
        registry.load(registry.SCHEMES, "minhash")
    assert caught.value.message == "there is no scheme 'minhash'"
    assert "robust, winnow, mod" in caught.value.hint


def test_a_plug_in_comes_in_by_the_same_door_and_cannot_take_a_built_in_name(monkeypatch):
    plugged = [
        EntryPoint("shout", "builtins:str", registry.REPORTS),
        EntryPoint("json", "builtins:int", registry.REPORTS),
    ]
    monkeypatch.setattr(registry, "entry_points", lambda group: plugged)
    registry.table.cache_clear()
    try:
        assert registry.load(registry.REPORTS, "shout") is str
        assert registry.load(registry.REPORTS, "json") is not int
        assert registry.names(registry.REPORTS) == (
            "table",
            "json",
            "csv",
            "sif",
            "html",
            "moss",
            "github",
            "shout",
        )
    finally:
        registry.table.cache_clear()
