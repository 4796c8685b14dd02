"""Who else has this hash: the sort-join of all fingerprints of a collection, in bounded memory.

Entries (hash, group) are collected in blocks. A full block is partitioned by the top bits of its
hashes, and moved to a temporary file when the blocks together pass the memory budget. At the end
the parts are gathered, sorted and collated one after another (sif, section 4). Hashes are
scrambled on the way in by a multiplication that can be undone: selected hashes are skewed (small
ones with winnowing, even ones with mod), scrambled ones fill all parts equally. The order of
postings is that of the scrambled hashes, whatever the budget, the blocks and the threads.
"""

from __future__ import annotations

import tempfile
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from copysift import kernels
from copysift.errors import InputError, UsageError
from copysift.join.rows import Common, Postings
from copysift.runtime.arrays import distinct
from copysift.runtime.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import io
    from types import TracebackType

    from numpy.typing import NDArray

    UInt32s = NDArray[np.uint32]
    UInt64s = NDArray[np.uint64]

T = TypeVar("T")
R = TypeVar("R")

SCRAMBLE = 0x9E3779B97F4A7C15
UNSCRAMBLE = pow(SCRAMBLE, -1, 2**64)
PART_BITS = 8  # a part of 2^30 entries is then 50 MB
ENTRY_BYTES = 12  # a hash and a group
LARGEST_BLOCK = 1 << 20  # entries
SMALLEST_PART = 1 << 16  # entries; smaller parts are taken together
WAITING = 1 << 15  # entries of small groups that are put in together
HINT = "Choose a folder with room by --tmp-dir, or a larger --memory."


