import dataclasses
import warnings

import pytest

from copysift.cli.main import COMMANDS
from copysift.cli.options import CLASSES, declared, default_of
from copysift.errors import UsageError
from copysift.model.traits import kind_traits
from copysift.settings.comparison import Settings, Thresholds
from copysift.settings.config import read_config
from copysift.settings.corpus import CorpusSettings
from copysift.settings.declaration import make, settings_of
from copysift.settings.refusals import REFUSALS, refuse_all

REDEFINED = {  # with_default
    "shingle", "scheme", "modulus", "max_shared", "measure", "floor", "min_shared", "by",
}  # fmt: skip


@pytest.mark.parametrize("written", ["25%", ".25", "0.25", 0.25, " 25 % ".replace(" ", "")])
def test_a_share_may_be_written_in_percent_or_as_a_fraction(written):
    assert make(Settings, {"threshold": written}).threshold == 0.25


@pytest.mark.parametrize(
    ("written", "bytes_"),
    [("2GB", 2 * 10**9), ("512MiB", 512 * 2**20), ("1.5G", 3 * 2**29), ("64 MB", 64 * 10**6), (10**8, 10**8)],
)
def test_a_size_may_be_written_with_a_unit(written, bytes_):
    assert make(Settings, {"memory": written}).memory == bytes_


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"noise": 30, "guarantee": 20}, "the noise threshold 30 is above the guarantee threshold 20"),
        ({"noise": 0}, "--noise is 0, but must be between 1 and 100,000"),
        ({"guarantee": "many"}, "--guarantee needs a whole number, not 'many'"),
        ({"threshold": "25"}, "--threshold is 25, but must be between 0 and 1, or 0% and 100%"),
        ({"threshold": "-1%"}, "--threshold is -0.01, but must be between 0 and 1, or 0% and 100%"),
        ({"threshold": "half"}, "--threshold needs a share, not 'half'"),
        ({"threshold": "nan"}, "--threshold needs a share, not 'nan'"),
        (
            {"threshold": ".5", "measure": "shared"},
            "--threshold is 0.5, but --measure shared needs a whole number",
        ),
        ({"measure": "distance"}, "--measure has no choice 'distance'"),
        ({"memory": "2XB"}, "--memory needs a size, not '2XB'"),
        ({"memory": "1kB"}, "--memory is 1000, but must be at least 16,000,000"),
        ({"size_ratio": "0.5"}, "--size-ratio is 0.5, but must be at least 1"),
        ({"max_shared": 1}, "--max-shared is 1, but must be at least 2"),
        ({"hidden": "yes"}, "--hidden is true or false, not 'yes'"),
        ({"colour": "red"}, "there is no setting 'colour'"),
    ],
)
def test_a_wrong_value_is_named_with_what_would_be_right(values, message):
    with pytest.raises(UsageError) as caught:
        make(Settings, values)
    assert caught.value.message == message


def test_the_window_is_guarantee_minus_noise_plus_one():
    assert Thresholds(25, 50).window == 26
    assert kind_traits("bytes").thresholds.window == 256


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ({}, "text", (25, 50)),
        ({}, "words", (10, 10)),
        ({}, "bytes", (50, 305)),
        ({}, "code", (8, 12)),
        ({}, "a plug-in's kind", (25, 50)),
        ({"noise": 40}, "text", (40, 65)),
        ({"guarantee": 100}, "text", (25, 100)),
        ({"guarantee": 20}, "text", (10, 20)),
        ({"noise": 5, "guarantee": 5}, "bytes", (5, 5)),
    ],
)
def test_thresholds_that_are_not_set_follow_the_kind(values, kind, expected):
    assert make(Settings, values).thresholds(kind) == expected


def test_the_threshold_that_is_not_set_follows_the_measure():
    assert Settings().cut == 0.25
    assert Settings(measure="shared").cut == 10
    assert Settings(measure="longest", threshold=7).cut == 7


def test_a_seed_may_be_a_number_or_any_text():
    assert make(Settings, {"seed": "17"}).seed == 17
    assert make(Settings, {"seed": 2**64 - 1}).seed == 2**64 - 1
    worded = make(Settings, {"seed": "a secret"}).seed
    assert 0 < worded < 2**64
    assert worded != make(Settings, {"seed": "another"}).seed


@pytest.mark.parametrize("command", COMMANDS)
def test_every_setting_has_help_a_flag_and_a_default_in_words(command):
    for entry in declared(command).values():
        assert entry.help.endswith((".", ".)"))
        assert entry.flags[-1].startswith("--")
        assert "" not in entry.choices
        assert isinstance(entry.default, bool) or entry.name == "verbose" or default_of(entry, command)


