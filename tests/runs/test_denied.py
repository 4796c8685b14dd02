"""A run that may not be read is not taken for a folder without one."""

from pathlib import Path

import pytest

from copysift.errors import RunError
from copysift.runs.scan_run import read_description


def test_a_run_that_may_not_be_read_is_named_as_that(tmp_path, monkeypatch):
    def denied(*_, **__):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_text", denied)
    with pytest.raises(RunError, match="cannot be read: Permission denied"):
        read_description(tmp_path)


def test_a_folder_without_a_run_is_named_as_that(tmp_path):
    with pytest.raises(RunError, match=r"is not a run: it has no run\.json"):
        read_description(tmp_path)
