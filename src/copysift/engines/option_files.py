"""What the files that options name say: languages of --language-file, shingles of --base.

They are read once, where a run starts, and sent to the tasks of an engine. All shingles of a base file leave
every document of the corpus as it is sketched: those of its own kind, and those of its words, for a program
may come in a record without a name too. A run keeps them for documents that are added or looked up later.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import numpy as np

from copysift.engines import phases
from copysift.engines.reading import feature_function, records
from copysift.errors import InputError
from copysift.join.boilerplate import Boilerplate
from copysift.kinds import Languages, languages
from copysift.model.values import Skipped
from copysift.runs.sketches import read_base
from copysift.runtime.arrays import distinct
from copysift.settings.corpus import CorpusSettings


def option_files(settings: CorpusSettings, earlier: Path | None = None) -> phases.OptionFiles:
    """Read them; the base of an earlier run, in whose sketches folder it is, is taken from there."""
    known = languages().with_files(settings.language_file) if settings.language_file else None
    if earlier is not None:
        return phases.OptionFiles(known, read_base(earlier))
    return phases.OptionFiles(known, _base(settings, known))


def _base(settings: CorpusSettings, known: Languages | None) -> Boilerplate:
    """Give all shingles of the base files, in every channel that they may meet documents in."""
    found = [np.zeros(0, np.uint64)]
    function, files = feature_function(settings.features), phases.OptionFiles(known)
    ways = [settings]
    if settings.kind == "auto" and not settings.features:
        ways.append(replace(settings, kind="words", language=""))
    for path in settings.base:
        if not os.path.lexists(path):
            raise InputError(f"--base {path}: file or folder not found")
        before = len(found)
        for batch in records([path], settings):
            if isinstance(batch, Skipped):
                raise InputError(f"--base {path}: {batch.name} {batch.reason}")
            found += (phases.sketch(batch, way, function, files).values for way in ways)
        if not sum(map(len, found[before:])):
            raise InputError(f"--base {path} has no text to ignore", hint="name other files, or leave it out")
    hashes = distinct(np.concatenate(found))
    return Boilerplate(hashes, np.zeros(len(hashes), np.int64))
