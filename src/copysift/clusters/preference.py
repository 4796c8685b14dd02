"""What --keep accepts, and the number that --keep best:FIELD goes by; the same for every engine."""

from __future__ import annotations

import json
import math

from copysift.errors import UsageError
from copysift.sources.field_paths import values_at


def choice(keeping: str, contained: bool = False) -> tuple[str, str]:
    """Give what --keep chooses by, and its field.

    Without a wish it is the first, but where `contained` documents go, the longest: it has the others in it.
    """
    how, _, field = (keeping or ("longest" if contained else "first")).partition(":")
    if how not in ("first", "longest", "newest", "best") or (how == "best") != bool(field):
        raise UsageError(
            f"{keeping!r} does not say which document to keep", hint="first, longest, newest or best:FIELD"
        )
    return how, field


def no_date() -> UsageError:
    """Say that nothing can be the newest."""
    return UsageError("no record has a date", hint="name its field with --date-field")


def no_number(field: str) -> UsageError:
    """Say that nothing can be the best."""
    return UsageError(f"no record has a number in the field {field!r}")


def score(other: str | None, field: str) -> float:
    """Give the number in a field of a record, also `meta.score`; what is none comes last."""
    try:
        found = float(next(values_at(json.loads(other or "{}"), field), math.nan))
    except (TypeError, ValueError, OverflowError):
        return -math.inf
    return -math.inf if math.isnan(found) else found
