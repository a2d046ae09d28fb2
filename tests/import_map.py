"""Draw the rooms of the package and who imports whom: ``python -m tests.import_map``.

Rooms and their order come from the import layers in ``pyproject.toml``, arrows from the imports
themselves. An arrow that follows from others is left out: where a imports b and b imports c,
nothing is said about a and c.
"""

import re
import tomllib
from pathlib import Path
from typing import NamedTuple

import grimp

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "CONTRIBUTING.md"
PUBLIC = "lwcal"
BLOCK = re.compile(r"```mermaid\n(.*?)```", flags=re.DOTALL)


class Map(NamedTuple):
    """Rooms in layers, the highest first, and arrows between rooms."""

    layers: tuple[tuple[str, ...], ...]
    arrows: frozenset[tuple[str, str]]


def layers_of_contract():
    """Rooms of ``lwcal`` as the import linter is told them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = settings["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    return tuple(
        tuple(room.strip().removeprefix("lwcal.") for room in layer.split("|")) for layer in layers
    )


def real_map():
    """What the code does."""
    graph = grimp.build_graph("lwcal")
    imports = {
        (_room_of(module), _room_of(imported))
        for module in graph.modules
        for imported in graph.find_modules_directly_imported_by(module)
    }
    arrows = {(importer, imported) for importer, imported in imports if importer != imported}
    return Map(layers_of_contract(), frozenset(_without_shortcuts(arrows)))


def _room_of(module):
    """The part below ``lwcal``; the package itself is the room of public names."""
    return module.split(".")[1] if "." in module else PUBLIC


def _without_shortcuts(arrows):
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


def drawn_map(text):
    """What a diagram shows."""
    layers = tuple(tuple(re.findall(r"(\w+)\[", line)) for line in text.splitlines() if "[" in line)
    named = (layer for layer in layers if layer != (PUBLIC,))
    return Map(tuple(named), frozenset(re.findall(r"(\w+) --> (\w+)", text)))


def draw(found):
    """Write a map as a Mermaid diagram, a line for each layer and for each room's arrows."""
    lines = ["flowchart LR", f"    {PUBLIC}[lwcal: the public names]"]
    lines += [f"    {' & '.join(f'{room}[{room}]' for room in layer)}" for layer in found.layers]
    order = [PUBLIC, *(room for layer in found.layers for room in layer)]
    arrows = sorted(found.arrows, key=lambda arrow: [order.index(room) for room in arrow])
    lines += [f"    {start} --> {end}" for start, end in arrows]
    return "\n".join(lines) + "\n"


def main():
    """Replace the diagram on the page."""
    text = PAGE.read_text(encoding="utf-8")
    diagram = f"```mermaid\n{draw(real_map())}```"
    PAGE.write_text(BLOCK.sub(lambda _: diagram, text), encoding="utf-8")


if __name__ == "__main__":
    main()
