"""Cut repeated passages of a corpus by copysift and by datatrove's sentence dedup; compare what is left.

usage: passages.py [DOCUMENTS]. Documents are made of sentences in paragraphs; one paragraph in eight is a
copy of an earlier one, one in eight a copy with a changed sentence. So it is known which bytes are copies.
For each way: the share of copies left, the share of what comes once that was lost, CPU seconds and peak
memory. Rivals are measured where they are installed: datatrove (Python of the variable RIVALS, else this
one), and a suffix array (Python of SUFFIX_ARRAY, with pydivsufsort). That is the method of
deduplicate-text-datasets, which text-dedup calls too: bytes in a run of at least so many that came before are
cut. Their program is in Rust, with crates that only a registry has, so the array is made by libdivsufsort.
"""

from __future__ import annotations

import json
import os
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

DOCUMENTS = 5000
SENTENCE = re.compile(r"[A-Z][^A-Z.]*\.")  # a capital letter, small ones, a stop

DATATROVE = """
import sys
from pathlib import Path
from datatrove.executor.local import LocalPipelineExecutor
from datatrove.pipeline.dedup import SentenceDedupFilter, SentenceDedupSignature, SentenceFindDedups
from datatrove.pipeline.dedup.sentence_dedup import SentDedupConfig
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.writers.jsonl import JsonlWriter

folder = Path(sys.argv[1])
config = SentDedupConfig(n_sentences=1, min_doc_words=1, min_num_sentences=1, split_sentences=True)
writer = JsonlWriter(str(folder / "out"), compression=None)


def reader():
    return JsonlReader(str(folder), glob_pattern="c.jsonl")


steps = [
    [reader(), SentenceDedupSignature(str(folder / "sig"), config=config)],
    [SentenceFindDedups(str(folder / "sig"), str(folder / "dup"), config=config)],
    [reader(), SentenceDedupFilter(str(folder / "dup"), config=config), writer],
]
for number, pipeline in enumerate(steps):
    LocalPipelineExecutor(pipeline, tasks=1, logging_dir=str(folder / f"log{number}")).run()
"""

SUFFIX_ARRAY = """
import json, sys
from pathlib import Path
import numpy as np
from pydivsufsort import divsufsort, kasai

folder, least = Path(sys.argv[1]), int(sys.argv[2])
rows = [json.loads(line) for line in (folder / "c.jsonl").read_text().splitlines()]
texts = [row["text"].encode() for row in rows]
ends = [b"\\xff" + number.to_bytes(4, "big") for number in range(len(texts))]  # no two are the same
data = np.frombuffer(b"".join(part for both in zip(texts, ends) for part in both), np.uint8).copy()
array = divsufsort(data)
long = kasai(data, array)[: len(data)] >= least  # of each suffix with the next
group = np.concatenate([[0], np.cumsum(~long[:-1])])
first = np.full(int(group[-1]) + 1, len(data), np.int64)
np.minimum.at(first, group, array)
again = array[array != first[group]]
change = np.zeros(len(data) + least + 1, np.int32)
change[again] += 1
change[again + least] -= 1
gone = np.cumsum(change)[: len(data)] > 0
at = 0
with (folder / "array.jsonl").open("w") as file:
    for row, text in zip(rows, texts):
        kept = data[at : at + len(text)][~gone[at : at + len(text)]].tobytes()
        at += len(text) + 5
        file.write(json.dumps({"id": row["id"], "text": kept.decode("utf-8", "replace")}) + chr(10))
"""


