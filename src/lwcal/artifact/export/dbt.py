"""A map as a macro for dbt, with a test of its values, and the file that documents both."""

from __future__ import annotations

import json
import re
from typing import NamedTuple

import numpy as np

from lwcal.artifact.export.dialects import Dialect
from lwcal.artifact.export.exported_class_map import ExportedClassMap
from lwcal.artifact.export.exported_maps import ExportedMaps
from lwcal.artifact.export.sql import to_sql
from lwcal.errors import ParameterError, message
from lwcal.rows.scales import PERCENT

PLACE = "lwcal place of the score"
"""Stands for the score until the macro has its argument there; no column is called so."""
KNOWN_SCORES = (0.0, 0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1.0)
TOLERANCE = 1e-12
"""How far engines may be apart."""


class DbtFiles(NamedTuple):
    """A macro with its test, and the properties of both, as dbt reads them."""

    macro: str
    properties: str


def to_dbt(exported: ExportedMaps | ExportedClassMap, dialect: Dialect, name: str) -> DbtFiles:
    """Write the macro ``name(score)``, the test ``name_agrees``, and their properties.

    Parameters
    ----------
    exported : ExportedMaps
        Of a calibrator of one score.
    dialect : Dialect
        Of the database that dbt uses.
    name : str
        Name of the macro.
    """
    if isinstance(exported, ExportedClassMap) or exported.classes:
        hint = "export it to sql, and write the query or the expressions into a model"
        got = f"one of the classes {list(exported.classes)!r}"
        raise ParameterError(message("a calibrator of one score", got, hint))
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name):
        hint = "use letters, digits and underscores: the name of the file is that of the macro"
        raise ParameterError(message("a name that dbt takes for a macro", f"{name!r}", hint))
    sql = to_sql(exported, dialect, [PLACE])
    expression = "\n".join(line for line in sql.splitlines() if not line.startswith("-- "))
    about = [line[3:] for line in sql.splitlines() if line.startswith("-- ")]
    expression = expression.replace(dialect.quote(PLACE), "({{ score }})")
    macro = MACRO.format(
        about="\n  ".join(line.replace("#}", "# }") for line in about),
        name=name,
        expression=expression,
        known=_known_values(exported, dialect),
        tolerance=dialect.number(TOLERANCE),
    )
    return DbtFiles(macro, PROPERTIES.format(name=name, about=json.dumps(" ".join(about))))


def _known_values(exported: ExportedMaps, dialect: Dialect) -> str:
    """Scores with the probabilities that ``predict`` gives them, as a query."""
    scores = np.array(KNOWN_SCORES)
    values = exported.predict(scores[:, None])
    factor = 100.0 if exported.scale == PERCENT else 1.0
    pairs = zip((scores * factor).tolist(), values.tolist(), strict=True)
    return "\n    union all ".join(
        f"select {dialect.number(score)} as score, {dialect.number(value)} as expected"
        for score, value in pairs
    )


MACRO = """\
{{#
  {about}
#}}
{{% macro {name}(score) %}}
{expression}
{{% endmacro %}}

{{#
  Fails if this database computes other probabilities than lwcal did, or if the column is not
  what the macro makes of the score.
#}}
{{% test {name}_agrees(model, column_name, score) %}}
select score, expected, found
from (
  select score, expected, {{{{ {name}("score") }}}} as found
  from (
    {known}
  ) as known_scores
  union all
  select {{{{ score }}}} as score, {{{{ {name}(score) }}}} as expected,
    {{{{ column_name }}}} as found
  from {{{{ model }}}}
) as compared
where abs(found - expected) > {tolerance}
  or (found is null and expected is not null)
  or (found is not null and expected is null)
{{% endtest %}}
"""

PROPERTIES = """\
version: 2

# To test a column, write into the properties of its model:
#   data_tests:
#     - {name}_agrees:
#         arguments: {{score: <column of scores>}}
macros:
  - name: {name}
    description: {about}
    arguments:
      - name: score
        type: string
        description: Column or expression of the score.
  - name: test_{name}_agrees
    description: Known scores get the probabilities of lwcal, and the column those of the macro.
    arguments:
      - name: score
        type: string
        description: Column or expression of the score.
"""
