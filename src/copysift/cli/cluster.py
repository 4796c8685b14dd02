"""`copysift cluster`: a corpus to clusters, pairs and the clusters' look-ups."""

from __future__ import annotations

from pathlib import Path

import click

from copysift.cli import console
from copysift.cli.corpus_options import (
    check_engine,
    name_skipped,
    options,
    progress,
    settings_from,
    spare_pandas,
    tell_rounds,
    was_given,
)
from copysift.cli.options import SectionedCommand
from copysift.errors import UsageError


@click.command("cluster", cls=SectionedCommand)
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@options("cluster")
def command(sources: tuple[str, ...], **given: object) -> int:
    """Cluster the documents of a corpus into the folder RUN (-o RUN).

    SOURCE is a folder, JSON lines (.jsonl, also .gz and .zst), Parquet, CSV, WARC, a text file of which
    every line is a document, or - for standard input; with --engine spark also a URI such as s3a://… An
    interrupted run goes on where it was when it is asked for again.
    """
    settings, door = settings_from(given)
    if not sources:
        raise UsageError("nothing to cluster", hint="name a folder, JSONL, Parquet, CSV or WARC files, or -")
    if not door.output and not door.onto:
        raise UsageError("no folder for the run", hint="name it by -o RUN")
    check_engine(sources, door)
    if door.output.lower().endswith((".html", ".htm")):
        raise UsageError(
            f"{door.output} is no name for the folder of a run",
            hint=f"-o RUN, then copysift show RUN -o {door.output}",
        )
    spare_pandas()
    from copysift import kernels
    from copysift.engines.engine import cluster_elsewhere, cluster_with
    from copysift.report.wording import plural
    from copysift.runs.cluster_run import check_onto, replaces

    kernels.shingle.keep_freed()
    path, remote = door.output or door.onto, "://" in door.output
    if door.onto:
        if remote:
            raise UsageError("--onto makes a folder, not a URI", hint="name a folder by -o RUN")
        check_onto(Path(door.onto), settings, was_given(given))
    if not remote and path != door.onto and replaces(Path(path), sources, settings):
        console.note(f"{path} has a run of other sources or settings; it is replaced when this one is done")
    if door.verbose and door.engine == "spark":
        tell_rounds()
    with progress(door) as shown:
        if remote:
            elsewhere = cluster_elsewhere(door.master, door.conf)
            made = elsewhere(sources, path, settings, progress=shown)
        else:
            cluster = cluster_with(door.engine, door.master, door.conf)
            onto = Path(door.onto) if door.onto else None
            made = cluster(sources, Path(path), settings, onto=onto, progress=shown)
    counts = made.described["counts"]
    name_skipped(made.skipped, counts["skipped"], f"; see {path.rstrip('/')}/run.json")
    if not door.quiet:
        console.note(
            f"{plural(counts['documents'], 'document')}, {plural(counts['clusters'], 'cluster')} with "
            f"{counts['clustered']:,} of them, {plural(counts['pairs'], 'pair')}: {path}"
        )
        for note in made.described["notes"]:
            console.note(note)
    if door.verbose:
        for phase, seconds in made.described["seconds"].items():
            console.note(f"{phase}: {seconds:.2f} s")
    return console.SOME_SKIPPED if made.left_out else console.DONE
