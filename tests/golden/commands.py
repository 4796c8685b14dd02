"""Every command that answers in JSON, run on the bundled examples; gives the fields of each answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).parents[2]
ESSAYS = ROOT / "examples" / "essays"
HOMEWORK = ROOT / "examples" / "homework"

Run = Callable[..., str]  # arguments of a command → standard output


def fields(value: object, path: str = "") -> set[str]:
    """Give the path of every field with the type of its value; items of a list share one path."""
    if isinstance(value, dict):
        return {each for key, inner in value.items() for each in fields(inner, f"{path}.{key}")}
    if isinstance(value, list):
        return {each for inner in value for each in fields(inner, f"{path}[]")} or {f"{path}[]"}
    kinds = {bool: "boolean", int: "number", float: "number", str: "text", type(None): "null"}
    return {f"{path}: {kinds[type(value)]}"}


def parsed(out: str) -> object:
    """Read JSON, or JSON lines."""
    try:
        return json.loads(out)
    except json.JSONDecodeError:
        return [json.loads(line) for line in out.splitlines()]


def answers(run: Run, place: Path) -> dict[str, set[str]]:
    """Run the commands with the option names of version 0.1; `place` is an empty folder."""
    corpus = place / "corpus.jsonl"
    texts = [(path.name, path.read_text(errors="replace")) for path in sorted(ESSAYS.rglob("*.txt"))]
    corpus.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in texts))
    first, second = place / "first.jsonl", place / "second.jsonl"
    first.write_text("".join(json.dumps({"uri": f"http://a/{n}", "text": t}) + "\n" for n, t in texts))
    second.write_text("".join(json.dumps({"uri": f"http://b/{n}", "text": t}) + "\n" for n, t in texts[:-2]))
    ranked = place / "ranked.txt"
    ranked.write_text("".join(f"{name}\n" for name, _ in texts))
    essay = ESSAYS / "bees.txt"
    run("scan", ESSAYS, "--save", place / "saved", "-q")
    run("index", "add", place / "i.sift", ESSAYS, "-q")
    run("cluster", corpus, "-o", place / "run", "-q", "--shingle", "3")
    run("sweep", place / "s.sift", first, "--date", "2026-01-01", "--keep-text", "-q")
    run("sweep", place / "s.sift", second, "--date", "2026-02-01", "--keep-text", "-q")
    old = "http://a/bees.txt"
    starter, submissions = HOMEWORK / "starter", HOMEWORK / "submissions"
    printed = {
        "scan": run("scan", ESSAYS, "--format", "json", "--groups"),
        "scan-class": run("scan", submissions, "--by", "dir", "--base", starter, "--format", "json"),
        "show": run("show", place / "saved", "--format", "json"),
        "compare": run("compare", essay, ESSAYS / "bees-rearranged.txt", "--format", "json"),
        "compare-folders": run("compare", ESSAYS / "drafts", ESSAYS / "web", "--format", "json"),
        "query": run("query", place / "i.sift", essay, "--format", "json"),
        "query-run": run("query", place / "run", essay, "--format", "json"),
        "index-list": run("index", "list", place / "i.sift", "--format", "json"),
        "index-info": run("index", "info", place / "i.sift", "--format", "json"),
        "show-clusters": run("show", place / "run", "--format", "json"),
        "recluster": run("recluster", place / "run", "--resemblance", "70%", "--json"),
        "cluster-of": run("cluster-of", place / "run", "bees.txt", "--json"),
        "collapse": run("collapse", place / "run", "--json", stdin=ranked.read_text()),
        "locate": run("locate", place / "s.sift", old, "--format", "json"),
        "history": run("history", place / "s.sift", old, "--format", "json"),
        "changes": run("changes", place / "s.sift", "--format", "json"),
        "holders": run("holders", place / "s.sift", old, "--format", "json"),
    }
    return {name: fields(parsed(out)) for name, out in printed.items()}
