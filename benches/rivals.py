"""Each job beside the tools that people use for it, in one run: ./dev bench, or python benches/rivals.py

    python benches/rivals.py [JOB ...] [--folder DIR] [--page docs/benchmarks.md]

The jobs are `files`, `class` and `corpus`, on data that this script makes. Each tool runs in a process of
its own and, but for copysift, in an environment of its own below --folder, which is made once (ssdeep
and jdupes are packages of Debian). The CPU time is that of the whole process, imports included; the ratio is
the tool's time divided by ours. A tool that is not there is named, with the reason. --page writes the table
as a page of the documentation. What a job gave is kept below --folder, so that jobs can be run one by one.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import random
import re
import resource
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import dolos as npm
from assignment import COPY_EVERY, OWN, write
from corpus_generator import documents
from rival_scripts import COPYDETECT, COPYSIFT_SCAN, DOLOS, JDUPES, PAIRS, SSDEEP, TLSH

HERE = Path(__file__).parent
FILES, COPIES = 6000, 60  # of the job `files`
CLASS = 1000
DOCUMENTS = 10_000
MOST = 300  # seconds of CPU time of a tool


@dataclass(frozen=True)
class Tool:
    """A tool: what is installed for it, and what is run in that environment with the data as last word."""

    name: str
    package: str
    command: Callable[[Path], list[str]]  # of its environment
    counted: bool = False  # it prints how many documents it found, not which


@dataclass
class Row:
    """What a tool took, and found of what is known to be there."""

    tool: str
    version: str
    cpu: float
    wall: float
    memory: float
    found: str


@dataclass
class Job:
    """Data with known answers, and the tools that do it; ours is the first."""

    title: str
    data: str
    make: Callable[[Path], set[tuple[str, str]] | int]
    tools: list[Tool]
    missing: list[str] = field(default_factory=list)  # tools, with the reason
    rows: list[Row] = field(default_factory=list)


def python(script: str) -> Callable[[Path], list[str]]:
    """Run a script in the environment of a tool."""
    return lambda place: [str(place / "bin" / "python"), "-c", PAIRS + script]


def ours(script: str) -> Callable[[Path], list[str]]:
    return lambda _: [sys.executable, "-c", PAIRS + script]


def other(tool: str) -> Callable[[Path], list[str]]:
    return lambda place: [str(place / "bin" / "python"), str(HERE / "corpus_others.py"), tool]


def cluster(place: Path) -> list[str]:
    """Cluster with shingles of five words, as the others do, and count what has a near-copy."""
    script = """
