"""Options and values that make no sense in a command, each with the reason and what to use instead."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from copysift.errors import UsageError
from copysift.model.traits import scheme_traits
from copysift.settings.commands import MAKE_RUN

if TYPE_CHECKING:
    from copysift.settings.declaration import Setting


class Refusal(NamedTuple):
    """An option of some commands, or these values of it, or values like that, and why."""

    option: str
    commands: str
    reason: str
    hint: str
    values: tuple[object, ...] = ()
    when: Callable[[str], bool] | None = None

    def concerns(self, command: str, value: object) -> bool:
        """Say whether a command refuses this."""
        if command not in self.commands.split():
            return False
        if self.when is not None:
            return self.when(str(value))
        return not self.values or value in self.values


_SETS = "candidates share sampled shingles, whatever is around them in a text, and are then measured by all"
_SIZE = "a sample of fixed size would let long documents miss short ones, and candidates are measured by all"
REFUSALS = (
    Refusal(
        "scheme", MAKE_RUN, _SIZE, "use --modulus to take more or fewer",
        when=lambda name: scheme_traits(name).sketch,
    ),
    Refusal(
        "scheme", MAKE_RUN, _SETS, "choose mod or all, or use scan or index",
        when=lambda name: not scheme_traits(name).corpus,
    ),
    Refusal("anchor", MAKE_RUN, _SETS, "use scan or index"),
    Refusal("disjoint", MAKE_RUN, _SETS, "use scan or index"),
    Refusal(
        "guarantee", MAKE_RUN, f"{_SETS}, so no window guarantees a match",
        "use --modulus 1 to compare all shingles, or scan or index",
    ),
    Refusal("sketch", MAKE_RUN, _SIZE, "use --modulus to take more or fewer"),
)  # fmt: skip


def is_refused(option: str, command: str) -> bool:
    """Say whether a command refuses an option whatever its value."""
    return any(
        each.option == option and command in each.commands.split() and not each.values and not each.when
        for each in REFUSALS
    )


def refuse_all(
    commands: tuple[str, ...], values: Mapping[str, object], declared: Mapping[str, Setting]
) -> None:
    """Raise UsageError for a value that none of the commands can use."""
    for name, value in values.items():
        entry = declared[name]
        taking = [each for each in commands if each in entry.commands]
        if taking and value != entry.default:
            _refuse(entry, taking, value)


def _refuse(entry: Setting, commands: list[str], value: object) -> None:
    """Raise UsageError for a value that all of these commands refuse."""
    rows = [each for each in REFUSALS if each.option == entry.name]
    found = [next((row for row in rows if row.concerns(command, value)), None) for command in commands]
    row = found[0]
    if row is None or None in found:
        return
    shown = f"{entry.flags[-1]} {value}" if row.values or row.when else entry.flags[-1]
    raise UsageError(f"{shown} is not possible in {' or '.join(commands)}: {row.reason}", hint=row.hint)
