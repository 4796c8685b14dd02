"""A run that replaces another: whatever moment it is cut off at, the next one can take its place."""

import shutil
from pathlib import Path

import pytest

import copysift
from copysift.errors import RunError
from copysift.runs import workspace
from tests.cli.program import write
from tests.cli.texts import prose


@pytest.mark.parametrize("moment", [1, 2])
def test_a_run_that_was_cut_off_while_it_was_put_in_place_can_be_replaced(tmp_path, monkeypatch, moment):
    write(tmp_path, {f"d/{at}.txt": prose(at) for at in range(3)})
    run, copy = tmp_path / "run", tmp_path / "copy"
    copysift.cluster(str(tmp_path / "d"), run=run)
    shutil.copytree(run, copy)
    synced = []

    def sync(path):
        synced.append(path)
        if len(synced) == moment:
            raise OSError(5, "Input/output error")

    with monkeypatch.context() as patched:
        patched.setattr(workspace.durable, "sync", sync)
        with pytest.raises(RunError, match="Input/output"), workspace.making(run) as made:
            shutil.copytree(copy, made)
    with workspace.making(run) as made:
        assert made == run / "new"
        assert not made.exists()
        shutil.copytree(copy, made)
    assert len(copysift.Run(run).documents) == 3
    assert not (run / "new").exists()


def test_a_run_opens_as_before_if_any_rename_fails_while_another_replaces_it(tmp_path, monkeypatch):
    write(
        tmp_path,
        {f"{part}/{at}.txt": prose(at) for part, count in (("d", 3), ("e", 5)) for at in range(count)},
    )
    run, other = tmp_path / "run", tmp_path / "other"
    copysift.cluster(str(tmp_path / "d"), run=run)
    copysift.cluster(str(tmp_path / "e"), run=other)
    rename, failed, number = Path.rename, True, 0
    while failed:
        number += 1
        left = number

        def refuse(source, target):
            nonlocal left
            left -= 1
            if not left:
                raise OSError(28, "No space left on device")
            return rename(source, target)

        here = tmp_path / f"here{number}"
        shutil.copytree(run, here)
        with monkeypatch.context() as patched:
            patched.setattr(Path, "rename", refuse)
            try:
                with workspace.making(here) as made:
                    shutil.copytree(other, made)
                failed = False
            except RunError:
                assert len(copysift.Run(here).documents) == 3, number
        with workspace.making(here) as made:
            shutil.copytree(other, made)
        assert len(copysift.Run(here).documents) == 5
    assert number > 6
