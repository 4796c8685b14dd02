"""Which fields of a record are its name, its text, its date."""

from __future__ import annotations

from copysift.runtime.lazy_dataclass import dataclass

ID_FIELDS = ("id", "uri", "url")  # tried in this order where no field is named
TEXT_FIELD = "text"
FILE_FIELDS = ("path", "file_name", "filename")  # fields that tell by which file name a record is judged
LANGUAGE_FIELD = "language"


@dataclass(frozen=True, slots=True)
class Fields:
    """Which fields of a record are its name, its text, its date; "" for id: the first of id, uri, url.

    `features` names a field that has a list, which is then compared instead of the text. `names` are
    the fields tried where no id is named; `named`: a record without any of them is left out;
    `whole`: what is carried through is the record as it came, not only its remaining fields.
    """

    id: str = ""
    text: str = TEXT_FIELD
    date: str = ""
    features: str = ""
    names: tuple[str, ...] = ID_FIELDS
    named: bool = False
    whole: bool = False
