// Sums of a table over consecutive blocks of rows.
#pragma once

#include <cstddef>

#include "losses.hpp"

namespace lwcal {

struct Sums {
    double negative = 0.0, positive = 0.0, score = 0.0;  // the score times its weight
};

// Rows as counts, summed in independent chains, so that the adds overlap.
LWCAL_VECTORISE inline Sums sums_of(const Counts& rows) {
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

// Block k begins at row starts[k] and ends before the next one. Starts increase and lie in the
// table.
inline void block_sums(const Counts& table, const std::int64_t* starts, std::size_t blocks,
                       double* negatives, double* positives, double* scores) {
    for (std::size_t k = 0; k < blocks; ++k) {
        const auto begin = static_cast<std::size_t>(starts[k]);
        const auto end = k + 1 < blocks ? static_cast<std::size_t>(starts[k + 1]) : table.size;
        Sums sums;
        for_few_rows(table.slice(begin, end), [&](const Counts& rows) {
            const Sums few = sums_of(rows);
            sums.negative += few.negative;
            sums.positive += few.positive;
            sums.score += few.score;
        });
        negatives[k] = sums.negative;
        positives[k] = sums.positive;
        scores[k] = sums.score;
    }
}

}  // namespace lwcal
