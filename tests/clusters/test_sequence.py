from copysift.clusters.sequence import sequence
from tests.cli.program import copysift, write
from tests.cli.texts import prose


def test_a_document_follows_the_one_that_it_shares_most_with():
    # 0 — 3 strongly, 3 — 1 weakly; 2 shares nothing and keeps its place.
    assert sequence([0, 1, 2, 3], [0, 1, 0], [3, 3, 1], [9, 5, 1]) == [0, 3, 1, 2]


def test_without_links_the_rank_decides():
    assert sequence([2, 0, 1], [], [], []) == [1, 2, 0]


def test_order_lists_everything_once_and_similar_files_together(tmp_path):
    one, two = prose(1, words=300), prose(2, words=300)
    write(tmp_path, {"t/a.txt": one, "t/b.txt": two, "t/c/z.txt": one + "more", "t/.hidden/x": two + "more"})
    (tmp_path / "t/link").symlink_to("a.txt")
    (tmp_path / "t/empty").mkdir()
    done = copysift(tmp_path, "order", "t")
    assert done.status == 0
    names = done.out.splitlines()
    assert sorted(names) == sorted(
        ["t", "t/empty", "t/link", "t/c", "t/.hidden", "t/a.txt", "t/b.txt", "t/c/z.txt", "t/.hidden/x"]
    )
    assert names[-4:] == ["t/.hidden/x", "t/b.txt", "t/a.txt", "t/c/z.txt"]
    assert names.index("t/c") < names.index("t/c/z.txt")


def test_order_refuses_line_breaks_in_names_unless_names_end_with_nul(tmp_path):
    write(tmp_path, {"t/a\nb": prose(1)})
    assert copysift(tmp_path, "order", "t").status == 2
    done = copysift(tmp_path, "order", "-0", "t")
    assert done.out == "t\0t/a\nb\0"
