// Sums over a table from which metrics are made.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "sums.hpp"

namespace lwcal {

// Sums of the error of each class, which is s for negative and 1 - s for positive labels, and of
// its square.
struct ClassErrors {
    double negative = 0.0, positive = 0.0, negative_squares = 0.0, positive_squares = 0.0;

    void add(const ClassErrors& other) {
        negative += other.negative;
        positive += other.positive;
        negative_squares += other.negative_squares;
        positive_squares += other.positive_squares;
    }
};

LWCAL_VECTORISE inline void complement(const Values& a, std::size_t n, Values& out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = 1.0 - a[i];
}

inline ClassErrors class_errors(const Counts& table) {
    return sum_over<ClassErrors>(table, [](const SomeLabels& rows) {
        Values opposite, terms, squares;
        complement(rows.z, rows.size, opposite);
        ClassErrors found;
        multiply(rows.negative, rows.z, rows.size, terms);
        multiply(terms, rows.z, rows.size, squares);
        found.negative = sum_of(terms, rows.size);
        found.negative_squares = sum_of(squares, rows.size);
        multiply(rows.positive, opposite, rows.size, terms);
        multiply(terms, opposite, rows.size, squares);
        found.positive = sum_of(terms, rows.size);
        found.positive_squares = sum_of(squares, rows.size);
        return found;
    });
}

struct LossSum {
    double loss = 0.0;
    void add(const LossSum& other) { loss += other.loss; }
};

LWCAL_VECTORISE inline void clip_both(const Values& score, double clip, std::size_t n,
                                      Values& positive, Values& negative) {
    for (std::size_t i = 0; i < n; ++i) {
        const double p = clipped(score[i], clip, 1.0 - clip);
        positive[i] = p;
        negative[i] = 1.0 - p;
    }
}

inline double log_loss(const Counts& table, double clip) {
    return sum_over<LossSum>(table, [&](const SomeLabels& rows) {
        Values positive, negative;
        clip_both(rows.z, clip, rows.size, positive, negative);
        return LossSum{-weighted_logs(positive, negative, rows)};
    }).loss;
}

// Pairs of a negative and a positive row in which the positive one has the higher score; a pair of
// equal scores counts half.
inline double ranked_pairs(const Counts& table) {
    if (table.label) {  // single rows: whole numbers, and no equal scores
        std::uint64_t below = 0, pairs = 0;
        for (std::size_t i = 0; i < table.size; ++i) {
            pairs += table.label[i] * below;
            below += 1u - table.label[i];
        }
        return static_cast<double>(pairs);
    }
    double below = 0.0, pairs = 0.0;
    for (std::size_t i = 0; i < table.size; ++i) {
        pairs += table.positive[i] * (below + 0.5 * table.negative[i]);
        below += table.negative[i];
    }
    return pairs;
}

// The residuals of some rows, split between the cells whose centres are around each score: the
// cell `left` and the next one. The first and the last cell have a single neighbour.
struct SplitResiduals {
    Values left, lower, upper;
};

LWCAL_VECTORISE inline void split_residuals(const Counts& rows, double cells,
                                            SplitResiduals& split) {
    for (std::size_t i = 0; i < rows.size; ++i) {
        const double score = rows.score[i], n = rows.negative[i], p = rows.positive[i];
        const double residual = p - (n + p) * score;
        const double place = score * cells - 0.5, left = std::floor(place);
        const double share = place - left;
        split.left[i] = left;
        split.lower[i] = residual * (1.0 - share);
        split.upper[i] = residual * share;
    }
}

// Residuals, label minus score, split between the two nearest of the cells of [0, 1], which keeps
// their mean position. Beyond the outermost centre a residual goes to the outermost cell.
inline void spread_residuals(const Counts& table, std::size_t count, double* cells) {
    const double last = static_cast<double>(count - 1);
    std::fill_n(cells, count, 0.0);
    // rows in the order of their scores stay in a cell for long, so sums are added late
    double left = 0.0, lower = 0.0, upper = 0.0;
    const auto add_sums = [&] {
        // written so that NaN goes to the first cell
        cells[static_cast<std::size_t>(std::min(std::max(0.0, left), last))] += lower;
        cells[static_cast<std::size_t>(std::min(std::max(0.0, left + 1.0), last))] += upper;
        lower = upper = 0.0;
    };
    for_few_rows(table, [&](const Counts& rows) {
        SplitResiduals split;
        split_residuals(rows, static_cast<double>(count), split);
        for (std::size_t i = 0; i < rows.size; ++i) {
            if (split.left[i] != left) {
                add_sums();
                left = split.left[i];
            }
            lower += split.lower[i];
            upper += split.upper[i];
        }
    });
    add_sums();
}

}  // namespace lwcal
