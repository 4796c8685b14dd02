"""What a user may send: jobs and bytes, also while uploads come, and never more than the limits."""

import pytest

from copysift.serve.limits import LimitError, Limits
from copysift.serve.quotas import Held, Quotas

LIMITS = Limits(user_jobs=3, user_bytes=100)


def quotas(jobs: int = 0, kept: int = 0, **own: int) -> Quotas:
    return Quotas(LIMITS, lambda owner: Held(jobs, kept, **own))


def refused(status: int, seconds: int, words: str, quota: Quotas, *what: object) -> None:
    with pytest.raises(LimitError, match=words) as error:
        getattr(quota, str(what[0]))(*what[1:])
    assert (error.value.status, error.value.retry) == (status, seconds)


def test_as_many_jobs_as_allowed_and_no_more():
    quotas(2).check("ann")
    refused(429, 15, "3 jobs are waiting or running", quotas(3), "check", "ann")


def test_as_many_bytes_as_allowed_and_no_more():
    quotas(kept=60).check("ann", 40)
    refused(429, 3600, "take 60 bytes already", quotas(kept=60), "check", "ann", 41)
    quotas(kept=100).check("ann")
    refused(429, 3600, "take 101 bytes", quotas(kept=101), "check", "ann")


def test_limits_of_a_user_come_before_those_of_all():
    quotas(5, 500, max_jobs=6, max_bytes=500).check("ann")
    refused(429, 15, "0 jobs", quotas(0, max_jobs=0), "check", "ann")
    refused(429, 3600, "bytes", quotas(kept=1, max_bytes=0), "check", "ann")


def test_uploads_on_their_way_count_as_jobs():
    quota = quotas(1)
    accounts = [quota.enter("ann"), quota.enter("ann")]
    refused(429, 15, "3 jobs", quota, "enter", "ann")
    quota.enter("bob").close()
    accounts[0].close()
    accounts[0].close()  # twice is once
    quota.enter("ann")
    refused(429, 15, "3 jobs", quota, "enter", "ann")


def test_bytes_on_their_way_count_until_the_upload_is_over():
    quota = quotas(kept=20)
    one, other = quota.enter("ann"), quota.enter("ann")
    one.spend(50)
    other.spend(30)
    with pytest.raises(LimitError, match="bytes"):
        other.spend(1)
    refused(429, 3600, "bytes", quota, "enter", "ann")
    other.close()
    one.spend(30)
    with pytest.raises(LimitError, match="bytes"):
        one.spend(1)
    one.close()
    quota.enter("ann").spend(80)


def test_nothing_is_kept_of_users_without_uploads():
    quota = quotas()
    account = quota.enter("ann")
    account.spend(5)
    assert (dict(quota._uploads), dict(quota._bytes)) == ({"ann": 1}, {"ann": 5})
    account.close()
    assert not quota._uploads
    assert not quota._bytes
