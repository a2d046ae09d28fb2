"""The figure of the README shows the results of the demo."""

from benchmarks import overview


def test_the_pictures_are_those_of_the_demo(tmp_path):
    """One figure per theme, with as many lines as the committed figure."""
    overview.main(tmp_path)
    for theme in overview.THEMES:
        name = f"overview-{theme}.svg"
        made = (tmp_path / name).read_text(encoding="utf-8")
        committed = (overview.FOLDER / name).read_text(encoding="utf-8")
        assert made.startswith("<?xml")
        assert made.count('<g id="line2d') == committed.count('<g id="line2d')


def test_isotonic_is_better_by_noisy_labels_and_worse_by_true_labels():
    """The message of the figure."""
    by_noisy, by_truth = overview.curves().values()

    def error(curve):
        return abs(curve.predicted - curve.observed).mean()

    trusting, noise_aware = list(overview.SHOWN)[1:]
    assert error(by_noisy[trusting]) < error(by_noisy[noise_aware])
    assert error(by_truth[noise_aware]) < 0.5 * error(by_truth[trusting])
