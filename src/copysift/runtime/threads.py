"""Map a function over items on several threads, results in the order of the items.

The hot work releases the GIL, so threads suffice. Items go out in batches, because handing over one
small file costs as much as reading it; how much is under way at once is bounded by weight (bytes,
say), so that memory is bounded too.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Generic, TypeVar

from copysift.errors import UsageError
from copysift.runtime.lazy_dataclass import dataclass

Item = TypeVar("Item")
Result = TypeVar("Result")

BATCH = 32  # items at most in one batch
AHEAD = 4  # batches under way for each worker


@dataclass(frozen=True, slots=True)
class Failed(Generic[Item]):
    """Takes the place of a result whose function raised."""

    item: Item
    error: Exception


def ordered_map(
    function: Callable[[Item], Result],
    items: Iterable[Item],
    *,
    jobs: int,
    weigh: Callable[[Item], int] | None = None,
    budget: int = 64 << 20,
) -> Generator[Result | Failed[Item], None, None]:
    """Give function(item) for every item, in order, computed by `jobs` threads.

    An exception of one item becomes its result. Items are drawn as they are needed; the weights of
    those under way add up to about `budget` at most (one item may pass it alone). Closing the
    generator, or Ctrl-C while it waits, drops what is not begun and waits for no result.
    """
    stop = threading.Event()

    def each(batch: list[Item]) -> list[Result | Failed[Item]]:
        out: list[Result | Failed[Item]] = []
        for item in batch:
            if stop.is_set():  # nobody waits for this batch any more
                break
            out.append(attempt(function, item))
        return out

    if jobs == 1:
        for item in items:
            yield attempt(function, item)
        return
    try:
        yield from ordered_batches(each, items, jobs=jobs, weigh=weigh, budget=budget)
    finally:
        stop.set()


def ordered_batches(
    function: Callable[[list[Item]], Sequence[Result]],
    items: Iterable[Item],
    *,
    jobs: int,
    weigh: Callable[[Item], int] | None = None,
    budget: int = 64 << 20,
    most: int = BATCH,
) -> Generator[Result | Failed[Item], None, None]:
    """Give the results of a function of at most `most` items at once, as `ordered_map` does.

    When the function raises, that is the result of every item that it was given.
    """
    if jobs < 1:
        raise UsageError(f"jobs must be 1 or more, not {jobs}")
    batches = _batches(items, weigh, max(1, budget // (AHEAD * jobs)), most)
    if jobs == 1:
        for _, batch in batches:
            yield from _run(function, batch)
        return
    pool = ThreadPoolExecutor(jobs, thread_name_prefix="copysift")
    waiting: deque[tuple[int, Future[Sequence[Result | Failed[Item]]]]] = deque()
    under_way = 0
    try:
        for weight, batch in batches:
            while waiting and (under_way + weight > budget or len(waiting) >= AHEAD * jobs):
                done, future = waiting.popleft()
                yield from future.result()
                under_way -= done
            waiting.append((weight, pool.submit(_run, function, batch)))
            under_way += weight
        while waiting:
            yield from waiting.popleft()[1].result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)


def attempt(function: Callable[[Item], Result], item: Item) -> Result | Failed[Item]:
    """Give function(item), or what it raised."""
    try:
        return function(item)
    except Exception as error:
        return Failed(item, error)


def _batches(
    items: Iterable[Item], weigh: Callable[[Item], int] | None, heavy: int, most: int
) -> Iterator[tuple[int, list[Item]]]:
    """Cut items into batches of at most `most`, closed early when they weigh `heavy`."""
    batch: list[Item] = []
    weight = 0
    for item in items:
        batch.append(item)
        weight += weigh(item) if weigh else 0
        if len(batch) == most or weight >= heavy:
            yield weight, batch
            batch, weight = [], 0
    if batch:
        yield weight, batch


def _run(
    function: Callable[[list[Item]], Sequence[Result]], batch: list[Item]
) -> Sequence[Result | Failed[Item]]:
    try:
        return function(batch)
    except Exception as error:
        return [Failed(item, error) for item in batch]
