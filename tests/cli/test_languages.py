import json

from tests.cli.program import copysift


def test_languages_lists_names_extensions_and_aliases(tmp_path):
    done = copysift(tmp_path, "languages")
    assert done.status == 0
    assert "python       .py .pyw .pyi .pyx .sage                     py, python3\n" in done.out
    rows = json.loads(copysift(tmp_path, "languages", "--format", "json").out)
    assert set(rows[0]) == {"name", "title", "aliases", "extensions"}
    assert len(rows) == len(done.out.splitlines()) >= 40


def test_a_language_file_is_listed_and_a_wrong_one_is_a_message(tmp_path):
    (tmp_path / "zed.toml").write_text('name = "zed"\nextensions = [".zed"]\n')
    assert "zed          .zed" in copysift(tmp_path, "languages", "--language-file", "zed.toml").out
    (tmp_path / "bad.toml").write_text('name = "bad"\nkeyword = "x"\n')
    done = copysift(tmp_path, "languages", "--language-file", "bad.toml")
    assert done.status == 2
    assert done.err.startswith("copysift: bad.toml: keyword is no key of a language file\nhint: ")
