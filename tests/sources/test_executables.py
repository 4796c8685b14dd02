"""Executables are compared by instructions and strings, whatever their addresses."""

from __future__ import annotations

import io
import json
import marshal
import py_compile
import shutil
import struct
import subprocess
from pathlib import Path

import pytest

import copysift
from copysift.cli.main import main
from copysift.model.document import Document, Memory
from copysift.sources.container_limits import ArchiveLimits, Budget
from copysift.sources.inputs import Inputs, documents_in
from copysift.sources.readers.executable import EXECUTABLE, LISTING
from copysift.sources.readers.java_class import CLASS
from copysift.sources.readers.object_files import programs_in
from copysift.sources.readers.python_bytecode import BYTECODE
from copysift.sources.readers.reader import TextLimits
from copysift.sources.source import Reading
from tests.sources.programs import class_file, mach_o, pe

PROGRAM = Path(__file__).with_name("program.c").read_text()
ADDED = '    if (count > limit) { fprintf(stderr, "too many words: %d\\n", count); exit(3); }\n'
OTHER = Path(__file__).with_name("other_program.c").read_text()


def compiled(place: Path, name: str, source: str, *options: str) -> Path:
    """Compile a program in C."""
    if shutil.which("gcc") is None:
        pytest.skip("there is no gcc")
    (place / f"{name}.c").write_text(source)
    target = place / "bin" / name
    target.parent.mkdir(exist_ok=True)
    subprocess.run(["gcc", "-O2", "-w", *options, "-o", target, place / f"{name}.c"], check=True)
    return target


def listing(reader, data: bytes) -> list[str]:
    """Give the lines of a listing but the first."""
    text = reader.extract(data, TextLimits(), Budget(ArchiveLimits(), len(data))).text
    assert text is not None
    assert text.startswith(LISTING)
    return text.decode().splitlines()[1:]


@pytest.fixture(scope="module")
def builds(tmp_path_factory) -> Path:
    """Two builds of one program, with a statement added at its beginning, and another program."""
    place = tmp_path_factory.mktemp("builds")
    compiled(place, "old", PROGRAM)
    compiled(place, "new", PROGRAM.replace("/* HERE */\n", ADDED))
    compiled(place, "other", OTHER)
    return place / "bin"


def test_two_builds_of_a_program_with_a_statement_added_are_alike(builds):
    """sif, section 6: a change of one statement changes addresses in all of an executable."""
    result = copysift.scan(builds)
    assert [sorted((Path(pair.left).name, Path(pair.right).name)) for pair in result.pairs] == [
        ["new", "old"]
    ]
    assert min(result.pairs[0].containment_left, result.pairs[0].containment_right) > 0.75
    raw = copysift.compare(builds / "old", builds / "new", kind="bytes")
    assert min(raw.containment_left, raw.containment_right) < 0.5
    assert {each.kind for each in result.documents} == {"executable"}


def test_every_command_reads_executables(builds, tmp_path, capsys):
    index, run = tmp_path / "i.sift", tmp_path / "run"
    assert main(["index", "add", str(index), str(builds), "-q"]) == 0
    capsys.readouterr()
    assert main(["query", str(index), str(builds / "old"), "--format", "json"]) == 0
    hits = {Path(each["right"]).name for each in json.loads(capsys.readouterr().out)["hits"]}
    assert hits == {"old", "new"}
    assert main(["cluster", str(builds), "-o", str(run), "-q", "--threshold", "30%"]) == 0
    capsys.readouterr()
    assert main(["show", str(run), "--format", "json"]) == 0
    clusters = json.loads(capsys.readouterr().out)["clusters"]
    assert [sorted(Path(name).name for name in each["members"]) for each in clusters] == [["new", "old"]]
    assert main(["compare", str(builds / "old"), str(builds / "new")]) == 0
    assert "call" in capsys.readouterr().out


def test_an_executable_says_how_it_was_read(builds, capsys):
    assert main(["scan", str(builds), "--format", "json"]) == 0
    found = {Path(each["name"]).name: each for each in json.loads(capsys.readouterr().out)["documents"]}
    assert found["old"]["read_as"].startswith("machine code (capstone), ")
    assert found["old"]["read_as"].endswith("strings")


