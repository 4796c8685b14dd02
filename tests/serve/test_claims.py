"""Claims hold for some seconds and are renewed; a job of a silent worker goes to another, and ends once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from copysift.serve.claims import NewVersion
from copysift.serve.database import Database
from copysift.serve.indexes import Indexes
from copysift.serve.job import DONE, FAILED, QUEUED, RUNNING, Job
from copysift.serve.jobs import Jobs
from copysift.serve.limits import Limits
from copysift.serve.store import Store


@pytest.fixture
def jobs(tmp_path: Path, database: Database) -> Iterator[Jobs]:
    return Jobs(tmp_path / "data", Limits(attempts=3), database=database)


def accepted(jobs: Jobs, owner: str = "ann", target: str = "", kind: str = "scan") -> Job:
    with jobs.incoming(owner) as upload:
        upload.add("one.py", b"x = 1\n")
        return jobs.accept(upload, owner, kind, {"settings": {}}, target=target)


def silent(jobs: Jobs) -> None:
    """Let the time pass in which a worker must be heard: what is claimed from now on has none."""
    jobs.limits = replace(jobs.limits, silence=-1.0)


def test_the_job_of_a_silent_worker_is_given_to_another_and_ends_once(jobs: Jobs) -> None:
    accepted(jobs)
    silent(jobs)
    first = jobs.claim("dead")
    assert first is not None
    assert jobs.lose_silent() == 1
    jobs.limits = replace(jobs.limits, silence=60.0)
    second = jobs.claim("alive")
    assert second is not None
    assert (second.id, second.claim, second.deaths) == (first.id, first.claim + 1, 1)
    assert not jobs.renew(first)
    assert not jobs.finish(first, DONE)
    assert jobs.finish(second, DONE)
    assert not jobs.finish(second, DONE)
    assert jobs.get(first.id).state == DONE


def test_a_worker_that_renews_its_claim_keeps_the_job(jobs: Jobs) -> None:
    accepted(jobs)
    silent(jobs)
    job = jobs.claim("slow")
    assert job is not None
    jobs.limits = replace(jobs.limits, silence=60.0)
    assert jobs.renew(job)
    assert jobs.lose_silent() == 0
    assert jobs.get(job.id).state == RUNNING


def test_a_job_whose_workers_fall_silent_too_often_fails(jobs: Jobs) -> None:
    accepted(jobs)
    silent(jobs)
    for _ in range(3):
        job = jobs.claim("dead")
        assert job is not None
        jobs.lose_silent()
    assert jobs.claim("next") is None
    failed = jobs.get(job.id)
    assert (failed.state, failed.error) == (FAILED, "its worker died 3 times")


def test_workers_at_once_take_each_job_once_and_one_job_of_a_target_at_a_time(jobs: Jobs) -> None:
    made = sorted(
        accepted(jobs, owner, target).id for owner in ("ann", "bob") for target in ("", "", "x", "x")
    )
    taken: list[Job] = []
    start = threading.Barrier(6)

    def work(number: int) -> None:
        own = Jobs(jobs.data, jobs.limits, database=Database(jobs.database.where))
        start.wait()
        for _ in range(4):
            job = own.claim(f"w{number}")
            if job is not None:
                taken.append(job)
        own.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [job.claim for job in taken] == [1] * 5  # four without a target, one of two users with it
    assert len({job.id for job in taken}) == 5
    assert [job.target for job in taken].count("x") == 1
    held = next(job for job in taken if job.target == "x")
    jobs.finish(held, DONE)
    again = jobs.claim("w")
    assert again is not None
    assert again.target == "x"
    assert {again.id, *(job.id for job in taken)} < set(made)


def test_every_end_is_reported_once(jobs: Jobs) -> None:
    first, second = accepted(jobs), accepted(jobs, "bob")
    assert jobs.unnoted() == []
    claimed = jobs.claim("w")
    assert claimed is not None
    jobs.finish(claimed, DONE)
    jobs.cancel(second)
    assert sorted(job.id for job in jobs.unnoted()) == sorted([first.id, second.id])
    assert jobs.unnoted() == []


def test_what_was_made_of_an_index_that_has_changed_meanwhile_is_made_again(jobs: Jobs) -> None:
    store = Store(str(jobs.data / "store"))  # only there an index has versions
    indexes = Indexes(jobs.data, {}, jobs.database, store)
    folder = indexes.make("ann", "essays").folder
    job = accepted(jobs, target=folder, kind="index")
    first = jobs.claim("w")
    assert first is not None
    assert not jobs.finish(first, DONE, index=NewVersion(folder, "older", "mine"))
    assert (jobs.get(job.id).state, indexes.get("ann", "essays").version) == (QUEUED, "")
    second = jobs.claim("w")
    assert second is not None
    assert jobs.finish(second, DONE, index=NewVersion(folder, "", "mine"))
    assert (jobs.get(job.id).state, indexes.get("ann", "essays").version) == (DONE, "mine")
