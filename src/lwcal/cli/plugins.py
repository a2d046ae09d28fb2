"""Commands of other packages, found by the entry-point group ``lwcal.commands``.

The name of an entry point is the name of the command; its value is a function that typer can run,
or a typer app. The package ``lwcal_study`` adds ``reproduce``, ``leaderboard`` and ``traps`` so::

    [project.entry-points."lwcal.commands"]
    reproduce = "lwcal_study.commands.reproduce:reproduce [study]"

The extra in brackets names what to install when an import fails.
"""

from __future__ import annotations

import logging
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from lwcal.errors import MissingExtraError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GROUP = "lwcal.commands"
logger = logging.getLogger(__name__)


def find_plugins(taken: Collection[str]) -> dict[str, EntryPoint]:
    """List the entry points by name; a name that is taken is ignored with a warning."""
    from importlib.metadata import entry_points  # takes long, and most calls need no plugin

    found: dict[str, EntryPoint] = {}
    for point in sorted(entry_points(group=GROUP), key=lambda point: (point.name, point.value)):
        known = found.get(point.name)
        if known is not None and known.value == point.value:
            continue  # the same distribution may be found twice on the path
        if known is not None or point.name in taken:
            logger.warning("command %r of %s ignored: the name is taken", point.name, point.value)
            continue
        found[point.name] = point
    return found


def load_plugin(point: EntryPoint) -> Any:
    """Import a command, or name the package that is missing and how to install it."""
    try:
        return point.load()
    except MissingExtraError:
        raise
    except ImportError as error:
        raise MissingExtraError(
            f"lwcal {point.name} needs {error.name or error}, which is not installed: "
            f'pip install "{_requirement(point)}"'
        ) from error


def _requirement(point: EntryPoint) -> str:
    name = point.dist.name if point.dist is not None else point.module.partition(".")[0]
    return f"{name}[{','.join(point.extras)}]" if point.extras else name
