// The model of noisy labels of two classes: its posterior, the mode of it and draws from it.
// kernels/noise_model.py explains it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "elementary.hpp"
#include "importance.hpp"
#include "newton.hpp"
#include "points.hpp"
#include "sigmoids.hpp"
#include "small_matrix.hpp"

namespace lwcal {

// The constants have the same values as in kernels/noise_model.py and rate_priors.py.
constexpr double kLeastKept = 1e-12, kFarthest = 25.0, kStart = -1.5;

// log(1 + exp(x))
inline double softplus(double x) { return larger(x, 0.0) + log_of(1.0 + exp_of(x < 0.0 ? x : -x)); }

// Flip rates with the derivatives that a step needs, by up to two free coordinates.
struct LocalRates {
    double r0, r1, log_density;
    double jacobian[2][2] = {}, gradient[2] = {}, information[2][2] = {};
};

// Flip rates, and the log density of their coordinates.
struct Rates {
    double r0, r1, log_density;
};

// A family of flip rates: fixed ones (no coordinate), one rate for both classes, or one for each.
struct RateFamily {
    std::size_t size;
    double a, b, c, log_constant;

    Rates fixed() const { return {a, b, 0.0}; }
    Rates symmetric(double u) const {
        const double rate = 0.5 * sigmoid({1.0, 0.0}, std::min(u, kFarthest)).positive;
        return {rate, rate, -(a * softplus(-u) + b * softplus(u)) - log_constant};
    }
    Rates free(double u, double v) const {
        const double x = std::min(u, kFarthest), y = std::min(v, kFarthest);
        const double total = log_total(x, y);
        const double density = a * u + b * v - (a + b + c) * log_total(u, v);
        return {exp_of(x - total), exp_of(y - total), density - log_constant};
    }
    LocalRates derivatives(const double* u) const {
        const Rates rates = size == 0 ? fixed() : size == 1 ? symmetric(u[0]) : free(u[0], u[1]);
        LocalRates at{rates.r0, rates.r1, rates.log_density};
        if (size == 1) {
            const double share = 2.0 * at.r0, slope = share * (1.0 - share);
            at.jacobian[0][0] = at.jacobian[1][0] = 0.5 * slope;
            at.gradient[0] = a - (a + b) * share;
            at.information[0][0] = (a + b) * slope;
        } else if (size == 2) {
            const double total = a + b + c;
            at.jacobian[0][0] = at.r0 * (1.0 - at.r0);
            at.jacobian[1][1] = at.r1 * (1.0 - at.r1);
            at.jacobian[0][1] = at.jacobian[1][0] = -at.r0 * at.r1;
            at.gradient[0] = a - total * at.r0;
            at.gradient[1] = b - total * at.r1;
            for (int i = 0; i < 2; ++i)
                for (int j = 0; j < 2; ++j) at.information[i][j] = total * at.jacobian[i][j];
        }
        return at;
    }

   private:
    // log(exp(x) + exp(y) + 1)
    static double log_total(double x, double y) {
        const double top = larger(larger(x, y), 0.0);
        return top + log_of(exp_of(x - top) + exp_of(y - top) + exp_of(-top));
    }
};

LWCAL_VECTORISE inline void symmetric_rates(RateFamily family, const double* u, std::size_t count,
                                            Rates* out) {
    for (std::size_t k = 0; k < count; ++k) out[k] = family.symmetric(u[k]);
}

LWCAL_VECTORISE inline void free_rates(RateFamily family, const double* u, const double* v,
                                       std::size_t count, Rates* out) {
    for (std::size_t k = 0; k < count; ++k) out[k] = family.free(u[k], v[k]);
}

struct NoisePrior {
    double slope_mean, slope_sd, intercept_sd, inherited, steepening, log_scale;
    RateFamily rates;

    std::size_t size() const { return 2 + rates.size; }

