// The model of noisy labels of two classes: its posterior, the mode of it and draws from it.
// kernels/noise_model.py explains it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <vector>

#include "sigmoids.hpp"
#include "small_matrix.hpp"

namespace lwcal {

// The constants have the same values as in kernels/noise_model.py, newton.py, importance.py and
// rate_priors.py.
constexpr double kSteepest = 100.0, kLeastKept = 1e-12, kFarthest = 25.0, kStart = -1.5;
constexpr int kMostSteps = 100, kStepLengths = 12, kMostRidges = 60;
constexpr double kFloor = 0.25, kEnough = 0.5, kConverged = 1e-8;
constexpr double kFreedom = 5.0, kInflation = 1.3, kLeastSize = 8.0;
constexpr double kLeastShare = 1e-9, kLeastVariance = 1e-18;
constexpr double kWidenings[] = {1.0, 1e3, 1e6, 1e9, 1e12};

// log(1 + x) for x >= 0, up to an absolute error of rounding.
inline double log_one_plus(double x) { return x < 0x1p59 ? log_of(1.0 + x) : std::log(x); }

// log(1 + exp(x))
inline double softplus(double x) {
    return larger(x, 0.0) + log_one_plus(exp_of(x < 0.0 ? x : -x));
}

inline double slope_of(double log_slope) { return exp_of(std::min(log_slope, kSteepest)); }

// Flip rates with the derivatives that a step needs, by up to two free coordinates.
struct LocalRates {
    double r0, r1, log_density;
    double jacobian[2][2] = {}, gradient[2] = {}, information[2][2] = {};
};

// A family of flip rates: fixed ones (no coordinate), one rate for both classes, or one for each.
struct RateFamily {
    std::size_t size;
    double a, b, c, log_constant;

    void rates(const double* u, double& r0, double& r1) const {
        if (size == 0) {
            r0 = a;
            r1 = b;
        } else if (size == 1) {
            r0 = r1 = 0.5 * sigmoid({1.0, 0.0}, std::min(u[0], kFarthest)).positive;
        } else {
            const double x = std::min(u[0], kFarthest), y = std::min(u[1], kFarthest);
            const double total = log_total(x, y);
            r0 = exp_of(x - total);
            r1 = exp_of(y - total);
        }
    }
    double log_density(const double* u) const {
        if (size == 0) return 0.0;
        if (size == 1) return -(a * softplus(-u[0]) + b * softplus(u[0])) - log_constant;
        return a * u[0] + b * u[1] - (a + b + c) * log_total(u[0], u[1]) - log_constant;
    }
    LocalRates derivatives(const double* u) const {
        LocalRates at;
        rates(u, at.r0, at.r1);
        at.log_density = log_density(u);
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
        const double top = std::max({x, y, 0.0});
        return top + log_of(exp_of(x - top) + exp_of(y - top) + exp_of(-top));
    }
};

struct NoisePrior {
    double slope_mean, slope_sd, intercept_sd, inherited, steepening, log_scale;
    RateFamily rates;

    std::size_t size() const { return 2 + rates.size; }
};

// Labels of unchecked rows, truths of checked ones, and the weight of right and wrong labels of
// these by their truth.
struct NoiseEvidence {
    Labels labels, truths;
    double kept[2], flipped[2];
    double clip;

    double of_checked_labels(const Flips& flips) const {
        double sum = 0.0;
        for (int k = 0; k < 2; ++k) {
            const double rate = clipped(k ? flips.r1 : flips.r0, clip, 1.0 - clip);
            sum += flipped[k] * log_of(rate) + kept[k] * log_of(1.0 - rate);
        }
        return sum;
    }
};

struct LocalPosterior {
    double height = 0.0;
    Vector gradient{};
    Square information{};  // expected, which may be indefinite
};

class NoisePosterior {
   public:
    NoisePosterior(const NoisePrior& prior, const NoiseEvidence& evidence)
        : prior(prior), evidence(evidence) {}

