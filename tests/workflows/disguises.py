"""What is done to a program so that nobody sees where it is from; independent of the lexer under test.

Programs of C and Java are cut by a pattern, those of Python by the standard library's tokenizer.
"""

import io
import keyword
import random
import re
import tokenize

WORDS = frozenset(
    re.findall(
        r"\w+",
        """auto boolean break case catch char class const continue default do double else extends final float
        for if import int long new null private public return short sizeof static struct switch this throw
        throws true false try typedef unsigned void while define include""",
    )
)
PIECE = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|[A-Za-z_]\w*|\d[\w.]*|\s+|[^\w\s]",
    re.DOTALL,
)
DEAD = ("int spare{0} = {0};", "if ({0} > 9000) {{ return{1}; }}", "spare{0} = {0} - 1;")


def _fresh(word, names):
    return names.setdefault(word, f"{chr(97 + len(names) % 26)}{len(names)}other")


def _in_braces(source):
    """Give (piece, depth of braces, depth of parentheses) of every piece."""
    braces = rounds = 0
    for piece in PIECE.findall(source):
        braces += piece == "{"
        rounds += (piece == "(") - (piece == ")")
        yield piece, braces, rounds
        braces -= piece == "}"


class Braces:
    """C and Java."""

    def __init__(self, level):
        self.level = level  # of the members that can change places: of a class, or of the file

    def rename(self, source, chance):
        names = {}
        return "".join(
            _fresh(each, names) if re.match(r"[A-Za-z_]", each) and each not in WORDS else each
            for each in PIECE.findall(source)
        )

    def reformat(self, source, chance):
        lines = [line for line in source.splitlines() if line.strip()]
        code = [line if line.startswith("#") else line.strip().replace(" ", "   ") for line in lines]
        return "\n".join(line + ("\n\n" if line.endswith("{") else "") for line in code) + "\n"

    def comment(self, source, chance):
        return "/* all my own work */\n" + re.sub(
            r";\n", lambda _: f"; // step {chance.randint(1, 99)}\n", source
        )

    def literals(self, source, chance):
        def other(piece):
            if piece[0] == '"' and len(piece) > 2:
                return '"' + "".join(chance.choices("etaoin shrdlu", k=len(piece))) + '"'
            return str(chance.randint(2, 999)) if piece[0].isdigit() else piece

        return "".join(map(other, PIECE.findall(source)))

    def insert(self, source, chance):
        made = []
        for piece, braces, rounds in _in_braces(source):
            made.append(piece)
            if piece == ";" and rounds == 0 and braces > self.level and chance.random() < 0.3:
                made.append("\n" + chance.choice(DEAD).format(chance.randint(1, 99), "") + "\n")
        return "".join(made)

    def reorder(self, source, chance):
        head, members, tail, current = "", [], "", ""
        started = self.level == 0
        for piece, braces, rounds in _in_braces(source):
            if not started:
                head += piece
                started = piece == "{" and braces == self.level
                continue
            if piece == "}" and braces == self.level:
                tail = current + piece
                current = ""
                continue
            current += piece
            if (piece == "}" and braces == self.level + 1) or (
                piece == ";" and braces == self.level and not rounds
            ):
                members.append(current)
                current = ""
        functions = [at for at, each in enumerate(members) if each.rstrip().endswith("}")]
        moved = [members[at] for at in functions]
        chance.shuffle(moved)
        for at, each in zip(functions, moved, strict=True):
            members[at] = each
        return head + "".join(members) + tail + current


class Python:
    """Python, where indentation counts."""

    def _tokens(self, source, change):
        return tokenize.untokenize(
            (kind, change(kind, text))
            for kind, text, *_ in tokenize.generate_tokens(io.StringIO(source).readline)
        )

    def rename(self, source, chance):
        names = {}
        return self._tokens(
            source,
            lambda kind, text: (
                _fresh(text, names) if kind == tokenize.NAME and not keyword.iskeyword(text) else text
            ),
        )

    def reformat(self, source, chance):
        return re.sub(r"(?m)^( +)", lambda found: "\t" * (len(found[1]) // 4), source).replace("\n", "\n\n")

    def comment(self, source, chance):
        return re.sub(r"(?m)(?<=\w\))$", "  # as I see it", "# all my own work\n" + source)

    def literals(self, source, chance):
        def other(kind, text):
            if kind == tokenize.STRING and len(text) > 3 and text[0] == text[-1] and text[:3] != '"""':
                return repr("".join(chance.choices("etaoin shrdlu", k=len(text))))
            return str(chance.randint(2, 999)) if kind == tokenize.NUMBER else text

        return self._tokens(source, other)

    def insert(self, source, chance):
        made = []
        for line in source.splitlines():
            made.append(line)
            blank = re.match(r"( +)[\w.\[\], ]+ [-+]?= .*[^(\[{,]$", line)
            if blank and line.count("(") == line.count(")") and chance.random() < 0.6:
                made.append(f"{blank[1]}spare = {chance.randint(1, 99)}")
        return "\n".join(made) + "\n"

    def reorder(self, source, chance):
        parts = re.split(r"(?m)^(?=def |class )", source)
        functions = parts[1:-1]
        chance.shuffle(functions)
        return "".join([parts[0], *functions, parts[-1]])


LANGUAGES = {".c": Braces(0), ".java": Braces(1), ".py": Python()}
DISGUISES = ("rename", "reformat", "comment", "reorder", "insert", "literals")


def disguised(source, suffix, names, seed=1997):
    """Put disguises on a program one after another."""
    chance = random.Random(seed)
    for name in names:
        source = getattr(LANGUAGES[suffix], name)(source, chance)
    return source
