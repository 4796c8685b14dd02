"""The run that a corpus is compared with: a finished one, or one made for a while of any other source."""

from __future__ import annotations

import dataclasses
import os
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from copysift.engines.cluster_run import check_onto, cluster
from copysift.errors import CopysiftError, RunError
from copysift.runs.tables import is_corpus
from copysift.runtime.progress import Progress
from copysift.settings.corpus import CorpusSettings
from copysift.sources.walk import is_run


@contextmanager
def known_run(
    place: str | os.PathLike[str] | None,
    settings: CorpusSettings,
    given: Iterable[str],
    progress: Progress | None = None,
) -> Iterator[Path | None]:
    """Give a run of what `--against` names; refuse settings that were `given` and are not those of a run."""
    if place is None:
        yield None
        return
    path = Path(place)
    if is_run(str(path)) and not is_corpus(path):
        raise RunError(f"{path} was not made by copysift cluster", hint="cluster the documents first")
    if is_corpus(path):
        check_onto(path, settings, given)
        yield path
        return
    alone = dataclasses.replace(settings, earlier=(), metadata="", slim=False)
    with tempfile.TemporaryDirectory(prefix="copysift-") as spare:
        run = Path(spare) / "run"
        try:
            cluster([os.fspath(place)], run, alone, progress=progress)
            yield run
        except CopysiftError as error:
            error.message = error.message.replace(str(run), str(path))
            raise
