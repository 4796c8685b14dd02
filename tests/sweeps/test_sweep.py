import json
import random
import sqlite3
import subprocess

import pytest

import copysift
from copysift.errors import InputError, StoreError, UsageError
from copysift.runtime import durable as disk
from copysift.store.catalog import Catalog
from tests.cli.texts import prose
from tests.sweeps.web import DATES, A, B, sweeps

TABLES = ("sweeps", "versions", "alike", "clusters")


def state(path):
    """Give all that an index knows of its sweeps, by name and checksum instead of by number."""
    base = sqlite3.connect(path / "catalog.sqlite")
    uris = dict(base.execute("SELECT number, uri FROM uris"))
    sums = dict(base.execute("SELECT number, checksum FROM contents"))
    versions = {
        (uris[u], first, last, sums[c]) for u, first, last, c in base.execute("SELECT * FROM versions")
    }
    alike = {(sums[one], sums[other], shared) for one, other, shared in base.execute("SELECT * FROM alike")}
    clusters: dict[int, set[bytes]] = {}
    for content, cluster in base.execute("SELECT * FROM clusters"):
        clusters.setdefault(cluster, set()).add(sums[content])
    times = set(base.execute("SELECT at, documents FROM sweeps"))
    base.close()
    return times, versions, alike, {frozenset(each) for each in clusters.values()}


def make(path, order=range(5), **settings):
    every = sweeps()
    with copysift.Index(path, **settings) as index:
        for number in order:
            index.sweep(every[number].items(), date=DATES[number])
        assert index.check() == ([], [])
    return path


def test_the_documents_of_an_index_are_those_of_the_newest_sweep(tmp_path):
    with copysift.Index(make(tmp_path / "x.sift")) as index:
        assert sorted(each.name for each in index.documents()) == sorted(sweeps()[-1])
        assert [sweep.date for sweep in index.sweeps()] == list(DATES)
        (hit,) = index.query(sweeps()[0][f"{A}/old/guide"], text=True)
        assert (hit.right, hit.equal) == (f"{A}/new/guide", True)


def test_what_is_known_is_not_sketched_again(tmp_path):
    every = sweeps()
    with copysift.Index(tmp_path / "x.sift") as index:
        first = index.sweep(every[0].items(), date=DATES[0])
        assert (first.new, first.changed, first.unchanged, first.gone, first.sketched) == (10, 0, 0, 0, 10)
        second = index.sweep(every[1].items(), date=DATES[1])
        assert (second.new, second.changed, second.unchanged, second.gone) == (2, 1, 8, 1)
        assert second.sketched == 1
        fifth = index.sweep(every[1].items(), date=DATES[4])
        assert (fifth.unchanged, fifth.sketched) == (11, 0)


@pytest.mark.parametrize("seed", range(4))
def test_sweeps_in_any_order_give_the_same_state(tmp_path, seed):
    usual = state(make(tmp_path / "usual.sift"))
    order = list(range(5))
    random.Random(seed).shuffle(order)
    assert order != sorted(order)
    assert state(make(tmp_path / "mixed.sift", order)) == usual


def test_a_repeated_sweep_gives_the_same_state(tmp_path):
    usual = state(make(tmp_path / "x.sift"))
    with copysift.Index(tmp_path / "x.sift") as index:
        for number in (4, 0, 2):
            done = index.sweep(sweeps()[number].items(), date=DATES[number])
            assert done.same
            assert done.sketched == 0
    assert state(tmp_path / "x.sift") == usual


@pytest.mark.parametrize("seed", range(3))
def test_the_order_within_a_sweep_does_not_matter(tmp_path, monkeypatch, seed):
    usual = state(make(tmp_path / "usual.sift"))
    monkeypatch.setattr("copysift.workflows.sweep.BATCH", 3)
    monkeypatch.setattr("copysift.store.sweep_writer.SLACK", 1)
    chosen = random.Random(seed)
    with copysift.Index(tmp_path / "x.sift") as index:
        for number, pages in enumerate(sweeps()):
            items = list(pages.items())
            if seed:  # 0: as they are, so that runs of addresses are found
                chosen.shuffle(items)
            index.sweep(items, date=DATES[number])
    assert state(tmp_path / "x.sift") == usual


