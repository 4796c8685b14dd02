"""Small files of every format, made by this script or by the library that people make them with."""

from __future__ import annotations

import io
import sqlite3
import tempfile
import textwrap
import zipfile
from email.message import EmailMessage
from pathlib import Path

from tests.sources.packing import zipped

W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
TEMPLATE = "<w:style w:styleId='Heading{0}'><w:name w:val='heading {0}'/></w:style>"
STYLES = "".join(TEMPLATE.format(number) for number in range(300))


def paragraphs(text: str) -> list[str]:
    """Give the paragraphs of a text."""
    return [" ".join(part.split()) for part in text.split("\n\n") if part.strip()]


def escaped(text: str) -> str:
    """Give a text as XML has it."""
    return text.replace("&", "&amp;").replace("<", "&lt;")


def docx(text: str, pack: int = zipfile.ZIP_DEFLATED, extra: dict[str, bytes] | None = None) -> bytes:
    """Make a Word document with a large template and a header."""
    body = "".join(
        "<w:p><w:pPr><w:pStyle w:val='Body'/></w:pPr>"
        f"<w:r><w:t xml:space='preserve'>{escaped(each[:20])}</w:t></w:r>"
        f"<w:r><w:rPr><w:i/></w:rPr><w:t>{escaped(each[20:])}</w:t></w:r></w:p>"
        for each in paragraphs(text)
    )
    header = (
        "<w:p><w:r><w:t>Department of Applied Examples, template for essays, page of pages</w:t></w:r></w:p>"
    )
    document = f"<w:document xmlns:w='{W}'><w:body>{body}</w:body></w:document>"
    parts = {
        "[Content_Types].xml": b"<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>",
        "word/styles.xml": f"<w:styles xmlns:w='{W}'>{STYLES}</w:styles>".encode(),
        "word/header1.xml": f"<w:hdr xmlns:w='{W}'>{header * 20}</w:hdr>".encode(),
        "word/document.xml": f"<?xml version='1.0'?>{document}".encode(),
    }
    return zipped({**parts, **(extra or {})}, pack)


def odf(text: str, kind: str = "text") -> bytes:
    """Make an OpenDocument file."""
    body = "".join(
        f"<text:p>{escaped(each).replace('  ', ' <text:s/>')}</text:p>" for each in paragraphs(text)
    )
    content = (
        "<office:document-content xmlns:office='urn:oasis:names:tc:opendocument:xmlns:office:1.0' "
        "xmlns:text='urn:oasis:names:tc:opendocument:xmlns:text:1.0'><office:body>"
        f"{body}</office:body></office:document-content>"
    )
    mime = f"application/vnd.oasis.opendocument.{kind}".encode()
    return zipped({"mimetype": mime, "content.xml": content.encode(), "styles.xml": STYLES.encode()})


def flat_odf(text: str) -> bytes:
    """Make an OpenDocument text that is one XML file, with a header and a picture."""
    spaces = "".join(
        f" xmlns:{each}='urn:oasis:names:tc:opendocument:xmlns:{each}:1.0'"
        for each in ("office", "text", "style")
    )
    header = "<text:p>Department of Applied Examples, template for essays, page of pages</text:p>"
    picture = f"<text:p><office:binary-data>{'iVBORw0KGgoAAAANSUhEUgAA' * 100}</office:binary-data></text:p>"
    body = "".join(f"<text:p>{escaped(each)}</text:p>" for each in paragraphs(text))
    return (
        f"<?xml version='1.0'?>\n<office:document{spaces}><office:styles>{STYLES.replace('w:', 'style:')}"
        f"</office:styles><office:master-styles>{header * 20}</office:master-styles>"
        f"<office:body>{picture}{body}</office:body></office:document>"
    ).encode()


