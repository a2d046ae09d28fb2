// Add labels to counts in bins of equal width, in place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lwcal {

// One bin. A row touches a single cache line.
struct Bin {
    double low, high;
    double weight[2];  // of the negative and of the positive labels
};

// A row belongs to the bin at the integer part of score * scale, so there are scale + 1 bins.
// Scores lie in [0, 1]. Without weights every row counts as 1. Rows of weight 0 are skipped.
template <bool weighted>
void count_on_grid(const double* scores, const std::uint8_t* labels, const double* weights,
                   std::size_t n, Bin* bins, double scale) {
    constexpr std::size_t ahead = 16;  // how many rows ahead memory is prefetched
    for (std::size_t i = 0; i < n; ++i) {
#if defined(__GNUC__)
        const double soon = scores[std::min(i + ahead, n - 1)];
        __builtin_prefetch(bins + static_cast<std::size_t>(soon * scale), 1);
#endif
        const double weight = weighted ? weights[i] : 1.0;
        if (weighted && weight == 0.0) continue;
        const double score = scores[i] + 0.0;  // turns -0.0 into 0.0
        Bin& bin = bins[static_cast<std::size_t>(score * scale)];
        bin.low = std::min(bin.low, score);
        bin.high = std::max(bin.high, score);
        bin.weight[labels[i] != 0] += weight;
    }
}

}  // namespace lwcal
