"""The database of the server: a SQLite file, or PostgreSQL. Statements are written once, in SQLAlchemy Core.

It has a version and is brought up to date when it is opened, after a copy of it is made.
"""

from __future__ import annotations

import functools
import logging
import re
import sqlite3
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar

from sqlalchemy import (
    URL,
    ColumnElement,
    Connection,
    Double,
    Engine,
    Executable,
    Row,
    Table,
    cast,
    create_engine,
    event,
    func,
    inspect,
    literal,
    text,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, NoSuchModuleError, OperationalError

from copysift.errors import StoreError, UsageError
from copysift.runtime import durable
from copysift.serve.schema import STEPS, Step
from copysift.serve.tables import METADATA

log = logging.getLogger("copysift.serve")
FILE = "jobs.sqlite"
NEW_JOB, ENDED_JOB = "copysift_new_job", "copysift_ended_job"  # channels of PostgreSQL
PAUSES = (0.1, 0.3, 1.0, 3.0)  # seconds before PostgreSQL is asked again after a connection was lost
_WRITING = {"copysift_writing": True}
COPIES = (f"{FILE}.version-*", f"{FILE}.moved*", "indexes.sqlite*")  # of migrations, of moves, of version 0.1
_KEPT = re.compile(r"copysift_version_[0-9]+")  # schemas of PostgreSQL with tables before a migration
_VERSION = "copysift_version"  # table of PostgreSQL; SQLite has a place of its own
AnyRow: TypeAlias = Row[*tuple[Any, ...]]
P = ParamSpec("P")
T = TypeVar("T")


def repeated(method: Callable[P, T]) -> Callable[P, T]:
    """Do something again when its connection to PostgreSQL was lost; it must have the same effect twice.

    The transaction may have ended before the connection did.
    """

    @functools.wraps(method)
    def call(*given: P.args, **named: P.kwargs) -> T:
        for pause in PAUSES:
            try:
                return method(*given, **named)
            except OperationalError as error:
                if isinstance(error.orig, sqlite3.Error):
                    raise
                log.warning("database connection lost, trying again")
            time.sleep(pause)
        return method(*given, **named)

    return call


class Database:
    """What threads share and other processes open for themselves."""

    def __init__(self, where: Path | str, steps: Sequence[Step] = STEPS) -> None:
        """Open a SQLite file or the address of a PostgreSQL database, and bring it up to date."""
        self.where = where
        self.path = where if isinstance(where, Path) else None
        self._engine = _sqlite(where) if isinstance(where, Path) else _postgresql(where)
        try:
            self._upgrade(steps)
        except OperationalError as error:
            self.close()
            if self.path is not None:
                raise
            raise StoreError(
                f"cannot use the database {self.name}: {str(error.orig).strip().splitlines()[0]}",
                hint="check --database and that PostgreSQL runs",
            ) from None
        except BaseException:
            self.close()
            raise

    @property
    def shared(self) -> bool:
        """Whether processes on other machines can use it."""
        return self.path is None

    @property
    def name(self) -> str:
        """The database without a password."""
        return str(self.path or self._engine.url.render_as_string(hide_password=True))

    def close(self) -> None:
        """Close all connections."""
        self._engine.dispose()

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """Change something: all of the block or nothing."""
        with self._engine.connect().execution_options(**_WRITING) as db, db.begin():
            yield db

    def one_now(self, statement: Executable) -> AnyRow | None:
        """Give the first row of a query without trying twice."""
        with self._engine.connect() as db:
            return db.execute(statement).first()

    @repeated
    def one(self, statement: Executable) -> AnyRow | None:
        """Give the first row of a query."""
        return self.one_now(statement)

    @repeated
    def all(self, statement: Executable) -> Sequence[AnyRow]:
        """Give the rows of a query."""
        with self._engine.connect() as db:
            return db.execute(statement).all()

    def insert(self, table: Table) -> postgresql.Insert | sqlite.Insert:
        """Start an INSERT that can say what to do where a row exists."""
        return postgresql.insert(table) if self.shared else sqlite.insert(table)

    def now(self) -> ColumnElement[float]:
        """Give the time by the clock that all processes share, in seconds since 1970."""
        if self.shared:
            return cast(func.extract("epoch", func.clock_timestamp()), Double)
        return literal(time.time())

    def lock(self, db: Connection, name: str) -> None:
        """Let no other transaction that takes this lock run meanwhile; SQLite has one writer anyway."""
        if self.shared:
            db.execute(text("SELECT pg_advisory_xact_lock(hashtext(:name))"), {"name": name})

    def notify(self, db: Connection, channel: str, word: str = "") -> None:
        """Wake the processes that listen on a channel when the transaction ends."""
        if self.shared:
            db.execute(text("SELECT pg_notify(:channel, :word)"), {"channel": channel, "word": word})

    def listen(self, channel: str) -> Listener | None:
        """Listen on a channel; None for SQLite, whose processes have pipes to each other."""
        return Listener(self._engine, channel) if self.shared else None

    def vacuum(self) -> None:
        """Write the data again without anything that was deleted."""
        with self._engine.connect() as plain:
            db = plain.execution_options(isolation_level="AUTOCOMMIT") if self.shared else plain
            if self.shared:
                for table in METADATA.tables:
                    db.execute(text(f"VACUUM FULL {table}"))
            else:
                db.execute(text("VACUUM"))
                db.execute(text("PRAGMA wal_checkpoint(TRUNCATE)"))

    def remove_copies(self, data: Path) -> int:
        """Remove what migrations and moves have kept of the past; give how many copies that were."""
        copies = [path for pattern in COPIES for path in data.glob(pattern)]
        for path in copies:
            path.unlink(missing_ok=True)
        durable.sync(data)
        if not self.shared:
            return len(copies)
        with self.writing() as db:
            schemas = [each for each in inspect(db).get_schema_names() if _KEPT.fullmatch(each)]
            for each in schemas:
                db.execute(text(f"DROP SCHEMA {each} CASCADE"))
        return len(copies) + len(schemas)

    # ---- versions

    def _version(self, db: Connection) -> int:
        if not self.shared:
            return int(db.execute(text("PRAGMA user_version")).scalar_one())
        if not inspect(db).has_table(_VERSION):
            return 0
        return int(db.execute(text(f"SELECT version FROM {_VERSION}")).scalar_one())

    def _set_version(self, db: Connection, version: int) -> None:
        if self.shared:
            db.execute(text(f"CREATE TABLE IF NOT EXISTS {_VERSION} (version INTEGER NOT NULL)"))
            db.execute(text(f"DELETE FROM {_VERSION}"))
            db.execute(text(f"INSERT INTO {_VERSION} VALUES ({version})"))
        else:
            db.execute(text(f"PRAGMA user_version = {version}"))

    def _upgrade(self, steps: Sequence[Step]) -> None:
        with self._engine.connect() as db:
            found = self._version(db)
            if found == len(steps):
                return
            empty = not inspect(db).has_table("jobs")
        if found < len(steps) and not empty and self.path is not None:
            self._back_up(found)
        with self.writing() as db:
            self.lock(db, "copysift upgrade")
            found = self._version(db)  # another process may have been first
            if found > len(steps):
                raise StoreError(
                    f"{self.name} was written by a newer version of copysift",
                    hint="use that version, or restore a backup",
                )
            if self.shared and not found:
                METADATA.create_all(db)
            else:
                if self.shared:
                    _copy_tables(db, found)
                for step in steps[found:]:
                    step(db, self.path)
            self._set_version(db, len(steps))

    def _back_up(self, version: int) -> None:
        """Copy the file as it was before a migration, whole or not at all."""
        assert self.path is not None
        copy = self.path.with_name(f"{self.path.name}.version-{version}.bak")
        part = copy.with_name(f"{copy.name}.part")
        part.unlink(missing_ok=True)
        with closing(sqlite3.connect(self.path)) as source, closing(sqlite3.connect(part)) as target:
            part.chmod(0o600)
            source.backup(target)
        durable.sync(part)
        part.replace(copy)
        durable.sync(copy.parent)


class Listener:
    """A connection to PostgreSQL that waits for words on a channel; made again when it is lost."""

    def __init__(self, engine: Engine, channel: str) -> None:
        self._engine, self._channel = engine, channel
        self._connection: Any = None
        self._connect()

    def fileno(self) -> int:
        """Give the socket to wait on; -1 while there is no connection."""
        return -1 if self._connection is None else int(self._connection.fileno())

    def words(self) -> list[str]:
        """Give what has come, without waiting; nothing while there is no connection."""
        try:
            if self._connection is None:
                self._connect()
                return [""]  # what was said meanwhile is not known: look
            return [each.payload for each in self._connection.notifies(timeout=0)]
        except (DBAPIError, self._engine.dialect.loaded_dbapi.Error):
            self.close()
            return []

    def close(self) -> None:
        """Close the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _connect(self) -> None:
        dialect = self._engine.dialect
        given, named = dialect.create_connect_args(self._engine.url)
        self._connection = dialect.connect(*given, **{**named, "autocommit": True, "connect_timeout": 10})
        self._connection.execute(f"LISTEN {self._channel}")


def _copy_tables(db: Connection, version: int) -> None:
    """Keep the tables as they were before a migration, in a schema beside them."""
    db.execute(text(f"CREATE SCHEMA copysift_version_{version}"))
    for table in METADATA.tables:
        if inspect(db).has_table(table):
            db.execute(text(f"CREATE TABLE copysift_version_{version}.{table} AS TABLE {table}"))


def _sqlite(path: Path) -> Engine:
    engine = create_engine(
        URL.create("sqlite", database=str(path)),
        connect_args={"timeout": 30, "check_same_thread": False, "isolation_level": None},
        pool_size=8, max_overflow=64,
    )  # fmt: skip

    @event.listens_for(engine, "connect")
    def connected(db: sqlite3.Connection, _: object) -> None:
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON"):
            db.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def begun(db: Connection) -> None:
        if db.get_execution_options().get("copysift_writing"):
            db.exec_driver_sql("BEGIN IMMEDIATE")  # a reader needs no transaction

    return engine


def _postgresql(url: str) -> Engine:
    try:
        found = make_url(url)
        if found.get_backend_name() != "postgresql":
            raise ArgumentError
        return create_engine(
            found.set(drivername="postgresql+psycopg"), pool_pre_ping=True, pool_size=8, max_overflow=32,
            connect_args={"connect_timeout": 10, "application_name": "copysift"},
        )  # fmt: skip
    except (ArgumentError, NoSuchModuleError):
        raise UsageError(
            "--database takes the address of a PostgreSQL database",
            hint="write postgresql://user:password@host/name",
        ) from None
    except ImportError as error:
        raise UsageError(
            f"PostgreSQL needs a package that is not installed: {error.name}",
            hint="pip install 'copysift[postgresql]'",
        ) from None


def open_database(data: Path, url: str = "") -> Database:
    """Open the database of a server: that of its data folder unless an address is given."""
    return Database(url) if url else Database(data / FILE)
