"""How uncertain scalings and error rates are: draws from the posterior of each hypothesis.

The posterior is normal in the log of the slope, the intercepts, and the log-odds of all rates. Its
information is the sum of squared scores of the rows (Berndt and others, 1974), and the prior's.
Draws of rates are then moved to beta distributions of the same centre and information. Normal
log-odds of a rate that few labels show have a mean far above their centre, and hardly reach 0: they
would accuse reviewers who made no mistake.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cholesky, solve_triangular
from scipy.sparse import coo_array, hstack
from scipy.special import betaincinv, expit, logit, ndtr

from lwcal.arrays import FloatArray
from lwcal.multiclass.label_noise import KnownNoise
from lwcal.reviews.inference import ReviewComponent, ReviewPosterior
from lwcal.reviews.opinion_fit import OpinionFit
from lwcal.reviews.reviewer_noise import AllAlike, HardPrior

SEED = 0
"""Of the draws, so that the same rows give the same intervals."""
LEAST_INFORMATION = 0.1
"""What is known of every number at least, so that no draw is infinite."""
CLIP = 1e-9
SHARES = frozenset({"rates", "hard", "share"})
"""Kinds of numbers that are log-odds of shares."""


class ReviewDraws(NamedTuple):
    """Draws from a posterior.

    Attributes
    ----------
    log_slopes : float64 array of shape (count,)
    intercepts : float64 array of shape (count, K)
    rates : float64 array of shape (count, R, K)
        Share of wrong labels of each reviewer and true class, hard rows included.
    share_hard : float64 array of shape (count,)
        Share of hard rows.
    class_shares : float64 array of shape (count, K)
        Share of each true class.
    """

    log_slopes: FloatArray
    intercepts: FloatArray
    rates: FloatArray
    share_hard: FloatArray
    class_shares: FloatArray


class Uncertainty:
    """What is not known of a posterior; that of each hypothesis is worked out once.

    Parameters
    ----------
    posterior : ReviewPosterior
    """

    def __init__(self, posterior: ReviewPosterior) -> None:
        self.posterior = posterior
        self._normals: dict[str, _Normal] = {}

    def drawn(
        self,
        components: tuple[ReviewComponent, ...],
        weights: FloatArray,
        count: int,
        *,
        counted: float = 1.0,
    ) -> ReviewDraws:
        """Draws of several hypotheses.

        Parameters
        ----------
        components : tuple of ReviewComponent
        weights : float64 array
            Share of the draws that each component has.
        count : int
            About how many draws.
        counted : float, default 1
            Share of the information about rates that counts.
        """
        counts = np.round(count * weights).astype(int)
        rng = np.random.default_rng(SEED)
        parts = [
            self.of(component, number, rng, counted)
            for component, number in zip(components, counts.tolist(), strict=True)
            if number
        ]
        return ReviewDraws(*(np.concatenate(column) for column in zip(*parts, strict=True)))

    def of(
        self,
        component: ReviewComponent,
        count: int,
        rng: np.random.Generator,
        counted: float = 1.0,
    ) -> ReviewDraws:
        """Draw from one hypothesis. Its reviewers are those of the posterior.

        Parameters
        ----------
        component : ReviewComponent
        count : int
        rng : numpy.random.Generator
        counted : float, default 1
            Share of the information about rates that counts.
        """
        fit, rows = component.fit, self.posterior.rows
        if component.name not in self._normals:
            self._normals[component.name] = _Normal.of(fit)
        drawn = self._normals[component.name].draw(count, rng, counted)
        rates = drawn["rates"].reshape(count, len(fit.emission.matrices), -1)
        if not rates.size:  # the matrix is known
            known = 1.0 - np.diagonal(fit.emission.matrices, axis1=1, axis2=2)
            rates = np.tile(known, (count, 1, 1))
        share = np.zeros(count)
        if "share" in drawn:
            share = drawn["share"][:, 0]
            of_hard = share * drawn["hard"][:, 0]
            rates = (1.0 - share)[:, None, None] * rates + of_hard[:, None, None]
        shape = count, len(rows.names), rows.n_classes
        slopes, intercepts = drawn["log slope"][:, 0], drawn["intercepts"]
        classes = _class_shares(fit, slopes, intercepts)
        return ReviewDraws(slopes, intercepts, np.broadcast_to(rates, shape), share, classes)


def _class_shares(fit: OpinionFit, log_slopes: FloatArray, intercepts: FloatArray) -> FloatArray:
    """Share of each true class in each draw, to the first order around the fit."""
    numbers, point, weights = fit.numbers, fit.point, fit.likelihood.rows.weights
    weighted = point.clean * (weights / weights.sum())[:, None]
    pulled = np.exp(numbers.log_slope) * fit.likelihood.x
    pulled = pulled - np.einsum("nk,nk->n", point.clean, pulled)[:, None]
    by_slope = np.einsum("nk,nk->k", weighted, pulled)
    by_intercept = np.diag(weighted.sum(axis=0)) - weighted.T @ point.clean
    found = weights @ point.truth / weights.sum()
    found = found + (log_slopes - numbers.log_slope)[:, None] * by_slope
    found = np.maximum(found + (intercepts - numbers.intercepts) @ by_intercept, 0.0)
    return np.asarray(found / found.sum(axis=1, keepdims=True))


class _Block(NamedTuple):
    """Numbers of one kind.

    Attributes
    ----------
    centre : float64 array of shape (size,)
        Where their posterior is highest.
    prior : float64 array of shape (size,)
        Information of the prior.
    scores : array of shape (n, size), or sparse
        Derivatives of the log-likelihood of each row.
    """

    centre: FloatArray
    prior: FloatArray
    scores: Any


class _Normal(NamedTuple):
    """A normal posterior of all free numbers.

    Attributes
    ----------
    sizes : dict of str to int
        How many numbers there are of each kind.
    centre : float64 array of shape (size,)
    deviations : float64 array of shape (size,)
        Standard deviations.
    root : float64 array of shape (size, size)
        Lower Cholesky factor of the information, the inverse of the covariance.
    """

    sizes: dict[str, int]
    centre: FloatArray
    deviations: FloatArray
    root: FloatArray

    @classmethod
    def of(cls, fit: OpinionFit) -> _Normal:
        """The posterior around a fit."""
        blocks = _blocks(fit)
        scores = hstack([coo_array(block.scores) for block in blocks.values()]).tocsr()
        weighted = scores.multiply(fit.likelihood.rows.weights[:, None])
        information = (scores.T @ weighted).toarray()
        prior = np.concatenate([block.prior for block in blocks.values()])
        information[np.diag_indices_from(information)] += np.maximum(prior, LEAST_INFORMATION)
        centre = np.concatenate([block.centre for block in blocks.values()])
        sizes = {name: len(block.centre) for name, block in blocks.items()}
        root = cholesky(information, lower=True)
        inverse = solve_triangular(root, np.eye(len(root)), lower=True)
        return cls(sizes, centre, np.sqrt((inverse**2).sum(axis=0)), root)

    def draw(self, count: int, rng: np.random.Generator, counted: float) -> dict[str, FloatArray]:
        """Draws of each kind, of shape (count, size): shares instead of their log-odds."""
        standard = rng.standard_normal((count, len(self.centre)))
        moves = solve_triangular(self.root, standard.T, lower=True, trans="T").T
        ends = np.cumsum(list(self.sizes.values()))[:-1]
        columns = (np.split(part, ends, axis=-1) for part in (self.centre, self.deviations, moves))
        return {
            name: _shares(centre, deviation, move, counted) if name in SHARES else centre + move
            for name, centre, deviation, move in zip(self.sizes, *columns, strict=True)
        }


def _shares(
    centre: FloatArray, deviation: FloatArray, moves: FloatArray, counted: float
) -> FloatArray:
    """Beta draws with the ranks of normal draws of log-odds, so that correlations remain."""
    means = expit(centre)
    labels = counted / (deviation**2 * means * (1.0 - means))
    drawn = betaincinv(labels * means, labels * (1.0 - means), ndtr(moves / deviation))
    return np.asarray(drawn)


def _blocks(fit: OpinionFit) -> dict[str, _Block]:
    numbers, point = fit.numbers, fit.point
    pull = point.truth - point.clean
    by_slope = np.exp(numbers.log_slope) * np.einsum("nk,nk->n", pull, fit.likelihood.x)
    k = pull.shape[1]
    found = {
        "log slope": _Block(
            np.array([numbers.log_slope]), np.array([fit.prior.log_slope**-2.0]), by_slope[:, None]
        ),
        "intercepts": _Block(numbers.intercepts, np.full(k, fit.prior.intercepts**-2.0), pull),
        "rates": _rates(fit),
    }
    if fit.noise.together is not None and fit.emission.hard is not None:
        found |= _hard(fit, fit.noise.together, 1.0 - float(fit.emission.hard[0, 0]))
    return found


def _rates(fit: OpinionFit) -> _Block:
    """Error rates: of each group of reviewers and class, or one for all."""
    own, rows, point = fit.noise.own, fit.likelihood.rows, fit.point
    k, matrices = rows.n_classes, fit.emission.matrices
    if isinstance(own, AllAlike) and isinstance(own.noise, KnownNoise):
        return _Block(np.zeros(0), np.zeros(0), np.zeros((len(rows.weights), 0)))
    rates = 1.0 - np.diagonal(matrices, axis1=1, axis2=2)
    groups = rows.reviewers if len(matrices) > 1 else np.zeros_like(rows.reviewers)
    is_wrong = rows.labels[:, None] != np.arange(k)
    values = (point.truth * (1.0 - point.is_hard))[rows.rows] * (is_wrong - rates[groups])
    columns = groups[:, None] * k + np.arange(k)
    if isinstance(own, AllAlike) and len(own.start()) == 1:
        rates, columns = rates[:, :1], np.zeros_like(columns)
    places = np.broadcast_to(rows.rows[:, None], columns.shape)
    shape = len(rows.weights), rates.size
    scores = coo_array((values.ravel(), (places.ravel(), columns.ravel())), shape=shape)
    prior = own.prior_labels() * rates.ravel() * (1.0 - rates.ravel())
    return _Block(_log_odds(rates.ravel()), prior, scores)


def _hard(fit: OpinionFit, prior: HardPrior, rate: float) -> dict[str, _Block]:
    """Error rate on hard rows, and their share."""
    rows, point, share = fit.likelihood.rows, fit.point, fit.emission.share
    hard = point.truth * point.is_hard
    is_wrong = rows.labels[:, None] != np.arange(rows.n_classes)
    by_opinion = (hard[rows.rows] * (is_wrong - rate)).sum(axis=1)
    by_rate = np.bincount(rows.rows, by_opinion, minlength=len(hard))
    labels = float((prior.noise.wrong + prior.noise.right).sum())
    return {
        "hard": _Block(
            _log_odds(np.array([rate])),
            np.array([labels * rate * (1.0 - rate)]),
            by_rate[:, None],
        ),
        "share": _Block(
            _log_odds(np.array([share])),
            np.array([(prior.hard + prior.others) * share * (1.0 - share)]),
            (hard.sum(axis=1) - share)[:, None],
        ),
    }


def _log_odds(rates: FloatArray) -> FloatArray:
    return np.asarray(logit(np.clip(rates, CLIP, 1.0 - CLIP)))
