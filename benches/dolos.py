"""Install Dolos from npm with the parser of one language.

To compile all of its parsers takes a quarter of an hour.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

PACKAGE = "@dodona/dolos-lib"
PARSER = """
const {{ convertLanguage }} = require("tree-sitter-compat");
const parser = require("./build/Release/tree_sitter_{language}_binding");
parser.nodeTypeInfo = require("./{language}/src/node-types.json");
exports.{language} = convertLanguage(parser);
"""


def install(place: Path, language: str) -> None:
    """Install Dolos into a folder; it then reads programs of one language, such as `java` and `cpp`."""
    shutil.rmtree(place, ignore_errors=True)
    place.mkdir(parents=True)
    (place / "package.json").write_text("{}")
    _npm(place, "install", "--ignore-scripts", "--no-audit", "--no-fund", PACKAGE)
    parsers = place / "node_modules" / "@dodona" / "dolos-parsers"
    (parsers / "binding.gyp").write_text(f'{{"includes": ["{language}/binding.gyp"]}}')
    (parsers / "index.js").write_text(PARSER.format(language=language))
    _npm(place, "rebuild")


def _npm(place: Path, *words: str) -> None:
    subprocess.run(["npm", *words], cwd=place, check=True, capture_output=True)
