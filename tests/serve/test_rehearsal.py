"""A worker rehearses: a whole job, of which nothing stays."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from copysift.serve import work, worker
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


def test_a_job_counts_all_pairs_however_many_it_lists() -> None:
    seen: list[tuple[int, int, int]] = []

    def job(folder: Path, out: Path, request: dict[str, Any], *given: Any) -> None:
        summary = work.scan(folder, out, {**request, "settings": {"limit": 2}}, *given)
        listed = json.loads((out / "result.json").read_text())["pairs"]
        seen.append((summary["pairs"], summary["listed"], len(listed)))

    rehearse(job)
    assert seen == [(6, 2, 2)]


def test_a_rehearsal_that_fails_is_logged_and_the_worker_goes_on(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full() -> None:
        raise OSError(28, "No space left on device")

    looks = iter([True, True, False])  # the third time, the server is gone
    claims: list[str] = []
    database = SimpleNamespace(shared=False, listen=lambda channel: None)
    jobs: Any = SimpleNamespace(database=database, claim=claims.append)
    monkeypatch.setattr(worker, "rehearse", full)
    monkeypatch.setattr(worker.Worker, "_listen", lambda self, seconds: next(looks))
    worker.Worker(jobs, worker.Place("data", "", "", "w", 1, {})).run()
    assert claims == ["w", "w"]
    assert "the rehearsal of a job failed" in caplog.text
    assert "No space left on device" in caplog.text