def test_another_sweep_of_the_same_date_is_refused_unless_it_replaces(tmp_path):
    every = sweeps()
    usual = state(make(tmp_path / "x.sift"))
    refused = pytest.raises(UsageError, match="a sweep of 2026-03-01 already, and this one differs: 1 new")
    with copysift.Index(tmp_path / "x.sift") as index, refused:
        index.sweep([*every[2].items(), ("http://c/", prose(99))], date=DATES[2])
    assert state(tmp_path / "x.sift") == usual
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep([("http://c/", prose(99))], date=DATES[2], overwrite=True)
        assert index.history(f"{A}/stay").versions[0].last == DATES[1]
        index.sweep(every[2].items(), date=DATES[2], overwrite=True)
        assert index.check() == ([], [])
        with pytest.raises(InputError, match="address never seen"):
            index.locate("http://c/")
    assert state(tmp_path / "x.sift") == usual


def test_clusters_that_grew_are_those_made_from_all_pairs(tmp_path):
    from copysift.store.sweep_clusters import rebuild
    from copysift.store.timeline import Timeline
    from copysift.store.writer import Writer

    path = make(tmp_path / "x.sift")
    grown = state(path)[3]
    assert any(len(each) > 2 for each in grown)
    with Writer(path) as writer:
        rebuild(Timeline(writer.catalog))
        writer.changed = True
        writer.commit()
    assert state(path)[3] == grown


def test_pairs_are_the_same_from_look_ups_and_from_all_postings(tmp_path, monkeypatch):
    usual = state(make(tmp_path / "x.sift"))
    monkeypatch.setattr("copysift.workflows.sweep.LOOKED_UP", 0)
    assert state(make(tmp_path / "y.sift")) == usual


@pytest.mark.parametrize(("max_shared", "resemblance"), [(10, 0.7957), (1000, 0.8895)])
def test_hashes_that_many_documents_have_do_not_count_and_near_copies_are_joined(
    tmp_path, max_shared, resemblance
):
    head, foot = prose(1, 100), prose(2, 100)
    pages = {f"http://a/{number}": head + prose(100 + number, 200) + foot for number in range(30)}
    copies = {f"http://b/{number}": prose(3, 300) + prose(200 + number, 5) for number in range(30)}
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep({**pages, **copies}.items(), date="2026-01-01", max_shared=max_shared)
        pages["http://a/7"] = pages["http://a/7"].replace(prose(107, 200), prose(107, 180) + prose(999, 20))
        index.sweep({**pages, **copies}.items(), date="2026-02-01")
        _, second = index.history("http://a/7").versions
        assert second.to_previous == pytest.approx(resemblance, abs=1e-4)
        assert index.locate("http://a/8").cluster == 1
        assert index.locate("http://b/8").cluster == 30


@pytest.mark.parametrize("step", ["create", "write", "sync file", "sync folder", "commit"])
def test_a_sweep_that_fails_in_the_middle_changes_nothing(tmp_path, monkeypatch, step):
    every = sweeps()
    usual = state(make(tmp_path / "x.sift", range(3)))

    def fail(name):
        if name == step:
            raise OSError(28, "No space left on device")

    with copysift.Index(tmp_path / "x.sift") as index:
        index._writing()
        monkeypatch.setattr(disk, "watch", fail)
        with pytest.raises((StoreError, OSError)):
            index.sweep(every[3].items(), date=DATES[3])
        monkeypatch.setattr(disk, "watch", None)
    assert state(tmp_path / "x.sift") == usual
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep(every[3].items(), date=DATES[3])
        index.sweep(every[4].items(), date=DATES[4])
        assert index.check() == ([], [])
    assert state(tmp_path / "x.sift") == state(make(tmp_path / "y.sift"))


def test_a_source_that_fails_in_the_middle_changes_nothing(tmp_path):
    usual = state(make(tmp_path / "x.sift", range(2)))

    def broken():
        yield "http://c/", prose(50)
        raise KeyboardInterrupt

    with copysift.Index(tmp_path / "x.sift") as index:
        with pytest.raises(KeyboardInterrupt):
            index.sweep(broken(), date=DATES[3])
        assert [sweep.date for sweep in index.sweeps()] == list(DATES[:2])
        assert state(tmp_path / "x.sift") == usual
        index.sweep(sweeps()[2].items(), date=DATES[2])  # nothing of the broken one is left in the writer
    assert state(tmp_path / "x.sift") == state(make(tmp_path / "y.sift", range(3)))


def test_a_content_between_two_clusters_joins_them(tmp_path):
    words = prose(1, 900).split()
    left, right, middle = (" ".join(words[at : at + 600]) for at in (0, 300, 150))
    pages = {"a": left, "b": left + " more", "c": right, "d": right + " more"}
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep(pages.items(), date="2026-01-01")
        assert [index.locate(uri).cluster for uri in "abcd"] == [2, 2, 2, 2]
        index.sweep([*pages.items(), ("e", middle)], date="2026-01-02")
        assert [index.locate(uri).cluster for uri in "abcde"] == [5, 5, 5, 5, 5]