import shutil, sys, pyarrow.parquet as pq
from copysift.cli.main import main
run = sys.argv[1] + ".run"
shutil.rmtree(run, ignore_errors=True)
main(["cluster", sys.argv[1], "-o", run, "--shingle", "5", "--quiet"])
print(pq.read_table(run + "/clusters.parquet").num_rows)
"""
    return [sys.executable, "-c", script]


def dolos(place: Path) -> list[str]:
    (place / "bench.mjs").write_text(DOLOS)
    return ["node", str(place / "bench.mjs")]


def make_files(folder: Path) -> set[tuple[str, str]]:
    """Write modules of Python and its packages, and edited copies of some: a tenth of the lines is gone or
    moved.
    """
    chance = random.Random(1994)
    libraries = (Path(sysconfig.get_path(name)) for name in ("stdlib", "purelib"))
    every = dict.fromkeys(path for library in libraries for path in sorted(library.rglob("*.py")))
    paths = [path for path in every if 2_000 <= path.stat().st_size <= 60_000]
    chosen = chance.sample(paths, min(FILES, len(paths)))
    known = set()
    for number, path in enumerate(chosen):
        name = f"{number:05d}.py"
        lines = path.read_bytes().splitlines(keepends=True)
        (folder / name).write_bytes(b"".join(lines))
        if number < COPIES:
            kept = [line for line in lines if chance.random() > 0.05]
            at, size = chance.randrange(len(kept)), max(1, len(kept) // 20)
            moved = kept[at : at + size]
            rest = kept[:at] + kept[at + size :]
            place = chance.randrange(len(rest) + 1)
            (folder / f"{number:05d}-copy.py").write_bytes(b"".join(rest[:place] + moved + rest[place:]))
            known.add((f"{number:05d}-copy.py", name))
    return known


def make_class(folder: Path) -> int:
    write(folder, CLASS, OWN)
    return CLASS // COPY_EVERY


def make_corpus(folder: Path) -> int:
    with (folder / "corpus.jsonl").open("w") as file:
        for number, text in enumerate(documents(DOCUMENTS)):
            file.write(json.dumps({"id": str(number), "text": text}) + "\n")
    return 0


def jobs() -> dict[str, Job]:
    return {
        "files": Job(
            "Find similar files",
            f"{FILES:,} modules of Python and its packages, and {COPIES} edited copies (a tenth of the lines "
            "removed or moved)",
            make_files,
            [
                Tool("copysift scan", "", ours(COPYSIFT_SCAN)),
                Tool("TLSH (distance ≤ 50)", "py-tlsh", python(TLSH)),
                Tool("ssdeep (score ≥ 25)", "apt:ssdeep", ours(SSDEEP)),
                Tool("jdupes (equal files only)", "apt:jdupes", ours(JDUPES)),
            ],
            ["czkawka: no package of Debian or PyPI, and its crates could not be downloaded"],
        ),
        "class": Job(
            "Find copied programs",
            f"{CLASS:,} C++ programs of 4 kB for one assignment, one in {COPY_EVERY} a renamed and edited "
            "copy",
            make_class,
            [
                Tool("copysift scan", "", ours(COPYSIFT_SCAN)),
                Tool("Dolos", f"npm:{npm.PACKAGE}", dolos),
                Tool("copydetect", "copydetect", python(COPYDETECT)),
            ],
            [
                "JPlag: its jar could not be downloaded (it is in no package of Debian, PyPI or npm)",
                "SIM 3.0.2 (sim_c++): not done after 600 seconds of CPU time on 18 November 2026",
            ],
        ),
        "corpus": Job(
            "Find near-duplicates of a corpus",
            f"{DOCUMENTS:,} documents of 5 kB in JSON lines, one in five a near-copy; shingles of "
            "5 words, 50 %",
            make_corpus,
            [
                Tool("copysift cluster", "", cluster, counted=True),
                Tool("rensa", "rensa", other("rensa"), counted=True),
                Tool("gaoya", "gaoya", other("gaoya"), counted=True),
                Tool("datasketch", "datasketch", other("datasketch"), counted=True),
                Tool("text-dedup", "text-dedup", other("text-dedup"), counted=True),
                Tool("datatrove", "datatrove[io,processing] spacy", other("datatrove"), counted=True),
            ],
        ),
    }


def install(tool: Tool, place: Path) -> None:
    """Make the environment of a tool, once."""
    if not tool.package or (place / "installed").exists():
        return
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    if tool.package.startswith("apt:"):
        run(["dpkg", "-s", tool.package[4:]], place)
    elif tool.package.startswith("npm:"):
        npm.install(place, "cpp")  # the job is a class of C++
    else:
        run([sys.executable, "-m", "venv", str(place)], place)
        run(
            [str(place / "bin" / "python"), "-m", "pip", "install", "-q", *tool.package.split(), "orjson"],
            place,
        )
    (place / "installed").touch()


def run(command: list[str], place: Path) -> None:
    subprocess.run(command, cwd=place, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)


def version(tool: Tool, place: Path) -> str:
    """Give the version that is installed."""
    if not tool.package:
        from copysift import __version__

        return __version__
    if tool.package.startswith("apt:"):
        asked = ["dpkg-query", "-W", "-f", "${Version}", tool.package[4:]]
        said = subprocess.run(asked, capture_output=True, text=True, check=True)
        return said.stdout.partition("-")[0].partition("+")[0]
    if tool.package.startswith("npm:"):
        about = place / "node_modules" / tool.package[4:] / "package.json"
        return str(json.loads(about.read_text())["version"])
    package = tool.package.split()[0].partition("[")[0]
    script = f"from importlib.metadata import version; print(version({package!r}))"
    return subprocess.run(
        [place / "bin" / "python", "-c", script], capture_output=True, text=True, check=True
    ).stdout.strip()


def measured(command: list[str], place: Path) -> tuple[float, float, float, str]:
    """Run a tool; give CPU seconds, seconds, megabytes and what it printed."""
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=place, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (MOST, MOST)),
    )  # fmt: skip
    assert process.stdout is not None
    printed = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    spent = usage.ru_utime + usage.ru_stime
    if spent > 0.98 * MOST:  # it was ended, or what it called was
        raise RuntimeError(f"not done after {MOST} seconds of CPU time")
    if process.returncode:
        raise RuntimeError(f"exit status {process.returncode}")
    return spent, time.perf_counter() - begun, usage.ru_maxrss / 1000, printed


def judged(tool: Tool, printed: str, known: set[tuple[str, str]] | int) -> str:
    """Say what a tool found of what is known to be there."""
    if tool.counted:
        return f"{int(printed.split()[-1]):,} documents"
    pairs = [tuple(pair) for pair in json.loads(printed)]
    if isinstance(known, set):
        return f"{len(known.intersection(pairs))} of {len(known)} copies, {len(pairs):,} pairs"
    best = pairs[:known]
    right = sum(any(int(name[-9:-4]) % COPY_EVERY == COPY_EVERY - 1 for name in pair) for pair in best)
    return f"{right} of the first {known} pairs are copies, {len(pairs):,} pairs"


def done(job: Job, name: str, folder: Path) -> Job:
    """Run every tool of a job."""
    data = folder / "data" / name
    shutil.rmtree(data, ignore_errors=True)
    data.mkdir(parents=True)
    known = job.make(data)
    source = data / "corpus.jsonl" if name == "corpus" else data
    for tool in job.tools:
        place = folder / "tools" / re.sub(r"[/:\[,\] ]+", "-", tool.package) if tool.package else folder
        try:
            install(tool, place)
            command = [*tool.command(place), str(source)]
            cpu, wall, memory, printed = measured(command, place)
            if not tool.package:  # the divisor of all ratios: the better of two runs
                cpu = min(cpu, measured(command, place)[0])
        except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
            reason = getattr(error, "stderr", b"") or str(error).encode()
            job.missing.append(
                f"{tool.name}: {(reason.decode(errors='replace').strip() or 'failed').splitlines()[-1][:120]}"
            )
            print(f"{tool.name}: did not run", flush=True)
            continue
        row = Row(tool.name, version(tool, place), cpu, wall, memory, judged(tool, printed, known))
        job.rows.append(row)
        ratio = row.cpu / job.rows[0].cpu
        print(
            f"{row.tool:<24} {row.cpu:8.2f} CPU s {ratio:7.1f} × {row.memory:7.0f} MB  {row.found}",
            flush=True,
        )
    return job


def keep(job: Job, place: Path) -> None:
    """Write down what a job gave."""
    from copysift.settings.comparison import Settings

    found = {
        "title": job.title,
        "data": job.data,
        "date": time.strftime("%-d %B %Y"),
        "load": os.getloadavg()[0],
        "scheme": Settings().scheme,
        "machine": f"{processor()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "rows": [asdict(row) for row in job.rows],
        "missing": job.missing,
    }
    place.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


def page(kept: list[dict[str, Any]]) -> Iterator[str]:
    """Write the page of the documentation."""
    yield "# Benchmarks\n\n"
    yield (
        "Every job beside the tools that people use for it, on the same data in the same run: `./dev bench` "
        "makes this page. The ratio is the CPU time of a tool divided by that of copysift, both of the whole "
        "process, imports included. Rivals run in environments of their own, as their documentation "
        "recommends.\n\n"
    )
    runs: dict[str, list[str]] = {}
    for job in kept:
        how = f"{job['date']}, {job['machine']}; the default scheme of copysift was `{job['scheme']}`"
        runs.setdefault(how, []).append(job["title"])
    for how, titles in runs.items():  # jobs can be run one by one
        yield f"{how}.\n" if len(runs) == 1 else f"- {'; '.join(titles)}: {how}.\n"
    if most := max(job["load"] for job in kept if job["load"]):
        yield (
            f"\nThe load of the machine was up to {most:.0f} during the run. CPU time suffers from that less "
            "than the clock does, but caches are shared: take ratios near 1 with care.\n"
        )
    yield "\n| job | tool | version | ratio | CPU s | MB | found |\n|---|---|---|--:|--:|--:|---|\n"
    for job in kept:
        for number, row in enumerate(job["rows"]):
            times = row["cpu"] / job["rows"][0]["cpu"]
            ratio = f"{times:,.0f} ×" if times >= 10 else f"{times:.2g} ×" if number else "1"
            yield (
                f"| {'' if number else job['title']} | {row['tool']} | {row['version']} | {ratio} "
                f"| {row['cpu']:,.1f} | {row['memory']:,.0f} | {row['found']} |\n"
            )
    yield "\n## The jobs\n\n"
    for job in kept:
        yield f"- **{job['title']}**: {job['data']}.\n"
    yield (
        "\nHow well the tools find copies of programs and near-duplicates, with confidence intervals, is in "
        "`experiments/plagiarism` and `experiments/dedup`.\n"
    )
    missing = [reason for job in kept for reason in job["missing"]]
    if missing:
        yield "\n## Not run\n\n" + "".join(f"- {reason}\n" for reason in missing)


def processor() -> str:
    """Name the processor."""
    lines = Path("/proc/cpuinfo").read_text().splitlines() if Path("/proc/cpuinfo").exists() else []
    named = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return named[0] if named else platform.machine()


def main() -> None:
    every = jobs()
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("job", nargs="*", help=", ".join(every))
    parser.add_argument("--folder", type=Path, default=Path("build/rivals"))
    parser.add_argument("--page", type=Path)
    given = parser.parse_args()
    given.folder.mkdir(parents=True, exist_ok=True)
    for name in given.job or every:
        print(f"\n{every[name].title}: {every[name].data}")
        keep(done(every[name], name, given.folder.resolve()), given.folder / f"{name}.json")
    if given.page:
        written = [given.folder / f"{name}.json" for name in every]
        kept = [json.loads(path.read_text()) for path in written if path.exists()]
        given.page.write_text("".join(page(kept)))


if __name__ == "__main__":
    main()
