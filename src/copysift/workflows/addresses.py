"""What an address says: its host, its folder, its name."""

from __future__ import annotations

from urllib.parse import urlsplit


def host(uri: str) -> str:
    """Give the host of an address; nothing for a path."""
    if "://" not in uri:
        return ""
    try:
        return urlsplit(uri).netloc.lower()
    except ValueError:  # brackets that hold no IPv6 address
        return uri.partition("://")[2].partition("/")[0].lower()


def folder(uri: str) -> str:
    """Give an address without its last part."""
    return uri.rstrip("/").rpartition("/")[0]


def shared_tail(one: str, other: str) -> int:
    """Count the last parts that two addresses have in common."""
    count = 0
    for left, right in zip(reversed(one.split("/")), reversed(other.split("/")), strict=False):
        if left != right:
            break
        count += 1
    return count


def group(uri: str, by: str = "host") -> str:
    """Give what addresses are grouped by.

    `host`: the host, or the first folder of a path; `folder`: the folder that a document is in; `none`:
    one group for all.
    """
    if by == "none":
        return ""
    if by == "folder":
        return folder(uri) + "/" if "/" in uri.rstrip("/") else "."
    return host(uri) or (uri.partition("/")[0] + "/" if "/" in uri else ".")


def move(uri: str, to: str) -> str:
    """Say how far a document moved: to another one of hosts or folders, or to another name."""
    if host(uri) != host(to):
        return "hosts"
    return "folders" if folder(uri) != folder(to) else "name"
