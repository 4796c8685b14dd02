import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from copysift._version import __version__
from tests.cli.program import copysift, environment, write
from tests.cli.texts import prose

HEAVY = (
    "numpy", "pyarrow", "rich", "pygments", "copysift.workflows", "copysift.kernels", "charset_normalizer",
)  # fmt: skip


def test_version_is_one_line(tmp_path):
    done = copysift(tmp_path, "--version")
    assert (done.status, done.out, done.err) == (0, f"copysift {__version__}\n", "")


def test_help_lists_the_commands_and_the_exit_status(tmp_path):
    done = copysift(tmp_path, "--help")
    assert done.status == 0
    for word in ("scan", "show", "compare", "formats", "Exit status: 0 done, 1 nothing found"):
        assert word in done.out


@pytest.mark.parametrize(
    ("arguments", "heavy"),
    [
        (["--help"], HEAVY),
        (["--version"], HEAVY),
        (["scan", "--help"], HEAVY),
        # The facts about schemes and kinds are beside their code, which needs NumPy.
        (
            ["formats"],
            ("pyarrow", "rich", "pygments", "sqlite3", "copysift.workflows.r", "charset_normalizer"),
        ),
    ],
)
def test_start_up_is_light(tmp_path, arguments, heavy):
    code = (
        "import sys\n"
        "from copysift.cli.main import main\n"
        f"status = main({arguments!r})\n"
        f"print([name for name in sys.modules if name.startswith({heavy!r})], status, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True
    )
    assert done.stderr == "[] 0\n"


@pytest.mark.parametrize(
    ("arguments", "unneeded"),
    [
        (["scan", "d"], ("numpy.ma.", "sqlite3", "subprocess", "email", "importlib.metadata", "pyarrow")),
        # The catalog of an index is an SQLite database.
        (
            ["query", "x.sift", "d/a.txt"],
            ("numpy.ma.", "subprocess", "email", "importlib.metadata", "pyarrow"),
        ),
    ],
)
def test_a_short_command_loads_only_what_it_needs(tmp_path, arguments, unneeded):
    write(tmp_path, {"d/a.txt": prose(1), "d/b.txt": prose(1) + "More."})
    copysift(tmp_path, "index", "add", "x.sift", "d", "-q")
    code = (
        "import sys\n"
        "from copysift.cli.main import main\n"
        f"status = main({arguments!r})\n"
        f"print([name for name in sys.modules if name.startswith({unneeded!r})], status, file=sys.stderr)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment(),
        cwd=tmp_path,
        check=True,
    )
    assert done.stderr == "[] 0\n"


def test_importing_copysift_loads_nothing_heavy():
    code = f"import sys, copysift; print([n for n in sys.modules if n.startswith({HEAVY!r})])"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment(), check=True
    )
    assert done.stdout == "[]\n"


