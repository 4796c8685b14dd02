"""A worker rehearses: a whole job, of which nothing stays."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from copysift.serve import work
from copysift.serve.rehearsal import rehearse


def test_a_rehearsal_is_a_whole_job_of_which_nothing_stays() -> None:
    made: list[Path] = []

    def job(folder: Path, out: Path, *given: Any) -> dict[str, Any]:
        summary = work.scan(folder, out, *given)
        assert summary["pairs"] == 6
        assert (out / "moss" / "match0.html").exists()
        assert (out / "page.json").exists()
        made.append(folder)
        return summary

    rehearse(job)
    assert len(made) == 1
    assert not made[0].exists()
