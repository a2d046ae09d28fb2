"""The section on reviewers says what is known of them, and accuses nobody by chance."""

import re
from dataclasses import replace
from html import unescape

import numpy as np
import pytest

import lwcal
from lwcal.report.class_summary import remarks as class_remarks
from lwcal.report.next_step import next_step, remarks
from lwcal.report.page_readings import read_page, was_fitted_to
from lwcal.report.reviewer_charts import intervals_chart, shown_classes
from lwcal.report.reviewer_section import MOST_MATRICES, reviewer_section
from lwcal.report.summary import facts, readings_table
from lwcal.reviews.agreement import Agreement
from tests.report.example import HOSTILE
from tests.report.reviewer_example import REVIEWERS, TEAM, make_disputes
from tests.reviews.hand_made import reviewer, summary

NOBODY = Agreement(None, None, 0.0, None)
ALIKE = Agreement(None, None, 50.0, 1.0)


def section_of(page):
    """The text of the section, without markup."""
    (found,) = re.findall(r'<section aria-labelledby="reviewers">.*?</section>', page, re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", found)).split())


def many(n, k=2):
    """Reviewers with fewer and fewer labels, of whom the first ten are wrong more often."""
    made = [
        reviewer(
            f"r{place}",
            [0.4 if place < 10 else 0.1] * k,
            (1, n),
            labels=1000.0 - place,
        )
        for place in range(n)
    ]
    return summary(*made, classes=tuple(range(k)))


def test_the_saved_calibrator_is_enough(disputes_data, disputes):
    """The page is made without opinions; its numbers are those of the fit."""
    fitted = disputes.calibrator.reviews_
    assert [one.wrong for one in disputes_data.reviews.reviewers] == [
        one.wrong for one in fitted.reviewers
    ]
    text = section_of(lwcal.report.render(disputes_data))
    for one in fitted.reviewers:
        assert f"{one.name} {one.labels:,.0f} {one.wrong.value:.0%}" in text
    assert f"{fitted.agreement.equal:.1%} of two opinions on a row are the same" in text
    assert f"Krippendorff's alpha {fitted.agreement.alpha:.2f}" in text
    assert f"Cohen's kappa {fitted.agreement.kappa:.2f}" in text
    assert "This is not a ranking of people" in text


def test_other_calibrators_have_no_such_section(data, class_data):
    """Nor has one that was fitted to one label a row."""
    for page in map(lwcal.report.render, (data, class_data)):
        assert 'id="reviewers"' not in page
    one_label = lwcal.Reviewed().fit([0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    built = lwcal.report.build(one_label, [0.1, 0.4, 0.6, 0.9], [0, 1, 0, 1])
    assert reviewer_section(built.reviews) is None


def test_who_differs_is_named_with_both_intervals(disputes_data, animals_data):
    """Dora on both classes; one of nine on foxes alone, which become wolves."""
    found = reviewer_section(disputes_data.reviews).differences
    assert [re.match(r"(\w+) labels more rows of true (\w+)", one).groups() for one in found] == [
        ("Dora", "fine"),
        ("Dora", "fraud"),
    ]
    (fox,) = reviewer_section(animals_data.reviews).differences
    assert fox.startswith(f"{TEAM[0]} labels more rows of true fox wrongly than most others: ")
    assert fox.endswith("; most often as wolf.")
    assert re.search(r": \d+% \(\d+% to \d+%\), against \d+% \(\d+% to \d+%\);", fox)


def test_ties_are_said_in_words():
    """By name, by number, or all."""
    ranks = [(1, 2), (1, 2), (3, 3)]
    rates = [0.1, 0.1, 0.4]
    made = [reviewer(f"r{k}", [rates[k]] * 2, ranks[k]) for k in range(3)]
    found = reviewer_section(summary(*made))
    assert [line.tied for line in found.lines] == ["r1", "r0", "nobody"]
    assert [line.rank for line in found.lines] == ["1 to 2", "1 to 2", "3"]
    assert "ranges of ranks overlap cannot be told apart" in found.sentence
    unsure = reviewer_section(summary(*made, differ=0.4))
    assert [line.tied for line in unsure.lines] == ["all others"] * 3
    assert "cannot be told apart by these labels" in unsure.sentence
    assert "is 40%." in unsure.sentence
    assert (unsure.differences, unsure.differences_note[:7]) == ([], "Nobody.")
    overlapping = reviewer_section(summary(*(one for one in many(3).reviewers)))
    assert "do not say who: they cannot be told apart" in overlapping.sentence
    ranges = [(1, 5), (1, 5), (1, 5), (1, 5), (1, 5), (6, 6)]
    six = [reviewer(f"r{k}", [0.1] * 2, rank) for k, rank in enumerate(ranges)]
    assert reviewer_section(summary(*six)).lines[0].tied == "4 of 5 others"


def test_two_reviewers_are_compared_with_each_other():
    """The one who is wrong more often is named, once for each class."""
    pair = reviewer("a", [0.1, 0.1], (1, 1)), reviewer("b", [0.1, 0.3], (2, 2))
    (found,) = reviewer_section(summary(*pair)).differences
    assert found.startswith("b labels more rows of true 1 wrongly than the other reviewer: 30%")
    unsure = reviewer_section(summary(*pair, differ=0.1))
    assert [line.tied for line in unsure.lines] == ["b", "a"]


def test_one_reviewer_is_not_compared():
    """There is nobody to compare with."""
    found = reviewer_section(summary(reviewer(7, [0.1, 0.1], (1, 1)), agreement=NOBODY))
    assert found.sentence == "One reviewer gave 100 labels. There is nobody to compare with."
    assert found.lines[0].tied == ""
    assert found.busiest[0].name == "Reviewer 7"
    assert [fact.name for fact in found.facts] == ["Agreement and shared errors"]


def test_what_opinions_do_not_say_has_no_number():
    """Without two opinions on a row, nothing is known of agreement and shared errors."""
    shown = {fact.name: fact.value for fact in reviewer_section(many_alone()).facts}
    assert shown["Agreement and shared errors"] == "not known"
    assert "Shared errors" not in shown
    alike = {fact.name: fact for fact in reviewer_section(replace(many(3), agreement=ALIKE)).facts}
    assert alike["Krippendorff's alpha"].value == "not known"
    assert "all opinions are the same" in alike["Cohen's kappa"].meaning
    below = many(3).agreement._replace(alpha=-0.1)
    negative = reviewer_section(replace(many(3), agreement=below)).facts[1]
    assert negative.value == "\N{MINUS SIGN}0.10"


def many_alone():
    """Reviewers of whom no two have labelled the same row."""
    return replace(many(3), agreement=NOBODY)


@pytest.mark.parametrize(("hard", "begins"), [(0.5, "These opinions cannot"), (0.97, "Reviewers")])
def test_the_warning_stands_before_the_numbers(disputes_data, hard, begins):
    """And only where there is one."""
    warned = replace(disputes_data.reviews, probability_hard=hard)
    page = lwcal.report.render(replace(disputes_data, reviews=warned))
    (found,) = re.findall(r'id="review-warning"><strong>Read with care.</strong> (.*?)</p>', page)
    assert unescape(found) == warned.warning
    assert found.startswith(begins)
    assert page.index("review-warning") < page.index("Krippendorff")
    calm = replace(disputes_data.reviews, probability_hard=0.01)
    assert "review-warning" not in lwcal.report.render(replace(disputes_data, reviews=calm))


def test_the_picture_has_the_numbers_of_the_table(disputes_data):
    """In the same order, which is not that of the shares."""
    found = reviewer_section(disputes_data.reviews)
    frame = found.chart.frame
    assert [one.label for one in found.chart.ranges] == list(REVIEWERS)
    assert [line.name for line in found.lines] == list(REVIEWERS)
    for drawn, one in zip(found.chart.ranges, disputes_data.reviews.reviewers, strict=True):
        assert [drawn.value, drawn.low, drawn.high] == [frame.x(end) for end in one.wrong]
        assert frame.left <= drawn.low <= drawn.value <= drawn.high <= frame.right
    assert [tick.text for tick in frame.percent_ticks][-1] == f"{100 * frame.limit:g}%"
    surely_wrong = summary(reviewer("a", [1.0, 1.0], (1, 1)))
    assert intervals_chart(surely_wrong).frame.limit == 1.0


def test_matrices_are_those_of_the_busiest(animals_data):
    """Three of nine are folded; every cell has its number."""
    found = reviewer_section(animals_data.reviews)
    labels = [one.labels for one in (*found.busiest, *found.others)]
    assert labels == sorted(labels, reverse=True)
    assert (len(found.busiest), len(found.others)) == (6, 3)
    by_name = {one.name: one for one in animals_data.reviews.reviewers}
    for one in found.busiest:
        tips = [cell.tip.split(": ")[1].split(" ")[0] for cell in one.heat.cells]
        assert tips == [f"{share:.1%}" for share in by_name[one.name].matrix.ravel()]
    page = lwcal.report.render(animals_data)
    assert page.index('id="other-reviewers"') > page.index('id="reviewer-classes"')


def test_numbers_by_class_are_those_of_the_matrix(animals_data):
    """A reviewer in each row, and a true class in each column."""
    found = reviewer_section(animals_data.reviews)
    for line, one in zip(found.shares, animals_data.reviews.reviewers, strict=True):
        assert [share for share, _ in line.cells] == [
            f"{1.0 - right:.0%}" for right in np.diagonal(one.matrix)
        ]


def test_crowds_and_many_classes_are_limited_and_the_page_says_so(disputes_data):
    """The table has everybody. The list of differences and the matrices have some."""
    found = reviewer_section(many(40))
    assert len(found.lines) == len(found.chart.ranges) == 40
    assert len(found.busiest) + len(found.others) == MOST_MATRICES
    assert found.matrices_note.startswith("16 reviewers with fewer labels have no picture.")
    assert found.differences_note.startswith("And 8 more;")
    classes = reviewer_section(many(3, k=9))
    assert classes.matrices_note.startswith("3 of 9 classes are left out")
    assert len(classes.busiest[0].heat.cells) == 36
    assert len(classes.shares[0].cells) == 9
    page = lwcal.report.render(replace(disputes_data, reviews=many(500)))
    assert len(page.encode()) < 600_000


def test_classes_with_wrong_labels_are_shown_first():
    """In the order of the columns."""
    rates = [0.0, 0.3, 0.3, 0.0, 0.0, 0.3, 0.3, 0.0, 0.0]
    found = shown_classes(summary(reviewer("a", rates, (1, 1)), classes=tuple(range(9))))
    assert found == [1, 2, 3, 5, 6, 7]


def test_names_never_become_markup():
    """Neither those of reviewers nor those of classes."""
    hostile = tuple(f"{HOSTILE}{name}" for name in REVIEWERS)
    calibrator, scores, labels = make_disputes(hostile, ("fine", HOSTILE), n=300)
    page = lwcal.report.render(lwcal.report.build(calibrator, scores, labels))
    assert page.count("<script") == page.count("</script>") == 2
    assert "<b>" not in page
    assert hostile[0] in unescape(page)


def test_the_verdict_says_that_it_does_not_know_the_opinions(disputes_data, animals_data):
    """And nothing claims that the fit was to other rows, or was repeated without opinions."""
    for found in (remarks(disputes_data), class_remarks(animals_data)):
        assert "one label a row, so the verdict cannot use the others" in found[-1]
    fact = next(fact for fact in facts(disputes_data) if fact.name == "Calibrator")
    assert fact.meaning == "fitted to opinions on 800 rows"
    advised = replace(
        disputes_data.diagnosis.recommendation, action="deploy", calibrator="noise-aware"
    )
    deploy = replace(
        disputes_data, diagnosis=replace(disputes_data.diagnosis, recommendation=advised)
    )
    assert "which also knows the opinions" in next_step(deploy).text


@pytest.mark.usefixtures("few_resamples")
def test_a_fit_with_names_is_not_repeated_without_them():
    """With one label a row, the rows are known; a new fit to them would not know who said what."""
    rng = np.random.default_rng(0)
    scores = rng.beta(0.5, 0.5, 300)
    labels = (rng.random(300) < scores).astype(int)
    fitted = lwcal.Reviewed().fit(scores, labels, reviewers=rng.choice(["a", "b"], 300))
    table = lwcal.ScoreTable.from_arrays(scores, labels)
    assert was_fitted_to(fitted, table)
    built = lwcal.report.build(fitted, scores, labels)
    assert built.fitted_here
    assert "five fits" not in " ".join(readings_table(built).notes)
    in_place = read_page(fitted, table, built.diagnosis, fitted_here=False)
    assert built.readings.labels_right == in_place.labels_right
    both = np.stack([1.0 - scores, scores], axis=1)
    three = np.column_stack([both * 0.7, np.full(300, 0.3)])
    several = lwcal.Reviewed().fit(
        three, labels, reviewers=rng.choice(["a", "b"], 300), classes=[0, 1, 2]
    )
    assert not lwcal.report.build(several, three, labels).refitted