def test_no_arguments_is_help_and_wrong_usage(tmp_path):
    done = copysift(tmp_path)
    assert done.status == 2
    assert "Usage: copysift" in done.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["scna"], "copysift: there is no command 'scna'\nhint: did you mean scan?\n"),
        (["xyz"], "copysift: there is no command 'xyz'\nhint: copysift --help lists them\n"),
        (["scan"], "copysift: nothing to scan\nhint: name files or folders, or use --files-from\n"),
        (["scan", ".", "--noise", "30", "--guarantee", "20"],
         "copysift: the noise threshold 30 is above the guarantee threshold 20\n"
         "hint: the window is guarantee − noise + 1 and must be at least 1: "
         "lower --noise or raise --guarantee\n"),
        (["scan", ".", "--noise", "0"], "copysift: --noise is 0, but must be between 1 and 100,000\n"),
        (["scan", ".", "--threshold", "25"],
         "copysift: --threshold is 25, but must be between 0 and 1, or 0% and 100%\n"
         "hint: 25 is 2500%; for 25 percent write 25% or 0.25\n"),
        (["scan", ".", "--scheme", "minhash"],
         "copysift: there is no scheme 'minhash'\nhint: schemes: robust, winnow, mod, safe-mod, min, "
         "adaptive-mod, anchor, open-closed, all\n"),
        (["scan", ".", "--kind", "music"],
         "copysift: there is no kind 'music'\n"
         "hint: kinds: text, words, code, html, html-words, bytes, executable\n"),
        (["scan", ".", "--format", "xml"],
         "copysift: there is no report format 'xml'\n"
         "hint: report formats: table, json, csv, sif, html, moss, github\n"),
        (["scan", ".", "-o", "report.docx"],
         "copysift: no report format has the extension .docx\n"
         "hint: use --format: table, json, csv, sif, html, moss, github\n"),
        (["scan", ".", "-o", "none/report.json"],
         "copysift: cannot write none/report.json: there is no folder none\nhint: create it first\n"),
        (["scan", ".", "--scheme", "anchor"],
         "copysift: too little text to learn anchors from\nhint: use --anchor\n"),
        (["scan", ".", "--save", "no/such/run"], None),
        (["scan", ".", "--config", "none.toml"],
         "copysift: cannot read the config file none.toml: No such file or directory\n"),
        (["show", "none"],
         "copysift: none is not a run: No such file or directory\n"
         "hint: create one with copysift scan --save or copysift cluster\n"),
        (["compare", "a", "b"], None),
        (["scan", ".", "--tmp-dir", "none"],
         "copysift: the folder none of --tmp-dir does not exist\nhint: create it first\n"),
        (["scan", ".", "--colour", "red"], None),
        (["shred", "."], "copysift: there is no command 'shred'\nhint: copysift --help lists them\n"),
        (["clustr", "."], "copysift: there is no command 'clustr'\nhint: did you mean cluster?\n"),
        (["dedup", "a.jsonl"], "copysift: no output file given\nhint: add -o OUT.jsonl or --dry-run\n"),
        (["dedup", "a.jsonl", "--test", "b.jsonl"],
         "copysift: no output file given\nhint: add -o OUT.jsonl, --report FILE.html or --dry-run\n"),
    ],
)  # fmt: skip
def test_wrong_usage_is_a_message_and_status_2_never_a_traceback(tmp_path, arguments, message):
    done = copysift(tmp_path, *arguments)
    assert done.status == 2
    assert done.out == ""
    assert "Traceback" not in done.err
    assert done.err.startswith("copysift: ")
    assert len(done.err.splitlines()) <= 2
    if message is not None:
        assert done.err == message


def test_twice_verbose_shows_the_traceback(tmp_path):
    done = copysift(tmp_path, "scan", ".", "--scheme", "minhash", "-vv")
    assert done.status == 2
    assert "Traceback" in done.err
    assert done.err.endswith("open-closed, all\n")


def test_a_config_file_sets_and_the_command_line_overrules(tmp_path):
    write(tmp_path, {"a.txt": prose(1), "b.txt": prose(1) + prose(2)})
    config = 'format = "csv"\nexclude = ["*.toml"]\nthreshold = "100%"\nmeasure = "resemblance"\n'
    write(tmp_path, {"set.toml": config})
    done = copysift(tmp_path, "scan", ".", "--config", "set.toml")
    assert (done.status, len(done.out.splitlines())) == (1, 1)
    done = copysift(tmp_path, "scan", ".", "--config", "set.toml", "--threshold", "20%")
    assert (done.status, len(done.out.splitlines())) == (0, 2)


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_goes_away_is_no_error(tmp_path, unbuffered):
    write(tmp_path, {f"{number}.txt": prose(1) + prose(number) for number in range(60)})
    running = subprocess.Popen(
        [sys.executable, "-m", "copysift", "scan", ".", "--format", "json", "--threshold", "0"],
        cwd=tmp_path, env=environment(PYTHONUNBUFFERED=unbuffered),
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    assert running.stdout.read(10) == b'{\n "versio'
    running.stdout.close()
    assert (running.wait(), running.stderr.read()) == (141, b"")
    running.stderr.close()


@pytest.mark.skipif(sys.platform == "win32", reason="signals differ")
def test_ctrl_c_is_one_line_and_status_130(tmp_path):
    os.mkfifo(tmp_path / "list")
    running = subprocess.Popen(
        [sys.executable, "-m", "copysift", "scan", "--files-from", "list"],
        cwd=tmp_path, env=environment(), stderr=subprocess.PIPE, text=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )  # fmt: skip
    with open(tmp_path / "list", "wb"):  # opens when the program has opened it for reading
        time.sleep(0.3)
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
    assert (running.returncode, err) == (130, "copysift: interrupted\n")


def test_formats_lists_what_is_understood(tmp_path):
    done = copysift(tmp_path, "formats")
    assert done.status == 0
    assert "  text           25 / 50   characters" in done.out
    assert "  open-closed   winnowing with fewer fingerprints for the same guarantee\n" in done.out
    assert "  sif           groups, as the sif paper lists them\n" in done.out


@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_on_a_terminal_there_are_colours_progress_and_lines_that_fit(tmp_path):
    import pty

    folder = "a/rather/long/path/to/some/folder/that/does/not/fit/into/a/line/of/the/terminal"
    write(tmp_path, {f"{folder}/{n}.txt": prose(1) + prose(n, words=20) for n in range(3)})
    master, terminal = pty.openpty()
    running = subprocess.Popen(
        [sys.executable, "-m", "copysift", "scan", "a"],
        cwd=tmp_path, env=environment(TERM="xterm-256color", COLUMNS="90"), stdout=terminal, stderr=terminal,
    )  # fmt: skip
    os.close(terminal)
    shown = b""
    while True:
        try:
            read = os.read(master, 65536)
        except OSError:  # how Linux says that the other side is closed
            break
        if not read:
            break
        shown += read
    os.close(master)
    assert running.wait() == 0
    text = shown.decode()
    assert "\x1b[1mSimilar files: 3 pairs\x1b[0m" in text
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text[text.index("Similar") :])
    rows = [line for line in plain.splitlines() if ".txt" in line]
    assert len(rows) == 3
    assert all(len(line) <= 90 and "…/" in line for line in rows)


