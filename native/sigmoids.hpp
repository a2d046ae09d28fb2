// Sigmoids of straight lines, c(z) = 1 / (1 + exp(-(slope * z + intercept))), and flipped labels
// that follow them: P(label = 1 | z) = r0 + (1 - r0 - r1) * c(z).
//
// Separate loops compute the terms and add them up. The first loops vectorise. The second ones
// add in a fixed order, so sums are identical on every processor.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

#include "columns.hpp"
#include "elementary.hpp"
#include "parallel.hpp"

namespace lwcal {

struct Line {
    double slope, intercept;
};

// A slope given by its logarithm. kernels/noise_model.py says why it is bounded.
constexpr double kSteepest = 100.0;
inline double slope_of(double log_slope) { return exp_of(std::min(log_slope, kSteepest)); }

// Flip rates of the negative (r0) and the positive class (r1). Probabilities of labels are kept
// at least `clip` away from 0 and 1. A constant clip would be slower: compilers then no longer
// recognise the comparisons as minimum and maximum.
struct Flips {
    double r0, r1, clip;

    double unflipped() const { return 1.0 - (r0 + r1); }
};

// Labels of each class, counted at points z.
struct Labels {
    const double* z;
    const double* negative;
    const double* positive;
    std::size_t size;
};

// Probabilities of both classes. Neither is computed as 1 minus the other, so both are accurate
// even if they are tiny.
struct Probabilities {
    double positive, negative;
};

inline Probabilities sigmoid(const Line& line, double z) {
    const double odds = exp_of(-(line.slope * z + line.intercept));  // of a negative; finite
    const double positive = 1.0 / (1.0 + odds);
    return {positive, odds * positive};
}

inline Probabilities flipped(const Probabilities& clean, const Flips& flips) {
    const double low = flips.clip, high = 1.0 - flips.clip;
    const double positive = flips.r0 + flips.unflipped() * clean.positive;
    const double negative = flips.r1 + flips.unflipped() * clean.negative;
    return {clipped(positive, low, high), clipped(negative, low, high)};
}

// Points are processed in blocks whose intermediate values stay in the cache. Blocks are padded
// with zeros to whole vector registers; the remainder would otherwise be computed one by one.
constexpr std::size_t kValues = 512;

using Values = double[kValues];

inline std::size_t fill(const double* from, std::size_t n, Values& to) {
    const std::size_t padded = (n + kLanes - 1) / kLanes * kLanes;
    std::fill(std::copy_n(from, n, to), to + padded, 0.0);
    return padded;
}

// One block of the labels. The padding has no weight.
struct SomeLabels {
    Values z, negative, positive;
    std::size_t size;

