"""Jobs: accepted once, finished once, gone when deleted, whatever dies in between."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import insert

from copysift.serve import forms, tables
from copysift.serve.database import Database
from copysift.serve.incoming import uploaded
from copysift.serve.job import CANCELLED, DONE, FAILED, QUEUED, RUNNING, Job, unguessable
from copysift.serve.jobs import Jobs
from copysift.serve.limits import LimitError, Limits
from copysift.serve.marks import Mark, Marks
from copysift.serve.models import job_out
from copysift.serve.pages import prepare
from copysift.serve.users import Users
from copysift.serve.views import environment

LIMITS = Limits(
    job_bytes=1000, job_files=4, file_bytes=600, user_jobs=5, user_bytes=5000, attempts=3, name_bytes=50
)


@pytest.fixture
def jobs(tmp_path: Path, database: Database) -> Iterator[Jobs]:
    made = Jobs(tmp_path / "data", LIMITS, keep_days=14, database=database)
    made.recover()
    yield made
    made.close()


def accepted(jobs: Jobs, owner: str = "ann", target: str = "") -> Job:
    with jobs.incoming(owner) as upload:
        upload.add("a/one.py", b"x = 1\n")
        upload.add("kit.py", b"", "base")
        return jobs.accept(upload, owner, "scan", {"settings": {}}, target=target)


def again(jobs: Jobs) -> Jobs:
    """Open the folder as the next process would, without closing the one before."""
    made = Jobs(jobs.data, LIMITS, database=jobs.database)
    made.recover()
    return made


def test_an_accepted_job_waits_with_its_files(jobs: Jobs) -> None:
    job = accepted(jobs)
    assert (job.state, job.owner, job.files, job.bytes) == (QUEUED, "ann", 2, 6)
    held = [(each.name, each.role, path.read_bytes()) for each, path in uploaded(jobs.folder(job.id) / "in")]
    assert held == [("a/one.py", "file", b"x = 1\n"), ("kit.py", "base", b"")]
    assert not list((jobs.data / "incoming").iterdir())


def test_an_upload_that_is_not_accepted_leaves_nothing(jobs: Jobs) -> None:
    with jobs.incoming("ann") as upload:
        upload.add("a", b"1")
        upload.begin("b")
        upload.write(b"2")
    assert not list((jobs.data / "incoming").iterdir())
    assert jobs.listed("ann") == []


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a", b"x" * 601, "a file is larger than 600 bytes"),
        ("n" * 51, b"", "a file name is longer than 50 bytes"),
    ],
)
def test_limits_hold_while_bytes_come(jobs: Jobs, name: str, data: bytes, message: str) -> None:
    with jobs.incoming("ann") as upload, pytest.raises(LimitError, match=message):
        upload.add(name, data)


def test_an_upload_has_so_many_files_and_bytes_at_the_most(jobs: Jobs) -> None:
    with jobs.incoming("ann") as upload:
        upload.add("a", b"x" * 600)
        with pytest.raises(LimitError, match="the upload is larger than 1,000 bytes"):
            upload.add("b", b"x" * 401)
    with jobs.incoming("ann") as upload:
        for name in "abcd":
            upload.add(name, b"")
        with pytest.raises(LimitError, match="more than 4 files"):
            upload.add("e", b"")


def test_names_are_data_and_never_paths(jobs: Jobs) -> None:
    names = ["../../etc/passwd", "/abs", "a\0b", "x\udcff", "line\nline", "\u202egnp.exe"]
    folder = None
    for name in names:
        with jobs.incoming("ann") as upload:
            upload.add(name, b"1")
            folder = upload.folder
            assert sorted(path.name for path in folder.iterdir()) == ["1"]
            shown = upload.files[0].name
            assert shown.isprintable()
            shown.encode()


def test_a_user_has_so_many_jobs_at_a_time(jobs: Jobs) -> None:
    for _ in range(5):
        accepted(jobs)
    with pytest.raises(LimitError, match="5 jobs are waiting"):
        accepted(jobs)
    assert accepted(jobs, "bob").state == QUEUED
    assert not list((jobs.data / "incoming").iterdir())


def test_jobs_are_claimed_in_order_and_each_once(jobs: Jobs) -> None:
    made = [accepted(jobs).id for _ in range(5)]
    others = [Jobs(jobs.data, LIMITS, database=Database(jobs.database.where)) for _ in range(3)]
    taken: list[tuple[str, int]] = []

    def work(number: int) -> None:
        while (job := others[number].claim(f"w{number}")) is not None:
            taken.append((job.id, job.claim))
            assert others[number].finish(job, DONE)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for other in others:
        other.close()
    assert sorted(taken) == sorted((id_, 1) for id_ in made)
    assert {jobs.get(id_).state for id_ in made} == {DONE}


def test_two_jobs_never_write_to_one_target_at_once(jobs: Jobs) -> None:
    first, second, other = accepted(jobs, target="i"), accepted(jobs, target="i"), accepted(jobs, target="j")
    one, two = jobs.claim("w1"), jobs.claim("w2")
    assert one is not None
    assert two is not None
    assert (one.id, two.id, jobs.claim("w3")) == (first.id, other.id, None)
    jobs.finish(one, DONE)
    third = jobs.claim("w3")
    assert third is not None
    assert third.id == second.id


def test_only_the_latest_claim_can_finish(jobs: Jobs) -> None:
    accepted(jobs)
    old = jobs.claim("w1")
    assert old is not None
    jobs.lost("w1")
    new = jobs.claim("w2")
    assert new is not None
    assert new.claim == old.claim + 1
    assert not jobs.finish(old, DONE)
    assert jobs.get(old.id).state == RUNNING
    assert jobs.finish(new, DONE)
    assert not jobs.finish(new, FAILED)
    assert jobs.get(old.id).state == DONE


def test_a_job_whose_worker_dies_too_often_fails(jobs: Jobs) -> None:
    job = accepted(jobs)
    for death in range(3):
        assert jobs.get(job.id).state == QUEUED, death
        assert jobs.claim("w1") is not None
        jobs.lost("w1")
    assert (jobs.get(job.id).state, jobs.get(job.id).error) == (FAILED, "its worker died 3 times")


def test_a_new_process_takes_up_what_ran_and_forgets_what_was_never_accepted(jobs: Jobs) -> None:
    made = {accepted(jobs).id for _ in range(3)}
    finished, running = jobs.claim("w1"), jobs.claim("w2")
    assert finished is not None
    assert running is not None
    (jobs.folder(finished.id) / "out-0").mkdir()  # of an earlier claim
    jobs.output(finished).mkdir()
    jobs.finish(finished, DONE)
    (jobs.data / "incoming" / "half").mkdir()  # cut off in the middle
    (jobs.data / "jobs" / "orphan").mkdir()  # moved, and killed before its row was written
    found = again(jobs)
    if jobs.database.shared:  # its worker may be on another machine: it is known to be dead when it is silent
        assert found.get(running.id).state == RUNNING
        found.give_back(running)
    assert sorted(job.state for job in found.listed("ann")) == [DONE, QUEUED, QUEUED]
    assert found.get(running.id).deaths == 0  # it was not the job's fault
    assert not list((jobs.data / "incoming").iterdir())
    assert {path.name for path in (jobs.data / "jobs").iterdir()} == made
    assert [path.name for path in jobs.folder(finished.id).glob("out-*")] == ["out-1"]


def test_a_cancelled_job_stays_cancelled(jobs: Jobs) -> None:
    job = accepted(jobs)
    claimed = jobs.claim("w1")
    assert claimed is not None
    assert jobs.cancel(job)
    assert not jobs.finish(claimed, DONE)
    assert not jobs.cancel(job)
    assert jobs.get(job.id).state == CANCELLED
    assert jobs.claim("w2") is None


def test_nothing_of_a_user_is_visible_to_another(jobs: Jobs) -> None:
    job = accepted(jobs, "ann")
    with pytest.raises(KeyError):
        jobs.get(job.id, "bob")
    assert jobs.listed("bob") == []
    for wrong in ("", "..", "a/b", "../x", job.id + "x", "a\0"):
        with pytest.raises(KeyError):
            jobs.get(wrong)


def test_delete_removes_everything(jobs: Jobs) -> None:
    job = accepted(jobs)
    marks = Marks(jobs.database)
    marks.put(job, Mark("a", "b", "cleared", "no"))
    jobs.delete(job)
    assert not jobs.folder(job.id).exists()
    assert marks.of(job) == []
    with pytest.raises(KeyError):
        jobs.get(job.id)


def test_what_has_ended_expires_unless_it_is_kept(jobs: Jobs) -> None:
    old, kept, waiting = (accepted(jobs) for _ in range(3))
    for _ in range(2):
        job = jobs.claim("w")
        assert job is not None
        jobs.finish(job, DONE)
    jobs.keep(kept, True)
    later = time.time() + 15 * 86400
    assert jobs.expire(time.time() + 13 * 86400) == []
    assert len(jobs.expire(later)) == 1
    assert {job.id for job in jobs.listed("ann")} == {kept.id, waiting.id}
    jobs.keep(kept, False)
    assert len(jobs.expire(later)) == 1
    assert not jobs.folder(old.id).exists()


def test_a_link_can_be_made_and_taken_back_and_never_comes_again(jobs: Jobs) -> None:
    job = accepted(jobs)
    first = jobs.share(job, True)
    assert first is not None
    assert first != job.id
    assert jobs.shared(first).id == job.id
    jobs.share(jobs.get(job.id), False)
    with pytest.raises(KeyError):
        jobs.shared(first)
    assert jobs.share(jobs.get(job.id), True) != first


def test_marks_are_written_over_and_removed(jobs: Jobs) -> None:
    job = accepted(jobs)
    marks = Marks(jobs.database)
    marks.put(job, Mark("a", "b", "suspicious", "", "ann"))
    marks.put(job, Mark("a", "b", "confirmed", "same typo", "bob"))
    marks.put(job, Mark("a", "c", "cleared", ""))
    found = [(each.left, each.right, each.verdict, each.note, each.author) for each in marks.of(job)]
    assert found == [("a", "b", "confirmed", "same typo", "bob"), ("a", "c", "cleared", "", "")]
    assert all(time.time() - 60 < each.changed <= time.time() for each in marks.of(job))
    marks.put(job, Mark("a", "c", "", ""))
    assert len(marks.of(job)) == 1


def test_an_upload_is_taken_over_without_its_bytes(jobs: Jobs) -> None:
    job = accepted(jobs)
    with jobs.incoming("ann") as upload:
        for file, path in uploaded(jobs.folder(job.id) / "in"):
            upload.adopt(path, file)
        upload.add("more", b"!", "base")
        second = jobs.accept(upload, "ann", "scan", {})
    first_file = next(path for _, path in uploaded(jobs.folder(job.id) / "in"))
    assert first_file.stat().st_nlink == 2
    assert [each.name for each, _ in uploaded(jobs.folder(second.id) / "in")] == [
        "a/one.py",
        "kit.py",
        "more",
    ]
    jobs.delete(job)
    assert next(path for _, path in uploaded(jobs.folder(second.id) / "in")).read_bytes() == b"x = 1\n"


def test_names_of_jobs_cannot_be_guessed_and_never_look_like_options() -> None:
    made = {unguessable() for _ in range(2000)}
    assert len(made) == 2000
    assert all(len(each) == 22 and not each.startswith("-") for each in made)


def test_everything_that_pages_are_made_of_can_be_loaded_before_the_first_one() -> None:
    environment.cache_clear()
    forms.form_for.cache_clear()
    prepare()
    loaded = environment().cache
    assert loaded is not None
    assert {name for _, name in loaded} == set(environment().list_templates())
    assert forms.form_for.cache_info().currsize == 2


def test_a_check_that_runs_and_has_told_nothing_yet_can_be_shown(jobs: Jobs) -> None:
    accepted(jobs)
    job = jobs.claim("w1")
    assert job is not None
    shown = job_out(jobs, job)
    assert (shown.state, shown.progress) == (RUNNING, {})
    values = {"job": job, "shown": shown, "marks": [], "base": "", "root": "", "user": "ann", "alone": True}
    values |= {"form_token": "", "keep_days": 14, "here": "/", "with_runs": False}
    values |= {"admin": False, "course": None}
    assert "starting…" in environment().get_template("check.html.j2").render(**values)


def test_a_job_is_given_back_by_the_latest_claim_only(jobs: Jobs) -> None:
    accepted(jobs)
    old = jobs.claim("w1")
    assert old is not None
    jobs.give_back(old)
    assert (jobs.get(old.id).state, jobs.get(old.id).deaths) == (QUEUED, 0)
    new = jobs.claim("w1")
    assert new is not None
    jobs.give_back(old)
    assert jobs.get(old.id).state == RUNNING


def queued(jobs: Jobs, owner: str, count: int) -> list[str]:
    """Put jobs into the queue, as many as wanted."""
    first = accepted(jobs, owner)
    with jobs.database.writing() as db:
        for at in range(1, count):
            values = {"kind": "scan", "origin": "api", "title": "", "request": "{}", "state": "queued"}
            db.execute(
                insert(tables.jobs).values(
                    id=f"{owner}-{at}",
                    owner=owner,
                    created=first.created + at / 1000,
                    files=1,
                    bytes=1,
                    **values,
                )
            )
    return [first.id, *(f"{owner}-{at}" for at in range(1, count))]


def test_users_take_turns_so_that_one_job_does_not_wait_behind_54_of_another(jobs: Jobs) -> None:
    queued(jobs, "ann", 54)
    own = accepted(jobs, "bob")
    assert jobs.ahead(own) == 1
    order = [job.owner for job in iter(lambda: jobs.claim("worker"), None)]
    assert order[:3] == ["ann", "bob", "ann"]
    assert len(order) == 55


def test_turns_go_round_and_the_oldest_of_each_user_comes_first(jobs: Jobs) -> None:
    of = {owner: queued(jobs, owner, 3) for owner in ("ann", "bob", "cat")}
    last = jobs.get(of["ann"][2])
    assert jobs.ahead(last) == 6
    taken = [job.id for job in iter(lambda: jobs.claim("worker"), None)]
    assert taken == [of[owner][at] for at in range(3) for owner in ("ann", "bob", "cat")]


def test_who_comes_back_does_not_get_ahead_of_who_waits(jobs: Jobs) -> None:
    queued(jobs, "ann", 3)
    assert [job.owner for job in (jobs.claim("w"), jobs.claim("w")) if job] == ["ann", "ann"]
    queued(jobs, "bob", 2)
    assert [job.owner for job in iter(lambda: jobs.claim("w"), None)] == ["bob", "ann", "bob"]


def test_a_user_may_have_quotas_of_their_own(jobs: Jobs) -> None:
    users = Users(jobs.database)
    users.add("ann")
    users.allow("ann", 1, None)
    accepted(jobs)
    with pytest.raises(LimitError, match="1 jobs are waiting") as caught:
        accepted(jobs)
    assert (caught.value.status, caught.value.retry) == (429, 15)
    accepted(jobs, "bob")
    users.allow("ann", None, 7)
    with pytest.raises(LimitError, match="the kept jobs take 6 bytes already") as caught:
        accepted(jobs)
    assert caught.value.retry == 3600
