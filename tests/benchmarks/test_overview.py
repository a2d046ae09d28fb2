"""The picture at the top of the README shows what the demo gives."""

from benchmarks import overview


def test_the_pictures_are_those_of_the_demo(tmp_path):
    """One for each theme, with both panels; the committed ones are as large."""
    overview.main(tmp_path)
    for theme in overview.THEMES:
        name = f"overview-{theme}.svg"
        made = (tmp_path / name).read_text(encoding="utf-8")
        committed = (overview.FOLDER / name).read_text(encoding="utf-8")
        assert made.startswith("<?xml")
        assert made.count('<g id="line2d') == committed.count('<g id="line2d')


def test_what_trusts_the_labels_is_right_by_them_and_wrong_by_the_truth():
    """Which is what the picture is for."""
    by_noisy, by_truth = overview.curves().values()

    def error(curve):
        return abs(curve.predicted - curve.observed).mean()

    trusting, noise_aware = list(overview.SHOWN)[1:]
    assert error(by_noisy[trusting]) < error(by_noisy[noise_aware])
    assert error(by_truth[noise_aware]) < 0.5 * error(by_truth[trusting])
