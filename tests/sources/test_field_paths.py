import pytest

from copysift.sources.field_paths import is_nested, roots_of, steps_of, value_at, with_text, without

RECORD = {
    "id": 7,
    "a.b": "own",
    "meta": {"text": "né", "lang": "en", "more": {"x": 1}},
    "messages": [
        {"role": "user", "content": "one"},
        {"role": "tool", "content": None},
        {"role": "bot"},
        {"role": "bot", "content": "two"},
    ],
    "choices": ["A", "B"],
}


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("id", 7),
        ("a.b", "own"),
        ("meta.text", "né"),
        ("meta.more.x", 1),
        ("messages[*].content", "one\ntwo"),
        ("messages[0].content", "one"),
        ("messages[9].content", None),
        ("choices[*]", "A\nB"),
        ("choices[1]", "B"),
        ("meta.text,choices[*],nothing", "né\nA\nB"),
        ("meta.nothing", None),
        ("messages.content", None),
        ("nothing", None),
    ],
)
def test_a_path_leads_to_a_value(path, value):
    assert value_at(RECORD, path) == value


@pytest.mark.parametrize("name", ["", "a", ".", "a.", ".a", "a..b", "a[", "a]", "a[x]", "[*]", "[0].a"])
def test_what_is_no_path_is_a_name(name):
    assert steps_of(name) == (name,)
    assert not is_nested(name)


def test_the_column_of_a_path_is_its_first_name_unless_one_has_the_whole_name():
    assert roots_of("meta.text", ["meta", "id"]) == ["meta"]
    assert roots_of("meta.text", ["meta", "meta.text"]) == ["meta.text"]
    assert roots_of("meta.text", ["id"]) == []
    assert roots_of("id, meta.text", ["meta", "id"]) == ["id", "meta"]
    assert roots_of("id,body", ["meta", "id"]) == []


def test_texts_are_put_back_where_they_were():
    joined = b"one\ntwo"

    def upper(start, end):
        return joined[start:end].decode().upper()

    changed = with_text(RECORD, "messages[*].content", upper)
    assert [each.get("content") for each in changed["messages"]] == ["ONE", None, None, "TWO"]
    assert "content" not in changed["messages"][2]
    assert RECORD["messages"][0]["content"] == "one"
    assert changed["meta"] == RECORD["meta"]
    both = with_text(RECORD, "choices[1], meta.text", lambda start, end: f"{start}:{end}")
    assert (both["choices"], both["meta"]["text"]) == (["A", "0:1"], "2:5")
    assert without(RECORD, "meta,messages,choices,a.b") == {"id": 7}
    assert with_text(RECORD, "meta.text", lambda start, end: f"{start}:{end}")["meta"]["text"] == "0:3"


def test_a_text_is_taken_out_of_what_is_carried_along():
    assert without(RECORD, "meta.text")["meta"] == {"lang": "en", "more": {"x": 1}}
    assert without({"meta": {"text": "x"}, "n": 1}, "meta.text") == {"n": 1}
    left = without(RECORD, "messages[*].content")["messages"]
    assert left == [{"role": "user"}, {"role": "tool"}, {"role": "bot"}, {"role": "bot"}]