def test_a_large_sweep_is_one_commit(tmp_path, monkeypatch):
    monkeypatch.setattr("copysift.store.writer.BUFFERED", 100)
    commits = []
    commit = Catalog.commit
    monkeypatch.setattr(Catalog, "commit", lambda catalog: commits.append(1) or commit(catalog))
    with copysift.Index(tmp_path / "x.sift") as index:
        index._writing()
        commits.clear()
        index.sweep(sweeps()[0].items(), date=DATES[0])
        assert len(commits) == 1
        assert index.info()["segments"] >= 1
        assert index.check() == ([], [])


def test_any_characters_make_an_address(tmp_path):
    names = [
        "",
        " ",
        "a\nb",
        "a\0b",
        "\x1b[31m",
        "日本語/ü",
        "\udcff\udc80",
        "x" * 5000,
        "'; DROP TABLE uris; --",
        "\ud800",
    ]
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep([(name, prose(at)) for at, name in enumerate(names)], date="2026-01-01")
        index.sweep([("elsewhere", prose(1))], date="2026-01-02")
        for at, name in enumerate(names[:-1]):
            found = index.locate(name)
            assert found.uri == name
            assert found.status == ("moved" if at == 1 else "gone")
        assert index.locate("?").gone_since == "2026-01-02"  # half a surrogate pair


def test_an_empty_source_is_refused(tmp_path):
    make(tmp_path / "x.sift", range(1))
    (tmp_path / "none").mkdir()
    (tmp_path / "none.jsonl").write_text("")
    with copysift.Index(tmp_path / "x.sift") as index:
        for source in ([], tmp_path / "none", tmp_path / "none.jsonl"):
            with pytest.raises(InputError, match="has no documents"):
                index.sweep(source, date=DATES[1])
        with pytest.raises(InputError, match="no such file"):
            index.sweep(tmp_path / "missing", date=DATES[1])
        assert len(index.sweeps()) == 1


@pytest.mark.parametrize("date", ["", "yesterday", "2026-13-01", "2026-02-30", "1", "2026"])
def test_a_date_that_is_none_is_refused(tmp_path, date):
    with copysift.Index(tmp_path / "x.sift") as index, pytest.raises(UsageError, match="needs a date"):
        index.sweep([("a", "b")], date=date)
    with (
        copysift.Index(tmp_path / "x.sift") as index,
        pytest.raises(UsageError, match="a sweep needs a date"),
    ):
        index.sweep([("a", "b")])


def test_sweeps_and_other_adds_do_not_mix(tmp_path):
    make(tmp_path / "x.sift", range(1))
    with copysift.Index(tmp_path / "x.sift") as index:
        with pytest.raises(StoreError, match="is an index of sweeps"):
            index.add([("a", prose(1))])
        with pytest.raises(StoreError, match="is an index of sweeps"):
            index.remove(f"{A}/stay")
    with copysift.Index(tmp_path / "y.sift") as index:
        index.add([("a", prose(1))])
        with pytest.raises(StoreError, match="without a date"):
            index.sweep([("a", prose(1))], date=DATES[0])
        with pytest.raises(StoreError, match="has no sweeps"):
            index.locate("a")
        assert [each.name for each in index.documents()] == ["a"]


def test_an_address_that_comes_twice_counts_once_and_the_first_counts(tmp_path):
    pairs = [("a", prose(1)), ("b", prose(2)), ("a", prose(3))]
    with copysift.Index(tmp_path / "x.sift") as index:
        assert index.sweep(pairs, date="2026-01-01").repeated == 1
        done = index.sweep([("a", prose(4)), ("a", prose(1)), ("b", prose(2))], date="2026-01-02")
        assert (done.documents, done.changed, done.repeated) == (2, 1, 1)
        assert len(index.history("a").versions) == 2