def pptx(text: str) -> bytes:
    """Make a presentation with a slide for each paragraph."""
    space = "http://schemas.openxmlformats.org/drawingml/2006/main"
    slide = f"<s xmlns:a='{space}'><a:p><a:r><a:t>{{}}</a:t></a:r></a:p></s>"
    slides = {
        f"ppt/slides/slide{at}.xml": slide.format(escaped(each)).encode()
        for at, each in enumerate(paragraphs(text), 1)
    }
    return zipped({"[Content_Types].xml": b"<Types/>", "ppt/presentation.xml": b"<p/>", **slides})


def xlsx(rows: list[list[str]]) -> bytes:
    """Make a workbook whose texts are shared strings."""
    strings = list(dict.fromkeys(value for row in rows for value in row))
    cells = "".join(
        "<row>" + "".join(f"<c t='s'><v>{strings.index(value)}</v></c>" for value in row) + "</row>"
        for row in rows
    )
    shared = "".join(f"<si><t>{escaped(each)}</t></si>" for each in strings)
    return zipped(
        {
            "[Content_Types].xml": b"<Types/>",
            "xl/workbook.xml": b"<w/>",
            "xl/sharedStrings.xml": f"<sst>{shared}</sst>".encode(),
            "xl/worksheets/sheet1.xml": f"<sheet><sheetData>{cells}</sheetData></sheet>".encode(),
        }
    )


def epub(text: str) -> bytes:
    """Make a book with a chapter for each paragraph."""
    page = "<html><head><title>T</title></head><body><p>{}</p></body></html>"
    chapters = {
        f"OPS/c{at}.xhtml": page.format(escaped(each)).encode() for at, each in enumerate(paragraphs(text))
    }
    items = "".join(f"<item id='c{at}' href='c{at}.xhtml'/>" for at in range(len(chapters)))
    spine = "".join(f"<itemref idref='c{at}'/>" for at in range(len(chapters)))
    return zipped(
        {
            "mimetype": b"application/epub+zip",
            "META-INF/container.xml": b"<container><rootfile full-path='OPS/p.opf'/></container>",
            "OPS/p.opf": f"<package><manifest>{items}</manifest><spine>{spine}</spine></package>".encode(),
            **chapters,
        }
    )


def rtf(text: str) -> bytes:
    """Make a file in Rich Text Format."""
    body = "\\par\n".join(
        "".join(each if ord(each) < 128 else f"\\u{ord(each)}?" for each in part) for part in paragraphs(text)
    )
    return f"{{\\rtf1\\ansi{{\\fonttbl{{\\f0 Times New Roman;}}}}\\f0\\fs24 {body}\\par}}".encode()


def tex(text: str) -> bytes:
    """Make a LaTeX file with a long preamble."""
    packages = "".join(f"\\usepackage[option={each}]{{package{each}}}\n" for each in range(60))
    body = "\n\n".join(f"\\emph{{{each[:15]}}}{each[15:]}" for each in paragraphs(text))
    return (
        f"\\documentclass[12pt]{{article}}\n{packages}\\begin{{document}}\n% a remark of the author\n"
        f"{body}\\label{{sec:end}}\n\\end{{document}}\n"
    ).encode()


def pdf(text: str, password: str = "") -> bytes:
    """Make a PDF with reportlab."""
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen import canvas

    out = io.BytesIO()
    page = canvas.Canvas(out, pagesize=A4, encrypt=password or None, invariant=1)
    lines = [line for part in paragraphs(text) for line in (*textwrap.wrap(part, 80), "")]
    for start in range(0, len(lines), 50):
        writer = page.beginText(50, 780)
        for line in lines[start : start + 50]:
            writer.textLine(line)
        page.drawText(writer)
        page.showPage()
    page.save()
    return out.getvalue()