class Budget:
    """Memory that several joins share: whoever closes a block when it is spent moves its blocks to disk."""

    def __init__(self, memory_bytes: int, joins: int = 1) -> None:
        if memory_bytes <= 0:
            raise UsageError("the memory of the join must be positive", hint="use a larger --memory")
        self.room = max(memory_bytes // ENTRY_BYTES, 64)  # entries
        self.block = min(max(self.room // (4 * joins), 16), LARGEST_BLOCK)
        self.held = 0  # entries of the blocks of all joins


@dataclass(slots=True)
class _Block:
    """Entries in order of part; the arrays are None once they lie in the temporary file at `offset`."""

    hashes: UInt64s | None
    groups: UInt32s | None
    bounds: NDArray[np.int64]
    offset: int = 0


class Join:
    """Collects the hashes of numbered groups, then gives who shares what.

    `base` holds hashes that never count. A group may be added in several pieces and in any order;
    a hash that it holds twice counts once. Use it as a context manager: the temporary file goes
    with it, also after an error.
    """

    def __init__(
        self,
        memory: int | Budget = 1 << 28,
        tmp_dir: Path | None = None,
        base: UInt64s | None = None,
        jobs: int = 1,
    ) -> None:
        self._budget = memory if isinstance(memory, Budget) else Budget(memory)
        self._tmp_dir = tmp_dir
        self._base = np.zeros(0, np.uint64) if base is None else distinct(base)
        self._jobs = max(jobs, 1)
        self._hashes = np.empty(self._budget.block, np.uint64)
        self._groups = np.empty(len(self._hashes), np.uint32)
        self._filled = 0
        self._waiting: list[tuple[int, UInt64s]] = []
        self._waiting_entries = 0
        self._blocks: list[_Block] = []
        self._held = 0  # entries of the blocks in memory
        self._file: io.BufferedRandom | None = None
        self._reading = threading.Lock()
        self._n_groups = 0

    def __enter__(self) -> Join:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Drop the entries and the temporary file."""
        self._blocks.clear()
        self._waiting.clear()
        self._budget.held -= self._held
        self._filled = self._held = self._waiting_entries = 0
        if self._file is not None:
            self._file.close()
            self._file = None

    @property
    def spilled_bytes(self) -> int:
        """Size of the temporary file, 0 while everything fits into the memory."""
        return 0 if self._file is None else self._file.seek(0, 2)

    def add(self, group: int, hashes: UInt64s) -> None:
        """Add hashes of a group, which no longer change; groups are numbered from 0."""
        self._n_groups = max(self._n_groups, group + 1)
        hashes = self._without_base(hashes)
        self._waiting.append((group, hashes))
        self._waiting_entries += len(hashes)
        if self._waiting_entries >= min(WAITING, len(self._hashes)):
            self._fill_waiting()

    def add_entries(self, hashes: UInt64s, groups: UInt32s) -> None:
        """Add hashes, each with its group."""
        if len(groups):
            self._n_groups = max(self._n_groups, int(groups.max()) + 1)
        if len(self._base):
            kept = ~np.isin(hashes, self._base)
            hashes, groups = hashes[kept], groups[kept]
        self._fill(hashes, groups)

    def _fill_waiting(self) -> None:
        """Put the small groups in: one by one, each would cost more than its entries."""
        if self._waiting:
            numbers, pieces = zip(*self._waiting, strict=True)
            lengths = [len(piece) for piece in pieces]
            self._waiting, self._waiting_entries = [], 0
            self._fill(np.concatenate(pieces), np.repeat(np.array(numbers, np.uint32), lengths))

    def _fill(self, hashes: UInt64s, groups: UInt32s) -> None:
        done = 0
        while done < len(hashes):
            taken = min(len(hashes) - done, len(self._hashes) - self._filled)
            to = slice(self._filled, self._filled + taken)
            np.multiply(hashes[done : done + taken], np.uint64(SCRAMBLE), out=self._hashes[to])
            self._groups[to] = groups[done : done + taken]
            self._filled += taken
            done += taken
            if self._filled == len(self._hashes):
                self._close_block()

    def finish(self, max_shared: int, weigh: Callable[[NDArray[Any], int], NDArray[np.float64]]) -> Postings:
        """Collate the entries; a hash in more than `max_shared` groups is common (0: none is).

        `weigh(degrees, groups)` gives the weight of a hash for each number of groups that hold
        it, out of `groups` that hold any.
        """
        self._fill_waiting()
        self._close_block()
        limit = max_shared if max_shared > 0 else 2**32
        sizes = np.zeros(self._n_groups, np.uint32)
        runs: list[tuple[NDArray[Any], ...]] = []
        with ThreadPoolExecutor(self._jobs) as pool:
            for hashes, groups in in_order(pool, self._sorted_part, self._parts(), self._jobs + 1):
                runs.append(kernels.join.shared_runs(hashes, groups, limit, sizes))
        self.close()
        columns = [np.concatenate(column) for column in zip(*runs, strict=True)] if runs else _nothing()
        shared, degrees, groups, common, common_degrees, holders = columns
        runs.clear()
        return Postings.of(
            hashes=shared * np.uint64(UNSCRAMBLE),
            degrees=degrees,
            groups=groups,
            sizes=sizes,
            common=Common(common * np.uint64(UNSCRAMBLE), common_degrees, holders),
            weigh=weigh,
        )

    def _without_base(self, hashes: UInt64s) -> UInt64s:
        if not len(self._base) or not len(hashes):
            return hashes
        at = np.searchsorted(self._base, hashes)
        at[at == len(self._base)] = 0
        kept: UInt64s = hashes[self._base[at] != hashes]
        return kept

    def _close_block(self) -> None:
        if not self._filled:
            return
        full = slice(0, self._filled)
        block = _Block(*kernels.join.partition(self._hashes[full], self._groups[full], PART_BITS))
        self._blocks.append(block)
        self._held += self._filled
        self._budget.held += self._filled
        self._filled = 0
        if self._budget.held + len(self._hashes) > self._budget.room:
            self._spill()

    def _spill(self) -> None:
        try:
            if self._file is None:
                # without a name where the system allows it, so that nothing is left even after a kill
                self._file = tempfile.TemporaryFile(prefix="copysift-", dir=self._tmp_dir)  # noqa: SIM115 - see close
            for block in self._blocks:
                if block.hashes is not None and block.groups is not None:
                    block.offset = self._file.seek(0, 2)
                    self._file.write(block.hashes.data)
                    self._file.write(block.groups.data)
                    block.hashes = block.groups = None
        except OSError as error:
            folder = self._tmp_dir or tempfile.gettempdir()
            reason = f"cannot write temporary files in {folder}: {error.strerror}"
            raise InputError(reason, hint=HINT) from error
        self._budget.held -= self._held
        self._held = 0

    def _parts(self) -> Iterator[tuple[int, int]]:
        """Give ranges of parts, each large enough to be worth a sort of its own."""
        counts = np.zeros(1 << PART_BITS, np.int64)
        for block in self._blocks:
            counts += np.diff(block.bounds)
        first = 0
        total = 0
        for part, count in enumerate(counts.tolist()):
            total += count
            if total >= SMALLEST_PART or (part == len(counts) - 1 and total):
                yield first, part + 1
                first, total = part + 1, 0

    def _sorted_part(self, parts: tuple[int, int]) -> tuple[UInt64s, UInt32s]:
        pieces = [self._piece(block, *parts) for block in self._blocks]
        hashes = np.concatenate([hashes for hashes, _ in pieces])
        groups = np.concatenate([groups for _, groups in pieces])
        kernels.join.sort_pairs(hashes, groups)
        return hashes, groups

    def _piece(self, block: _Block, first: int, last: int) -> tuple[UInt64s, UInt32s]:
        start, end = int(block.bounds[first]), int(block.bounds[last])
        if block.hashes is not None and block.groups is not None:
            return block.hashes[start:end], block.groups[start:end]
        hashes = np.empty(end - start, np.uint64)
        groups = np.empty(end - start, np.uint32)
        self._read(hashes, block.offset + 8 * start)
        self._read(groups, block.offset + 8 * int(block.bounds[-1]) + 4 * start)
        return hashes, groups

    def _read(self, into: NDArray[Any], offset: int) -> None:
        assert self._file is not None  # a block without arrays lies in the file
        with self._reading:
            self._file.seek(offset)
            if self._file.readinto(into.data) != into.nbytes:
                raise InputError("a temporary file of the join is truncated", hint=HINT)


def _nothing() -> list[NDArray[Any]]:
    kinds = (np.uint64, np.uint32, np.uint32, np.uint64, np.uint32, np.uint32)
    return [np.zeros(0, kind) for kind in kinds]


def in_order(pool: ThreadPoolExecutor, work: Callable[[T], R], items: Iterable[T], ahead: int) -> Iterator[R]:
    """Give work(item) of each item in order, with at most `ahead` of them under way or waiting."""
    waiting: deque[Future[R]] = deque()
    try:
        for item in items:
            waiting.append(pool.submit(work, item))
            if len(waiting) >= ahead:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()