def corpus(path: Path, count: int) -> tuple[set[str], set[str]]:
    """Write documents; give the sentences that come once, and those that come again."""
    chance = random.Random(6)
    words = [f"{a}{b}{c}" for a in "bdfglmprs" for b in ("a", "ei", "o", "u", "ia") for c in "nrtsxlkm"]
    seen: dict[str, int] = {}
    paragraphs: list[list[str]] = []

    def sentence() -> str:
        return " ".join(chance.choices(words, k=chance.randint(9, 24))).capitalize() + "."

    with path.open("w") as file:
        for number in range(count):
            made = []
            for _ in range(chance.randint(3, 8)):
                paragraph = [sentence() for _ in range(chance.randint(3, 6))]
                kind = chance.random()
                if paragraphs and kind < 0.25:
                    paragraph = list(chance.choice(paragraphs))
                    if kind < 0.125:
                        paragraph[chance.randrange(len(paragraph))] = sentence()
                paragraphs.append(paragraph)
                made.append(" ".join(paragraph))
                for each in paragraph:
                    seen[each] = seen.get(each, 0) + 1
            file.write(json.dumps({"id": str(number), "text": "\n\n".join(made)}) + "\n")
    return {each for each, times in seen.items() if times == 1}, {
        each for each, times in seen.items() if times > 1
    }


def judged(texts: list[str], once: set[str], again: set[str]) -> tuple[float, float]:
    """Give the share of bytes that are copies still, and of what comes once that was lost."""
    every = "\n".join(texts)
    found = Counter(SENTENCE.findall(every))
    lost = sum(len(each) for each in once if each not in found)
    copies = sum(len(each) * max(0, found[each] - 1) for each in again)
    return copies / len(every), lost / sum(map(len, once))


def run(command: list[str]) -> tuple[float, float]:
    """Run a program; give its CPU seconds, with those of its children, and its peak of memory in MB."""
    with tempfile.TemporaryFile() as errors:
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=errors)
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            errors.seek(0)
            raise subprocess.CalledProcessError(process.returncode, command, stderr=errors.read())
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def read(path: Path) -> list[str]:
    """Give the texts of JSON lines."""
    return [json.loads(line)["text"] for line in path.read_text().splitlines()]


def main() -> None:
    """Print the table."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS
    with tempfile.TemporaryDirectory() as spare:
        folder = Path(spare)
        source = folder / "c.jsonl"
        once, again = corpus(source, count)
        before, _ = judged(read(source), once, again)
        print(
            f"{count} documents, {source.stat().st_size / 1e6:.1f} MB, {before:.1%} of the bytes are copies\n"
        )
        print("| way | copies left | lost of what comes once | CPU s | MB |\n|---|---|---|---|---|")
        program = [sys.executable, "-m", "copysift", "dedup", str(source), "--passages", "cut", "--overwrite"]
        ways = {
            "copysift, words": ["--min-passage", "9"],
            "copysift, words and short paragraphs": ["--max-copies", "1"],
            "copysift, sentences": ["--cut-at", "sentence", "--max-copies", "1"],
            "copysift, paragraphs": ["--cut-at", "paragraph", "--max-copies", "1"],
        }
        for name, options in ways.items():
            target = folder / "out.jsonl"
            cpu, memory = run([*program, *options, "-o", str(target)])
            left, lost = judged(read(target), once, again)
            print(f"| {name} | {left:.2%} | {lost:.2%} | {cpu:.1f} | {memory:.0f} |")
        for least in (40, 100):
            name = f"suffix array, {least} bytes"
            python = os.environ.get("SUFFIX_ARRAY", sys.executable)
            try:
                cpu, memory = run([python, "-c", SUFFIX_ARRAY, str(folder), str(least)])
            except subprocess.CalledProcessError as error:
                print(f"| {name} | {error.stderr.decode().strip().splitlines()[-1][:200]} | | | |")
                continue
            left, lost = judged(read(folder / "array.jsonl"), once, again)
            print(f"| {name} | {left:.2%} | {lost:.2%} | {cpu:.1f} | {memory:.0f} |")
        try:
            cpu, memory = run([os.environ.get("RIVALS", sys.executable), "-c", DATATROVE, str(folder)])
        except subprocess.CalledProcessError as error:
            print(f"| datatrove, sentences | {error.stderr.decode().strip().splitlines()[-1][:200]} | | | |")
            return
        left, lost = judged(
            [text for path in (folder / "out").glob("*.jsonl") for text in read(path)], once, again
        )
        print(f"| datatrove, sentences | {left:.2%} | {lost:.2%} | {cpu:.1f} | {memory:.0f} |")


if __name__ == "__main__":
    main()
