"""``lwcal audit``: plan which labels to check, collect the answers, and fit with them."""

import typer

from lwcal.cli.audit import merge, plan, serve

audit = typer.Typer(
    help="Check some labels, and fit a calibrator with the answers.",
    no_args_is_help=True,
    rich_markup_mode="rich",
)
for _command in (plan.plan, merge.merge, serve.serve):
    audit.command()(_command)
