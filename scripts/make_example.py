"""Make examples/essays: a small folder with copies worth finding. The same files every time.

Usage: python scripts/make_example.py [FOLDER]
"""

import html
import sys
from pathlib import Path

TIDES = """The sea at the harbour wall rises and falls twice a day, and the people who live there set their
clocks by it without thinking. A boat that leaves an hour late may wait six hours more on the mud.

Most of the work is done by the moon. It pulls on the water nearest to it a little harder than on the
solid earth below, and on the earth a little harder than on the water at the far side, so that the sea
is drawn out into two low swellings. The earth turns under them, and a place on the coast passes through
both in a little less than twenty-five hours.

The sun takes part as well, though it is so far away that its share is less than half. When sun and moon
stand in one line, at new moon and at full moon, their pulls add up and the tides run high: these are the
spring tides, which have nothing to do with the season. A week later they work at right angles and the
neap tides barely wet the upper steps of the quay.

What a coast sees depends on its shape more than on the sky. A long narrow bay may swing like water in a
bath tub; where its own rhythm is close to that of the moon, the difference between high and low water
reaches fifteen metres. In a closed sea it can hardly be measured with a stick.

Fishermen kept tables of all this long before anyone could explain it. They were copied by hand from
father to daughter, with the errors, and the errors are how we know who copied from whom.
"""

LIGHTHOUSE = """For two hundred years somebody climbed the one hundred and ninety-six steps every evening
with a can of oil. The lamp was not large. What made it visible for twenty miles was the glass around it:
rings of prisms, each cut at its own angle, that bent the light of one flame into a flat bright sheet.

The keepers wrote everything into the log. The hour of lighting, the hour of putting out, the colour of
the sky, the ships that passed and the birds that flew against the panes. Every tenth page or so there
is a line about the cook.

When the electric lamp came, one keeper was enough, and when the radio came, none was. The tower was
painted once more, the log was closed in the middle of a page, and the light has since been watched by a
box in an office three counties away. It has failed twice. Both times it was a bird.
"""

BREAD = """Bread is flour, water, salt and time, and of the four only time cannot be bought. A dough that
is hurried with much yeast will rise in an hour and taste of nothing the next morning. The same flour
left in a cold cellar overnight, with a pinch of yeast no larger than a pea, will rise just as high and
keep for a week.

What happens in those hours is a kind of digestion. Enzymes that were in the grain cut starch into sugar,
yeast turns sugar into gas and alcohol, and bacteria that came with the flour make the two acids that we
call flavour. The gluten, which a machine can develop in ten minutes, forms by itself if it is left
alone: time does the kneading.

Old bakers judged a dough with a finger. They pressed it and looked how fast the dent came back. A dent
that stays has waited too long, one that jumps back at once is not ready, and the right one returns
slowly, as if it were thinking about it.
"""

BEES = """A bee that has found a field of clover comes home and dances. On the dark comb she runs in a
straight line, shaking her body from side to side, circles back and runs it again. The angle of that line
to the vertical is the angle of the field to the sun, and every second of shaking stands for about a
kilometre of flight.

The others do not see the dance, for a hive is dark; they follow it with their feelers and feel it in the
comb. Half of them will miss the field by a few hundred metres. It seems that this is no fault: flowers
stand in patches, and a map that is a little wrong spreads the searchers over the whole patch.

In the evening, when there is no more to tell, the dances stop, and in a swarm they decide where to live
in the same manner. Scouts dance for the hollow that they have inspected, long for a good one and briefly
for a poor one, until all of them dance for the same tree.
"""

CANALS = """The canal was dug by hand between two rivers that did not want to meet. One of them lay forty
metres higher, so the water had to be led around every hill along a line that never falls, and where no
such line could be found it was carried down a staircase of locks.

A boat took four days for what the railway did in two hours, and for eighty years that was called the end
of it. But four days are no loss to gravel, and nobody has yet found a cheaper way to move a hundred tons
of something that is in no hurry. A single horse could do it. Today a motor of the power of a small car
can do it, with one person and a dog.

What keeps a canal alive is mud. It must be dredged before the winter, a few hundred metres a year, and
the banks must be cut, and someone has to know which of the sluices sticks. When that person retires
there is always a meeting.
"""

MARKET = """On Thursdays the square is closed to cars from five in the morning. By six the first tables
are up, and the order in which they stand has not changed since the war: cheese by the pump, fish in the
shade of the town hall, eggs, then roots, then everything that is sold by the bunch.

Prices are not written down before eight. Until then the sellers visit each other, talk about the
weather and look at each other's crates, and what comes out of this is a price that nobody has agreed on
and everybody keeps.
"""

NOTES = """Notes for the parish letter. Ask the school about chairs. The roof is dry again after the
repair in March, thanks to all who gave. Lost after the concert: one glove, brown, left hand.
"""


def paragraphs(essay: str) -> list[str]:
    """Split an essay at its empty lines."""
    return essay.strip().split("\n\n")


def joined(*parts: str) -> str:
    """Put paragraphs together again."""
    return "\n\n".join(parts) + "\n"


def rewrapped(essay: str) -> str:
    """Give an essay with every paragraph on one line."""
    return joined(*(" ".join(part.split()) for part in paragraphs(essay)))


def page(title: str, essay: str) -> str:
    """Give an essay as a web page."""
    body = "\n".join(f"<p>{html.escape(' '.join(part.split()))}</p>" for part in paragraphs(essay))
    return (
        f"<!DOCTYPE html>\n<html lang=en>\n<head><title>{title}</title>\n"
        "<style>body { max-width: 40em; margin: auto }</style></head>\n"
        f"<body>\n<nav><a href='/'>Home</a></nav>\n<h1>{title}</h1>\n{body}\n</body>\n</html>\n"
    )


def essays() -> dict[str, str]:
    """Give every file of the example by its path."""
    tides, bees, canals = paragraphs(TIDES), paragraphs(BEES), paragraphs(CANALS)
    second = TIDES.replace("harbour wall", "sea wall").replace("fifteen metres", "fourteen metres")
    second = second.replace("Most of the work is done by the moon.", "The moon does most of the work.")
    kept = [part for number, part in enumerate(paragraphs(second)) if number != 3]
    thanks = "The author thanks the harbour office for the use of its tables."
    final = joined(*kept, thanks).replace("twice a day", "two times a day")
    reader = joined(
        "A reader for the third year. Three short pieces about water, with questions.",
        *paragraphs(MARKET),
        tides[1],
        tides[2],
        "Which of the two pulls harder on the sea, and why? Draw the two swellings.",
        canals[0],
        "Where would you dig? Use the map at the end of the book.",
    )
    return {
        "bees.txt": BEES,
        "bees-rearranged.txt": joined(bees[2], bees[0], bees[1]),
        "bread.txt": BREAD,
        "canals.txt": CANALS,
        "drafts/tides-1.txt": TIDES,
        "drafts/tides-2.txt": second,
        "drafts/tides-final.txt": final,
        "lighthouse.txt": LIGHTHOUSE,
        "market.txt": MARKET,
        "notes.txt": NOTES,
        "old/copy of lighthouse.txt": LIGHTHOUSE,
        "reader.txt": reader,
        "shouting.txt": rewrapped(BREAD).upper(),
        "web/tides.html": page("Tides", second),
        "web/index.html": page("Essays", "Tides, bees, bread, canals and a lighthouse."),
    }


def main(folder: Path) -> None:
    """Write the example."""
    for name, text in essays().items():
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1] / "examples" / "essays")