def test_an_option_is_declared_once():
    classes = {base for kind in CLASSES for base in kind.__mro__ if dataclasses.is_dataclass(base)}
    homes: dict[str, set[str]] = {}
    for kind in classes:
        for name, made in vars(kind).get("__annotations__", {}).items():
            field = next((each for each in dataclasses.fields(kind) if each.name == name), None)
            if field is not None and made and name not in REDEFINED:
                homes.setdefault(field.metadata["setting"].flags[-1], set()).add(f"{kind.__name__}.{name}")
    twice = {flag: names for flag, names in homes.items() if len(names) > 1}
    # the kept passages of dedup have the old name until it gets one for what it does
    assert twice.pop("--passages") == {"Door.cut_passages", "Door.passages"}
    assert twice.pop("--overwrite") == {"Door.overwrite", "SweepOptions.overwrite"}  # of a run, of a sweep
    assert twice.pop("--since") == {"Door.since_commit", "TraceOptions.since"}  # a commit, a date
    assert not twice


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ({"resemblance": ".7"}, {"threshold": ".7"}),
        ({"contained": True}, {"measure": "containment"}),
        ({"contained": False}, {}),
        ({"html": "always"}, {"kind": "html-words"}),
        ({"html": "never"}, {"kind": "words"}),
        ({"html": "auto"}, {}),
        ({"method": "mod"}, {}),
        ({"method": "super"}, {"candidates": "super"}),
        ({"input": "warc"}, {"input_format": "warc"}),
    ],
)
def test_an_old_keyword_warns_and_means_what_it_meant(old, new):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        assert make(CorpusSettings, old) == make(CorpusSettings, new)
    assert [each.category for each in caught] == [DeprecationWarning] * (old != {"contained": False})


def test_an_old_and_a_present_name_together_are_refused():
    with pytest.raises(UsageError) as caught:
        make(CorpusSettings, {"resemblance": ".7", "threshold": ".7"})
    assert caught.value.message == "resemblance is an old name of threshold, and you gave both"


def test_a_threshold_below_the_default_floor_lowers_it_and_two_given_values_must_agree():
    assert make(CorpusSettings, {"threshold": "20%"}).floor == 0.2
    assert make(Settings, {"threshold": "2%"}).floor == 0.02
    assert make(CorpusSettings, {"threshold": "80%"}).floor == 0.3
    with pytest.raises(UsageError, match=r"threshold 0\.2 is below floor 0\.25"):
        make(CorpusSettings, {"threshold": "20%", "floor": "25%"})


def test_shingle_is_short_for_words_with_these_thresholds():
    made = make(Settings, {"shingle": 5})
    assert (made.kind, made.noise, made.guarantee) == ("words", 5, 5)
    with pytest.raises(UsageError, match="does not fit kind code"):
        make(Settings, {"shingle": 5, "kind": "code"})


def test_what_makes_no_sense_in_a_command_is_refused_with_a_reason_and_a_hint():
    for row in REFUSALS:
        for command in row.commands.split():
            entry = declared(command)[row.option]
            named = ("winnow", "min") if row.option == "scheme" else ("code", "x", ("x",), 7, 0.2, True)
            value = next(
                each
                for each in (*row.values, *entry.choices, *named)
                if each != entry.default and row.concerns(command, each)
            )
            with pytest.raises(UsageError, match=f"is not possible in {command}: ") as caught:
                refuse_all((command,), {row.option: value}, declared(command))
            assert caught.value.hint


def test_a_config_file_takes_names_with_hyphens_or_underscores(tmp_path):
    config = tmp_path / "copysift.toml"
    config.write_text('min-shared = 5\nsame_suffix = true\nthreshold = "40%"\ninclude = ["*.txt"]\n')
    assert read_config(config, settings_of(Settings)) == {
        "min_shared": 5, "same_suffix": True, "threshold": "40%", "include": ["*.txt"],
    }  # fmt: skip


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("min-sharde = 5\n", "there is no setting 'min-sharde'"),
        ('min-shared = "few"\n', "min-shared needs a whole number, not 'few'"),
        ("min-shared =\n", "is not TOML"),
        ("include = " + "[" * 5000, "has too many lists in one another"),
    ],
)
def test_a_wrong_config_file_is_named(tmp_path, content, message):
    config = tmp_path / "copysift.toml"
    config.write_text(content)
    with pytest.raises(UsageError, match=r"copysift\.toml") as caught:
        read_config(config, settings_of(Settings))
    assert message in caught.value.message


def test_a_key_that_is_nearly_right_gets_a_hint(tmp_path):
    config = tmp_path / "copysift.toml"
    for key, hint in (("treshold", "did you mean threshold?"), ("min_share", "did you mean min-shared?")):
        config.write_text(f"{key} = 1\n")
        with pytest.raises(UsageError) as caught:
            read_config(config, settings_of(Settings))
        assert caught.value.hint == hint
    config.write_text("nonsense = 1\n")
    with pytest.raises(UsageError) as caught:
        read_config(config, settings_of(Settings))
    assert caught.value.hint.startswith("settings: ")
    assert "min-shared, " in caught.value.hint
