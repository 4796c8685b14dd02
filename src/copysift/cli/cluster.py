"""`copysift cluster`: a corpus to clusters and pairs, kept in a run."""

from __future__ import annotations

from pathlib import Path

import click

from copysift.cli import console
from copysift.cli.corpora import check_engine, corpus_settings, expand, log_rounds, name_skipped
from copysift.cli.options import SectionedCommand, options
from copysift.errors import UsageError


@click.command("cluster", cls=SectionedCommand)
@click.argument("sources", nargs=-1, metavar="SOURCE...")
@options("cluster")
def command(sources: tuple[str, ...], **given: object) -> int:
    """Group the near-duplicates of a corpus.

    SOURCE is a folder, JSONL (also .gz and .zst), Parquet, CSV, WARC, a text file with one document per
    line, a pattern in quotes that takes such files, a URI such as s3://…, or - for standard input. The result
    is written to the folder RUN (-o RUN). Run the same command again to continue an interrupted run.
    """
    settings, door, values = corpus_settings("cluster", given)
    if not sources:
        raise UsageError("nothing to cluster", hint="name a folder, JSONL, Parquet, CSV or WARC files, or -")
    if not door.output and not door.extend:
        raise UsageError("no output folder given", hint="add -o RUN")
    sources = expand(sources)
    check_engine(door, settings)
    if door.output.lower().endswith((".html", ".htm")):
        raise UsageError(
            f"-o {door.output}: a run is a folder, not a file",
            hint=f"use -o RUN, then copysift show RUN -o {door.output}",
        )
    from copysift import kernels
    from copysift.engines.cluster_run import check_onto, check_sources, replaces
    from copysift.engines.engine import cluster_elsewhere, cluster_with
    from copysift.report.wording import plural

    kernels.shingle.keep_freed()
    path, remote = door.output or door.extend, "://" in door.output
    if door.engine == "local":
        check_sources([*sources, *settings.earlier], settings)
    if door.extend:
        if remote:
            raise UsageError("--extend writes a folder, not a URI", hint="use -o RUN")
        check_onto(Path(door.extend), settings, values)
    if not remote and path != door.extend and not door.overwrite and replaces(Path(path), sources, settings):
        raise UsageError(
            f"{path} already contains another run", hint="choose another folder, or add --overwrite"
        )
    if door.verbose and door.engine == "spark":
        log_rounds()
    with console.progress(door) as shown:
        if remote:
            elsewhere = cluster_elsewhere(door.spark_master, door.spark_conf)
            made = elsewhere(sources, path, settings, progress=shown)
        else:
            cluster = cluster_with(door.engine, door.spark_master, door.spark_conf)
            onto = Path(door.extend) if door.extend else None
            made = cluster(sources, Path(path), settings, onto=onto, progress=shown)
    counts = made.described["counts"]
    name_skipped(made.skipped, counts["skipped"], f"; see {path.rstrip('/')}/run.json")
    if not door.quiet:
        for note in made.notes:
            console.note(note)
        same = sum(counts[how] for how in ("identical", "lexically_equivalent", "sketch_equivalent"))
        pairs = plural(counts["pairs"] + same, "pair")  # as many as pairs.parquet and copysift.Run have
        pairs += f" ({counts['identical']:,} identical)" if counts["identical"] else ""
        with_them = f" with {counts['clustered']:,} of them" if counts["clusters"] else ""
        unit, earlier = "submission" if settings.by == "dir" else "document", counts.get("earlier", 0)
        documents = plural(counts["documents"] - earlier, unit)
        documents += f" and {earlier:,} earlier" if earlier else ""
        console.note(f"{documents}, {plural(counts['clusters'], 'cluster')}{with_them}, {pairs}: {path}")
        for note in made.described["notes"]:
            console.note(note)
    if door.verbose:
        for phase, seconds in made.described["seconds"].items():
            console.note(f"{phase}: {seconds:.2f} s")
    return console.status(bool(counts["documents"]), range(made.left_out))
