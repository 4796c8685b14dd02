"""`copysift check` as a pull request or a commit hook calls it."""

import json
import re
import shlex
import subprocess
import sys

import pytest
import yaml

from tests.cli.program import ROOT, copysift, environment, write
from tests.cli.submissions import essay

PROGRAM = "".join(
    f"def step_{at}(rows, limit):\n    for row in rows[{at}:]:\n        if row.size > limit * {at}:\n"
    f"            limit += row.size % {at + 3}\n    return limit - {at * 11}\n\n\n"
    for at in range(8)
)
RENAMED = PROGRAM.replace("rows", "items").replace("limit", "bound").replace("step_", "walk_")


def lines_of(text, width=60):
    """Break a text into lines, as people write them."""
    words, lines = text.split(), [""]
    for word in words:
        if len(lines[-1]) + len(word) > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {word}".strip()
    return "\n".join(lines) + "\n"


LICENCE = "".join(f"# {line}\n" for line in lines_of(essay(99, 200)).splitlines())


def git(folder, *arguments):
    subprocess.run(["git", "-C", folder, "-c", "user.name=n", "-c", "user.email=n@n", *arguments], check=True)


@pytest.fixture
def repository(tmp_path):
    """A repository whose branch main has programs and texts; the work tree is on another branch."""
    write(tmp_path, {
        "src/steps.py": LICENCE + PROGRAM, "docs/bees.txt": lines_of(essay(1, 200)),
        "docs/own.txt": lines_of(essay(2, 200)),
    })  # fmt: skip
    git(tmp_path, "init", "-q", "-b", "main")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "first")
    git(tmp_path, "checkout", "-q", "-b", "change")
    return tmp_path


def test_a_renamed_program_fails_and_the_file_and_what_it_is_copied_from_are_named(repository):
    write(repository, {"src/walks.py": RENAMED})
    done = copysift(repository, "check", "src/walks.py", "--format", "json")
    assert done.status == 1
    (pair,) = json.loads(done.out)["pairs"]
    assert (pair["left"], pair["right"]) == ("src/walks.py", "src/steps.py")
    assert "src/walks.py: 100% of its lines are copied" in done.err


def test_a_file_of_its_own_passes_although_it_has_the_licence_of_the_others(repository):
    write(repository, {f"src/other{at}.py": LICENCE + f"value_{at} = {at}\n" for at in range(12)})
    git(repository, "add", ".")
    write(repository, {"docs/new.txt": LICENCE + lines_of(essay(3, 60))})
    done = copysift(repository, "check", "docs/new.txt")
    assert (done.status, done.out) == (0, "")
    assert done.err == "copysift: 1 file checked, 0 copied\n"


def test_only_new_lines_count_with_since(repository):
    bees = (repository / "docs/bees.txt").read_text()
    write(repository, {"docs/own.txt": lines_of(essay(2, 200)) + bees[: len(bees) // 2]})
    whole = copysift(repository, "check", "docs/own.txt", "--threshold", "60%")
    assert whole.status == 0, whole.err
    new = copysift(repository, "check", "--since", "main", "--threshold", "60%")
    assert new.status == 1
    assert "docs/own.txt: 9" in new.err or "docs/own.txt: 100%" in new.err


def test_what_was_copied_before_does_not_count_with_since(repository):
    bees = (repository / "docs/bees.txt").read_text()
    write(repository, {"docs/hive.txt": bees})
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "a copy")
    write(repository, {"docs/hive.txt": bees + lines_of(essay(5, 60))})
    assert copysift(repository, "check", "docs/hive.txt").status == 1
    own = copysift(repository, "check", "--since", "HEAD")
    assert (own.status, own.err) == (0, "copysift: 1 file checked, 0 copied\n")


def test_a_moved_file_is_not_copied_and_a_second_one_is(repository):
    git(repository, "mv", "docs/bees.txt", "docs/hive.txt")
    assert copysift(repository, "check", "--since", "main").status == 0
    write(repository, {"again.txt": (repository / "docs/hive.txt").read_bytes()})
    git(repository, "add", ".")
    done = copysift(repository, "check", "--since", "main")
    assert done.status == 1
    assert "again.txt: 100% of its new lines are copied" in done.err


def test_annotations_name_file_and_lines(repository):
    write(repository, {"src/a,b.py": RENAMED})
    done = copysift(repository, "check", "src/a,b.py", "--format", "github")
    assert done.status == 1
    first = done.out.splitlines()[0]
    assert first.startswith("::error file=src/a%2Cb.py,line=1,endLine=")
    assert "copied from src/steps.py:" in first


def test_an_index_or_a_folder_can_take_the_place_of_the_repository(tmp_path):
    write(tmp_path, {"known/steps.py": PROGRAM, "new.py": RENAMED, "own.txt": lines_of(essay(4, 200))})
    assert copysift(tmp_path, "index", "add", "known.sift", "known").status == 0
    for known in ("known", "known.sift"):
        assert copysift(tmp_path, "check", "new.py", "--earlier", known).status == 1
        assert copysift(tmp_path, "check", "own.txt", "--earlier", known).status == 0


def test_what_cannot_be_checked_is_an_error(repository, tmp_path_factory):
    assert copysift(repository, "check").err.startswith("copysift: nothing to check")
    missing = copysift(repository, "check", "--since", "nowhere")
    assert (missing.status, "nowhere" in missing.err) == (2, True)
    assert copysift(repository, "check", "--since", "--output=x").status == 2
    elsewhere = tmp_path_factory.mktemp("plain")
    write(elsewhere, {"a.txt": essay(1)})
    outside = copysift(elsewhere, "check", "a.txt", GIT_CEILING_DIRECTORIES=str(elsewhere.parent))
    assert outside.status == 2
    assert "not a git repository" in outside.err


def test_the_action_and_the_hook_call_the_command_as_it_is(repository):
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    write(repository, {"src/walks.py": RENAMED})
    git(repository, "add", ".")
    step = action["runs"]["steps"][-1]
    given = {"SINCE": "main", "THRESHOLD": action["inputs"]["threshold"]["default"], "ARGUMENTS": "--quiet"}
    assert step["env"].keys() == given.keys()
    run = step["run"].replace("python3", sys.executable)
    done = subprocess.run(
        ["bash", "-c", run], cwd=repository, env=environment(**given), capture_output=True, check=False
    )
    assert done.returncode == 1
    assert done.stdout.startswith(b"::error file=src/walks.py,line=1,")
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    assert copysift(repository, *hook["entry"].split()[1:], "src/walks.py").status == 1


def test_every_command_of_the_how_to_runs(repository):
    write(repository, {"src/new.py": "def own(value):\n    return [value, value + 1]\n"})
    git(repository, "add", ".")
    git(repository, "commit", "-q", "-m", "second")
    assert copysift(repository, "index", "add", "company.sift", "docs").status == 0
    page = (ROOT / "docs" / "howto-check.md").read_text(encoding="utf-8")
    commands = re.findall(r"^\$ (.+?)(?:\s+#.*)?$", page, re.MULTILINE)
    assert len(commands) == 4
    for command in commands:
        name, *arguments = shlex.split(command)
        done = copysift(repository, *arguments)
        assert (name, done.status) == ("copysift", 0), (command, done.err)
    assert (repository / "copies.html").is_file()