def postscript(text: str, prolog: int = 300) -> bytes:
    """Make a PostScript file as simple programs write it, with a prolog that all of them share."""
    procedures = "".join(
        f"/proc{at} {{ {at} 0 rmoveto (shared string {at}) show }} bind def\n" for at in range(prolog)
    )
    lines = [line for part in paragraphs(text) for line in textwrap.wrap(part, 80)]
    shown = "".join(
        "72 {} moveto ({}) show\n".format(
            780 - 12 * (at % 60), line.replace("\\", "\\\\").replace("(", "\\(").replace(")", "\\)")
        )
        for at, line in enumerate(lines)
    )
    return (
        f"%!PS-Adobe-3.0\n%%Creator: example\n%%EndComments\n%%BeginProlog\n{procedures}%%EndProlog\n"
        f"%%Page: 1 1\n/Times-Roman findfont 10 scalefont setfont\n{shown}showpage\n%%EOF\n"
    ).encode()


def mail(text: str, subject: str = "Subject", **files: bytes) -> bytes:
    """Make a message; files are attached, named with dots for underscores."""
    message = EmailMessage()
    message["From"], message["To"] = "ann@site.example", "bob@site.example"
    message["Subject"], message["Message-ID"] = subject, "<1@site.example>"
    message.set_content(text)
    for name, data in files.items():
        message.add_attachment(
            data, maintype="application", subtype="octet-stream", filename=name.replace("_", ".")
        )
    return message.as_bytes()


def mailbox(*messages: bytes) -> bytes:
    """Make a mailbox."""
    start = b"From ann@site.example Thu Jan  1 00:00:00 2026\n"
    return b"".join(start + each.replace(b"\nFrom ", b"\n>From ") + b"\n" for each in messages)


def database(**tables: list[tuple[object, ...]]) -> bytes:
    """Make a SQLite database."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "x.db"
        connection = sqlite3.connect(path)
        for name, rows in tables.items():
            columns = ", ".join(f"c{at}" for at in range(len(rows[0])))
            connection.execute(f"CREATE TABLE {name} ({columns})")
            connection.executemany(f"INSERT INTO {name} VALUES ({', '.join('?' * len(rows[0]))})", rows)
        connection.commit()
        connection.close()
        return path.read_bytes()


def ar(files: dict[str, bytes]) -> bytes:
    """Make an ar archive, with the long names of GNU."""
    names = "".join(f"{name}/\n" for name in files if len(name) > 15).encode()
    out = b"!<arch>\n"
    for name, data in {**({"//": names} if names else {}), **files}.items():
        label = f"/{names.index(name.encode())}" if len(name) > 15 else name if name == "//" else f"{name}/"
        out += (
            f"{label:<16}{0:<12}{0:<6}{0:<6}{'100644':<8}{len(data):<10}`\n".encode()
            + data
            + b"\n" * (len(data) % 2)
        )
    return out


def cpio(files: dict[str, bytes]) -> bytes:
    """Make a cpio archive in the new format."""
    out = b""
    for name, data in {**files, "TRAILER!!!": b""}.items():
        fields = (1, 0o100644, 0, 0, 1, 0, len(data), 0, 0, 0, 0, len(name) + 1, 0)
        out += b"070701" + b"".join(b"%08x" % each for each in fields) + name.encode() + b"\0"
        out += b"\0" * (-len(out) % 4) + data
        out += b"\0" * (-len(out) % 4)
    return out


def postscript_of_own_codes(text: str) -> bytes:
    """Make a document whose letters have the numbers in which they come, as Ghostscript writes them."""
    codes = {letter: number for number, letter in enumerate(dict.fromkeys(text), 1)}
    shown = "\n".join(f"<{bytes(codes[each] for each in line).hex()}> Tj" for line in text.splitlines())
    return f"%!PS-Adobe-3.0\n%%EndProlog\n%%Page: 1 1\n{shown}\nshowpage\n".encode()


def seven_zip(files: dict[str, bytes], password: str | None = None, hidden: bool = False) -> bytes:
    """Make a 7z archive with py7zr."""
    import py7zr

    out = io.BytesIO()
    with py7zr.SevenZipFile(out, "w", password=password, header_encryption=hidden) as archive:
        for name, data in files.items():
            archive.writestr(data, name)
    return out.getvalue()