@pytest.mark.parametrize("verbose", [False, True])
def test_a_defect_is_status_2_with_one_line_and_a_traceback_only_on_request(tmp_path, verbose):
    code = (
        "import sys\n"
        "from copysift.cli import languages, main\n"
        "languages.languages = lambda: {}[0]\n"
        f"sys.exit(main.main({['languages', *['-vv'] * verbose]!r}))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=environment())
    assert done.returncode == 2
    assert "copysift: KeyError: 0\n" in done.stderr
    assert ("Traceback" in done.stderr) == verbose


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_prints_a_script_that_names_commands_and_options(tmp_path, shell):
    assert "_COPYSIFT_COMPLETE" in copysift(tmp_path, "completion", shell).out


COMPLETE = {
    "bash": """eval "$(copysift completion bash)"
        COMP_WORDS=(copysift scan --mea) COMP_CWORD=2
        _copysift_completion copysift
        echo "${COMPREPLY[@]}" """,
    "fish": "copysift completion fish | source; complete -C 'copysift scan --mea'",
}


@pytest.mark.parametrize("shell", COMPLETE)
def test_a_shell_completes_an_option_with_the_script_that_it_got(shell):
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    done = subprocess.run(
        [shell, "-c", COMPLETE[shell]], capture_output=True, text=True, env=environment() | {"PATH": path}
    )
    assert done.stdout.startswith("--measure"), done.stderr


def test_a_shell_is_offered_the_options_of_a_command(tmp_path):
    asked = {"_COPYSIFT_COMPLETE": "bash_complete", "COMP_WORDS": "copysift scan --me", "COMP_CWORD": "2"}
    code = "from copysift.cli.main import run; run()"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment() | asked
    )
    assert "plain,--measure\n" in done.stdout


def test_manual_pages_have_every_option_of_every_command(tmp_path):
    script = Path(__file__).parents[2] / "scripts/make_man.py"
    subprocess.run([sys.executable, script, tmp_path], check=True, env=environment())
    page = (tmp_path / "copysift-scan.1").read_text().replace("\\-", "-")
    assert set(re.findall(r"--[a-z][\w-]+", copysift(tmp_path, "scan", "--help").out)) <= set(
        re.findall(r"--[a-z][\w-]+", page)
    )
    assert {"copysift.1", "copysift-index-add.1"} <= {each.name for each in tmp_path.iterdir()}


LOADED = "import sys; print('pandas was loaded', file=sys.stderr)"


def test_commands_do_not_load_pandas_where_it_is_installed(tmp_path):
    write(
        tmp_path, {"pandas.py": LOADED, "in/a.txt": "one two three four five " * 30, "in/b.txt": "six " * 90}
    )
    for arguments in ("scan in --save run", "show run", "cluster in -o corpus", "show corpus"):
        done = copysift(tmp_path, *arguments.split(), fresh=True)
        assert done.status in (0, 1), done.err
        assert "pandas" not in done.err


def test_features_of_a_user_may_load_pandas(tmp_path):
    pytest.importorskip("pandas")
    code = "import pandas\ndef words(record):\n    return list(pandas.Series(record['text'].split()))\n"
    write(tmp_path, {"mine.py": code, "in.jsonl": '{"id": 1, "text": "a b c"}\n'})
    done = copysift(tmp_path, "cluster", "in.jsonl", "-o", "run", "--features", "mine:words", fresh=True)
    assert done.status == 0, done.err