    // Distance of log(a) and b from their prior means, in standard deviations.
    struct Residuals {
        double slope, intercept, kept, middle, log_odds;
    };
    Residuals residuals(double log_slope, const Line& line, double r0, double r1) const {
        const double kept = larger(1.0 - r0 - r1, kLeastKept);
        const double middle = 0.5 * (1.0 + r0 - r1);
        const double log_odds = log_of(middle / (1.0 - middle));
        return {(log_slope - slope_mean + steepening * log_of(kept)) / slope_sd,
                (line.intercept + inherited * line.slope * log_odds) / intercept_sd, kept, middle,
                log_odds};
    }
};

// Labels of unchecked rows, truths of checked ones, and the weight of right and wrong labels of
// these by their truth.
struct NoiseEvidence {
    Labels labels, truths;
    double kept[2], flipped[2];
    double clip;

    bool has_checks() const { return kept[0] + kept[1] + flipped[0] + flipped[1] > 0.0; }
};

inline double of_checked_labels(double flipped, double kept, double rate, double clip) {
    const double possible = clipped(rate, clip, 1.0 - clip);
    return flipped * log_of(possible) + kept * log_of(1.0 - possible);
}

LWCAL_VECTORISE inline void lines_at(const double* log_slopes, const double* intercepts,
                                     std::size_t count, Line* out) {
    for (std::size_t k = 0; k < count; ++k) out[k] = {slope_of(log_slopes[k]), intercepts[k]};
}

LWCAL_VECTORISE inline void add_priors(NoisePrior prior, const double* log_slopes,
                                       const Line* lines, const Rates* rates, std::size_t count,
                                       double* heights) {
    for (std::size_t k = 0; k < count; ++k) {
        const auto at = prior.residuals(log_slopes[k], lines[k], rates[k].r0, rates[k].r1);
        heights[k] += rates[k].log_density - prior.log_scale -
                      0.5 * (at.slope * at.slope + at.intercept * at.intercept);
    }
}

LWCAL_VECTORISE inline void add_labels_of_checked(NoiseEvidence evidence, const Rates* rates,
                                                  std::size_t count, double* heights) {
    const double clip = evidence.clip;
    for (std::size_t k = 0; k < count; ++k)
        heights[k] +=
            of_checked_labels(evidence.flipped[0], evidence.kept[0], rates[k].r0, clip) +
            of_checked_labels(evidence.flipped[1], evidence.kept[1], rates[k].r1, clip);
}

class NoisePosterior {
   public:
    NoisePosterior(const NoisePrior& prior, const NoiseEvidence& evidence)
        : prior(prior), evidence(evidence) {}

    const NoisePrior prior;
    const NoiseEvidence evidence;

    std::size_t size() const { return prior.size(); }
    Vector start() const { return {prior.slope_mean, 0.0, kStart, kStart}; }

    std::vector<Line> lines(const PointRange& points) const {
        std::vector<Line> found(points.count);
        lines_at(points.of(0), points.of(1), points.count, found.data());
        return found;
    }
    std::vector<Rates> rates(const PointRange& points) const {
        const RateFamily& family = prior.rates;
        std::vector<Rates> found(points.count, family.fixed());
        if (family.size == 1)
            symmetric_rates(family, points.of(2), points.count, found.data());
        else if (family.size == 2)
            free_rates(family, points.of(2), points.of(3), points.count, found.data());
        return found;
    }
    // Log posteriors of points.
    void heights(const PointRange& points, double* found) const {
        const std::size_t count = points.count;
        const std::vector<Line> at = lines(points);
        const std::vector<Rates> of_rates = rates(points);
        std::vector<Flips> flips(count, Flips{0.0, 0.0, evidence.clip});
        std::fill_n(found, count, 0.0);
        add_log_likelihood(at.data(), flips.data(), count, evidence.truths, found);
        for (std::size_t k = 0; k < count; ++k) {
            flips[k].r0 = of_rates[k].r0;
            flips[k].r1 = of_rates[k].r1;
        }
        add_log_likelihood(at.data(), flips.data(), count, evidence.labels, found);
        add_priors(prior, points.of(0), at.data(), of_rates.data(), count, found);
        if (evidence.has_checks())
            add_labels_of_checked(evidence, of_rates.data(), count, found);
    }

    LocalDensity local(const Vector& point) const {
        const LocalRates rates = prior.rates.derivatives(&point[2]);
        const Line line{slope_of(point[0]), point[1]};
        const Flips flips{rates.r0, rates.r1, evidence.clip};
        // first by (log a, b, r0, r1), then by the chain rule to the free coordinates
        Derivatives by = flipped_derivatives(line, flips, evidence.labels);
        add_truths(line, by);
        add_checked_labels(flips, by);
        add_normal_priors(point[0], line, flips, by);
        by.height += rates.log_density - prior.log_scale;
        return chained(by, rates);
    }

