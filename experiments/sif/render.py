"""Write README.md's tables and the plot from results.json: python experiments/sif/render.py"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from pages import table, write
from plots import figure

HERE = Path(__file__).parent


def at(rows: list[dict[str, float]], threshold: float) -> dict[str, float]:
    """Give the row of a threshold."""
    return next(row for row in rows if row["threshold"] == threshold)


def plot(paper: dict[str, dict[str, int]], found: dict[str, dict[str, object]]) -> None:
    """Draw how many groups there are at each threshold, and the paper's three points."""
    with figure(
        HERE / "groups.svg", "Groups of similar files", "similarity, at least (%)", "groups for 1,000 files"
    ) as axes:
        for name, label in (("tree", "a large tree, here"), ("small", "small files, here")):
            rows = found[name]["similar"]
            (line,) = axes.plot(
                [row["threshold"] * 100 for row in rows],
                [row["groups"] / found[name]["files"] * 1000 for row in rows],
                marker="o",
                label=label,
            )
            printed = [key for key in ("similar_25", "similar_50") if key in paper[name]]
            axes.plot(
                [int(key[-2:]) for key in printed],
                [paper[name][key] / paper[name]["files"] * 1000 for key in printed],
                "x" if len(printed) == 1 else "x--",
                markersize=9,
                color=line.get_color(),
                label=label.replace("here", "paper"),
            )
        axes.set_ylim(bottom=0)


def main() -> None:
    paper, found = (json.loads((HERE / f"{each}.json").read_text()) for each in ("paper", "results"))
    test, tree, small = paper["random_test"], found["tree"], found["small"]
    low = next(row for row in found["random_test"] if row["threshold"] == "5%")
    quarter = next(row for row in found["random_test"] if row["threshold"] == "25%")
    megabytes = tree["bytes"] / 1e6
    write(
        HERE / "README.md",
        random=table(
            ("random test", "paper, 5 %", "here, 5 %", "here, 25 %"),
            *(
                (label, test.get(key, "–"), low[key], quarter[key])
                for label, key in (
                    ("tests", "times"),
                    ("found", "found"),
                    ("and only it", "only"),
                    ("and not even versions of it", "alone"),
                    ("lowest similarity", "lowest"),
                    ("highest", "highest"),
                    ("mean", "mean"),
                )
            ),
        ),
        tree=table(
            ("a large tree", "paper, X11R5", "here, kernel headers"),
            ("files", paper["tree"]["files"], tree["files"]),
            ("MB", paper["tree"]["megabytes"], round(megabytes)),
            ("groups of equal files", paper["tree"]["equal_groups"], tree["equal"]),
            (
                "groups of similar files, 25 %",
                paper["tree"]["similar_25"],
                at(tree["similar"], 0.25)["groups"],
            ),
            (
                "groups of similar files, 50 %",
                paper["tree"]["similar_50"],
                at(tree["similar"], 0.5)["groups"],
            ),
            ("CPU seconds a MB, all against all", "3 to 6", tree["scan_seconds"] / megabytes),
            ("GB an hour", "0.5 to 1", round(megabytes / 1000 * 3600 / tree["scan_seconds"])),
            (
                "CPU seconds for another threshold",
                paper["threshold_change_seconds"],
                at(tree["similar"], 0.5)["seconds"],
            ),
            (
                "index, share of the text",
                f"{paper['index_share']:.0%}",
                f"{found['index_bytes'] / tree['bytes']:.1%}",
            ),
        ),
        pairs=table(
            ("scheme", "pairs at 25 %"), *((scheme, count) for scheme, count in found["pairs"].items())
        ),
        small=table(
            ("small files", "paper, READMEs", "here, ansible"),
            ("files", paper["small"]["files"], small["files"]),
            ("MB", paper["small"]["megabytes"], round(small["bytes"] / 1e6)),
            (
                "mean size, KB",
                round(paper["small"]["megabytes"] * 1000 / paper["small"]["files"], 1),
                round(small["bytes"] / 1000 / small["files"], 1),
            ),
            ("groups of equal files", paper["small"]["equal_groups"], small["equal"]),
            (
                "groups of similar files, 50 %",
                paper["small"]["similar_50"],
                at(small["similar"], 0.5)["groups"],
            ),
            ("CPU seconds a MB, all against all", "–", small["scan_seconds"] / small["bytes"] * 1e6),
        ),
    )
    plot(paper, found)


if __name__ == "__main__":
    main()
