"""The options of the commands on a corpus, made from the declarations in settings_corpus.py."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from copysift.cli import console
from copysift.cli.options import SettingOption, _option, config_option
from copysift.errors import UsageError
from copysift.model.values import TAKEN, Skipped
from copysift.settings.comparison import Door, read_config
from copysift.settings.corpus import CorpusDoor, CorpusSettings
from copysift.settings.declaration import make, settings_of

if TYPE_CHECKING:
    from copysift.runtime.progress import Progress

F = TypeVar("F", bound=Callable[..., Any])
NAMED = 20  # of the skipped records, so many are named on the terminal; run.json has more


def options(command: str) -> Callable[[F], F]:
    """Decorate a click command with its settings."""

    def decorate(function: F) -> F:
        every = [*settings_of(CorpusSettings).values(), *settings_of(CorpusDoor).values()]
        made: list[SettingOption] = [_option(entry, command) for entry in every if command in entry.commands]
        made.append(config_option())
        parameters = getattr(function, "__click_params__", [])
        function.__click_params__ = [*reversed(made), *parameters]  # type: ignore[attr-defined]
        return function

    return decorate


def settings_from(given: Mapping[str, object]) -> tuple[CorpusSettings, CorpusDoor]:
    """Make the settings: what was given, else the config file, else the defaults."""
    known = {**settings_of(CorpusSettings), **settings_of(CorpusDoor)}
    config = given.get("config")
    values: dict[str, object] = read_config(Path(str(config)), (CorpusSettings, CorpusDoor)) if config else {}
    values = {name: value for name, value in values.items() if name in known and name in given}
    values |= {
        name: value
        for name, value in given.items()
        if name in known and value is not None and value != () and not (name == "verbose" and value == 0)
    }
    deciding = settings_of(CorpusSettings)
    if "resemblance" in values and "floor" not in values:  # a low threshold asks for a low floor
        share = deciding["resemblance"].parse("resemblance", values["resemblance"])
        values["floor"] = min(CorpusSettings().floor, share)
    return (
        make(CorpusSettings, {name: value for name, value in values.items() if name in deciding}),
        make(CorpusDoor, {name: value for name, value in values.items() if name not in deciding}),
    )


def was_given(given: Mapping[str, object]) -> list[str]:
    """Name the options that stand on the command line."""
    return [name for name, value in given.items() if value is not None and value != ()]


@contextmanager
def progress(door: CorpusDoor) -> Iterator[Progress]:
    """Show a bar for every phase, on a terminal only."""
    with console.progress(Door(quiet=door.quiet)) as shown:
        yield shown


class _NoPandas:
    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name)


def spare_pandas() -> None:
    """Let pyarrow look for pandas once and not find it: loading it delays the start noticeably.

    Nothing that these commands do needs it; code that imports pandas later still gets it.
    """
    if "pandas" in sys.modules:
        return
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        import pyarrow as pa

        pa.array([])
    finally:
        sys.meta_path.remove(finder)


def name_skipped(named: Iterable[tuple[str, str]], total: int, where: str) -> None:
    """Name the first records that were left out or changed, and say where the others are named."""
    shown = list(named)
    for name, reason in shown[:NAMED]:
        if reason in TAKEN:
            console.note(f"noted {name}: {reason}")
        else:
            console.name_skipped([Skipped(name, reason)])
    if total > NAMED:
        console.note(f"… and {total - min(NAMED, len(shown)):,} more{where}")


def check_engine(sources: Iterable[str], door: CorpusDoor) -> None:
    """Refuse what only Spark can do."""
    if door.engine == "spark":
        return
    if "://" in door.output:
        raise UsageError("only Spark writes to a URI", hint="add --engine spark, or name a file or a folder")
    for source in sources:
        if "://" in source:
            raise UsageError(f"only Spark reads a URI: {source}", hint="add --engine spark, or name a file")


def told(content: str) -> None:
    """Write an answer to standard output."""
    sys.stdout.write(content)


def run_path(name: str) -> Path:
    """Give the folder of a run."""
    return Path(name)


def tell_rounds() -> None:
    """Let phases tell what they log on the way, such as the rounds of the components on Spark."""
    import logging

    logging.basicConfig(format="%(message)s")
    logging.getLogger("copysift").setLevel(logging.INFO)
