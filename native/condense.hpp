// Sums of a table over consecutive blocks of rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "losses.hpp"
#include "parallel.hpp"

namespace lwcal {

struct Sums {
    double negative = 0.0, positive = 0.0, score = 0.0;  // the score times its weight
};

// Sums of a few rows. Scores are added in independent chains, so that the adds overlap, and in the
// same order for both forms of a table. A single row has the weight 1.
LWCAL_VECTORISE inline Sums sums_of_counts(const Counts& rows) {
    constexpr std::size_t lanes = 8;
    double negative[lanes] = {}, positive[lanes] = {}, score[lanes] = {};
    for (std::size_t i = 0; i < rows.size; i += lanes) {
        const std::size_t here = rows.size - i < lanes ? rows.size - i : lanes;
        for (std::size_t lane = 0; lane < here; ++lane) {
            const double n = rows.negative[i + lane], p = rows.positive[i + lane];
            negative[lane] += n;
            positive[lane] += p;
            score[lane] += rows.score[i + lane] * (n + p);
        }
    }
    Sums sums;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        sums.negative += negative[lane];
        sums.positive += positive[lane];
        sums.score += score[lane];
    }
    return sums;
}

LWCAL_VECTORISE inline Sums sums_of_labels(const Counts& rows) {
    constexpr std::size_t lanes = 8;
    double score[lanes] = {};
    std::size_t positive = 0, i = 0;
    for (; i + lanes <= rows.size; i += lanes)
        for (std::size_t lane = 0; lane < lanes; ++lane) score[lane] += rows.score[i + lane];
    for (std::size_t lane = 0; i + lane < rows.size; ++lane) score[lane] += rows.score[i + lane];
    for (i = 0; i < rows.size; ++i) positive += rows.label[i];
    Sums sums{static_cast<double>(rows.size - positive), static_cast<double>(positive), 0.0};
    for (std::size_t lane = 0; lane < lanes; ++lane) sums.score += score[lane];
    return sums;
}

// Sums of any number of rows, in parts whose length does not depend on the form of the table.
inline Sums sums_of(const Counts& table) {
    Sums sums;
    for (std::size_t begin = 0; begin < table.size; begin += FewCounts::most) {
        const Counts rows = table.slice(begin, std::min(table.size, begin + FewCounts::most));
        const Sums few = rows.label ? sums_of_labels(rows) : sums_of_counts(rows);
        sums.negative += few.negative;
        sums.positive += few.positive;
        sums.score += few.score;
    }
    return sums;
}

// Block k begins at row starts[k] and ends before the next one. Starts increase and lie in the
// table.
inline void block_sums(const Counts& table, const std::int64_t* starts, std::size_t blocks,
                       double* negatives, double* positives, double* scores) {
    constexpr std::size_t some = 512;  // blocks; those of a long table have 16 rows each or more
    for_each_piece<some>(blocks, [&](std::size_t, std::size_t first, std::size_t last) {
        for (std::size_t k = first; k < last; ++k) {
            const auto begin = static_cast<std::size_t>(starts[k]);
            const auto end = k + 1 < blocks ? static_cast<std::size_t>(starts[k + 1]) : table.size;
            const Sums sums = sums_of(table.slice(begin, end));
            negatives[k] = sums.negative;
            positives[k] = sums.positive;
            scores[k] = sums.score;
        }
    });
}

}  // namespace lwcal
