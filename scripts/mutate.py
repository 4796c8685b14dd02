"""Change one thing at a time in modules that decide, and see whether their tests notice.

    scripts/mutate.py [--sample N] [--module NAME] [--seed S] [--out FILE] [--again FILE]

A mutant is one change: a comparison, an operator, a constant, a statement that is left out. It is made in
a copy of the tree, so that work can go on. The tests of a module are run once to see which of them run which
lines; a mutant gets those of its line, the fastest first, until one fails. A mutant that they do not notice
is printed with its line; docs/reliability.md explains those that are known.
"""

from __future__ import annotations

import argparse
import ast
import copy
import importlib
import importlib.metadata
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import coverage
import pytest

ROOT = Path(__file__).parents[1]
SECONDS, CPU = 1800, 300  # of one run of the tests, on the clock and of processors: what hangs is noticed
IMPORTED = ("-W", "ignore::pytest.PytestAssertRewriteWarning")  # by this process, before pytest
COPIED = ("src", "tests", "docs", "examples", "scripts", "pyproject.toml", "README.md", "CONTRIBUTING.md")
# module → the tests that hold it
MODULES = {
    "kernels/reference/selection.py": "tests/kernels/test_selection.py",
    "match/measures.py": "tests/match/test_measures.py",
    "match/estimators.py": "tests/match/test_estimators.py",
    "match/sets.py": (
        "tests/match/test_estimators.py tests/engines/test_pair_files.py tests/runs/test_recall.py"
    ),
    "join/memory.py": "tests/store/test_join.py tests/store/test_join_budget.py",
    "join/lists.py": "tests/engines/test_lists.py tests/engines/test_pair_files.py",
    "workflows/selection.py": (
        "tests/workflows/test_selection.py tests/workflows/test_pairs.py "
        "tests/workflows/test_result_tables.py tests/workflows/test_evidence_rules.py"
    ),
    "clusters/families.py": "tests/clusters/test_families.py",
    "join/rows.py": (
        "tests/store/test_join.py tests/store/test_join_budget.py tests/match/test_chance.py "
        "tests/clusters/test_families.py"
    ),
    "join/boilerplate.py": "tests/corpus/test_boilerplate.py",
    "store/writer.py": (
        "tests/store/test_writer.py tests/store/test_contents.py tests/store/test_flips.py "
        "tests/store/test_formats.py tests/workflows/test_updating.py tests/workflows/test_repair.py "
        "tests/workflows/test_index_units.py tests/sweeps/test_sweep.py tests/sweeps/test_cut.py"
    ),
    "store/lock.py": "tests/store/test_lock.py",
    "runtime/durable.py": "tests/runtime/test_durable.py",
    "runtime/timing.py": (
        "tests/law/test_file_limits.py::test_time_is_checked_between_blocks "
        "tests/law/test_file_limits.py::test_a_limit_of_one_is_a_second_and_others_are_seconds "
        "tests/law/test_file_limits.py::test_what_comes_after_the_last_block_counts "
        "tests/law/test_file_limits.py::test_the_clock_is_the_processor_time_of_the_thread"
    ),
    "sources/container_limits.py": "tests/sources/test_hostile_archives.py",
    "serve/moss_protocol.py": "tests/serve/test_moss_protocol.py",
    "serve/quotas.py": "tests/serve/test_quotas.py",
    "serve/access.py": "tests/serve/test_access.py",
}

_COMPARED = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
}  # fmt: skip
_OPERATED = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.FloorDiv, ast.FloorDiv: ast.Mult, ast.Div: ast.Mult,
    ast.Mod: ast.FloorDiv, ast.LShift: ast.RShift, ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}  # fmt: skip
_NAMED = {"min": "max", "max": "min", "any": "all", "all": "any"}


class Mutant(NamedTuple):
    """One change: the first and the last line of what it changes, in words, and the whole module."""

    line: int
    last: int
    change: str
    source: str


def mutants(source: str) -> Iterator[Mutant]:
    """Give every mutant of a module."""
    tree = ast.parse(source)
    skipped = _passive(tree)
    for node in ast.walk(tree):
        if id(node) in skipped or not hasattr(node, "lineno"):
            continue
        for changed in _changes(node):
            yield Mutant(node.lineno, node.end_lineno, *_replaced(source, node, changed))


