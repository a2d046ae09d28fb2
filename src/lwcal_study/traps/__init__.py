"""The trap suite: models whose calibration curve looks like label noise, on real tasks.

``learners`` makes the models, ``cells`` runs them, ``judging`` fits the methods and asks for the
verdict, ``summary`` reduces the results to the figures of the page, and ``report`` writes it.
"""