    const NoisePrior prior;
    const NoiseEvidence evidence;

    // Log posteriors of points. Their lines and flip rates are left in the last two arguments.
    void heights(const Vector* points, std::size_t count, double* found, Line* lines,
                 Flips* flips) const {
        for (std::size_t k = 0; k < count; ++k) {
            lines[k] = {slope_of(points[k][0]), points[k][1]};
            flips[k].clip = evidence.clip;
            prior.rates.rates(&points[k][2], flips[k].r0, flips[k].r1);
        }
        flipped_log_likelihood(lines, flips, count, evidence.labels, found);
        if (evidence.truths.size > 0) {
            std::vector<Flips> none(count, Flips{0.0, 0.0, evidence.clip});
            std::vector<double> of_truths(count);
            flipped_log_likelihood(lines, none.data(), count, evidence.truths, of_truths.data());
            for (std::size_t k = 0; k < count; ++k) found[k] += of_truths[k];
        }
        for (std::size_t k = 0; k < count; ++k)
            found[k] += log_prior(points[k], lines[k], flips[k]) +
                        evidence.of_checked_labels(flips[k]);
    }

    LocalPosterior local(const Vector& point) const {
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
    double log_prior(const Vector& point, const Line& line, const Flips& flips) const {
        const Residuals found = residuals(point[0], line, flips);
        return prior.rates.log_density(&point[2]) - prior.log_scale -
               0.5 * (found.slope * found.slope + found.intercept * found.intercept);
    }

    // Distance of log(a) and b from their prior means, in standard deviations.
    struct Residuals {
        double slope, intercept, kept, middle, log_odds;
    };
    Residuals residuals(double log_slope, const Line& line, const Flips& flips) const {
        const double kept = larger(1.0 - flips.r0 - flips.r1, kLeastKept);
        const double middle = 0.5 * (1.0 + flips.r0 - flips.r1);
        const double log_odds = std::log(middle / (1.0 - middle));
        return {(log_slope - prior.slope_mean + prior.steepening * log_of(kept)) / prior.slope_sd,
                (line.intercept + prior.inherited * line.slope * log_odds) / prior.intercept_sd,
                kept, middle, log_odds};
    }

    void add_normal_priors(double log_slope, const Line& line, const Flips& flips,
                           Derivatives& by) const {
        const Residuals at = residuals(log_slope, line, flips);
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
        double height = 0.0;
        flipped_log_likelihood(&line, &none, 1, truths, &height);
        by.height += height;
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
        by.height += evidence.of_checked_labels(flips);
        for (int k = 0; k < 2; ++k) {
            const double rate = clipped(k ? flips.r1 : flips.r0, evidence.clip, 1.0 - evidence.clip);
            const double kept = evidence.kept[k], flipped = evidence.flipped[k];
            by.gradient[2 + k] += flipped / rate - kept / (1.0 - rate);
            by.information[2 + k][2 + k] += (flipped + kept) / (rate * (1.0 - rate));
        }
    }

    LocalPosterior chained(const Derivatives& by, const LocalRates& rates) const {
        const std::size_t size = prior.size();
        // d(log a, b, r0, r1) by the parameters
        double chain[4][kMostUnknowns] = {{1.0}, {0.0, 1.0}};
        for (int rate = 0; rate < 2; ++rate)
            for (std::size_t u = 0; u + 2 < size; ++u)
                chain[2 + rate][2 + u] = rates.jacobian[rate][u];
        LocalPosterior at;
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

// A positive definite matrix with its factor.
struct Information {
    Square matrix, root{};
};

// The information, with a ridge if a curvature is below the floor.
inline Information raised(const Square& information, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j)
            if (!std::isfinite(information[i][j]))
                throw std::invalid_argument("the information is not finite.");
    Information found{information};
    Square root{};
    if (factorise(with_ridge(information, size, -kFloor), size, root) &&
        factorise(information, size, found.root))
        return found;
    double ridge = kFloor;
    for (int k = 0; k < kMostRidges; ++k, ridge *= 4.0) {
        found.matrix = with_ridge(information, size, ridge);
        if (factorise(found.matrix, size, found.root)) return found;
    }
    throw std::invalid_argument("the information is not positive definite.");
}

struct NoiseMode {
    Vector parameters;
    Information information;
};

// Damped Newton steps, as find_mode of kernels/newton.py takes them.
inline NoiseMode find_noise_mode(const NoisePosterior& posterior) {
    const std::size_t size = posterior.prior.size();
    Vector mode{posterior.prior.slope_mean, 0.0, kStart, kStart};
    LocalPosterior here = posterior.local(mode);
    for (int count = 0; count < kMostSteps; ++count) {
        const Information information = raised(here.information, size);
        const Vector step = solve_factorised(information.root, here.gradient, size);
        const double promised = dot(here.gradient, step, size);
        if (!(promised >= kConverged)) break;
        Vector trials[kStepLengths];
        double length = 1.0;
        for (Vector& trial : trials) {
            for (std::size_t i = 0; i < size; ++i) trial[i] = mode[i] + length * step[i];
            length *= 0.5;
        }
        const LocalPosterior there = posterior.local(trials[0]);
        if (there.height - here.height >= kEnough * promised / 2.0) {
            mode = trials[0];
            here = there;
            continue;
        }
        double heights[kStepLengths];
        Line lines[kStepLengths];
        Flips flips[kStepLengths];
        posterior.heights(trials, kStepLengths, heights, lines, flips);
        int best = -1;  // one so far away that its height overflows is never the best
        for (int k = 0; k < kStepLengths; ++k)
            if (heights[k] > (best < 0 ? here.height : heights[best])) best = k;
        if (best < 0) break;
        mode = trials[best];
        here = posterior.local(mode);
    }
    return {mode, raised(here.information, size)};
}

// A multivariate Student t distribution.
class Proposal {
   public:
    Proposal(const Vector& center, const Square& covariance, std::size_t size)
        : center_(center), size_(size) {
        // a direction in which the points did not spread keeps a little width, and so does one
        // that rounding made negative
        bool has_factor = false;
        for (std::size_t k = 0; k < std::size(kWidenings) && !has_factor; ++k) {
            Square widened = covariance;
            for (std::size_t i = 0; i < size; ++i)
                widened[i][i] +=
                    larger(covariance[i][i], 0.0) * kLeastShare * kWidenings[k] + kLeastVariance;
            has_factor = factorise(widened, size, root_);
        }
        if (!has_factor) throw std::invalid_argument("the covariance is not positive definite.");
        for (std::size_t i = 0; i < size; ++i) log_volume_ += std::log(root_[i][i]);
    }
    Vector point(const double* standard) const {
        Vector found = center_;
        for (std::size_t row = 0; row < size_; ++row)
            for (std::size_t column = 0; column <= row; ++column)
                found[row] += root_[row][column] * standard[column];
        return found;
    }
    // Log density up to the constant of the standard proposal.
    double log_shape(const Vector& point) const {
        Vector difference{};
        for (std::size_t i = 0; i < size_; ++i) difference[i] = point[i] - center_[i];
        const Vector standard = solve_lower(root_, difference, size_);
        const double squares = dot(standard, standard, size_);
        const double power = (kFreedom + static_cast<double>(size_)) / 2.0;
        return -power * log_one_plus(squares / kFreedom) - log_volume_;
    }

   private:
    Vector center_;
    Square root_{};
    std::size_t size_;
    double log_volume_ = 0.0;
};

// Weights that sum to 1, from a power of their logarithms.
inline std::vector<double> normalised(const std::vector<double>& logs, double power) {
    const double top = *std::max_element(logs.begin(), logs.end());
    std::vector<double> weights(logs.size());
    double sum = 0.0;
    for (std::size_t k = 0; k < logs.size(); ++k)
        sum += weights[k] = exp_of(power * (logs[k] - top));
    for (double& weight : weights) weight /= sum;
    return weights;
}

inline double effective_size(const std::vector<double>& weights) {
    double squares = 0.0;
    for (const double weight : weights) squares += weight * weight;
    return 1.0 / squares;
}

// The distribution with the moments of weighted points. Weights are flattened if few dominate.
inline Proposal proposal_around(const std::vector<Vector>& points, const std::vector<double>& logs,
                                std::size_t size) {
    double power = 1.0;
    std::vector<double> weights = normalised(logs, power);
    while (effective_size(weights) < kLeastSize * static_cast<double>(size) && power > 0.05) {
        power *= 0.7;
        weights = normalised(logs, power);
    }
    Vector mean{};
    for (std::size_t k = 0; k < points.size(); ++k)
        for (std::size_t i = 0; i < size; ++i) mean[i] += weights[k] * points[k][i];
    Square covariance{};
    for (std::size_t k = 0; k < points.size(); ++k)
        for (std::size_t i = 0; i < size; ++i)
            for (std::size_t j = 0; j < size; ++j)
                covariance[i][j] += weights[k] * (points[k][i] - mean[i]) * (points[k][j] - mean[j]);
    return Proposal(mean, covariance, size);
}

// Points of the standard proposal: `count` of them in each round.
struct StandardPoints {
    const double* points;
    std::size_t rounds, count;
    double log_constant;
};

struct NoiseDraws {
    std::vector<Line> lines;
    std::vector<Flips> flips;
    std::vector<double> log_weights;
};

// Adaptive importance sampling, as importance_sample of kernels/importance.py does it.
inline NoiseDraws draw_noise(const NoisePosterior& posterior, const Vector& mode,
                             const Square& information, const StandardPoints& standard) {
    const std::size_t size = posterior.prior.size(), all = standard.rounds * standard.count;
    Square root{};
    if (!factorise(information, size, root))
        throw std::invalid_argument("the information is not positive definite.");
    Square covariance = inverse(root, size);
    for (Vector& row : covariance)
        for (double& value : row) value *= kInflation * kInflation;
    NoiseDraws draws{std::vector<Line>(all), std::vector<Flips>(all), {}};
    std::vector<Proposal> proposals{Proposal(mode, covariance, size)};
    std::vector<Vector> points;
    std::vector<double> heights(all), log_weights;
    std::vector<std::vector<double>> shapes;  // of every proposal at every point
    for (std::size_t round = 0; round < standard.rounds; ++round) {
        if (round > 0) proposals.push_back(proposal_around(points, log_weights, size));
        const std::size_t begin = points.size();
        for (std::size_t k = 0; k < standard.count; ++k)
            points.push_back(proposals.back().point(standard.points + (begin + k) * size));
        posterior.heights(&points[begin], standard.count, &heights[begin], &draws.lines[begin],
                          &draws.flips[begin]);
        shapes.emplace_back();
        for (std::size_t p = 0; p < proposals.size(); ++p)
            for (std::size_t k = shapes[p].size(); k < points.size(); ++k)
                shapes[p].push_back(proposals[p].log_shape(points[k]));
        log_weights.resize(points.size());
        for (std::size_t k = 0; k < points.size(); ++k) {
            double top = shapes[0][k], sum = 0.0;
            for (const auto& of_proposal : shapes) top = std::max(top, of_proposal[k]);
            for (const auto& of_proposal : shapes) sum += exp_of(of_proposal[k] - top);
            log_weights[k] = heights[k] - (top + log_of(sum / static_cast<double>(shapes.size())));
        }
    }
    const double log_volume = standard.log_constant + std::log(static_cast<double>(all));
    for (double& weight : log_weights) weight -= log_volume;
    draws.log_weights = std::move(log_weights);
    return draws;
}

}  // namespace lwcal
