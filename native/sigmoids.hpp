// Sigmoids of straight lines, c(z) = 1 / (1 + exp(-(slope * z + intercept))), and labels that
// follow them but were flipped: P(label = 1 | z) = r0 + (1 - r0 - r1) * c(z).
//
// Loops that compute are apart from loops that add up: the first run in vector registers, the
// second add in a fixed order, so that sums are the same bit for bit on every processor.
#pragma once

#include <algorithm>
#include <cstddef>

#include "elementary.hpp"

namespace lwcal {

struct Line {
    double slope, intercept;
};

// How labels are flipped: r0 of the negative ones, r1 of the positive ones. What comes out is
// held `clip` away from 0 and 1. (As a constant that would be slower: compilers follow both
// comparisons at once, and lose sight of minimum and maximum.)
struct Flips {
    double r0, r1, clip;

    double kept() const { return 1.0 - (r0 + r1); }
};

// Labels of either class, counted at points z.
struct Labels {
    const double* z;
    const double* negative;
    const double* positive;
    std::size_t size;
};

// A probability and what it lacks to 1. The second is not a difference, so that both are
// accurate however small they are.
struct Chance {
    double of, against;
};

inline Chance sigmoid(const Line& line, double z) {
    const double odds = exp_of(-(line.slope * z + line.intercept));  // against; never infinite
    const double of = 1.0 / (1.0 + odds);
    return {of, odds * of};
}

inline Chance flipped(const Chance& clean, const Flips& flips) {
    const double low = flips.clip, high = 1.0 - flips.clip;
    double of = flips.r0 + flips.kept() * clean.of;
    double against = flips.r1 + flips.kept() * clean.against;
    of = of < low ? low : of;
    of = of > high ? high : of;
    against = against < low ? low : against;
    against = against > high ? high : against;
    return {of, against};
}

// Points are worked on in blocks whose intermediate values stay in the cache, filled up with
// zeros: what does not fill a vector register would be computed one by one.
constexpr std::size_t kValues = 512, kLanes = 8;

using Values = double[kValues];

inline std::size_t fill(const double* from, std::size_t n, Values& to) {
    const std::size_t padded = (n + kLanes - 1) / kLanes * kLanes;
    std::fill(std::copy_n(from, n, to), to + padded, 0.0);
    return padded;
}

// Some of the labels; those that were filled in weigh nothing.
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
    for (std::size_t i = 0; i < n; ++i) sum[i] += weight * sigmoid(line, z[i]).of;
}

inline void average_sigmoid(const Line* lines, const double* weights, std::size_t count,
                            const double* z, std::size_t n, double* averages) {
    Values points, sum;
    for (std::size_t begin = 0; begin < n; begin += kValues) {
        const std::size_t some = std::min(kValues, n - begin);
        const std::size_t padded = fill(z + begin, some, points);
        std::fill_n(sum, padded, 0.0);
        for (std::size_t k = 0; k < count; ++k)
            add_sigmoid(lines[k], weights[k], points, padded, sum);
        std::copy_n(sum, some, averages + begin);
    }
}

LWCAL_VECTORISE inline void flipped_chances(Line line, Flips flips, const Values& z, std::size_t n,
                                            Values& of, Values& against) {
    for (std::size_t i = 0; i < n; ++i) {
        const Chance noisy = flipped(sigmoid(line, z[i]), flips);
        of[i] = noisy.of;
        against[i] = noisy.against;
    }
}

LWCAL_VECTORISE inline void weigh_logs(const Values& probability, const Values& weight,
                                       std::size_t n, Values& out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = weight[i] * log_of(probability[i]);
}

// One loop for each step: all in one would need more registers than there are.
inline double log_likelihood(Line line, Flips flips, const SomeLabels& labels) {
    Values of, against, terms;
    flipped_chances(line, flips, labels.z, labels.size, of, against);
    weigh_logs(of, labels.positive, labels.size, terms);
    const double positive = sum_of(terms, labels.size);
    weigh_logs(against, labels.negative, labels.size, terms);
    return positive + sum_of(terms, labels.size);
}

// For every line with its flips.
inline void flipped_log_likelihood(const Line* lines, const Flips* flips, std::size_t count,
                                   const Labels& labels, double* heights) {
    std::fill_n(heights, count, 0.0);
    for (std::size_t begin = 0; begin < labels.size; begin += kValues) {
        const SomeLabels some(labels, begin);
        for (std::size_t k = 0; k < count; ++k)
            heights[k] += log_likelihood(lines[k], flips[k], some);
    }
}

// By (log slope, intercept, r0, r1).
struct Derivatives {
    double gradient[4] = {};
    double information[4][4] = {};  // expected: if labels follow the model
};

// What derivatives are made of.
struct Local {
    Values by[4];   // of the probability of a positive label
    Values pull;    // of the log likelihood by that probability
    Values weight;  // expected square of it
};

LWCAL_VECTORISE inline void derive(Line line, Flips flips, const SomeLabels& labels,
                                   Local& out) {
    for (std::size_t i = 0; i < labels.size; ++i) {
        const Chance clean = sigmoid(line, labels.z[i]);
        const Chance noisy = flipped(clean, flips);
        const double steepness = flips.kept() * clean.of * clean.against;
        out.by[0][i] = steepness * line.slope * labels.z[i];
        out.by[1][i] = steepness;
        out.by[2][i] = clean.against;
        out.by[3][i] = -clean.of;
        out.pull[i] = labels.positive[i] / noisy.of - labels.negative[i] / noisy.against;
        out.weight[i] = (labels.negative[i] + labels.positive[i]) / (noisy.of * noisy.against);
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
