"""Write README.md's tables from results.json: python experiments/sif/render.py"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from pages import table, write

HERE = Path(__file__).parent


def main() -> None:
    paper, found = (json.loads((HERE / f"{each}.json").read_text()) for each in ("paper", "results"))
    test, tree = paper["random_test"], found["tree"]
    low = next(row for row in found["random_test"] if row["threshold"] == "5%")
    quarter = next(row for row in found["random_test"] if row["threshold"] == "25%")
    megabytes = tree["bytes"] / 1e6
    write(
        HERE / "README.md",
        random=table(
            ("random test", "paper, 5 %", "here, 5 %", "here, 25 %"),
            *(
                (label, test[key], low[key], quarter[key])
                for label, key in (
                    ("tests", "times"),
                    ("found", "found"),
                    ("and only it", "only"),
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
            ("groups of equal files", paper["tree"]["equal_groups"], found["at_25"]["equal"]),
            ("groups of similar files, 25 %", paper["tree"]["similar_25"], found["at_25"]["groups"]),
            ("groups of similar files, 50 %", paper["tree"]["similar_50"], found["at_50"]["groups"]),
            ("CPU seconds a MB, all against all", "3 to 6", tree["scan_seconds"] / megabytes),
            ("GB an hour", "0.5 to 1", round(megabytes / 1000 * 3600 / tree["scan_seconds"])),
            (
                "CPU seconds for another threshold",
                paper["threshold_change_seconds"],
                found["at_50"]["seconds"],
            ),
            (
                "index, share of the text",
                f"{paper['index_share']:.0%}",
                f"{found['index_bytes'] / tree['bytes']:.1%}",
            ),
        ),
    )


if __name__ == "__main__":
    main()
