"""What the answer of a scan may lack although nothing was skipped: notes, and what was ignored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np

from copysift.model.values import Group, Ignored
from copysift.workflows.channels import Channels
from copysift.workflows.reading import Reader

IGNORED_SHOWN = 20  # of the ignored fingerprints, the commonest, are shown with their text


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


def ignored(channels: Channels, text_of: Callable[[str, int, int], str]) -> Iterator[Ignored]:
    """Give the commonest fingerprints that were ignored, with their text."""
    every = [(name, postings.common) for name, postings in channels.postings.items()]
    rows = [
        (-int(common.degrees[at]), int(common.hashes[at]), int(common.holders[at]), name)
        for name, common in every
        for at in np.argsort(-common.degrees.astype(np.int64), kind="stable")[:IGNORED_SHOWN].tolist()
    ]
    for degree, value, holder, name in sorted(rows)[:IGNORED_SHOWN]:
        yield Ignored(value, -degree, text_of(name, holder, value))
