"""The forms in which values are written: 25% and .25, 2GB, yes and no.

Each function takes the name to blame and a value as a command line, a TOML file or Python gives it.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable
from os import PathLike, fspath

from copysift.errors import UsageError

_UNITS = {
    "": 1, "B": 1,
    "K": 2**10, "KIB": 2**10, "KB": 10**3,
    "M": 2**20, "MIB": 2**20, "MB": 10**6,
    "G": 2**30, "GIB": 2**30, "GB": 10**9,
    "T": 2**40, "TIB": 2**40, "TB": 10**12,
}  # fmt: skip


def text(name: str, value: object) -> str:
    """Take a string or a path."""
    if isinstance(value, str | PathLike):
        return str(fspath(value))
    raise UsageError(f"{_spell(name)} needs text, not {value!r}")


def texts(name: str, value: object) -> tuple[str, ...]:
    """Take one string or several."""
    if isinstance(value, str):
        return (value,)
    if isinstance(value, Iterable):
        return tuple(text(name, part) for part in value)
    raise UsageError(f"{_spell(name)} needs a list of texts, not {value!r}")


def flag(name: str, value: object) -> bool:
    """Take true or false."""
    if isinstance(value, bool):
        return value
    raise UsageError(f"{_spell(name)} is true or false, not {value!r}")


def count(name: str, value: object) -> int:
    """Take a whole number; 10_000 and 10,000 are fine."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    written = str(value).strip().replace(",", "").replace("_", "")
    if re.fullmatch(r"[+-]?[0-9]{1,18}", written):
        return int(written)
    raise UsageError(f"{_spell(name)} needs a whole number, not {value!r}")


def ratio(name: str, value: object) -> float:
    """Take a number."""
    try:
        number = float(value) if isinstance(value, int | float) else float(str(value))
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or isinstance(value, bool):
        raise UsageError(f"{_spell(name)} needs a number, not {value!r}")
    return number


def fraction(name: str, value: object) -> float:
    """Take a share (25% or .25) or a plain number."""
    number = multiple(name, value)
    if str(value).strip().endswith("%") and number > 1:
        raise UsageError(
            f"{_spell(name)} is {str(value).strip()}, but a share is at most 100%", hint="write 25% or .25"
        )
    return number


def multiple(name: str, value: object) -> float:
    """Take a share that may pass 100%, as sif's does, or a plain number."""
    written = str(value).strip()
    if not isinstance(value, bool):
        try:
            number = float(written[:-1]) / 100 if written.endswith("%") else float(written)
        except ValueError:
            number = math.nan
        if math.isfinite(number):
            return number
    raise UsageError(f"{_spell(name)} needs a share, not {value!r}", hint="write 25% or .25")


def count_or_share(name: str, value: object) -> int | float:
    """Take a whole number, or a share: 20% or .2."""
    if isinstance(value, float) or re.search(r"[%.]", str(value)):
        return fraction(name, value)
    return count(name, value)


def check_max_shared(value: int | float) -> None:
    """Refuse a number of documents, or a share of them, that leaves nothing to compare."""
    if isinstance(value, float) and not 0 < value <= 1:
        raise UsageError(f"--max-shared is {value:g}, but a share is at most 1", hint="write 20% or .2")
    if isinstance(value, int) and value < 2:
        raise UsageError(f"--max-shared is {value}, but must be at least 2", hint="or a share: 20% or .2")


def size(name: str, value: object) -> int:
    """Take a number of bytes: 2GB, 512MiB, 1.5G, 4096."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?|\.[0-9]+)\s*([A-Za-z]*)", str(value).strip())
    unit = _UNITS.get(found.group(2).upper()) if found else None
    if found is None or unit is None:
        raise UsageError(
            f"{_spell(name)} needs a size, not {value!r}", hint="write 2GB, 512MiB or a number of bytes"
        )
    return int(float(found.group(1)) * unit)


def secret(name: str, value: object) -> int:
    """Take a seed: a number below 2^64 as it is, any other text by its hash."""
    if isinstance(value, bool):
        raise UsageError(f"{_spell(name)} needs a number or text, not {value!r}")
    written = str(value)
    if re.fullmatch(r"[0-9]{1,20}", written) and int(written) < 2**64:
        return int(written)
    if isinstance(value, str):
        digest = hashlib.blake2b(written.encode("utf-8", "surrogateescape"), digest_size=8)
        return int.from_bytes(digest.digest(), "little")
    raise UsageError(f"{_spell(name)} needs a number below 2^64 or text, not {value!r}")


def _spell(name: str) -> str:
    return name if ":" in name else f"--{name.replace('_', '-')}"
