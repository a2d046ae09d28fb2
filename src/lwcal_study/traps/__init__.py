"""The trap suite: models whose calibration curve looks like label noise, on real tasks."""
