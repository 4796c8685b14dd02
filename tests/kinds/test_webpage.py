"""Pages of a class are compared as code: markup, scripts and styles, each by its language."""

import copysift
from copysift.kinds import canonicaliser
from copysift.kinds.webpage import parts

SCRIPT = "".join(
    f"function f{at}(a, b) {{ if (a > {at}) {{ return b * {at}; }} return a - b; }}\n" for at in range(12)
)
STYLE = "body { color: red; margin: 0 auto; }"


def page(words, script, style=STYLE):
    return (
        f"<html><head><style>{style}</style><!-- <script> no script --></head><body><p>{words * 30}</p>"
        f"<SCRIPT type='module'>{script}</SCRIPT></body></html>"
    )


def test_a_page_is_cut_into_its_languages():
    data = page("word ", "let x = '<style>';").encode()
    found = [(language, data[start:end]) for language, start, end in parts(data)]
    assert [language for language, _ in found] == ["html", "css", "html", "javascript", "html"]
    assert found[1][1] == STYLE.encode()
    assert found[3][1] == b"let x = '<style>';"
    assert b"".join(piece for _, piece in found) == data


def test_what_never_closes_is_cut_too_in_linear_time():
    assert [part[0] for part in parts(b"<p><script>let x")] == ["html", "javascript", "html"]
    for hostile in (b"<!--" * 200_000, b"<script " * 100_000, b"<style></style>" * 20_000):
        assert sum(end - start for _, start, end in parts(hostile)) == len(hostile)


def test_symbols_of_a_script_are_those_of_javascript():
    whole = canonicaliser("code:webpage").whole(page("x ", SCRIPT).encode())
    script = canonicaliser("code:javascript").whole(SCRIPT.encode())
    listed, wanted = whole.symbols.tolist(), script.symbols.tolist()
    at = next(at for at in range(len(listed)) if listed[at : at + len(wanted)] == wanted)
    start = int(whole.starts[at])
    assert page("x ", SCRIPT).encode()[start:].startswith(b"function f0")


def test_pages_with_the_same_script_are_alike_whatever_their_words(tmp_path):
    other = SCRIPT.replace("a", "first").replace("b", "second").replace("first", "q")
    plain = "".join(f"let v{at} = [{at}, 'x'].map(String).join('-') + window.name;\n" for at in range(30))
    for name, text in (
        ("ann", page("bees ", SCRIPT)),
        ("bob", page("ships ", other)),
        ("cleo", page("tea ", plain)),
    ):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.html").write_text(text)
    result = copysift.scan(tmp_path, by="dir", threshold=0, regions=True)
    found = {(pair.left[-3:], pair.right[-3:]): pair for pair in result.pairs}
    assert found["ann", "bob"].similarity > 0.7 > found["ann", "leo"].similarity
    assert found["ann", "bob"].channel == "code"