def test_a_function_is_found_in_an_object_file_and_in_the_program_that_it_was_linked_into(tmp_path):
    """Places that a linker fills are 0 in an object file; they are masked by its relocations."""
    program = compiled(tmp_path, "linked", PROGRAM, "-fno-pic", "-no-pie")
    unlinked = compiled(tmp_path, "unlinked.o", PROGRAM, "-c", "-fno-pic")
    pair = copysift.compare(unlinked, program)
    assert pair.containment_left > 0.8


def test_code_is_the_same_in_every_file_format(tmp_path):
    data = compiled(tmp_path, "code.o", PROGRAM, "-c").read_bytes()
    (program,) = programs_in(data)
    if program.machine != "x86-64":
        pytest.skip("the files below say x86-64")
    code = b"".join(bytes(each.data) for each in program.sections if each.code)
    strings = b"a string of some length\0and another one\0"
    expected = listing(EXECUTABLE, pe(code, strings))
    assert len(expected) > 100
    assert '"a string of some length"' in expected
    assert listing(EXECUTABLE, mach_o(code, strings)) == expected
    universal = struct.pack(">IIIIIII", 0xCAFEBABE, 1, 0x1000007, 3, 4096, len(mach_o(code, strings)), 12)
    assert listing(EXECUTABLE, universal.ljust(4096, b"\0") + mach_o(code, strings)) == expected
    masked = {line for line in expected if line.startswith("call")}
    assert "call #" in masked
    assert not any("0x1000" in line for line in expected)


def test_a_class_is_read_by_its_instructions_and_what_they_name():
    lines = listing(CLASS, class_file(b"\x12\x0a\xb6\0\x0c\x99\0\x05\x10\x07\xb1", b"\x03\xac"))
    assert lines == [
        "ldc a long greeting", "invokevirtual java/lang/Object.println", "ifeq", "bipush 7", "return",
        "iconst_0", "ireturn", '"a long greeting"',
    ]  # fmt: skip


def test_a_switch_of_a_class_is_passed_over():
    table = b"\xaa" + b"\0" * 3 + struct.pack(">iii", 24, 1, 2) + struct.pack(">ii", 24, 24) + b"\xb1"
    lookup = b"\xab" + b"\0" * 3 + struct.pack(">ii", 24, 1) + struct.pack(">ii", 9, 24) + b"\xb1"
    lines = listing(CLASS, class_file(table, lookup))
    assert lines[:4] == ["tableswitch", "return", "lookupswitch", "return"]


def test_compiled_python_is_read_by_instructions_names_and_constants(tmp_path):
    source = tmp_path / "greet.py"
    source.write_text("import os\ndef greet(name):\n    print('a long greeting', name, os.getcwd())\n")
    made = Path(py_compile.compile(str(source), str(tmp_path / "greet.pyc")))
    text = "\n".join(listing(BYTECODE, made.read_bytes()))
    for word in ("'os'", "'getcwd'", "'a long greeting'", "'print'"):
        assert word in text
    assert text.count("'a long greeting'") == 1


def test_two_versions_of_a_module_are_alike_when_they_are_compiled(tmp_path):
    source = Path(json.decoder.__file__ or "").read_text()
    for name, text in (
        ("a", source),
        ("b", source.replace("import re\n", "import re\nimport os\nprint(os)\n")),
    ):
        (tmp_path / f"{name}.py").write_text(text)
        py_compile.compile(str(tmp_path / f"{name}.py"), str(tmp_path / "compiled" / f"{name}.pyc"))
    result = copysift.scan(tmp_path / "compiled")
    assert len(result.pairs) == 1
    assert result.pairs[0].resemblance > 0.9
    assert {each.kind for each in result.documents} == {"executable"}


def nested() -> bytes:
    return b")\1" * 100_000 + b"N"


def bomb() -> bytes:
    """Give a tuple that contains another one twice, and so on: 2 ** 40 strings."""
    inner = b"\xa9\2" + b"z\4word" * 2
    for level in range(40):
        inner = b"\xa9\2" + inner + b"r" + struct.pack("<I", 40 - level)
    return inner


