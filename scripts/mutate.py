"""Change one thing at a time in modules that decide, and see whether their tests notice.

    scripts/mutate.py [--sample N] [--module NAME] [--seed S] [--out FILE]

A mutant is one change: a comparison, an operator, a constant, a statement that is left out. It is made in
a copy of the tree, so that work can go on. A mutant that the tests do not notice is printed with its line;
docs/reliability.md explains those that are known.
"""

from __future__ import annotations

import argparse
import ast
import copy
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SECONDS = 900  # of one run of the tests: a mutant that hangs is noticed
# module → the tests that hold it
MODULES = {
    "kernels/reference/selection.py": "tests/kernels/test_selection.py",
    "match/measures.py": "tests/match/test_measures.py tests/workflows/test_pairs.py",
    "match/estimators.py": (
        "tests/match/test_measures.py tests/corpus/test_estimators.py tests/workflows/test_scan.py"
    ),
    "match/sets.py": "tests/corpus/test_measures.py tests/corpus/test_phases.py",
    "join/memory.py": "tests/store/test_join.py tests/store/test_heavy.py tests/workflows/test_pairs.py",
    "join/lists.py": "tests/corpus/test_phases.py tests/corpus/test_skew.py",
    "workflows/selection.py": (
        "tests/workflows/test_pairs.py tests/workflows/test_result_tables.py tests/workflows/test_scan.py "
        "tests/workflows/test_evidence_rules.py"
    ),
    "clusters/families.py": "tests/clusters/test_families.py",
    "store/writer.py": "tests/store/test_writer.py tests/store/test_merge.py tests/store/test_crashes.py",
    "store/lock.py": "tests/store/test_lock.py",
    "runtime/durable.py": "tests/runtime/test_durable.py",
    "runtime/timing.py": "tests/law/test_file_limits.py",
    "sources/container_limits.py": (
        "tests/sources/test_hostile_archives.py tests/sources/test_archives.py tests/law/test_file_limits.py"
    ),
    "serve/moss_protocol.py": "tests/serve/test_moss_protocol.py",
    "serve/quotas.py": "tests/serve/test_jobs.py",
    "serve/access.py": "tests/serve/test_access.py tests/serve/test_users.py",
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


def mutants(source: str) -> Iterator[tuple[int, str, str]]:
    """Give line, what was changed, and the changed source, for every mutant."""
    tree = ast.parse(source)
    skipped = _passive(tree)
    for node in ast.walk(tree):
        if id(node) in skipped or not hasattr(node, "lineno"):
            continue
        for changed in _changes(node):
            yield node.lineno, *_replaced(source, node, changed)


def _passive(tree: ast.AST) -> set[int]:
    """Give the nodes that run nothing: annotations, docstrings, and what only type checkers read."""
    found: set[int] = set()
    for node in ast.walk(tree):
        passive: list[ast.AST] = []
        if isinstance(node, ast.AnnAssign | ast.arg) and node.annotation:
            passive.append(node.annotation)
        if isinstance(node, ast.FunctionDef) and node.returns:
            passive.append(node.returns)
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
    for name in (
        "src",
        "tests",
        "docs",
        "examples",
        "scripts",
        "pyproject.toml",
        "README.md",
        "CONTRIBUTING.md",
    ):
        path = ROOT / name
        if path.is_dir():
            shutil.copytree(path, folder / name, ignore=shutil.ignore_patterns("__pycache__", "*.c"))
        else:
            shutil.copy(path, folder / name)
    return folder


def notices(folder: Path, tests: str) -> bool:
    """Say whether the tests fail."""
    done = subprocess.Popen(
        [sys.executable, "-m", "pytest", "-xqm", "not slow", "-p", "no:cacheprovider", *tests.split()],
        cwd=folder, env={**os.environ, "PYTHONPATH": str(folder / "src"), "PYTHONDONTWRITEBYTECODE": "1"},
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    try:
        return done.wait(SECONDS) != 0
    except subprocess.TimeoutExpired:
        os.killpg(done.pid, 9)
        return True


def main() -> None:
    """Make mutants and count those that are noticed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sample", type=int, default=0, help="mutants of each module (0: all)")
    parser.add_argument("--module", action="append", help="only this module")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="")
    given = parser.parse_args()
    folder = copied()
    total, noticed = 0, 0
    try:
        for module in given.module or MODULES:
            path = folder / "src/copysift" / module
            source = path.read_text()
            every = list(mutants(source))
            count = min(given.sample or len(every), len(every))
            chosen = random.Random(given.seed).sample(every, count)
            if notices(folder, MODULES[module]):
                print(f"{module}: its tests fail without a mutant", flush=True)
                continue
            killed = 0
            for line, shown, text in sorted(chosen):
                path.write_text(text)
                begun = time.monotonic()
                seen = notices(folder, MODULES[module])
                killed += seen
                if not seen:
                    print(f"{module}:{line}: {shown}", flush=True)
                if given.out:
                    with open(given.out, "a") as out:
                        row = {
                            "module": module,
                            "line": line,
                            "change": shown,
                            "noticed": seen,
                            "seconds": time.monotonic() - begun,
                        }
                        out.write(json.dumps(row) + "\n")
            path.write_text(source)
            total, noticed = total + len(chosen), noticed + killed
            print(f"{module}: {killed} of {len(chosen)} noticed, {len(every)} possible", flush=True)
        print(f"all: {noticed} of {total} noticed ({noticed / max(1, total):.0%})")
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
