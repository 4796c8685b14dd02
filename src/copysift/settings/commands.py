"""Names that declarations share: sections of the help, and groups of commands."""

from __future__ import annotations

# Sections of the help, in its order.
CONTENTS = "What to compare"
REPORTED = "What to report"
SOURCES = "What to read"
RESOURCES = "Resources"
OUTPUT = "Output"
ADDRESSES = "Addresses"
USERS = "Who may use it"
LIMITS = "Limits"
SECTIONS = (CONTENTS, REPORTED, ADDRESSES, USERS, SOURCES, RESOURCES, LIMITS, OUTPUT)

READ = "scan compare index sweep cluster dedup"  # commands that read documents; index: add and update
FILES = f"{READ} check"  # and one that reads files as they are
LOOK_UP = "query locate copies"  # commands that look one document up
MAKE_RUN = "cluster dedup"
INDEX = "index index-care index-list index-info index-check index-resample"
