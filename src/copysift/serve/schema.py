"""The tables of the server. A released step never changes: what comes later is another step."""

from __future__ import annotations

JOBS = """CREATE TABLE IF NOT EXISTS jobs (
  id TEXT PRIMARY KEY, share TEXT UNIQUE, owner TEXT NOT NULL, kind TEXT NOT NULL, origin TEXT NOT NULL,
  title TEXT NOT NULL, request TEXT NOT NULL, target TEXT NOT NULL DEFAULT '', state TEXT NOT NULL,
  created REAL NOT NULL, started REAL, finished REAL, expires REAL, files INTEGER NOT NULL,
  bytes INTEGER NOT NULL, claim INTEGER NOT NULL DEFAULT 0, deaths INTEGER NOT NULL DEFAULT 0,
  worker TEXT NOT NULL DEFAULT '', error TEXT NOT NULL DEFAULT '', summary TEXT NOT NULL DEFAULT '{}'
)"""
MARKS = """CREATE TABLE IF NOT EXISTS marks (
  job TEXT NOT NULL REFERENCES jobs(id) ON DELETE CASCADE, left TEXT NOT NULL, right TEXT NOT NULL,
  verdict TEXT NOT NULL, note TEXT NOT NULL, PRIMARY KEY (job, left, right)
)"""
USERS = """CREATE TABLE users (
  name TEXT PRIMARY KEY, role TEXT NOT NULL, created REAL NOT NULL, max_jobs INTEGER, max_bytes INTEGER
)"""
TOKENS = """CREATE TABLE tokens (
  digest TEXT PRIMARY KEY, user TEXT NOT NULL REFERENCES users(name) ON DELETE CASCADE, created REAL NOT NULL
)"""
TURNS = "CREATE TABLE turns (owner TEXT PRIMARY KEY, last INTEGER NOT NULL)"
COURSES = """CREATE TABLE courses (
  id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, created REAL NOT NULL
)"""
TEAMS = """CREATE TABLE teams (
  course INTEGER NOT NULL REFERENCES courses(id) ON DELETE CASCADE, user TEXT NOT NULL,
  PRIMARY KEY (course, user)
)"""

JOBS_STEPS = (
    (  # version 0.1
        JOBS,
        "CREATE INDEX IF NOT EXISTS jobs_by_state ON jobs(state, created)",
        "CREATE INDEX IF NOT EXISTS jobs_by_owner ON jobs(owner, created)",
        MARKS,
    ),
    (  # users, turns of a fair queue, courses
        USERS,
        TOKENS,
        TURNS,
        COURSES,
        TEAMS,
        "ALTER TABLE jobs ADD COLUMN course INTEGER REFERENCES courses(id)",
        "ALTER TABLE jobs ADD COLUMN term TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE jobs ADD COLUMN exercise TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE marks ADD COLUMN author TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE marks ADD COLUMN changed REAL NOT NULL DEFAULT 0",
        "CREATE INDEX jobs_by_kind ON jobs(owner, kind, created)",
        "CREATE INDEX jobs_by_course ON jobs(course, term, created)",
    ),
)
INDEXES_STEPS = (
    (
        "CREATE TABLE IF NOT EXISTS indexes (owner TEXT NOT NULL, name TEXT NOT NULL, folder TEXT NOT NULL,"
        " created REAL NOT NULL, PRIMARY KEY (owner, name))",
    ),
)
