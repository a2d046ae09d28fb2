"""Several reviewers on real tasks: simulated ones, and people who rated words and pictures.

``reviewers`` simulates people who err, ``words`` and ``nodules`` have the ratings of real ones,
and ``cells`` trains a model on one label a row and keeps all opinions on the calibration rows.
"""
