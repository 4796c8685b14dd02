"""Versions of one work are one occurrence; independent works are many."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import copysift
from copysift.clusters import families as module
from copysift.clusters.families import Links, families
from copysift.join.memory import Join
from copysift.join.rows import candidates
from copysift.match.measures import rarity

FORMS = (
    "for (int i = {a}; i < n; i++) {{ total += values[i]{o}{b}; }}",
    "if (total {o} {a} > {b}) {{ total = total - {a}; }} else {{ count++; }}",
    "while (count < {a}) {{ count = count * {b} + total; }}",
    'print("value", total {o} {a}, count);',
    "values[count % {a}] = total {o} values[{b}];",
    "total = compute(values, count, {a}) {o} other(total);",
    "switch (count) {{ case {a}: total++; break; default: total {o}= {b}; }}",
    "try {{ read(values, {a}); }} catch (Failure f) {{ return {b}; }}",
    "do {{ total = total {o} {a}; count--; }} while (count > {b});",
)


def program(chance, methods):
    """Make a program out of forms that many programs have, in an order of its own."""
    made = []
    for number in range(methods):
        body = "\n".join(
            chance.choice(FORMS).format(
                a=chance.randint(1, 99), b=chance.randint(1, 99), o=chance.choice("+-*/%")
            )
            for _ in range(chance.randint(3, 6))
        )
        made.append(
            f"int method{number}(int[] values, int n) {{\nint total = 0, count;\n{body}\nreturn total;\n}}"
        )
    return "class Work {\n" + "\n".join(made) + "\n}\n"


def postings(groups):
    join = Join(1 << 20, None, np.empty(0, np.uint64), 1)
    for number, hashes in enumerate(groups):
        join.add(number, np.array(sorted(hashes), np.uint64))
    return join.finish(1000, rarity)


def independent(count, idiom=40, own=60):
    """Groups with some of the same idiom, and much of their own."""
    chance = random.Random(7)
    return [
        {*chance.sample(range(200), idiom), *range(1000 * (at + 1), 1000 * (at + 1) + own)}
        for at in range(count)
    ]


def test_copies_are_one_family_and_the_others_none():
    groups = independent(20)
    groups += [groups[3] - {3000 + at} for at in range(5)]
    labels = families(postings(groups))
    assert len({labels[3], *labels[20:]}) == 1
    assert len(set(labels[:20].tolist())) == 20


def test_programs_with_a_common_neighbour_are_no_chain():
    """Each is linked with the next, and only a star is a family."""
    groups = [set(range(40 * at, 40 * at + 80)) for at in range(6)] + independent(20)
    labels = families(postings(groups))
    assert len(set(labels[:6].tolist())) >= 2


@pytest.mark.parametrize(("linked", "one"), [(2, True), (1, False)])
def test_what_is_linked_to_several_of_a_family_belongs_to_it(linked, one):
    """Two copies that were disguised in different ways may have little in common with the original."""
    chance = random.Random(3)
    original = list(range(20_000, 20_200))
    own = [range(1000 * at, 1000 * at + 60) for at in range(30, 33)]
    copies = [{*chance.sample(original, 100), *each} for each in own]
    other = {hash_ for each in own[:linked] for hash_ in each[:40]}
    labels = families(postings([set(original), *copies, other, *independent(12)])).tolist()
    assert len(set(labels[:4])) == 1
    assert (labels[4] == labels[0]) is one
    assert len(set(labels[5:])) == 12


def test_few_fingerprints_link_nothing():
    groups = [set(range(29)), set(range(29)), *independent(8)]
    assert len(set(families(postings(groups)).tolist())) == 10


def test_attempts_of_one_author_are_one_family():
    labels = families(postings(independent(4)), np.array([0, 5, 5, 0], np.uint32))
    assert labels.tolist() == [0, 1, 1, 3]


def test_what_a_family_shares_weighs_as_if_one_had_it():
    groups = independent(20)
    found = postings([*groups, *(groups[3] for _ in range(8))])
    labels = families(found)
    before = postings(groups)
    weighed = found.independent(labels, rarity)
    assert weighed.totals[3] == pytest.approx(before.totals[3])
    assert found.totals[3] < 0.9 * before.totals[3]


def score(folder, files):
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    result = copysift.scan(folder, threshold=0, kind="code")
    return {frozenset((pair.left, pair.right)): pair.similarity for pair in result.pairs}


def changed(lines, chance, share, strange):
    """Put lines of a strange program in the place of a share of the lines."""
    return "".join(chance.choice(strange) if chance.random() < share else line for line in lines)


@pytest.mark.parametrize("share", [0.0, 0.05])
@pytest.mark.parametrize("seed", range(1, 5))
def test_a_score_never_falls_because_more_copied_the_same_original(tmp_path_factory, seed, share):
    """Not even where their copies are not the same, and most of the class."""
    chance = random.Random(seed)
    others = {f"own{at}.java": program(random.Random(f"{seed} {at}"), 12) for at in range(20)}
    original = program(random.Random(seed), 12)
    lines = original.splitlines(keepends=True)
    strange = program(random.Random(f"{seed} strange"), 12).splitlines(keepends=True)
    files = {**others, "original.java": original, "copy.java": changed(lines, chance, 0.25, strange)}
    last = 0.0
    for count in (0, 1, 3, 8, 50):
        for at in range(count):  # of other names, so that no file is equal to another
            copy = changed(lines, random.Random(f"{seed} {at}"), share, strange)
            files[f"student{at}.java"] = copy.replace("total", f"sum{at}")
        folder = tmp_path_factory.mktemp("class") / "all"
        found = score(folder, files)
        own = found[frozenset((str(folder / "original.java"), str(folder / "copy.java")))]
        assert own >= last
        last = own
    assert last < 0.95


@st.composite
def classes(draw):
    """Draw a class: independent groups, some of them with copies that were changed more or less."""
    groups = []
    for at in range(draw(st.integers(4, 12))):
        idiom = draw(st.sets(st.integers(0, 60), max_size=40))
        groups.append({*idiom, *range(1000 * (at + 1), 1000 * (at + 1) + draw(st.integers(60, 90)))})
    for at in range(draw(st.integers(0, 8))):
        original = sorted(draw(st.sampled_from(groups)))
        kept = draw(st.integers(len(original) // 3, len(original)))
        start = draw(st.integers(0, len(original) - kept))
        groups.append({*original[start : start + kept], *range(50_000 + 100 * at, 50_000 + 100 * at + 40)})
    return groups


@pytest.mark.thorough
@given(classes(), st.data())
@settings(max_examples=200, deadline=None)
def test_a_copy_with_the_same_tokens_changes_no_family_and_no_weight(groups, data):
    """Renamed, laid out anew, with other comments: exact, whatever else is in the class."""
    copied = data.draw(st.integers(0, len(groups) - 1))
    many = data.draw(st.sampled_from([1, 2, 15]))
    before, after = postings(groups), postings([*groups, *([groups[copied]] * many)])
    first, last = families(before), families(after)
    assert last[: len(groups)].tolist() == first.tolist()
    assert set(last[len(groups) :].tolist()) == {int(first[copied])}
    weighed = [each.independent(labels, rarity) for each, labels in ((before, first), (after, last))]
    assert weighed[1].totals[: len(groups)].tolist() == weighed[0].totals.tolist()


def test_the_number_of_equal_programs_does_not_choose_who_stands_for_plain_copies():
    """A version of the one with most plain copies stays in the family however often another was copied."""
    chain = [set(range(25 * at, 25 * at + 100)) for at in range(3)]  # each is a plain copy of the next
    hub = chain[2]
    leaves = [hub - {*range(50 + at, 70 + at)} | {*range(500 + at, 520 + at)} for at in (0, 20, 40)]
    version = {*range(100, 150), *range(400, 450)}
    groups = [*chain, *leaves, version, *independent(8)]
    before = families(postings(groups)).tolist()
    assert before[:7] == [2] * 7
    after = families(postings([*groups, *([chain[0]] * 6)])).tolist()
    assert after[: len(groups)] == before


def pair_share(groups):
    """Weigh a class and give the similarity of its first two groups."""
    found = postings(groups)
    weighed = found.independent(families(found), rarity)
    (pair,) = (each for each in candidates(weighed) if (each.left, each.right) == (0, 1))
    return pair.similarity


@pytest.mark.thorough
@given(st.integers(0, 10**6), st.sampled_from([1, 5, 15, 60]), st.integers(8, 25))
@settings(max_examples=150, deadline=None)
def test_a_score_never_falls_however_many_keep_most_of_the_original(seed, copies, students):
    """Each keeps the same half of the original and some of the rest, and adds as much of its own."""
    chance = random.Random(seed)

    def work(at):
        own = range(1000 * (at + 1), 1000 * (at + 1) + chance.randint(110, 160))
        return [*chance.sample(range(80), chance.randint(0, 30)), *own]

    def disguised(at):
        half = len(original) // 2
        own = range(10**6 + 1000 * at, 10**6 + 1000 * at + half + chance.randint(0, 20))
        kept = chance.sample(original[half:], -(-len(original) * chance.randint(6, 18) // 100))
        return {*original[:half], *kept, *own}

    original = work(0)
    groups = [set(original), disguised(0), *(set(work(at)) for at in range(1, students))]
    more = [disguised(at) for at in range(1, copies + 1)]
    assert pair_share([*groups, *more]) >= pair_share(groups)


def shares(groups):
    """Weigh a class and give the similarity of all its pairs."""
    found = postings(groups)
    weighed = found.independent(families(found), rarity)
    return {(each.left, each.right): each.similarity for each in candidates(weighed)}


@pytest.mark.thorough
@given(
    st.integers(0, 10**6),
    st.integers(1, 22),
    st.integers(8, 25),
    st.integers(40, 100),
    st.integers(0, 100),
)
@settings(max_examples=300, deadline=None)
def test_no_score_of_a_class_falls_however_strong_the_disguises_that_keep_two_fifths(
    seed, copies, students, core, rest
):
    """All keep what is hard to disguise, and each any part of the rest; they add as much as they drop."""
    chance = random.Random(seed)

    def work(at):
        own = list(range(1000 * (at + 1), 1000 * (at + 1) + chance.randint(110, 160)))
        return chance.sample(own, len(own)), chance.sample(range(80), chance.randint(0, 30))

    def disguised(at):
        kept = own[:first] + [each for each in own[first:] + idiom if chance.randrange(100) < rest]
        return {*kept, *range(10**6 + 1000 * at, 10**6 + 1000 * at + len(own) + len(idiom) - len(kept))}

    copies = min(copies, students - 3)  # not most of the class: what that has may be what everybody writes
    own, idiom = work(0)
    first = -(-len(own) * core // 100)
    works = [{*own, *idiom} for own, idiom in map(work, range(1, students))]
    groups = [{*own, *idiom}, disguised(0), *works]
    before = shares(groups)
    after = shares([*groups, *(disguised(at) for at in range(1, copies + 1))])
    assert all(after[pair] >= share for pair, share in before.items())


@pytest.mark.parametrize(
    ("common", "own", "copies", "one"),
    [
        (42, 18, 18, True),
        (27, 33, 18, True),
        (26, 34, 18, False),
        (27, 32, 18, False),
        (42, 18, 19, False),
        (27, 33, 19, False),
    ],
)
def test_near_copies_are_one_family_even_if_nine_tenths_are(common, own, copies, one):
    """They have most of at least sixty fingerprints in common; what more of a class have was handed out."""
    groups = [{*range(common), *range(1000 * at, 1000 * at + own)} for at in range(1, copies + 1)]
    groups += [set(range(1000 * at, 1000 * at + 60)) for at in range(copies + 1, 21)]
    labels = families(postings(groups))
    assert len(set(labels[:copies].tolist())) == (1 if one else copies)


@pytest.mark.parametrize(("shared", "own", "one"), [(40, 0, True), (40, 30, True), (40, 60, False)])
def test_half_of_the_rare_fingerprints_link_two(shared, own, one):
    left = set(range(shared)) | set(range(1000, 1000 + own))
    right = set(range(shared)) | set(range(2000, 2000 + own))
    labels = families(postings([left, right, *independent(8)]))
    assert bool(labels[0] == labels[1]) is one


def test_a_fingerprint_of_more_than_two_thirds_of_all_links_nothing():
    rare, common = set(range(40)), set(range(5000, 5040))
    for holders, one in ((6, True), (8, False)):
        groups = [rare | common, rare | common, *independent(7)]
        made = [each | common if at < holders else each for at, each in enumerate(groups)]
        if not one:
            made[0], made[1] = common | {1}, common | {2}
        labels = families(postings(made))
        assert bool(labels[0] == labels[1]) is one


def test_more_groups_than_a_class_has_are_families_of_their_own(monkeypatch):
    groups = [set(range(40)), set(range(40)), *independent(8)]
    for most, one in ((10, True), (9, False)):
        monkeypatch.setattr("copysift.clusters.families.MOST", most)
        labels = families(postings(groups))
        assert bool(labels[0] == labels[1]) is one


def test_a_part_that_is_too_large_is_cut_at_its_weakest_links(monkeypatch):
    monkeypatch.setattr(module, "LARGEST", 2)
    links = Links(
        np.array([0, 1, 2, 4], np.uint32), np.array([1, 2, 3, 5], np.uint32), np.array([0.9, 0.31, 0.35, 0.3])
    )
    parts = module._parts(np.arange(6, dtype=np.uint32), links)
    assert [sorted(np.flatnonzero(parts == part).tolist()) for part in np.unique(parts)] == [
        [0, 1],
        [2, 3],  # as strong as is asked for after one step
        [4, 5],  # weak, but of a part that is small
    ]
