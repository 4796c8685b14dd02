"""Draw another sample: fingerprint every kept text again with another secret seed (Broder et al. 1997, §6.6).

Whoever learned, or guessed from answers, which fingerprints an index samples could craft a copy that
avoids them. With another seed others are sampled, and what was avoided is found. One commit does it.
"""

from __future__ import annotations

import dataclasses

from copysift.errors import StoreError
from copysift.settings.comparison import Settings
from copysift.settings.config import seed_check
from copysift.store.base_code import base_of
from copysift.store.boilerplate import MAX_SHARED, most_shared
from copysift.store.losses import recount
from copysift.store.snapshot import Snapshot
from copysift.store.timeline import adopt, is_swept
from copysift.store.writer import Writer, distinct
from copysift.workflows.stored_settings import reader_of
from copysift.workflows.sweep_relations import relate_all


def resample(writer: Writer, settings: Settings, seed: int) -> int:
    """Fingerprint all contents of an index with another seed and commit; give how many there are."""
    catalog = writer.catalog
    stored = catalog.about("settings")
    if not stored.get("keep_text"):
        raise StoreError(
            f"{writer.folder} stores no texts, which resampling needs",
            hint="recreate the index with --keep-text, or with another --seed-file",
        )
    if len(base_of(catalog)[0]):
        raise StoreError(
            f"{writer.folder} ignores base code, whose fingerprints with another seed are not known",
            hint="recreate the index with --base and the new seed",
        )
    reader = reader_of(dataclasses.replace(settings, seed=seed), stored)
    texts = Snapshot.uncommitted(catalog)
    contents = list(catalog.all_contents())
    for row in catalog.segments():
        writer.drop_segment(row)
    catalog.run("DELETE FROM merges")
    catalog.run("DELETE FROM removed")
    if catalog.has_views:
        catalog.run("DELETE FROM views")
    for content in contents:
        text = texts.text(content.number)
        if text is None:
            raise StoreError(f"{writer.folder} has lost the text of content {content.number}")
        source = [text] if text else []
        main, further = reader.views(content.kind, lambda source=source: source)  # type: ignore[misc]
        recount(writer, content.number, len(main.hashes), distinct(main.hashes))
        writer.file_postings(content.number, main)
        writer.put_views(content.number, further)
    catalog.set_about("settings", {**stored, "seed": seed_check(seed)})
    if is_swept(catalog):
        if not catalog.has_table("boilerplate"):
            adopt(catalog)
        relate_all(writer, settings, most_shared(catalog, catalog.about("max_shared") or MAX_SHARED))
    writer.changed = True
    writer.commit()
    return len(contents)
