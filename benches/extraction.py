"""Compare ways to get the text of web pages: copysift's blanking, resiliparse and trafilatura.

usage: extraction.py [PAGES]. Pages are made: an article between navigation, a cookie notice, related links
and a footer, each in one of four layouts. So it is known which words are the article: `kept` is the share of
its words that come out, `other` the share of what comes out that is something else. CPU time of one process,
the best of three. resiliparse and trafilatura are measured where they are installed.
"""

from __future__ import annotations

import importlib.util
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable

PAGES = 400
WORDS = re.compile(r"\w+")
LAYOUTS = (
    "<nav>{nav}</nav><main><article>{body}</article></main><aside>{links}</aside><footer>{foot}</footer>",
    "<div class=menu>{nav}</div><div id=content>{body}</div><div>{links}</div><div id=foot>{foot}</div>",
    "<table><tr><td>{nav}<td>{body}<td>{links}</table><p>{foot}",
    "<header>{nav}</header><div class=c><div class=post>{body}</div>{links}</div><div>{foot}</div>",
)


def pages(count: int) -> list[tuple[bytes, list[str]]]:
    """Make pages, each with the words of its article."""
    chance = random.Random(4)
    vocabulary = [
        f"{a}{b}{c}" for a in "bdfglm" for b in ("a", "ei", "o", "u") for c in ("n", "rt", "st", "x", "l")
    ]

    def words(number: int) -> list[str]:
        return chance.choices(vocabulary, k=number)

    made = []
    for number in range(count):
        article = [words(chance.randint(20, 90)) for _ in range(chance.randint(2, 9))]
        body = f"<h1>{' '.join(article[0][:8])}</h1>" + "".join(
            f"<p>{' '.join(each[:9])} <a href=/x>{' '.join(each[9:11])}</a> {' '.join(each[11:])}.</p>"
            for each in article
        )
        links = "".join(f"<li><a href=/{n}>{' '.join(words(6))}</a>" for n in range(12))
        nav = "".join(f"<a href=/{n}>{' '.join(words(2))}</a> " for n in range(15))
        foot = f"<p>We use cookies {' '.join(words(25))}</p><p>© {' '.join(words(12))}</p>"
        inner = LAYOUTS[number % len(LAYOUTS)].format(
            nav=nav, body=body, links=f"<ul>{links}</ul>", foot=foot
        )
        head = f"<title>{' '.join(article[0][:8])}</title><script>var a = 1;</script><style>p {{}}</style>"
        page = f"<!doctype html><html lang=en><head>{head}</head><body>{inner}</body></html>"
        made.append((page.encode(), [*article[0][:8], *(word for each in article for word in each)]))
    return made


def blanking() -> Callable[[bytes], str]:
    """Give copysift's way: markup overwritten where it is, nothing else left out."""
    from copysift.kinds import blank_markup

    return lambda page: blank_markup(page).replace(b"\x7f", b"").decode()


def resiliparse(main: bool) -> Callable[[bytes], str]:
    """Give resiliparse's way, for all of the text or for the main content."""
    from resiliparse.extract.html2text import extract_plain_text

    return lambda page: extract_plain_text(page.decode(), main_content=main)


def trafilatura() -> Callable[[bytes], str]:
    """Give trafilatura's way."""
    from trafilatura import extract

    return lambda page: extract(page.decode(), include_comments=False) or ""


def measured(way: Callable[[bytes], str], given: list[tuple[bytes, list[str]]]) -> tuple[float, float, float]:
    """Give the share of the articles that is kept, of other words in the text, and MB a second."""
    best = float("inf")
    texts: list[str] = []
    for _ in range(3):
        start = time.process_time()
        texts = [way(page) for page, _ in given]
        best = min(best, time.process_time() - start)
    kept = total = found = 0
    for text, (_, article) in zip(texts, given, strict=True):
        have, want = Counter(WORDS.findall(text)), Counter(article)
        kept += sum((have & want).values())
        total += len(article)
        found += sum(have.values())
    size = sum(len(page) for page, _ in given)
    return kept / total, 1 - kept / max(found, 1), size / best / 1e6


def main() -> None:
    """Print the table."""
    given = pages(int(sys.argv[1]) if len(sys.argv) > 1 else PAGES)
    ways: list[tuple[str, str, Callable[[], Callable[[bytes], str]]]] = [
        ("copysift, blanking", "copysift", blanking),
        ("resiliparse, all text", "resiliparse", lambda: resiliparse(False)),
        ("resiliparse, main content", "resiliparse", lambda: resiliparse(True)),
        ("trafilatura", "trafilatura", trafilatura),
    ]
    print(f"{len(given)} pages, {sum(len(page) for page, _ in given) / 1e6:.1f} MB\n")
    print("| way | kept of the article | other text left | MB/s of one core |\n|---|---|---|---|")
    for name, package, make in ways:
        if importlib.util.find_spec(package) is None:
            print(f"| {name} | not installed | | |")
            continue
        kept, other, speed = measured(make(), given)
        print(f"| {name} | {kept:.1%} | {other:.1%} | {speed:.1f} |")


if __name__ == "__main__":
    main()
