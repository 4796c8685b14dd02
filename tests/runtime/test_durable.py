"""What is durable, and in which order."""

from copysift.runtime import durable


def test_every_new_folder_is_named_durably_in_the_one_above_it(tmp_path, monkeypatch):
    synced = []
    monkeypatch.setattr(durable, "sync", synced.append)
    durable.make_folder(tmp_path / "a" / "b" / "c")
    assert sorted(synced) == [tmp_path, tmp_path / "a", tmp_path / "a" / "b"]
    synced.clear()
    durable.make_folder(tmp_path / "a" / "b" / "c")
    assert synced == []
