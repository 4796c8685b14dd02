import os
import signal
import subprocess
import sys
import threading
import time

import pytest

from copysift.errors import UsageError
from copysift.runtime.threads import AHEAD, BATCH, Failed, ordered_batches, ordered_map


@pytest.mark.parametrize("jobs", [1, 2, 5])
def test_results_come_in_the_order_of_the_items(jobs):
    def slow_first(number):
        time.sleep(0.02 if number % 40 == 0 else 0)
        return number * number

    assert list(ordered_map(slow_first, range(200), jobs=jobs)) == [n * n for n in range(200)]


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_exception_becomes_the_result_of_its_item(jobs):
    def divide(number):
        return 12 // number

    out = list(ordered_map(divide, [1, 0, 2], jobs=jobs))
    assert (out[0], out[2]) == (12, 6)
    assert isinstance(out[1], Failed)
    assert (out[1].item, type(out[1].error)) == (0, ZeroDivisionError)


@pytest.mark.parametrize("jobs", [1, 3])
def test_an_exception_of_the_source_reaches_the_caller(jobs):
    def source():
        yield 1
        raise LookupError("source")

    with pytest.raises(LookupError, match="source"):
        list(ordered_map(str, source(), jobs=jobs))


def test_no_items_give_no_results():
    assert list(ordered_map(str, [], jobs=4)) == []


def test_work_is_done_by_several_threads_at_once():
    together = threading.Barrier(3, timeout=10)
    out = list(ordered_map(lambda _: together.wait() >= 0, range(3), jobs=3, weigh=lambda _: 1, budget=12))
    assert out == [True] * 3


def test_look_ahead_is_bounded_by_number():
    drawn = []

    def source():
        for number in range(100_000):
            drawn.append(number)
            yield number

    results = ordered_map(str, source(), jobs=2)
    next(results)
    assert len(drawn) <= BATCH * (AHEAD * 2 + 1)
    results.close()


def test_look_ahead_is_bounded_by_weight():
    drawn = []

    def source():
        for number in range(1000):
            drawn.append(number)
            yield number

    results = ordered_map(str, source(), jobs=2, weigh=lambda _: 10, budget=100)
    for taken in range(1, 50):
        next(results)
        assert len(drawn) - taken <= 100 // 10 + 2
    results.close()


def test_an_item_heavier_than_the_budget_goes_alone():
    under_way = 0
    most = 0
    lock = threading.Lock()

    def work(number):
        nonlocal under_way, most
        with lock:
            under_way += 1
            most = max(most, under_way)
        time.sleep(0.005)
        with lock:
            under_way -= 1
        return number

    assert list(ordered_map(work, range(5), jobs=4, weigh=lambda _: 1000, budget=100)) == list(range(5))
    assert most == 1


def test_closing_drops_what_is_not_begun():
    begun = []

    def work(number):
        begun.append(number)
        time.sleep(0.01)
        return number

    results = ordered_map(work, range(10_000), jobs=2)
    next(results)
    results.close()
    after = len(begun)
    time.sleep(0.1)
    assert len(begun) <= after + 2


@pytest.mark.parametrize("jobs", [0, -1])
def test_no_workers_are_refused(jobs):
    with pytest.raises(UsageError, match="jobs"):
        list(ordered_map(str, [1], jobs=jobs))


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_stops_promptly(jobs):
    program = (
        "import sys, time\n"
        "from copysift.runtime.threads import ordered_map\n"
        "def work(n):\n    time.sleep(0.05)\n    return n\n"
        f"for n in ordered_map(work, range(100_000), jobs={jobs}):\n    print(n, flush=True)\n"
    )
    running = subprocess.Popen(
        [sys.executable, "-c", program],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert running.stdout.readline() == b"0\n"
    running.send_signal(signal.SIGINT)
    _, errors = running.communicate(timeout=60)  # all that is to do takes 40 minutes and more
    assert b"KeyboardInterrupt" in errors


@pytest.mark.parametrize("jobs", [1, 3])
def test_batches_come_in_order_and_what_fails_fails_for_each_item(jobs):
    def work(batch):
        if 7 in batch:
            raise ValueError("seven")
        return [(number, len(batch)) for number in batch]

    out = list(ordered_batches(work, range(12), jobs=jobs, most=5))
    assert out[:5] == [(number, 5) for number in range(5)]
    assert [each.item for each in out[5:10]] == [5, 6, 7, 8, 9]
    assert str(out[5].error) == "seven"
    assert out[10:] == [(10, 2), (11, 2)]
