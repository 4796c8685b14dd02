"""What the answer of a scan may lack although nothing was skipped, as notes to the user."""

from __future__ import annotations

from collections.abc import Iterable

from copysift.model.values import Group
from copysift.workflows.reading import Reader


def too_short(least: int | None, reader: Reader, documents: Iterable[Group]) -> tuple[str, ...]:
    """Say that short passages are not found, or not always, if they were wanted."""
    limits = [reader.noise(kind) for kind in {group.kind for group in documents} if kind]
    if least is None or not limits:
        return ()
    noise, guarantee = min(noise for noise, _ in limits), max(guarantee for _, guarantee in limits)
    if least >= guarantee:
        return ()
    never = f"shorter than the noise threshold ({noise}) are ignored"
    perhaps = f"shorter than the guarantee threshold ({guarantee}) may be missed"
    return (
        f"passages {never if least < noise else perhaps}; "
        f"--noise {min(least, noise)} --guarantee {least} finds all of {least} symbols",
    )
