"""What rivals.py runs in the environment of each tool: a script that prints the pairs it found as JSON."""

from __future__ import annotations

PAIRS = """
import json, sys
def out(pairs):
    print(json.dumps([sorted((a.rsplit("/", 1)[-1], b.rsplit("/", 1)[-1])) for a, b in pairs]))
"""
COPYSIFT_SCAN = """
import copysift
found = copysift.scan(sys.argv[1])
twins = [(names[0], name) for names in found.equal for name in names[1:]]
out([*twins, *((pair.left, pair.right) for pair in found.pairs)])
"""
TLSH = """
import os, tlsh
from itertools import combinations
hashes = []
for name in sorted(os.listdir(sys.argv[1])):
    made = tlsh.hash(open(os.path.join(sys.argv[1], name), "rb").read())
    if made not in ("", "TNULL"): hashes.append((name, made))
near = [(tlsh.diff(x, y), a, b) for (a, x), (b, y) in combinations(hashes, 2)]
out((a, b) for far, a, b in sorted(near) if far <= 50)
"""
SSDEEP = """
import re, subprocess
command = ["ssdeep", "-s", "-b", "-r", "-d", "-t", "25", sys.argv[1]]
said = subprocess.run(command, capture_output=True, text=True)
near = re.findall(r"^(\\S+) matches (\\S+) \\((\\d+)\\)$", said.stdout, re.M)
out((a, b) for a, b, score in sorted(near, key=lambda row: -int(row[2])))
"""
JDUPES = """
import subprocess
said = subprocess.run(["jdupes", "-q", "-r", sys.argv[1]], capture_output=True, text=True)
sets = [block.split("\\n") for block in said.stdout.strip().split("\\n\\n") if block]
out((names[0], name) for names in sets for name in names[1:])
"""
COPYDETECT = """
import glob, copydetect
detector = copydetect.CopyDetector(noise_t=25, guarantee_t=50, display_t=0.25, silent=True)
for name in sorted(glob.glob(sys.argv[1] + "/*.cpp")): detector.add_file(name)
detector.run()
rows = sorted(detector.get_copied_code_list(), key=lambda row: -max(row[0], row[1]))
out((str(row[2]), str(row[3])) for row in rows)
"""
DOLOS = """
import { Dolos } from "@dodona/dolos-lib";
import { readdirSync } from "node:fs";
const folder = process.argv[2];
const report = await new Dolos({ language: "cpp" }).analyzePaths(
  readdirSync(folder).sort().map((name) => folder + "/" + name));
const base = (path) => path.split("/").pop();
const pairs = report.allPairs().filter((pair) => pair.similarity >= 0.25);
pairs.sort((one, other) => other.similarity - one.similarity);
const named = pairs.map((pair) => [base(pair.leftFile.path), base(pair.rightFile.path)].sort());
console.log(JSON.stringify(named));
"""
