"""The tables of the server, for SQLite and PostgreSQL; `schema.py` brings older databases to them."""

from __future__ import annotations

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    text,
)

METADATA = MetaData()


def _text(name: str, default: str | None = None) -> Column[str]:
    """Give a column for a text that is always there; one with a default may be left out."""
    given = None if default is None else text(f"'{default}'")
    return Column(name, Text, nullable=False, server_default=given)


jobs = Table(
    "jobs",
    METADATA,
    Column("id", Text, primary_key=True),
    Column("share", Text, unique=True),
    _text("owner"),
    _text("kind"),
    _text("origin"),
    _text("title"),
    _text("request"),
    _text("target", ""),
    _text("state"),
    Column("created", Double, nullable=False),
    Column("started", Double),
    Column("finished", Double),
    Column("expires", Double),
    Column("files", Integer, nullable=False),
    Column("bytes", BigInteger, nullable=False),
    Column("claim", Integer, nullable=False, server_default=text("0")),
    Column("deaths", Integer, nullable=False, server_default=text("0")),
    _text("worker", ""),
    _text("error", ""),
    _text("summary", "{}"),
    Column("course", Integer, ForeignKey("courses.id")),
    _text("term", ""),
    _text("exercise", ""),
    Column("lease", Double, nullable=False, server_default=text("0")),  # until when the claim is valid
    Column("noted", Boolean, nullable=False, server_default=text("true")),  # whether its end was reported
)
Index("jobs_by_state", jobs.c.state, jobs.c.created)
Index("jobs_by_owner", jobs.c.owner, jobs.c.created)
Index("jobs_by_kind", jobs.c.owner, jobs.c.kind, jobs.c.created)
Index("jobs_by_course", jobs.c.course, jobs.c.term, jobs.c.created)
_ALONE = (jobs.c.state == text("'running'")) & (jobs.c.target != text("''"))
ALONE = Index(  # one job at a time writes to a target: the databases see to it
    "jobs_one_per_target", jobs.c.target, unique=True, sqlite_where=_ALONE, postgresql_where=_ALONE
)
_NEW = jobs.c.noted == text("false")
UNNOTED = Index("jobs_unnoted", jobs.c.noted, sqlite_where=_NEW, postgresql_where=_NEW)

marks = Table(
    "marks",
    METADATA,
    Column("job", Text, ForeignKey("jobs.id", ondelete="CASCADE"), primary_key=True),
    Column("left", Text, primary_key=True),
    Column("right", Text, primary_key=True),
    _text("verdict"),
    _text("note"),
    _text("author", ""),
    Column("changed", Double, nullable=False, server_default=text("0")),
)
users = Table(
    "users",
    METADATA,
    Column("name", Text, primary_key=True),
    _text("role"),
    Column("created", Double, nullable=False),
    Column("max_jobs", BigInteger),
    Column("max_bytes", BigInteger),
)
tokens = Table(
    "tokens",
    METADATA,
    Column("digest", Text, primary_key=True),
    Column("user", Text, ForeignKey("users.name", ondelete="CASCADE"), nullable=False),
    Column("created", Double, nullable=False),
)
turns = Table(
    "turns", METADATA, Column("owner", Text, primary_key=True), Column("last", BigInteger, nullable=False)
)
courses = Table(
    "courses",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False, unique=True),
    Column("created", Double, nullable=False),
)
teams = Table(
    "teams",
    METADATA,
    Column("course", Integer, ForeignKey("courses.id", ondelete="CASCADE"), primary_key=True),
    Column("user", Text, primary_key=True),
)
indexes = Table(
    "indexes",
    METADATA,
    Column("owner", Text, primary_key=True),
    Column("name", Text, primary_key=True),
    _text("folder"),
    Column("created", Double, nullable=False),
    _text("version", ""),  # of what is in the store, where there is one
)
stamps = Table(  # a number that grows when the rows of another table have changed
    "stamps", METADATA, Column("name", Text, primary_key=True), Column("value", BigInteger, nullable=False)
)
