"""What is compared, for reports: groups with their files, sizes and what is known of them."""

from __future__ import annotations

from copysift.values import Group, Result, Submission


def files_of(result: Result) -> dict[str, list[Group]]:
    """Give the files of every group, groups and files in the order of input."""
    found: dict[str, list[Group]] = {each.name: [] for each in result.submissions}
    for document in result.documents:
        found.setdefault(document.group, []).append(document)
    return found


def bytes_of(result: Result) -> dict[str, int]:
    """Give the bytes of every group."""
    total: dict[str, int] = {}
    for document in result.documents:
        total[document.group] = total.get(document.group, 0) + document.bytes
    return total


def submissions_of(result: Result) -> tuple[Submission, ...]:
    """Give what is known of every group; groups of which nothing is known have their name alone."""
    known = {each.name: each for each in result.submissions}
    return tuple(known.get(name) or Submission(name) for name in files_of(result))


def labels_of(result: Result) -> dict[str, str]:
    """Give a short name of every group that tells it from all others.

    The label or the author it has, else the end of its path, as short as it is unique.
    """
    submissions = submissions_of(result)
    labels: dict[str, str] = {}
    for choose in (_told, _leaf, _end, lambda each: each.name):
        names = {each.name: choose(each) for each in submissions if each.name not in labels}
        taken = list(names.values())
        used = set(labels.values())
        labels |= {
            name: label
            for name, label in names.items()
            if label and taken.count(label) == 1 and label not in used
        }
    return {each.name: labels.get(each.name, each.name) for each in submissions}


def _told(each: Submission) -> str:
    return each.label or each.author


def _leaf(each: Submission) -> str:
    return each.name.rstrip("/").rpartition("/")[2]


def _end(each: Submission) -> str:
    return "/".join(each.name.rstrip("/").split("/")[-2:])
