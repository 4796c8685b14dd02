"""A result by hand, which every report is tried on."""

from copysift.model.values import Cluster, Group, Ignored, Listing, Pair, Region, Result, Side, Skipped

HOSTILE = "b\x1b[31m\u202e.txt"
RESULT = Result(
    settings={"measure": "similarity", "threshold": 0.25},
    documents=(
        Group("a.txt", "a.txt", "text", 1000, 70),
        Group("copy.txt", "copy.txt", "text", 1000, 70),
        Group(HOSTILE, HOSTILE, "text", 123456, 9000),
        Group("caf\udce9.txt", "caf\udce9.txt", "bytes", 0, 0),
    ),
    pairs=(
        Pair("a.txt", "copy.txt", True, 1.0, 1.0, 1.0, 1.0, 70),
        Pair(
            "a.txt", HOSTILE, False, 0.9951, 0.0075, 0.97, 0.0076, 68, 60, 3,
            (Region(60, Side("a.txt", 0, 30, 1, 3), Side(HOSTILE, 100, 130, 8, 10)),),
        ),
    ),
    clusters=(Cluster(("a.txt", "copy.txt", HOSTILE)),),
    ignored=(Ignored(255, 1200, "all rights reserved"),),
    skipped=(Skipped("pipe", "is a named pipe (FIFO), not a file"),),
    equal=(("a.txt", "copy.txt"),),
    listings=(Listing("a.txt", ((HOSTILE, 0.97),)),),
    ignored_count=3,
)  # fmt: skip
