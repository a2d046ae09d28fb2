"""Round numbers that people read."""

import numpy as np


def up_to_two_digits(number: float) -> int:
    """The next whole number with two digits that are not 0.

    >>> up_to_two_digits(9766.0), up_to_two_digits(250.0), up_to_two_digits(7.2)
    (9800, 250, 8)
    """
    unit = 10.0 ** max(np.floor(np.log10(number)) - 1.0, 0.0)
    return int(np.ceil(number / unit) * unit)
