"""A name with an underscore belongs to its module: no other module imports it or reaches for it."""

import ast
from collections.abc import Iterator
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "copysift"
FOREIGN = {  # names that other libraries document, or have no public name for
    "_mapping": "rows of SQLAlchemy",
    "_replace": "NamedTuple",
    "_make": "NamedTuple",
    "_asdict": "NamedTuple",
    "_fields": "NamedTuple",
    "_getframe": "sys._getframe, documented; inspect takes time to import",
    "_exit": "os._exit, documented",
    "_jvm": "PySpark: the only way to Hadoop's file systems",
    "_jsc": "PySpark: the only way to Hadoop's file systems",
    "_serve": "uvicorn: serve() would take the signal handlers of the process",
}


def is_private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def owned_by(tree: ast.AST) -> set[str]:
    """Give the private names that a module defines: functions, classes, variables, fields and slots."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            found.add(node.name)
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and of_itself(node):
            found.add(node.attr)
    return found


def of_itself(node: ast.Attribute) -> bool:
    return isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")


def private_uses(content: str) -> Iterator[tuple[int, str]]:
    """Give the private names of other modules that a module uses, with their lines."""
    tree = ast.parse(content)
    owned = owned_by(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("copysift"):
            kernels = node.module == "copysift.kernels"  # the compiled modules have an underscore
            for each in node.names:
                if is_private(each.name) and not kernels:
                    yield node.lineno, each.name
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and not of_itself(node):
            yield from [(node.lineno, node.attr)] if node.attr not in owned | FOREIGN.keys() else []


def test_no_module_uses_private_names_of_another():
    found = [
        f"{path.relative_to(SOURCE)}:{line}: {name}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line, name in private_uses(path.read_text(encoding="utf-8"))
    ]
    assert found == []


def test_imports_and_attributes_are_found():
    content = "from copysift.runs import _put\nother._secret()\nclass A:\n  def f(self): self._a = b._a\n"
    assert list(private_uses(content)) == [(1, "_put"), (2, "_secret")]
