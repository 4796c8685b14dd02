"""Scan mailboxes of more and more mails: CPU time, rate, memory, and what is said of one too large.

usage: mailbox.py [MAILS…]. Mails are made: the headers that mail programs write, one in four with a page
beside the text, and 40 words of their own, so that pairs are not the cost.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import tempfile
from pathlib import Path

MAILS = (1_000, 10_000, 50_000, 200_000)
HEADERS = """From ann@site.example Thu Jan  1 00:00:00 2026
Return-Path: <ann@site.example>
Received: from mail.site.example (mail.site.example [192.0.2.1])
\tby mx.site.example with ESMTPS id {number};
\tThu, 01 Jan 2026 00:00:00 +0000
Date: Thu, 01 Jan 2026 00:00:00 +0000
From: Ann <ann@site.example>
To: Bob <bob@site.example>
Subject: Re: {subject}
Message-ID: <{number}@site.example>
MIME-Version: 1.0
"""
PLAIN = """Content-Type: text/plain; charset="utf-8"
Content-Transfer-Encoding: 8bit

{text}

"""
BOTH = """Content-Type: multipart/alternative; boundary="b{number}"

--b{number}
Content-Type: text/plain; charset="utf-8"

{text}
--b{number}
Content-Type: text/html; charset="utf-8"

<p>{text}</p>
--b{number}--

"""


def write(path: Path, count: int) -> None:
    """Make a mailbox."""
    chance = random.Random(count)
    syllables = [f"{a}{b}" for a in "bdfglmnprst" for b in "aeiou"]
    words = ["".join(chance.choices(syllables, k=chance.randint(1, 4))) for _ in range(20_000)]
    with path.open("w") as file:
        for number in range(count):
            text, subject = " ".join(chance.choices(words, k=40)), " ".join(chance.choices(words, k=4))
            form = HEADERS + (PLAIN if number % 4 else BOTH)
            file.write(form.format(number=number, subject=subject, text=text))


def main() -> None:
    """Print a line for each mailbox."""
    print(
        "| mails | MB | CPU s | mails a CPU second | memory, MB | documents | skipped |\n" + "|---" * 7 + "|"
    )
    with tempfile.TemporaryDirectory() as folder:
        for count in map(int, sys.argv[1:] or MAILS):
            path, out = Path(folder) / "mails.mbox", Path(folder) / "out.json"
            write(path, count)
            command = [sys.executable, "-m", "copysift", "scan", path, "--format", "json", "-o", out, "-q"]
            _, status, used = os.wait4(subprocess.Popen(command, stderr=subprocess.DEVNULL).pid, 0)
            if os.waitstatus_to_exitcode(status) not in (0, 1, 3):
                sys.exit(f"scan failed with {os.waitstatus_to_exitcode(status)}")
            said = json.loads(out.read_text())
            seconds = used.ru_utime + used.ru_stime
            read, reasons = len(said["documents"]), "; ".join(each["reason"] for each in said["skipped"])
            print(
                f"| {count:,} | {path.stat().st_size / 1e6:.1f} | {seconds:.1f} | {read / seconds:,.0f} "
                f"| {used.ru_maxrss / 1e3:.0f} | {read:,} | {reasons} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
