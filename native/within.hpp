// Whether all values lie in a range.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "elementary.hpp"
#include "parallel.hpp"

namespace lwcal {

// The negated comparison also finds NaN. Without a branch the loop vectorises.
LWCAL_VECTORISE inline bool few_within(const double* values, std::size_t n, double low,
                                       double high) {
    std::uint64_t outside = 0;
    for (std::size_t i = 0; i < n; ++i)
        outside |= values[i] >= low && values[i] <= high ? 0 : 1;
    return outside == 0;
}

inline bool within(const double* values, std::size_t n, double low, double high) {
    std::atomic<bool> all{true};
    for_each_piece<kLightPiece>(n, [&](std::size_t, std::size_t begin, std::size_t end) {
        if (!few_within(values + begin, end - begin, low, high)) all = false;
    });
    return all;
}

}  // namespace lwcal
