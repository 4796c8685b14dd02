"""Settings that come from files: a config file, and a secret seed."""

from __future__ import annotations

import hashlib
import tomllib
from collections.abc import Mapping
from pathlib import Path

from copysift.errors import InputError, UsageError
from copysift.runtime.small_files import read_small
from copysift.settings.declaration import Setting
from copysift.settings.nearest import nearest
from copysift.settings.parsing import secret


def read_config(
    path: Path, declared: Mapping[str, Setting], others: Mapping[str, Setting] | None = None
) -> dict[str, object]:
    """Read a config file: names of options, with - or _, and their values.

    It is read only when it is named: no answer depends on a file that happens to be in a folder.
    `declared` are the options of a command; `others` those of all commands, so that one file can serve
    several.
    """
    try:
        loaded = tomllib.loads(read_small(path).decode())
    except OSError as error:
        raise UsageError(f"cannot read the config file {path}: {error.strerror}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UsageError(f"{path} is not TOML: {error}") from None
    except RecursionError:
        raise UsageError(f"{path} has too many lists in one another") from None
    known = {**(others or {}), **declared}
    old = {each.key for entry in known.values() for each in entry.aliases}
    values = {key.replace("-", "_"): value for key, value in loaded.items()}
    for key, value in values.items():
        if key in declared:
            declared[key].parse(f"{path}: {declared[key].key}", value)
        elif key not in known and key not in old:
            named = key.replace("_", "-")
            keys = [entry.key for entry in known.values()]
            near = nearest(named, [entry.key for entry in declared.values()]) or nearest(named, keys)
            hint = f"did you mean {near}?" if near else f"settings: {', '.join(keys)}"
            raise UsageError(f"{path}: there is no setting {named!r}", hint=hint)
    return values


def read_secret(path: str) -> int:
    """Read a secret seed: the first line of a file."""
    try:
        lines = read_small(path).decode(errors="surrogateescape").splitlines()
    except OSError as error:
        raise InputError(f"cannot read the seed file {path}: {error.strerror}") from None
    if not lines or not lines[0].strip():
        raise UsageError(f"the seed file {path} is empty")
    return secret("seed", lines[0].strip())


def seed_check(seed: int) -> str | None:
    """Give a check by which a seed can be recognised but not found, or None without one."""
    if not seed:
        return None
    return hashlib.blake2b(seed.to_bytes(8, "little"), digest_size=8, person=b"copysift").hexdigest()