def _passive(tree: ast.AST) -> set[int]:
    """Give the nodes that run nothing: annotations, docstrings, and what only type checkers read."""
    found: set[int] = set()
    for node in ast.walk(tree):
        passive: list[ast.AST] = []
        if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation:
            passive.append(node.annotation)
        if isinstance(node, ast.FunctionDef) and node.returns:
            passive.append(node.returns)
        if isinstance(node, ast.ClassDef):
            passive += node.decorator_list  # frozen, slots: a style, which type checkers hold
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            passive += [node, node.value]
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            passive.append(node)
        if (
            isinstance(node, ast.Assign)
            and isinstance(node.value, ast.BinOp)
            and ast.unparse(node.targets[0]).istitle()
        ):
            passive.append(node)  # a name for a type
        if isinstance(node, ast.Raise) and node.exc is not None:  # the words of a message
            passive += [
                each
                for each in ast.walk(node.exc)
                if isinstance(each, ast.Constant | ast.FormattedValue | ast.JoinedStr | ast.BinOp)
            ]
        for each in passive:
            found |= {id(inner) for inner in ast.walk(each)}
    return found


def _changes(node: ast.AST) -> Iterator[ast.AST]:
    made = copy.deepcopy(node)
    if isinstance(made, ast.Compare) and type(made.ops[0]) in _COMPARED:
        made.ops[0] = _COMPARED[type(made.ops[0])]()
        yield made
    elif isinstance(made, ast.BinOp) and type(made.op) in _OPERATED:
        made.op = _OPERATED[type(made.op)]()
        yield made
    elif isinstance(made, ast.BoolOp):
        made.op = ast.Or() if isinstance(made.op, ast.And) else ast.And()
        yield made
    elif isinstance(made, ast.UnaryOp) and isinstance(made.op, ast.Not):
        yield made.operand
    elif isinstance(made, ast.Constant) and isinstance(made.value, bool):
        yield ast.Constant(not made.value)
    elif isinstance(made, ast.Constant) and isinstance(made.value, int | float):
        yield ast.Constant(made.value + 1)
    elif isinstance(made, ast.Name) and made.id in _NAMED and isinstance(made.ctx, ast.Load):
        yield ast.Name(_NAMED[made.id])
    elif isinstance(made, ast.Expr) and isinstance(made.value, ast.Call):
        yield ast.Pass()
    elif isinstance(made, ast.If | ast.IfExp | ast.While):
        pass  # their tests are changed as what they are
    elif isinstance(made, ast.Continue | ast.Break):
        yield ast.Pass()


def _replaced(source: str, node: ast.AST, changed: ast.AST) -> tuple[str, str]:
    lines = source.splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line.encode()))
    data = source.encode()
    begin = starts[node.lineno - 1] + node.col_offset  # type: ignore[attr-defined]
    end = starts[node.end_lineno - 1] + node.end_col_offset  # type: ignore[attr-defined]
    new = ast.unparse(changed)
    old = data[begin:end].decode()
    new = (
        f"({new})"
        if isinstance(changed, ast.expr) and not isinstance(changed, ast.Name | ast.Constant)
        else new
    )
    shown = f"{' '.join(old.split())} → {new}"
    return shown, (data[:begin] + new.encode() + data[end:]).decode()


def copied() -> Path:
    """Copy the tree to a temporary folder."""
    folder = Path(tempfile.mkdtemp(prefix="copysift-mutants-"))
    for name in COPIED:
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.c"))
        else:
            shutil.copy(path, folder / name)
    return folder


class Watch:
    """A plugin of pytest that notes which lines of a module each test runs, and how long it takes."""

    def __init__(self, module: Path) -> None:
        self.seconds: dict[str, float] = {}
        self._measured = coverage.Coverage(data_file=None, include=[str(module)], config_file=False)
        self._module = str(module)
        self._measured.start()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        """Name the test to coverage."""
        self._measured.switch_context(item.nodeid)
        done = yield
        self._measured.switch_context("")
        return done

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up setting up, running and cleaning up."""
        self.seconds[report.nodeid] = self.seconds.get(report.nodeid, 0) + report.duration

    def found(self) -> dict[str, Any]:
        """Give seconds of every test, and the tests of every line; that of importing it is \"\"."""
        self._measured.stop()
        lines = self._measured.get_data().contexts_by_lineno(self._module)
        return {"seconds": self.seconds, "lines": {str(line): tests for line, tests in lines.items()}}