@pytest.mark.parametrize("content", [nested(), b"(\xff\xff\xff\x7f", b"c", b"s\xff\xff\xff\xff", b"?"])
def test_hostile_compiled_python_is_compared_as_raw_bytes(content):
    data = py_head() + content
    (found,) = documents_in("a.pyc", data)
    assert isinstance(found, Document)
    assert found.read_as.startswith("raw bytes: ")
    assert b"".join(found.content.chunks()) == data


def py_head() -> bytes:
    import importlib.util

    return importlib.util.MAGIC_NUMBER + b"\0" * 12


def test_constants_that_contain_each_other_are_cut():
    nothing = b")\0"
    function = b"c" + b"\0" * 20 + b"s\2\0\0\0d\0" + b")\1" + bomb() + nothing * 6 + b"\0" * 4 + nothing * 2
    (line,) = listing(BYTECODE, b"\xa7\x0d\r\n" + b"\0" * 12 + function)
    assert line.startswith("op 100 (")
    assert len(line) < 1000


@pytest.mark.parametrize("form", ["elf", "pe", "mach-o", "class", "pyc"])
def test_a_damaged_executable_never_stops_a_scan(form, tmp_path, builds):
    code = bytes(range(256)) * 8
    whole = {
        "elf": lambda: (builds / "old").read_bytes(),
        "pe": lambda: pe(code, b"some text here\0"),
        "mach-o": lambda: mach_o(code, b"some text here\0"),
        "class": lambda: class_file(b"\xb1"),
        "pyc": lambda: py_head() + marshal.dumps(compile("def f(a): return a + 1", "a.py", "exec")),
    }[form]()
    name = f"a.{form}"
    for at in range(8, 96, 3):
        for damage in (whole[:at], whole[:at] + b"\xff" * 4 + whole[at + 4 :]):
            (found,) = documents_in(name, damage)
            assert isinstance(found, Document)


def test_a_missing_disassembler_is_said_and_bytes_are_compared(builds, monkeypatch, capsys):
    monkeypatch.setattr(type(EXECUTABLE), "library", "no_such_library")
    assert main(["scan", str(builds), "--format", "json"]) in (0, 1)
    found = json.loads(capsys.readouterr().out)
    assert all(each["kind"] == "bytes" for each in found["documents"])
    assert all("pip install 'copysift[executables]'" in each["read_as"] for each in found["documents"])
    main(["scan", str(builds)])
    said = capsys.readouterr()
    assert "3 files were compared as raw bytes: " in said.out + said.err
    assert "copysift[executables]" in said.out + said.err


def test_raw_bytes_of_executables_can_be_asked_for(builds):
    result = copysift.scan(builds, kind="bytes")
    assert {each.kind for each in result.documents} == {"bytes"}


def test_what_is_no_executable_is_read_as_usual_where_executables_are_asked_for(builds, tmp_path):
    shutil.copytree(builds, tmp_path / "all")
    (tmp_path / "all" / "notes.txt").write_text("some notes about the programs in this folder\n" * 3)
    result = copysift.scan(tmp_path / "all", kind="executable")
    assert {Path(each.name).name: each.kind for each in result.documents}["notes.txt"] == "text"


def test_a_packed_program_says_that_it_was_not_unpacked():
    data = pe(b"\x90" * 64, b"UPX!" + b"some text of a program\0")
    document = Document("a.exe", Memory(data))
    inputs = Inputs(Reading())
    (found,) = documents_in("a.exe", data)
    assert inputs.source_of(document) is EXECUTABLE
    assert isinstance(found, Document)
    assert "packed by UPX" in found.read_as


def test_a_class_and_a_universal_binary_are_told_apart():
    inputs = Inputs(Reading())
    universal = io.BytesIO(struct.pack(">IIIIIII", 0xCAFEBABE, 2, 0x1000007, 3, 4096, 10, 12)).getvalue()
    assert inputs.source_of(Document("A.class", Memory(class_file(b"\xb1")))) is CLASS
    assert inputs.source_of(Document("tool", Memory(universal))) is EXECUTABLE