    SomeLabels(const Labels& labels, std::size_t begin) {
        const std::size_t n = std::min(kValues, labels.size - begin);
        fill(labels.z + begin, n, z);
        fill(labels.negative + begin, n, negative);
        size = fill(labels.positive + begin, n, positive);
    }
};

inline double sum_of(const Values& values, std::size_t n) {
    double lanes[kLanes] = {};  // independent chains, so the adds overlap
    for (std::size_t i = 0; i < n; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane) lanes[lane] += values[i + lane];
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

LWCAL_VECTORISE inline void add_sigmoid(Line line, double weight, const Values& z, std::size_t n,
                                        Values& sum) {
    for (std::size_t i = 0; i < n; ++i) sum[i] += weight * sigmoid(line, z[i]).positive;
}

// The entropy of a label. Probabilities are clipped as logarithms of them are elsewhere.
LWCAL_VECTORISE inline void add_entropy(Line line, double weight, const Values& z, std::size_t n,
                                        Values& sum) {
    constexpr double most = 0x1.bb9d3beb8c76bp+4;  // log-odds of the largest probability
    for (std::size_t i = 0; i < n; ++i) {
        const double t = line.slope * z[i] + line.intercept;
        const double size = std::min(t < 0.0 ? -t : t, most), odds = exp_of(-size);
        sum[i] += weight * (log_of(1.0 + odds) + size * (odds / (1.0 + odds)));
    }
}

LWCAL_VECTORISE inline void sigmoids_of(Line line, const double* z, std::size_t n, double* out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = sigmoid(line, z[i]).positive;
}

// Lines whose sigmoids at n points take somewhat longer than the start of a thread.
inline std::size_t lines_in_run(std::size_t n) {
    constexpr std::size_t sigmoids = 1 << 14;
    return std::max<std::size_t>(1, sigmoids / std::max<std::size_t>(1, n));
}

// The weighted sum over lines of what `add` adds for one of them, at every point.
template <typename Add>
void average(Add add, const Line* lines, const double* weights, std::size_t count, const double* z,
             std::size_t n, double* averages) {
    std::fill_n(averages, n, 0.0);
    for (std::size_t begin = 0; begin < n; begin += kValues) {
        Values points;
        const std::size_t some = std::min(kValues, n - begin);
        const std::size_t padded = fill(z + begin, some, points);
        const std::size_t length = lines_in_run(some);
        const std::size_t runs = (count + length - 1) / length;
        struct Sum {
            Values of;
        };
        std::vector<Sum> sums(runs);
        for_each_run(count, length, [&](std::size_t run, std::size_t first, std::size_t last) {
            for (std::size_t k = first; k < last; ++k)
                add(lines[k], weights[k], points, padded, sums[run].of);
        });
        for (const Sum& sum : sums) add_scaled(sum.of, 1.0, some, averages + begin);
    }
}

// The weighted sum over points of the sigmoid of every line.
inline void sigmoid_sums(const Line* lines, std::size_t count, const double* z,
                         const double* weights, std::size_t n, double* sums) {
    std::fill_n(sums, count, 0.0);
    const std::size_t length = lines_in_run(n);
    for_each_run(count, length, [&](std::size_t, std::size_t first, std::size_t last) {
        Values points, weight, found;
        for (std::size_t begin = 0; begin < n; begin += kValues) {
            const std::size_t some = std::min(kValues, n - begin);
            fill(z + begin, some, points);
            const std::size_t padded = fill(weights + begin, some, weight);
            for (std::size_t k = first; k < last; ++k) {
                sigmoids_of(lines[k], points, padded, found);
                sums[k] += sum_of_products(found, weight, padded);
            }
        }
    });
}

LWCAL_VECTORISE inline void flipped_probabilities(Line line, Flips flips, const Values& z,
                                                  std::size_t n, Values& positive,
                                                  Values& negative) {
    for (std::size_t i = 0; i < n; ++i) {
        const Probabilities noisy = flipped(sigmoid(line, z[i]), flips);
        positive[i] = noisy.positive;
        negative[i] = noisy.negative;
    }
}

LWCAL_VECTORISE inline void weigh_logs(const Values& probability, const Values& weight,
                                       std::size_t n, Values& out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = weight[i] * log_of(probability[i]);
}

inline double weighted_logs(const Values& positive, const Values& negative,
                            const SomeLabels& labels) {
    Values terms;
    weigh_logs(positive, labels.positive, labels.size, terms);
    const double of_positives = sum_of(terms, labels.size);
    weigh_logs(negative, labels.negative, labels.size, terms);
    return of_positives + sum_of(terms, labels.size);
}

// Right labels need no division: with t the log-odds and s = exp(-|t|), the log of the larger
// probability is -log(1 + s), and that of the smaller one is less by |t|.
LWCAL_VECTORISE inline void fold_log_odds(Line line, double most, const Values& z, std::size_t n,
                                          Values& log_odds, Values& one_plus) {
    for (std::size_t i = 0; i < n; ++i) {
        const double t = clipped(line.slope * z[i] + line.intercept, -most, most);
        log_odds[i] = t;
        one_plus[i] = 1.0 + exp_of(t < 0.0 ? t : -t);
    }
}

LWCAL_VECTORISE inline void weigh_right_labels(const Values& log_odds, const Values& one_plus,
                                               const SomeLabels& labels, Values& terms) {
    for (std::size_t i = 0; i < labels.size; ++i) {
        const double t = log_odds[i], shared = log_of(one_plus[i]);
        const double below = t < 0.0 ? t : 0.0, above = t < 0.0 ? 0.0 : t;
        terms[i] = labels.positive[i] * (below - shared) - labels.negative[i] * (above + shared);
    }
}

inline double log_likelihood_of_right_labels(Line line, double clip, const SomeLabels& labels) {
    Values log_odds, one_plus, terms;
    fold_log_odds(line, std::log((1.0 - clip) / clip), labels.z, labels.size, log_odds, one_plus);
    weigh_right_labels(log_odds, one_plus, labels, terms);
    return sum_of(terms, labels.size);
}

// One loop per step: a single loop would need more registers than there are.
inline double log_likelihood(Line line, Flips flips, const SomeLabels& labels) {
    if (flips.r0 == 0.0 && flips.r1 == 0.0)
        return log_likelihood_of_right_labels(line, flips.clip, labels);
    Values positive, negative;
    flipped_probabilities(line, flips, labels.z, labels.size, positive, negative);
    return weighted_logs(positive, negative, labels);
}

// Adds the log likelihood of every line with its flip rates.
inline void add_log_likelihood(const Line* lines, const Flips* flips, std::size_t count,
                               const Labels& labels, double* heights) {
    for (std::size_t begin = 0; begin < labels.size; begin += kValues) {
        const SomeLabels some(labels, begin);
        for (std::size_t k = 0; k < count; ++k)
            heights[k] += log_likelihood(lines[k], flips[k], some);
    }
}

// The log likelihood, and its derivatives by (log slope, intercept, r0, r1).
struct Derivatives {
    double height = 0.0;
    double gradient[4] = {};
    double information[4][4] = {};  // expected information, if labels follow the model
};

// The factors of the derivatives at each point.
struct Local {
    Values by[4];   // derivatives of the probability of a positive label
    Values positive, negative;  // probability of each label
    Values pull;    // derivative of the log likelihood by that probability
    Values weight;  // expected square of that derivative
};

LWCAL_VECTORISE inline void derive(Line line, Flips flips, const SomeLabels& labels,
                                   Local& out) {
    for (std::size_t i = 0; i < labels.size; ++i) {
        const Probabilities clean = sigmoid(line, labels.z[i]);
        const Probabilities noisy = flipped(clean, flips);
        const double steepness = flips.unflipped() * clean.positive * clean.negative;
        out.by[0][i] = steepness * line.slope * labels.z[i];
        out.by[1][i] = steepness;
        out.by[2][i] = clean.negative;
        out.by[3][i] = -clean.positive;
        out.positive[i] = noisy.positive;
        out.negative[i] = noisy.negative;
        out.pull[i] = labels.positive[i] / noisy.positive - labels.negative[i] / noisy.negative;
        out.weight[i] =
            (labels.negative[i] + labels.positive[i]) / (noisy.positive * noisy.negative);
    }
}

LWCAL_VECTORISE inline void multiply(const Values& a, const Values& b, std::size_t n, Values& out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = a[i] * b[i];
}

inline Derivatives flipped_derivatives(Line line, Flips flips, const Labels& labels) {
    Derivatives total;
    Local local;
    Values weighted, terms;
    for (std::size_t begin = 0; begin < labels.size; begin += kValues) {
        const SomeLabels some(labels, begin);
        derive(line, flips, some, local);
        total.height += weighted_logs(local.positive, local.negative, some);
        for (int row = 0; row < 4; ++row) {
            multiply(local.by[row], local.pull, some.size, terms);
            total.gradient[row] += sum_of(terms, some.size);
            multiply(local.by[row], local.weight, some.size, weighted);
            for (int column = 0; column <= row; ++column) {
                multiply(weighted, local.by[column], some.size, terms);
                total.information[row][column] += sum_of(terms, some.size);
            }
        }
    }
    for (int row = 0; row < 4; ++row)
        for (int column = 0; column < row; ++column)
            total.information[column][row] = total.information[row][column];
    return total;
}

}  // namespace lwcal
