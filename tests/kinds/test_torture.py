"""Forms that broke a lexer once, a list for each language: both sides must give the same symbols.

`samples/` has a program of every language for the laws; here are the corners.
"""

import pytest

from tests.kinds.test_languages import symbols

SAME = [
    # the text of an expansion inside a string ends where it ends
    ("bash", 'echo "$((1 + 2))"; ls -l\n', 'echo "$((3 + 4))"; ls -l\n'),
    ("bash", 'x="$(( (a+1) * 2 ))"\nif true; then y; fi\n', 'z="$(( (b+7) * 9 ))"\nif true; then w; fi\n'),
    ("bash", 'echo "a $(date "+%s") b"; exit\n', 'echo "c $(date "+%Y") d"; exit\n'),
    # words that are keywords in some places only
    ("c", "int line = error;", "int a = b;"),
    ("cpp", "line(error, x);", "f(g, h);"),
    ("javascript", "const of = get(set, from);", "const a = b(c, d);"),
    ("typescript", "const type = string(object, number);", "const a = b(c, d);"),
    ("typescript", "let symbol = any + module;", "let a = b + c;"),
    ("kotlin", "val value = data + get(set, init)", "val a = b + c(d, e)"),
    # after a dot every word is a name
    ("javascript", "a.default(b).catch(c)?.finally(d)", "a.x(b).y(c)?.z(d)"),
    ("typescript", "this.delete(a)", "this.remove(a)"),
    ("kotlin", "import a.internal.Inline", "import a.b.C"),
    ("php", "<?php $this->include = A::class;", "<?php $this->b = A::c;"),
    ("ruby", "a.class.then(b&.end)", "a.b.c(b&.d)"),
    ("swift", "a.default", "a.b"),
    ("pascal", "a.write(b);", "a.c(b);"),
    ("java", "var record = yield(sealed);", "a b = c(d);"),
    ("kotlin", "val annotation = internal + enum", "val a = b + c"),
    ("scala", "val extension = open(inline)", "val a = b(c)"),
    ("csharp", "init = other;", "a = b;"),
    ("haskell", "f x# | otherwise = y", "f x | z = y"),
    ("c", "int defined;", "int a;"),
    ("pascal", "procedure a(var out: b);", "procedure a(var c: b);"),
    # a division after x++ opens no regular expression
    ("javascript", "a = x++ / 2; b = y-- / 3; // c", "a = x++ / 4; b = y-- / 5;"),
    ("javascript", "a = x++ / 2 + '/';", "a = x++ / 9 + '';"),
    # a slash after the condition of a statement does
    ("javascript", "if (a(b)) /it's/.test(c); // d", "if (a(b)) /x/.test(c);"),
    ("typescript", 'while (a[(b)]) /"/.exec(c);\nd = e / 2; // f', "while (a[(b)]) /x/.exec(c);\nd = e / 2;"),
    ("javascript", "for (a of b) /'/.test(a); x.if(a) / 2; // '", "for (a of b) /x/.test(a); x.y(a) / 3;"),
    ("javascript", "a = f(b) / 2; // it's\nc = (d) / e;", "a = f(b) / 3;\nc = (d) / e;"),
    ("javascript", f"if ({'(' * 90}a{')' * 90}) /it's/.test(c);", f"if ({'(' * 90}a{')' * 90}) /x/.test(c);"),
    # names in quotes
    ("mysql", "select `a # b`, `it's` from `c -- d`; # it's", "select a, b from c;"),
    ("mysql", "select `a``b # c` from d;", "select a from d;"),
    # raw strings
    ("csharp", 'var x = """a "quoted" word""";', 'var x = "";'),
    ("csharp", 'var x = """"three """ inside"""";', 'var x = "";'),
    ("csharp", 'var x = $"""{a} " b""";', 'var x = "";'),
    # comments
    ("mysql", "select a from b; # it's mine\nselect c;", "select a from b;\nselect c;"),
    ("mysql", "#it's mine\nselect c;", "select c;"),
    ("sql", "/* a /* b's */ c's */ select d;", "select d;"),
    ("sql", "/* a /* b */ select d;", "select d;"),  # where comments do not nest
    ("ocaml", '(* a "*)" b *) let x = 1', "let x = 1"),
    ("ocaml", '(* a "\\"*)" (* "(*" *) b *) let x = 1', "let x = 1"),
    ("ocaml", '(* a " b *) let x = 1', "let x = 1"),  # a quote that never closes
    ("matlab", "x = [1, ... it's the first\n 2];", "x = [1, 2];"),
    ("ruby", "x = 1\n__END__\nit's not code (\n", "x = 1\n"),
    ("c", "#if 0\nit's dead(\n#endif\nint x;", "int x;"),
    ("c", "  #  if\t0\nit's dead(\n#if X\nno's\n#else\n#elif Y\n# endif\nit's\n#endif\nint x;", "int x;"),
    ("c", "#if 0\nit's dead(\n# else // or\nint x;\n#endif\n", "int x;\n#endif\n"),
    ("cpp", "#if 0\nit's dead(\n#elif A\nint x;\n#endif\n", "#elif A\nint x;\n#endif\n"),
    ("objectivec", "#if 0\nnever ends(\n#if 1\n#endif\n", ""),
    ("cpp", " #  error Don't compile 'this\nint x;", "int x;"),
    ("c", "#error Don't compile this\nint x;", "int x;"),
    ("cpp", "  #warning Don't use it\nint x;", "int x;"),
]
OTHER = [
    ("c", "#if 01\nint a;\n#endif\n", ""),
    ("bash", "if ((a > 1)); then b; fi", "if (a > 1); then b; fi"),
    ("ruby", "x = __END__1", "x ="),
    ("javascript", "a...default", "a...b"),
    ("javascript", "switch (a) { default: b }", "switch (a) { c: b }"),
    ("ruby", "1..nil", "1..x"),
    ("javascript", "x = /a/ + 1", "x = a + 1"),
]


@pytest.mark.parametrize(("language", "one", "other"), SAME)
def test_a_corner_of_a_language_changes_nothing(language, one, other):
    assert symbols(language, one) == symbols(language, other)


@pytest.mark.parametrize(("language", "one", "other"), OTHER)
def test_what_only_looks_like_a_corner_counts(language, one, other):
    assert symbols(language, one) != symbols(language, other)
