"""Write README.md's tables and the plots from results.json: python experiments/winnowing/render.py"""

from __future__ import annotations

import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from pages import table, write
from plots import figure

HERE = Path(__file__).parent
SCHEMES = ("winnow", "robust", "open-closed", "mod", "safe-mod")


def densities(found: dict) -> None:
    rows = found["random"]["schemes"]
    with figure(
        HERE / "densities.svg", "Fingerprints on random text, k = 50", "window w", "density × (w + 1)"
    ) as axes:
        across = [row["w"] for row in rows]
        for scheme in ("robust", "open-closed", "mod", "safe-mod"):
            axes.plot(across, [row[scheme] * (row["w"] + 1) for row in rows], marker="o", label=scheme)
        axes.axhline(2, color="#555555", linestyle="--", linewidth=1, label="winnowing, theory: 2")
        axes.axhline(1.5, color="#999999", linestyle=":", linewidth=1, label="bound of the paper: 1.5")
        axes.plot(
            across, [row["bound"] * (row["w"] + 1) for row in rows], "k:", label="best known bound (2025)"
        )
        axes.set(xscale="log", ylim=(0, 9.5))
        axes.set_xticks(across, [str(each) for each in across])
        axes.set_xticks([], minor=True)


def ranks(found: dict) -> None:
    path, title = HERE / "frequencies.svg", "Figure 4: how often a k-gram occurs, by rank"
    with figure(path, title, "rank", "frequency") as axes:
        for name, label in (("all", "all k-grams"), ("fingerprints", "fingerprints of robust")):
            row = found["frequency"][name]
            ends = [each for pair in zip(row["left"], row["right"], strict=True) for each in pair]
            axes.plot(ends, [each for each in row["frequency"] for _ in range(2)], linewidth=1.4, label=label)
            line = [10 ** (row["height"] + row["slope"] * at) for at in (0.0, 7.5)]
            axes.plot([1, 10**7.5], line, "--", linewidth=0.8, color="#888888")
        axes.set(xscale="log", yscale="log", ylim=(0.8, None))


def errors(found: dict) -> None:
    rows = [row for row in found["estimators"] if row["scheme"] != "all"]
    exact = found["estimators"][0]["values"]
    with figure(
        HERE / "bias.svg", "Estimated and exact resemblance, 60 edited pages", "exact", "error"
    ) as axes:
        for row in rows:
            if row["scheme"] in ("robust", "open-closed", "mod", "min"):
                error = [one - two for one, two in zip(row["values"], exact, strict=True)]
                axes.scatter(exact, error, s=14, label=row["scheme"])
        axes.axhline(0, color="#555555", linewidth=0.8)


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def main() -> None:
    paper, found = (json.loads((HERE / f"{each}.json").read_text()) for each in ("paper", "results"))
    densities(found)
    ranks(found)
    errors(found)
    page, ours, random = found["pages"], found["frequency"], found["random"]
    theirs = paper["pages"]
    write(
        HERE / "README.md",
        random=table(
            ("8 MB of random letters, k = 50, w = 100", "paper", "here", "theory"),
            ("density of winnowing", paper["random"]["winnowing"], random["winnowing"], 2 / 101),
            ("density of 0 mod 50", paper["random"]["mod"], random["mod"], 0.02),
            ("windows without a fingerprint, 0 mod 50.5", paper["miss"], found["miss"], 0.135),
            ("density of safe 0 mod p at its best p", "–", random["safe_mod"], random["safe_mod_theory"]),
        ),
        schemes=table(
            ("w", *SCHEMES, "2/(w+1)", "1.5/(w+1)", "best bound"),
            *(
                (
                    row["w"],
                    *(row[each] for each in SCHEMES),
                    row["winnowing_theory"],
                    row["local_bound"],
                    row["bound"],
                )
                for row in random["schemes"]
            ),
        ),
        pages=table(
            ("Figure 3", "paper", "here"),
            ("HTML pages", theirs["pages"], page["pages"]),
            ("total bytes", theirs["total_bytes"], page["total_bytes"]),
            ("text bytes", theirs["text_bytes"], page["text_bytes"]),
            ("hashes computed", theirs["hashes"], page["hashes"]),
            ("winnowing fingerprints", theirs["winnowing_fingerprints"], page["fingerprints"]["winnow"]),
            ("measured density", theirs["winnowing"], page["densities"]["winnow"]),
            ("density of robust winnowing", theirs["robust"], page["densities"]["robust"]),
            ("fingerprints for 0 mod 50", theirs["mod_fingerprints"], page["fingerprints"]["mod"]),
            ("measured density", theirs["mod"], page["densities"]["mod"]),
            ("longest run with no fingerprint", theirs["longest_run"], page["longest_run"]),
            ("windows without a fingerprint, 0 mod 50.5", "–", page["missed_windows"]),
            ("density of open-closed", "–", page["densities"]["open-closed"]),
        ),
        low_entropy=table(
            ("text", *SCHEMES),
            *((row["text"], *(row[each] for each in SCHEMES)) for row in found["low_entropy"]),
        ),
        frequencies=table(
            ("Figure 4", "paper", "all k-grams here", "fingerprints of robust here"),
            ("pages", paper["frequency"]["pages"], ours["pages"], ours["pages"]),
            *(
                (label, paper["frequency"][key], ours["all"][key], ours["fingerprints"][key])
                for label, key in (
                    ("slope", "slope"),
                    ("occur once", "once"),
                    ("twice", "twice"),
                    ("three times", "three"),
                    ("most frequent", "most"),
                )
            ),
        ),
        estimators=table(
            ("scheme", "mean", "bias", "RMSE", "fingerprints of the pages"),
            *(
                (row["scheme"], row["mean"], row["bias"], row["rmse"], row["fingerprints"])
                for row in found["estimators"]
            ),
        ),
        edges=table(
            ("k", "w", *SCHEMES[:3], "safe-mod", "mod"),
            *(
                (row["k"], row["w"], *(row[each] for each in (*SCHEMES[:3], "safe-mod", "mod")))
                for row in found["edges"]
            ),
        ),
        intervals=table(
            (
                "scheme",
                "k",
                "w",
                "pairs",
                "holds",
                "words",
                "passages",
                "more text",
                "width",
                "Wilson's holds",
            ),
            *(
                (
                    row["scheme"],
                    row["k"],
                    row["w"],
                    row["pairs"],
                    percent(sum(row["holds"]) / 3),
                    *(percent(row["by_edit"][each]) for each in ("words", "passages", "more text")),
                    round(row["width"], 3),
                    percent(sum(row["wilson_holds"]) / 3),
                )
                for row in found["intervals"]
            ),
        ),
    )


if __name__ == "__main__":
    main()