class Tests:
    """The tests of a module, in forks of this process: the libraries are loaded once for all mutants."""

    def __init__(self, folder: Path, module: str) -> None:
        self._folder, self._path = folder, folder / "src/copysift" / module
        self._report, self._output = folder / "watched.json", folder / "output.txt"
        self._report.unlink(missing_ok=True)
        if self._forked(MODULES[module].split(), watched=True):
            said = self._output.read_text()
            raise RuntimeError(f"{module}: its tests fail without a mutant:\n{said[-4000:]}")
        found = json.loads(self._report.read_text())
        self._seconds: dict[str, float] = found["seconds"]
        self._lines: dict[int, list[str]] = {int(line): tests for line, tests in found["lines"].items()}
        for kept in self._path.parent.glob(f"__pycache__/{self._path.stem}.*"):
            kept.unlink()  # a mutant of the same size, made in the same second, would be taken for it

    def notice(self, first: int, last: int) -> bool:
        """Say whether a test fails: those that run these lines, and those whose processes may run them."""
        here = {test for line in range(first, last + 1) for test in self._lines.get(line, ())}
        reached = {test for tests in self._lines.values() for test in tests}
        if "" in here:
            here = set(self._seconds)
        tests = here | (self._seconds.keys() - reached)
        return self._forked(sorted(tests, key=lambda test: (self._seconds[test], test)), watched=False)

    def _forked(self, tests: list[str], watched: bool) -> bool:
        if not tests:
            return False
        child = os.fork()
        if not child:
            self._run(tests, watched)
        end = time.monotonic() + SECONDS
        while time.monotonic() < end:
            ended, status = os.waitpid(child, os.WNOHANG)
            if ended:
                return status != 0
            time.sleep(0.02)
        os.killpg(child, signal.SIGKILL)
        os.waitpid(child, 0)
        return True

    def _run(self, tests: list[str], watched: bool) -> NoReturn:
        status = 1
        try:
            os.setpgid(0, 0)
            sys.dont_write_bytecode = not watched
            os.environ |= {"PYTHONPATH": str(self._folder / "src"), "TEST_FRESH": "1"}
            resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
            os.chdir(self._folder)
            sys.path[:0] = [str(self._folder / "src"), str(self._folder)]
            output = os.open(self._output, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
            os.dup2(output, 1)
            os.dup2(output, 2)
            watch = Watch(self._path) if watched else None
            options = ["-xqm", "not slow", "-p", "no:cacheprovider", "--hypothesis-seed=0", *IMPORTED]
            status = int(pytest.main([*options, *tests], [watch] if watch else []))
            if watch:
                self._report.write_text(json.dumps(watch.found()))
        except Exception:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(status)


def survivors(path: str) -> set[tuple[str, int, str]]:
    """Give module, line and change of the mutants that nobody noticed."""
    rows = [json.loads(line) for line in Path(path).read_text().splitlines()]
    return {(row["module"], row["line"], row["change"]) for row in rows if not row["noticed"]}


def prepare() -> None:
    """Load what the tests load, but nothing of copysift."""
    for plugin in importlib.metadata.entry_points(group="pytest11"):
        plugin.load()
    for name in ("numpy", "pyarrow.parquet", "hypothesis", "click"):
        importlib.import_module(name)
    assert "copysift" not in sys.modules


def main() -> None:
    """Make mutants and count those that are noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=0, help="mutants of each module (0: all)")
    parser.add_argument("--module", action="append", help="only this module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="", help="a file of lines of JSON that is added to")
    parser.add_argument("--again", default="", help="such a file: only what was not noticed there is made")
    given = parser.parse_args()
    prepare()
    folder = copied()
    total, noticed = 0, 0
    try:
        for module in given.module or MODULES:
            path = folder / "src/copysift" / module
            source = path.read_text()
            every = list(mutants(source))
            if given.again:
                known = survivors(given.again)
                every = [mutant for mutant in every if (module, mutant.line, mutant.change) in known]
            chosen = random.Random(given.seed).sample(every, min(given.sample or len(every), len(every)))
            tests = Tests(folder, module)
            killed = 0
            for mutant in sorted(chosen):
                path.write_text(mutant.source)
                begun = time.monotonic()
                seen = tests.notice(mutant.line, mutant.last)
                killed += seen
                row = {"module": module, "line": mutant.line, "change": mutant.change, "noticed": seen}
                if not seen:
                    print(f"{module}:{mutant.line}: {mutant.change}", flush=True)
                if given.out:
                    with open(given.out, "a") as out:
                        out.write(json.dumps({**row, "seconds": round(time.monotonic() - begun, 1)}) + "\n")
            path.write_text(source)
            total, noticed = total + len(chosen), noticed + killed
            print(f"{module}: {killed} of {len(chosen)} noticed, {len(every)} possible", flush=True)
        print(f"all: {noticed} of {total} noticed ({noticed / max(1, total):.0%})")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
