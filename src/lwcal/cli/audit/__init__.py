"""``lwcal audit``: a person checks some labels, and the calibrator is fitted with them."""
