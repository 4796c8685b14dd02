"""Write README.md's tables and the plots from results.json: python experiments/broder/render.py"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from pages import table, write
from plots import figure

HERE = Path(__file__).parent
PHASES = {  # ours: the phases of the paper that it does
    "sketch": "sketching",
    "census": "duplicate elimination",
    "entries": "shingle merging",
    "join": "ID-ID pair formation",
    "measure": "ID-ID merging",
    "cluster": "cluster formation",
}


def share(part: float, whole: float) -> str:
    return f"{part / whole:.0%}" if whole else "–"


def clusters(paper: dict, found: dict) -> str:
    rows = [("documents", "documents"), ("clusters", "clusters"), ("documents in clusters", "clustered")]
    rows += [
        ("clusters of identical documents only", "identical_clusters"),
        ("documents in them", "identical_documents"),
    ]
    rows += [("other clusters", "other_clusters"), ("documents in them", "other_documents")]
    ours = found["web"] | {"documents": found["web"]["counts"]["documents"]}
    lines = [
        (
            label,
            paper[key],
            share(paper[key], paper["documents"]),
            ours[key],
            share(ours[key], ours["documents"]),
        )
        for label, key in rows
    ]
    return table(("at a resemblance of 50 %", "paper", "of all", "here", "of all"), *lines)


def times(paper: dict, found: dict) -> str:
    theirs, ours = paper["cpu_days"], found["web"]["seconds"]
    rows = [
        (name, days, share(days, sum(theirs.values())), ours[key], share(ours[key], sum(ours.values())))
        for key, name in PHASES.items()
        for days in [theirs[name]]
    ]
    total = ("total", sum(theirs.values()), "", sum(ours.values()), "")
    return table(("phase", "paper, CPU-days", "share", "here, CPU-seconds", "share"), *rows, total)


def recall(found: dict) -> str:
    rows: dict[int, list[str]] = {}
    for each in found["super"]:
        kept, pairs = each["found"], each["pairs"]
        rows.setdefault(each["words"], []).append(f"{kept / pairs:.1%} of {pairs:,}" if pairs else "–")
    return table(
        ("words, at least", "50 to 80 %", "80 to 95 %", "95 % and more"), *((k, *v) for k, v in rows.items())
    )


def plots(found: dict) -> None:
    rows = found["estimators"]
    title = "Error of the estimated resemblance"
    with figure(HERE / "errors.svg", title, "shingles in a sketch", "root mean square error") as axes:
        sizes = [row["size"] for row in rows]
        axes.plot(sizes, [row["theory"] for row in rows], "k--", linewidth=1, label="theory, √(r(1−r)/s)")
        axes.plot(sizes, [row["min"] for row in rows], marker="o", label="MIN_s")
        axes.plot(sizes, [row["mod"] for row in rows], marker="o", label="MOD_m of the same size")
        axes.set(xscale="log", yscale="log")
        axes.set_xticks(sizes, [str(each) for each in sizes])
        axes.set_xticks([], minor=True)
    rows = found["thresholds"]
    with figure(HERE / "thresholds.svg", "Clusters by threshold", "resemblance, at least", "") as axes:
        across = [row["threshold"] for row in rows]
        axes.plot(across, [row["documents"] for row in rows], marker="o", label="documents in clusters")
        axes.plot(across, [row["clusters"] for row in rows], marker="o", label="clusters")
        axes.set(ylim=(0, None))


def main() -> None:
    paper, found = (json.loads((HERE / f"{each}.json").read_text()) for each in ("paper", "results"))
    plots(found)
    common = found["web"]["boilerplate"]
    write(
        HERE / "README.md",
        clusters=clusters(paper, found),
        times=times(paper, found),
        thresholds=table(
            ("resemblance", "clusters", "documents"),
            *((f"{row['threshold']:.0%}", row["clusters"], row["documents"]) for row in found["thresholds"]),
        ),
        errors=table(
            ("shingles in a sketch", "bias of MIN_s", "RMSE of MIN_s", "RMSE of MOD_m", "theory"),
            *(
                (row["size"], row["bias"], row["min"], row["mod"], row["theory"])
                for row in found["estimators"]
            ),
        ),
        super=recall(found),
        common=table(("shingle", "documents"), *((" ".join(text.split()), count) for text, count in common)),
    )


if __name__ == "__main__":
    main()
