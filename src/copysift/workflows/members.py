"""Find one document in an archive, a mailbox or a file of records, by the name that a scan gives it."""

from __future__ import annotations

from itertools import accumulate

from copysift.errors import InputError
from copysift.model.document import INSIDE, Document
from copysift.model.values import Skipped
from copysift.settings.comparison import Settings
from copysift.sources.inputs import Inputs
from copysift.sources.places import exists, is_file
from copysift.sources.spool import Spool
from copysift.workflows.selection import folder_of
from copysift.workflows.submissions import reading_of


def container_of(place: str) -> str:
    """Give the file that a document is in by its name, or "" if it is in none."""
    if INSIDE not in place or exists(place):
        return ""
    *outer, _ = accumulate(place.split(INSIDE), lambda one, other: f"{one}{INSIDE}{other}")
    return next(filter(is_file, outer), "")


def two_of(places: tuple[str, str], settings: Settings) -> list[Document]:
    """Give two documents, if one at least is in another file; else nothing, and both are read as files."""
    if not any(map(container_of, places)):
        return []
    return [_document(place, settings) for place in dict.fromkeys(places)]


def _document(place: str, settings: Settings) -> Document:
    inputs = Inputs(reading_of(settings), Spool(folder_of(settings)), qualified=True)
    outer = container_of(place)
    documents = inputs.documents([outer]) if outer else inputs.as_files([place])
    found = next((each for each in documents if each.name == place), None)
    if isinstance(found, Skipped):
        raise InputError(f"{place}: {found.reason}")
    if found is not None:
        return found
    raise InputError(f"{place}: no such document in {outer}" if outer else f"{place}: no such file or folder")
