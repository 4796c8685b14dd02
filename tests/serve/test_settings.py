"""The options of the server come from declarations: command line, variables and config file."""

from __future__ import annotations

from pathlib import Path

import pytest

from copysift.cli import serve as command
from copysift.cli.main import main
from copysift.cli.options import declared, values_from
from copysift.errors import UsageError
from copysift.settings.environment import read_environment
from copysift.settings.server import ServeOptions


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[ServeOptions]:
    """Catch the settings instead of serving."""
    import copysift.serve.server as server

    found: list[ServeOptions] = []

    def run(settings: ServeOptions, say: object) -> None:
        found.append(settings)

    monkeypatch.setattr(server, "run", run)
    return found


def test_an_option_wins_over_a_variable_and_that_over_the_config_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, started: list[ServeOptions]
) -> None:
    config = tmp_path / "serve.toml"
    config.write_text('port = 1\nmax-jobs = 2\nmax-upload = "3MB"\nindex = ["a.sift"]\nlog-format = "json"\n')
    monkeypatch.setenv("COPYSIFT_SERVE_PORT", "10")
    monkeypatch.setenv("COPYSIFT_SERVE_MAX_JOBS", "20")
    monkeypatch.setenv("COPYSIFT_SERVE_RUN", "one:two")
    monkeypatch.setenv("COPYSIFT_SERVE_HOST", "")
    assert main(["serve", "--config", str(config), "--port", "100"]) == 0
    assert started == [
        ServeOptions(
            port=100, max_jobs=20, max_upload=3_000_000, index=("a.sift",), run=("one", "two"),
            log_format="json",
        )
    ]  # fmt: skip


def test_a_switch_that_is_turned_off_wins_over_its_variable(
    monkeypatch: pytest.MonkeyPatch, started: list[ServeOptions]
) -> None:
    monkeypatch.setenv("COPYSIFT_SERVE_QUIET", "yes")
    assert command.merged({"quiet": None, "verbose": 0})["quiet"] is True
    assert command.merged({"quiet": False, "verbose": 0})["quiet"] is False


def test_the_settings_are_printed_without_the_address_of_the_webhook(
    started: list[ServeOptions], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "-v", "--webhook", "https://example.org/hook/secret?key=hidden"]) == 0
    shown = capsys.readouterr().err
    assert "copysift: webhook: ***\n" in shown
    assert "copysift: store: \n" in shown
    assert "secret" not in shown.replace("oidc-secret-file", "")


def test_every_option_has_a_variable(started: list[ServeOptions]) -> None:
    entries = declared("serve")
    for name in ("port", "idle_seconds", "quiet", "verbose", "token_file"):
        variable = {f"{command.VARIABLES}{name.upper()}": "1"}
        assert list(read_environment(command.VARIABLES, entries, variable)) == [name]


@pytest.mark.parametrize(
    ("variable", "value", "words"),
    [
        ("COPYSIFT_SERVE_PROT", "1", "there is no setting for the variable COPYSIFT_SERVE_PROT"),
        ("COPYSIFT_SERVE_PORT", "many", "variable: COPYSIFT_SERVE_PORT needs a whole number"),
        ("COPYSIFT_SERVE_QUIET", "maybe", "the variable COPYSIFT_SERVE_QUIET is 'maybe'"),
    ],
)
def test_a_wrong_variable_is_named(variable: str, value: str, words: str) -> None:
    with pytest.raises(UsageError, match=words):
        read_environment(command.VARIABLES, declared("serve"), {variable: value})


def test_old_names_of_limits_still_work(
    started: list[ServeOptions], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--max-bytes", "5MB", "--idle", "7"]) == 0
    assert (started[0].max_upload, started[0].idle_seconds) == (5_000_000, 7.0)
    assert "--max-bytes is now --max-upload" in capsys.readouterr().err


@pytest.mark.parametrize(
    "words",
    [["--port", "70000"], ["--idle-seconds", "0"], ["--moss-results", "secret"], ["--keep-days", "0"]],
)
def test_a_value_outside_its_limits_is_refused(started: list[ServeOptions], words: list[str]) -> None:
    assert main(["serve", *words]) == 2
    assert not started


def test_a_misspelled_variable_or_key_gets_one_of_the_server_as_a_hint(tmp_path: Path) -> None:
    for name, hint in (("PROT", "did you mean COPYSIFT_SERVE_PORT?"), ("ZZZ", "variables: COPYSIFT_SERVE_")):
        with pytest.raises(UsageError) as caught:
            read_environment(command.VARIABLES, declared("serve"), {command.VARIABLES + name: "1"})
        assert caught.value.hint.startswith(hint)
    config = tmp_path / "serve.toml"
    config.write_text('dat = "x"\n')  # nearer to a setting of another command, date
    with pytest.raises(UsageError) as caught:
        values_from("serve", {"config": str(config)})
    assert caught.value.hint == "did you mean data?"
