"""The interesting sets of a scan (sif, section 4), with some of what each shares."""

from __future__ import annotations

import dataclasses

from copysift.clusters.shared_sets import SetSearch
from copysift.errors import UsageError
from copysift.kinds.kind import CODE, TEXT
from copysift.model.values import Result, SharedSet
from copysift.workflows.scan import Scan

LEAST = 10  # fingerprints, unless --min-shared says otherwise
SHOWN = 1000  # sets whose shared text is looked up


def with_sets(result: Result, scan: Scan, least: int | None) -> Result:
    """Add the sets of files that all share at least this many fingerprints, the largest evidence first."""
    if not scan.lists or result.submissions:
        raise UsageError("--sets is about files, not submissions", hint="leave out --by")
    texts_only = CODE not in scan.lists or scan.lists[TEXT].chosen.sizes.any()
    channel = TEXT if texts_only else CODE
    postings = scan.lists[channel].chosen
    search = SetSearch(postings.offsets, postings.groups.astype("int64"), LEAST if least is None else least)
    found = search.run()
    names = [group.name for group in result.documents]
    equal = {members[0]: members for members in result.equal}
    made = []
    for at, each in enumerate(found):
        members = tuple(
            name for number in each.members for name in equal.get(names[number], (names[number],))
        )
        values = [int(postings.hashes[number]) for number in each.fingerprints] if at < SHOWN else []
        texts = (scan.text_of(channel, each.members[0], value) for value in values)
        made.append(SharedSet(members, each.shared, tuple(dict.fromkeys(filter(None, texts)))))
    note = "the search for sets was stopped: there may be more sets, and larger ones (raise --min-shared)"
    return dataclasses.replace(
        result, sets=tuple(made), notes=(*result.notes, note) if search.stopped else result.notes
    )