def test_jsonl_folders_and_git_trees_are_swept(tmp_path):
    (tmp_path / "one").mkdir()
    (tmp_path / "two" / "sub").mkdir(parents=True)
    (tmp_path / "one" / "a.txt").write_text(prose(1))
    (tmp_path / "two" / "sub" / "b.txt").write_text(prose(1))
    lines = [
        json.dumps({"uri": "sub/b.txt", "id": "7", "text": prose(1)}),
        "{broken",
        json.dumps({"text": "x"}),
    ]
    (tmp_path / "three.jsonl").write_text("\n".join(lines))
    with copysift.Index(tmp_path / "one" / "x.sift") as index:
        index.sweep(tmp_path / "one", date="2026-01-01")
        assert [each.name for each in index.documents()] == ["a.txt"]
        index.sweep([tmp_path / "two"], date="2026-01-02")
        assert index.locate("a.txt").now.uri == "sub/b.txt"
        done = index.sweep(tmp_path / "three.jsonl", date="2026-01-03")
        assert (done.unchanged, len(done.skipped)) == (1, 2)
    git = ["git", "-C", str(tmp_path / "two"), "-c", "user.name=x", "-c", "user.email=x@example.com"]
    for command in (["init", "-q"], ["add", "."], ["commit", "-qm", "one", "--date", "2025-01-01T00:00:00Z"]):
        subprocess.run([*git, *command], check=True)
    subprocess.run([*git, "mv", "sub/b.txt", "ü c.txt"], check=True)
    subprocess.run([*git, "commit", "-qm", "two"], check=True)
    with copysift.Index(tmp_path / "git.sift") as index:
        index.sweep(tmp_path / "two", revision="HEAD~1", date="2026-01-01")
        assert index.sweep(tmp_path / "two", revision="HEAD").sketched == 0
        assert index.locate("sub/b.txt").now.uri == "ü c.txt"
        with pytest.raises(InputError, match="has no revision 'nonsense'"):
            index.sweep(tmp_path / "two", revision="nonsense", date="2026-01-03")
        with pytest.raises(InputError, match="has no revision '--help'"):
            index.sweep(tmp_path / "two", revision="--help", date="2026-01-03")
        with pytest.raises(InputError):
            index.sweep(tmp_path / "one", revision="HEAD", date="2026-01-03")


def response(uri, status, text):
    http = f"HTTP/1.1 {status}\r\nContent-Type: text/html\r\n\r\n{text}".encode()
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        "WARC-Record-ID: <urn:uuid:00000000-0000-4000-8000-000000000000>\r\n"
        f"WARC-Target-URI: {uri}\r\nWARC-Date: 2026-01-01T00:00:00Z\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(http)}\r\n\r\n"
    )
    return head.encode() + http + b"\r\n\r\n"


def test_a_page_that_says_an_error_is_gone_and_a_crawl_that_is_cut_is_refused(tmp_path):
    pytest.importorskip("fastwarc")
    one, two = response(f"{A}/1", "200 OK", prose(1)), response(f"{A}/2", "200 OK", prose(2))
    (tmp_path / "one.warc").write_bytes(one + two)
    missing = response(f"{A}/1", "404 Not Found", prose(9))
    (tmp_path / "two.warc").write_bytes(missing + two + response(f"{B}/1", "200 OK", prose(1)))
    (tmp_path / "cut.warc").write_bytes((one + two)[:-300])
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep(tmp_path / "one.warc", date="2026-01-01")
        done = index.sweep(tmp_path / "two.warc", date="2026-02-01")
        assert (done.new, done.unchanged, done.gone) == (1, 1, 1)
        assert index.locate(f"{A}/1").now.uri == f"{B}/1"
        (tmp_path / "cut.jsonl.gz").write_bytes(b"\x1f\x8b\x08\0\0\0\0\0\0\0no")
        with pytest.raises(InputError, match="damaged"):
            index.sweep(tmp_path / "cut.jsonl.gz", date="2026-03-01")
        assert len(index.sweeps()) == 2


def test_a_file_that_cannot_be_read_is_named_and_not_gone(tmp_path, monkeypatch):
    from copysift.model.values import Skipped
    from copysift.sources import crawl

    (tmp_path / "d").mkdir()
    for name in ("a", "b"):
        (tmp_path / "d" / name).write_text(prose(ord(name)))
    with copysift.Index(tmp_path / "x.sift") as index:
        index.sweep(tmp_path / "d", date="2026-01-01")
        (tmp_path / "d" / "c").write_text(prose(3))
        load = crawl.load

        def refused(entry, *limits):
            return (
                load(entry, *limits) if entry.path.endswith("b") else Skipped(entry.path, "permission denied")
            )

        monkeypatch.setattr(crawl, "load", refused)
        done = index.sweep(tmp_path / "d", date="2026-01-02")
        assert (done.documents, done.unchanged, done.gone) == (2, 2, 0)
        assert [each.name for each in done.skipped] == ["a", "c"]
        assert index.locate("a").status == "here"
