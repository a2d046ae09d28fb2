"""Values of arguments and options: calibrators, methods and flip rates."""

from pathlib import Path

from lwcal.artifact import load
from lwcal.calibrators import CALIBRATORS, Audited, Calibrator
from lwcal.cli.calibrator_file import holds_rows, holds_segments
from lwcal.cli.options import ESTIMATE, METHODS
from lwcal.errors import ArtifactError, ParameterError, message
from lwcal.noise.rates import FlipRates, as_flip_rates
from lwcal.parameters import OneOf, check_parameter


def load_calibrator(path: Path) -> Calibrator:
    """Load a calibrator; refuse rows, and calibrators by segment, which few commands take."""
    if holds_segments(path):
        hint = (
            "lwcal apply and lwcal export take such a file; for this command fit one calibrator "
            "to all rows, with lwcal fit without --segment"
        )
        raise ArtifactError(f"{path}: {message('one calibrator', 'calibrators by segment', hint)}")
    return load(path)


def rows_first(first: str, second: Path | None) -> tuple[str, Path | None]:
    """Put the rows first where the calibrator is optional and either order is accepted.

    >>> rows_first("calibrator.json", Path("scores.csv"))[0]
    'scores.csv'
    """
    if second is not None and holds_rows(second.name) and not holds_rows(first):
        return str(second), Path(first)
    return first, second


def check_method(name: str) -> None:
    """Refuse unknown methods, and the one that needs checked labels.

    >>> check_method("audited")
    Traceback (most recent call last):
    lwcal.errors.ParameterError: --method audited needs checked labels; ...
    """
    if CALIBRATORS.get(name) is Audited:
        hint = "name them with --trusted of lwcal fit, or use lwcal audit merge"
        raise ParameterError(f"--method {name} needs checked labels; {hint}.")
    check_parameter("--method", name, OneOf(METHODS))


def parse_noise_rates(text: str) -> FlipRates:
    """Read two numbers with a comma between them.

    >>> parse_noise_rates("0.1,0.2")
    FlipRates(negative=0.1, positive=0.2)
    """
    try:
        rates = tuple(float(part) for part in text.split(","))
    except ValueError:
        return as_flip_rates(text)  # refuses it and says what is expected
    return as_flip_rates(rates)


def parse_base_rates(text: str) -> float | dict[str, float]:
    """Read one number, or a number for each class.

    >>> parse_base_rates("0.02"), parse_base_rates("a=0.4,b=0.6")
    (0.02, {'a': 0.4, 'b': 0.6})
    """
    try:
        if "=" not in text:
            return float(text)
        pairs = (part.rpartition("=") for part in text.split(","))
        return {label.strip(): float(share) for label, _, share in pairs}
    except ValueError:
        expected = "--base-rate to be a number, or numbers of classes like a=0.4,b=0.6"
        raise ParameterError(message(expected, f"{text!r}")) from None


def known_noise_rates(text: str | None) -> FlipRates | None:
    """Read rates before any row is read; None when there are none or they are to be estimated."""
    return None if text in (None, ESTIMATE) else parse_noise_rates(str(text))
