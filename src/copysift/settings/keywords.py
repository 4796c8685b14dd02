"""Keywords of the Python functions, as types; made from the declarations by scripts/make_keywords.py."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import datetime
from os import PathLike
from typing import Literal, TypedDict


class FeatureRecord(TypedDict):
    """What a function of `features` is called with; `other` has the remaining fields as JSON."""

    id: str
    text: str
    date: str | None
    other: str | None


class ScanKeywords(TypedDict, total=False):
    """Settings of `copysift scan`."""

    kind: str | PathLike[str]
    language: str | PathLike[str]
    base: str | Iterable[str | PathLike[str]]
    language_file: str | Iterable[str | PathLike[str]]
    by: Literal["file", "dir"]
    earlier: str | Iterable[str | PathLike[str]]
    metadata: str | PathLike[str]
    noise: int | None
    guarantee: int | None
    shingle: int | None
    scheme: str | PathLike[str]
    modulus: int | None
    sketch: int
    anchor: str | Iterable[str | PathLike[str]]
    disjoint: bool
    max_shared: float | str
    seed: int | str
    measure: Literal[
        "similarity",
        "resemblance",
        "containment",
        "containment-left",
        "containment-right",
        "sif",
        "shared",
        "longest",
    ]
    threshold: float | str | None
    min_shared: int | None
    limit: int | None
    floor: float | str
    min_match: int | None
    equal_only: bool
    same_suffix: bool
    size_ratio: float | None
    input_format: Literal["auto", "folder", "jsonl", "csv", "tsv", "parquet", "arrow", "warc", "lines"]
    records: Literal["auto", "yes", "no"]
    no_containers: bool
    filter: str | Iterable[str | PathLike[str]]
    id_field: str | PathLike[str]
    text_field: str | PathLike[str]
    include: str | Iterable[str | PathLike[str]]
    exclude: str | Iterable[str | PathLike[str]]
    hidden: bool
    follow: bool
    gitignore: bool
    one_file_system: bool
    max_seconds_per_file: float | None
    max_bytes_per_file: int | str | None
    memory: int | str
    tmp_dir: str | PathLike[str]
    jobs: int


class ShowKeywords(TypedDict, total=False):
    """Settings of `copysift show`."""

    measure: Literal[
        "similarity",
        "resemblance",
        "containment",
        "containment-left",
        "containment-right",
        "sif",
        "shared",
        "longest",
    ]
    threshold: float | str | None
    min_shared: int | None
    limit: int | None
    min_match: int | None
    equal_only: bool
    same_suffix: bool
    size_ratio: float | None
    memory: int | str
    tmp_dir: str | PathLike[str]


class CompareKeywords(TypedDict, total=False):
    """Settings of `copysift compare`."""

    kind: str | PathLike[str]
    language: str | PathLike[str]
    base: str | Iterable[str | PathLike[str]]
    language_file: str | Iterable[str | PathLike[str]]
    by: Literal["file", "dir"]
    metadata: str | PathLike[str]
    noise: int | None
    guarantee: int | None
    shingle: int | None
    scheme: str | PathLike[str]
    modulus: int | None
    sketch: int
    anchor: str | Iterable[str | PathLike[str]]
    disjoint: bool
    seed: int | str
    measure: Literal[
        "similarity",
        "resemblance",
        "containment",
        "containment-left",
        "containment-right",
        "sif",
        "shared",
        "longest",
    ]
    threshold: float | str | None
    input_format: Literal["auto", "folder", "jsonl", "csv", "tsv", "parquet", "arrow", "warc", "lines"]
    records: Literal["auto", "yes", "no"]
    no_containers: bool
    filter: str | Iterable[str | PathLike[str]]
    id_field: str | PathLike[str]
    text_field: str | PathLike[str]
    include: str | Iterable[str | PathLike[str]]
    exclude: str | Iterable[str | PathLike[str]]
    hidden: bool
    follow: bool
    gitignore: bool
    one_file_system: bool
    max_seconds_per_file: float | None
    max_bytes_per_file: int | str | None
    memory: int | str
    tmp_dir: str | PathLike[str]
    jobs: int


class IndexKeywords(TypedDict, total=False):
    """Settings of `copysift index`."""

    kind: str | PathLike[str]
    language: str | PathLike[str]
    base: str | Iterable[str | PathLike[str]]
    language_file: str | Iterable[str | PathLike[str]]
    by: Literal["file", "dir"]
    metadata: str | PathLike[str]
    noise: int | None
    guarantee: int | None
    shingle: int | None
    scheme: str | PathLike[str]
    modulus: int | None
    anchor: str | Iterable[str | PathLike[str]]
    disjoint: bool
    seed: int | str
    input_format: Literal["auto", "folder", "jsonl", "csv", "tsv", "parquet", "arrow", "warc", "lines"]
    records: Literal["auto", "yes", "no"]
    no_containers: bool
    filter: str | Iterable[str | PathLike[str]]
    id_field: str | PathLike[str]
    text_field: str | PathLike[str]
    include: str | Iterable[str | PathLike[str]]
    exclude: str | Iterable[str | PathLike[str]]
    hidden: bool
    follow: bool
    gitignore: bool
    one_file_system: bool
    max_seconds_per_file: float | None
    max_bytes_per_file: int | str | None
    memory: int | str
    tmp_dir: str | PathLike[str]
    jobs: int


class QueryKeywords(TypedDict, total=False):
    """Settings of `copysift query`."""

    kind: str | PathLike[str]
    language: str | PathLike[str]
    base: str | Iterable[str | PathLike[str]]
    measure: Literal[
        "similarity",
        "resemblance",
        "containment",
        "containment-left",
        "containment-right",
        "sif",
        "shared",
        "longest",
    ]
    threshold: float | str | None
    min_shared: int
    limit: int | None
    by: Literal["file", "dir"]
    max_shared: float | str
    window: int | None
    quick: int | None


class SweepKeywords(TypedDict, total=False):
    """Settings of `copysift sweep`."""

    input_format: Literal["auto", "folder", "jsonl", "csv", "tsv", "parquet", "arrow", "warc", "lines"]
    records: Literal["auto", "yes", "no"]
    no_containers: bool
    filter: str | Iterable[str | PathLike[str]]
    date: str | datetime | None
    revision: str | PathLike[str]
    overwrite: bool
    max_shared: float | str | None


class LocateKeywords(TypedDict, total=False):
    """Settings of `copysift locate`."""

    kind: str | PathLike[str]
    language: str | PathLike[str]
    base: str | Iterable[str | PathLike[str]]
    threshold: float | str | None


class HistoryKeywords(TypedDict, total=False):
    """Settings of `copysift history`."""

    since: str | datetime | None
    until: str | datetime | None
    diff: bool


class ChangesKeywords(TypedDict, total=False):
    """Settings of `copysift changes`."""

    threshold: float | str | None
    since: str | datetime | None
    until: str | datetime | None


class CopiesKeywords(TypedDict, total=False):
    """Settings of `copysift copies`."""

    kind: str | PathLike[str]
    language: str | PathLike[str]
    base: str | Iterable[str | PathLike[str]]
    threshold: float | str | None
    original: str | PathLike[str]
    group_by: Literal["host", "folder", "none"]
    watch: bool


class ClusterKeywords(TypedDict, total=False):
    """Settings of `copysift cluster`."""

    kind: str | PathLike[str]
    language: str | PathLike[str]
    base: str | Iterable[str | PathLike[str]]
    language_file: str | Iterable[str | PathLike[str]]
    by: Literal["file", "dir"]
    earlier: str | Iterable[str | PathLike[str]]
    metadata: str | PathLike[str]
    noise: int | None
    shingle: int
    scheme: str | PathLike[str]
    modulus: int
    max_shared: float | str
    seed: int | str
    measure: Literal[
        "similarity",
        "resemblance",
        "containment",
        "containment-left",
        "containment-right",
        "sif",
        "shared",
        "longest",
    ]
    threshold: float | str | None
    floor: float | str
    input_format: Literal["auto", "folder", "jsonl", "csv", "tsv", "parquet", "arrow", "warc", "lines"]
    records: Literal["auto", "yes", "no"]
    no_containers: bool
    filter: str | Iterable[str | PathLike[str]]
    id_field: str | PathLike[str]
    text_field: str | PathLike[str]
    date_field: str | PathLike[str]
    include: str | Iterable[str | PathLike[str]]
    exclude: str | Iterable[str | PathLike[str]]
    hidden: bool
    follow: bool
    gitignore: bool
    one_file_system: bool
    max_seconds_per_file: float | None
    max_bytes_per_file: int | str | None
    memory: int | str
    jobs: int
    features: str | PathLike[str] | Callable[[FeatureRecord], Iterable[object]]
    candidates: Literal["shared", "super"]
    template: int
    super_size: int
    estimate: bool
    policy: Literal["component", "representative", "complete"]
    slim: bool


class ReclusterKeywords(TypedDict, total=False):
    """Settings of `copysift recluster`."""

    measure: Literal[
        "similarity",
        "resemblance",
        "containment",
        "containment-left",
        "containment-right",
        "sif",
        "shared",
        "longest",
    ]
    threshold: float | str | None
    policy: Literal["component", "representative", "complete"]


class DedupKeywords(TypedDict, total=False):
    """Settings of `copysift dedup`."""

    kind: str | PathLike[str]
    language: str | PathLike[str]
    base: str | Iterable[str | PathLike[str]]
    language_file: str | Iterable[str | PathLike[str]]
    by: Literal["file", "dir"]
    earlier: str | Iterable[str | PathLike[str]]
    metadata: str | PathLike[str]
    noise: int | None
    shingle: int
    scheme: str | PathLike[str]
    modulus: int
    max_shared: float | str
    seed: int | str
    measure: Literal[
        "similarity",
        "resemblance",
        "containment",
        "containment-left",
        "containment-right",
        "sif",
        "shared",
        "longest",
    ]
    threshold: float | str | None
    floor: float | str
    input_format: Literal["auto", "folder", "jsonl", "csv", "tsv", "parquet", "arrow", "warc", "lines"]
    records: Literal["auto", "yes", "no"]
    no_containers: bool
    filter: str | Iterable[str | PathLike[str]]
    id_field: str | PathLike[str]
    text_field: str | PathLike[str]
    date_field: str | PathLike[str]
    include: str | Iterable[str | PathLike[str]]
    exclude: str | Iterable[str | PathLike[str]]
    hidden: bool
    follow: bool
    gitignore: bool
    one_file_system: bool
    max_seconds_per_file: float | None
    max_bytes_per_file: int | str | None
    memory: int | str
    jobs: int
    features: str | PathLike[str] | Callable[[FeatureRecord], Iterable[object]]
    candidates: Literal["shared", "super"]
    template: int
    super_size: int
    estimate: bool
    policy: Literal["component", "representative", "complete"]
    min_passage: int
    near: float | str
    min_overlap: float | str
    test_field: str | PathLike[str]
    cut_at: Literal["word", "line", "sentence", "paragraph"]
    max_copies: int


class FingerprintKeywords(TypedDict, total=False):
    """What decides the fingerprints of a text."""

    kind: str | PathLike[str]
    language: str | PathLike[str]
    language_file: str | Iterable[str | PathLike[str]]
    noise: int | None
    guarantee: int | None
    shingle: int | None
    scheme: str | PathLike[str]
    modulus: int | None
    sketch: int
    anchor: str | Iterable[str | PathLike[str]]
    disjoint: bool
    seed: int | str
