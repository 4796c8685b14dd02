"""Options that a command declares but does not have yet; the only place that refuses them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from copysift.errors import UsageError
from copysift.settings.refusals import is_refused, refuse

if TYPE_CHECKING:
    from copysift.settings.declaration import Setting


class Pending(NamedTuple):
    """An option of some commands; `values`: only these values of it, `when`: only values like that."""

    option: str
    commands: str
    values: tuple[object, ...] = ()
    when: Callable[[object], bool] | None = None

    def concerns(self, command: str, value: object) -> bool:
        """Say whether a command cannot do this yet."""
        if command not in self.commands.split():
            return False
        if self.when is not None:
            return self.when(value)
        return not self.values or value in self.values


RECORDS = "scan compare index sweep cluster dedup query"
PENDING = (
    Pending("by", "cluster dedup"),
    Pending("max_bytes_per_file", RECORDS),
    Pending("input_format", "scan compare index query"),
)


def is_pending(option: str, command: str) -> bool:
    """Say whether a command cannot use an option at all, so that its help leaves it out."""
    return is_refused(option, command) or any(
        each.option == option and command in each.commands.split() and not each.values and each.when is None
        for each in PENDING
    )


def refuse_pending(
    commands: tuple[str, ...], values: Mapping[str, object], declared: Mapping[str, Setting]
) -> None:
    """Raise UsageError for a value that none of the commands can use yet."""
    for name, value in values.items():
        entry = declared[name]
        taking = [each for each in commands if each in entry.commands]
        rows = [each for each in PENDING if each.option == name]
        if not taking or value == entry.default:
            continue
        refuse(entry, taking, value)
        if all(any(row.concerns(command, value) for row in rows) for command in taking):
            spelled = entry.flags[-1]
            if any(row.values or row.when for row in rows if set(row.commands.split()).intersection(taking)):
                spelled += f" {value}"
            raise UsageError(f"{spelled} is not available in {' or '.join(taking)} yet")