   private:
    void add_normal_priors(double log_slope, const Line& line, const Flips& flips,
                           Derivatives& by) const {
        const auto at = prior.residuals(log_slope, line, flips.r0, flips.r1);
        const double sd = prior.intercept_sd, shift = prior.inherited * line.slope;
        const double steeper = prior.steepening / at.kept / prior.slope_sd;
        const double by_rate = 0.5 * shift / (at.middle * (1.0 - at.middle)) / sd;
        const double pull[2][4] = {{1.0 / prior.slope_sd, 0.0, -steeper, -steeper},
                                   {shift * at.log_odds / sd, 1.0 / sd, by_rate, -by_rate}};
        by.height -= 0.5 * (at.slope * at.slope + at.intercept * at.intercept);
        for (int i = 0; i < 4; ++i) {
            by.gradient[i] -= at.slope * pull[0][i] + at.intercept * pull[1][i];
            for (int j = 0; j < 4; ++j)
                by.information[i][j] += pull[0][i] * pull[0][j] + pull[1][i] * pull[1][j];
        }
    }

    // Of the truths, with the derivatives of a likelihood that is not clipped.
    void add_truths(const Line& line, Derivatives& by) const {
        const Labels& truths = evidence.truths;
        if (truths.size == 0) return;
        const Flips none{0.0, 0.0, evidence.clip};
        add_log_likelihood(&line, &none, 1, truths, &by.height);
        for (std::size_t i = 0; i < truths.size; ++i) {
            const Probabilities clean = sigmoid(line, truths.z[i]);
            const double total = truths.negative[i] + truths.positive[i];
            const double pull = truths.positive[i] - total * clean.positive;
            const double weight = total * clean.positive * (1.0 - clean.positive);
            const double by_slope = line.slope * truths.z[i];
            by.gradient[0] += by_slope * pull;
            by.gradient[1] += pull;
            by.information[0][0] += by_slope * weight * by_slope;
            by.information[0][1] += by_slope * weight;
            by.information[1][0] += by_slope * weight;
            by.information[1][1] += weight;
        }
    }

    void add_checked_labels(const Flips& flips, Derivatives& by) const {
        for (int k = 0; k < 2; ++k) {
            const double rate = clipped(k ? flips.r1 : flips.r0, evidence.clip, 1.0 - evidence.clip);
            const double kept = evidence.kept[k], flipped = evidence.flipped[k];
            by.height += of_checked_labels(flipped, kept, rate, evidence.clip);
            by.gradient[2 + k] += flipped / rate - kept / (1.0 - rate);
            by.information[2 + k][2 + k] += (flipped + kept) / (rate * (1.0 - rate));
        }
    }

    LocalDensity chained(const Derivatives& by, const LocalRates& rates) const {
        const std::size_t size = prior.size();
        // d(log a, b, r0, r1) by the parameters
        double chain[4][kMostUnknowns] = {{1.0}, {0.0, 1.0}};
        for (int rate = 0; rate < 2; ++rate)
            for (std::size_t u = 0; u + 2 < size; ++u)
                chain[2 + rate][2 + u] = rates.jacobian[rate][u];
        LocalDensity at;
        at.height = by.height;
        double half[4][kMostUnknowns] = {};  // information times chain
        for (int i = 0; i < 4; ++i)
            for (std::size_t k = 0; k < size; ++k) {
                at.gradient[k] += by.gradient[i] * chain[i][k];
                for (int j = 0; j < 4; ++j) half[i][k] += by.information[i][j] * chain[j][k];
            }
        for (std::size_t row = 0; row < size; ++row)
            for (std::size_t column = 0; column < size; ++column)
                for (int i = 0; i < 4; ++i)
                    at.information[row][column] += chain[i][row] * half[i][column];
        for (std::size_t u = 0; u + 2 < size; ++u) {
            at.gradient[2 + u] += rates.gradient[u];
            for (std::size_t v = 0; v + 2 < size; ++v)
                at.information[2 + u][2 + v] += rates.information[u][v];
        }
        return at;
    }
};

}  // namespace lwcal
