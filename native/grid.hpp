// Counts of labels in equally wide bins of the score, added to in place.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace lwcal {

// One bin: what a row touches lies in one cache line.
struct Bin {
    double low, high;
    double weight[2];  // of the negative and of the positive labels
};

// `bins` has one bin for every whole part of score * scale, so scale + 1 of them; scores lie in
// [0, 1]. Without weights every row counts 1; a row of weight 0 leaves no trace.
template <bool weighted>
void count_on_grid(const double* scores, const std::uint8_t* labels, const double* weights,
                   std::size_t n, Bin* bins, double scale) {
    constexpr std::size_t ahead = 16;  // rows by which memory is asked for before it is needed
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
        bin.weight[labels[i]] += weight;
    }
}

}  // namespace lwcal
