"""Draw the rooms of the package and who imports whom: ``python -m tests.import_map``.

Rooms and their order come from the import layers in ``pyproject.toml``, arrows from the imports
themselves. An arrow that follows from others is left out: where a imports b and b imports c,
nothing is said about a and c. Graphviz draws, and writes the name of each room and arrow into the
picture, where a test reads them.
"""

import re
import shutil
import subprocess
import sys
import tomllib
from html import unescape
from pathlib import Path
from typing import NamedTuple

import grimp

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "images" / "imports.svg"
PUBLIC = "lwcal"
STYLE = """
    bgcolor=transparent rankdir=LR ranksep=0.35 nodesep=0.25
    node [shape=box style="filled,rounded" fillcolor="#ffffff" color="#7a8794" fontcolor="#1c2733"
          fontname="sans-serif" fontsize=13 height=0.3 margin="0.1,0.03"]
    edge [color="#7a8794" arrowsize=0.6]
"""
"""Readable on light and dark pages alike."""


class Map(NamedTuple):
    """Rooms, and arrows between them."""

    rooms: frozenset[str]
    arrows: frozenset[tuple[str, str]]


def layers():
    """Rooms of the package in layers, the highest first, as the import linter is told them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (found,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[room.strip().removeprefix("lwcal.") for room in layer.split("|")] for layer in found]


def real_map():
    """What the contract and the code say."""
    graph = grimp.build_graph("lwcal")
    imports = {
        (_room_of(module), _room_of(imported))
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    }
    arrows = {(importer, imported) for importer, imported in imports if importer != imported}
    rooms = {PUBLIC, *(room for layer in layers() for room in layer)}
    return Map(frozenset(rooms), frozenset(without_shortcuts(arrows)))


def _room_of(module):
    """The part below ``lwcal``; the package itself is the room of public names."""
    return module.split(".")[1] if "." in module else PUBLIC


def without_shortcuts(arrows):
    """Leave out arrows whose ends are connected by others."""
    reached = {room: _reached_from(room, arrows) for pair in arrows for room in pair}
    return {
        (start, end)
        for start, end in arrows
        if not any(
            end in reached[between]
            for from_, between in arrows
            if from_ == start and between != end
        )
    }


def _reached_from(room, arrows):
    found, waiting = set(), [room]
    while waiting:
        here = waiting.pop()
        new = {end for start, end in arrows if start == here} - found
        found |= new
        waiting += new
    return found


def drawn_map():
    """What the picture shows."""
    titles = re.findall(r"<title>(.*?)</title>", PICTURE.read_text(encoding="utf-8"))
    names = {unescape(title) for title in titles} - {"imports"}
    arrows = {tuple(name.split("->")) for name in names if "->" in name}
    return Map(frozenset(name for name in names if "->" not in name), frozenset(arrows))


def main():
    """Draw the picture."""
    if shutil.which("dot") is None:
        sys.exit("expected the program dot, got none; install graphviz")
    found = real_map()
    rooms = [f"{room};" for room in sorted(found.rooms - {PUBLIC})]
    public = f'{PUBLIC} [label="lwcal: public names"];'
    arrows = [f"{start} -> {end};" for start, end in sorted(found.arrows)]
    text = "\n".join(["digraph imports {", STYLE, public, *rooms, *arrows, "}"])
    drawn = subprocess.run(["dot", "-Tsvg"], input=text, capture_output=True, text=True, check=True)
    # the program's version would be a change in every picture that another one draws
    PICTURE.write_text(re.sub(r"<!--.*?-->\n?", "", drawn.stdout, flags=re.DOTALL))


if __name__ == "__main__":
    main()
