"""JSON version 1 keeps its fields: whatever version 0.1 gave is still there, with the same type."""

from __future__ import annotations

import json
import sys
from io import BytesIO, TextIOWrapper
from pathlib import Path

import pytest

from copysift.cli.main import main
from tests.golden.commands import answers

KEPT = json.loads((Path(__file__).parent / "fields.json").read_text())
OPTIONAL = ": null"  # a field that was null may have a value now


@pytest.fixture(scope="module")
def found(tmp_path_factory):
    place = tmp_path_factory.mktemp("golden")

    def run(*arguments: object, stdin: str = "") -> str:
        kept = sys.stdin, sys.stdout
        written = TextIOWrapper(BytesIO(), encoding="utf-8", write_through=True)
        sys.stdin, sys.stdout = TextIOWrapper(BytesIO(stdin.encode())), written
        try:
            assert main([str(each) for each in arguments]) in (0, 1), arguments
        finally:
            sys.stdin, sys.stdout = kept
        return written.buffer.getvalue().decode()

    return answers(run, place)


@pytest.mark.parametrize("command", KEPT)
def test_no_field_of_version_one_is_lost(command, found):
    now = {each.partition(":")[0]: each for each in found[command]}
    for field in KEPT[command]:
        path = field.partition(":")[0]
        assert path in now or path.removesuffix("[]") in now or f"{path}[]" in now, field
        if path in now and not field.endswith(OPTIONAL):
            assert field in found[command], (field, now[path])
