"""Flip rates as they are written on the command line."""

from lwcal.cli.columns import Rows
from lwcal.noise.estimate import estimate_noise
from lwcal.noise.rates import FlipRates, RatePosterior, as_flip_rates

ESTIMATE = "estimate"


def parse_rates(text: str) -> FlipRates:
    """Read two numbers with a comma between them.

    >>> parse_rates("0.1,0.2")
    FlipRates(negative=0.1, positive=0.2)
    """
    try:
        rates = tuple(float(part) for part in text.split(","))
    except ValueError:
        return as_flip_rates(text)  # which says what it wants
    return as_flip_rates(rates)


def parse_noise(text: str | None) -> FlipRates | None:
    """Read --noise: rates, or None when they are to be estimated or there are none.

    Done before any row is read, so that a slip is told at once.
    """
    return None if text in (None, ESTIMATE) else parse_rates(str(text))


def rates_posterior(known: FlipRates | None, rows: Rows) -> RatePosterior:
    """What is known of the rates, or estimated from the rows themselves."""
    if known is not None:
        return RatePosterior.known(known)
    return estimate_noise(rows.scores, rows.labels, rows.weights).rates_posterior
