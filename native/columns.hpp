// Loops over columns of numbers.
#pragma once

#include <cstddef>

#include "elementary.hpp"

namespace lwcal {

constexpr std::size_t kLanes = 8;  // numbers of the widest vector register

LWCAL_VECTORISE inline void add_scaled(const double* from, double by, std::size_t n, double* to) {
    for (std::size_t i = 0; i < n; ++i) to[i] += by * from[i];
}

LWCAL_VECTORISE inline void raise_to(const double* values, std::size_t n, double* highest) {
    for (std::size_t i = 0; i < n; ++i) highest[i] = larger(highest[i], values[i]);
}

LWCAL_VECTORISE inline void exponentials(const double* highest, std::size_t n, double* values,
                                         double* totals) {
    for (std::size_t i = 0; i < n; ++i) {
        values[i] = exp_of(values[i] - highest[i]);
        totals[i] += values[i];
    }
}

LWCAL_VECTORISE inline double sum_of_products(const double* a, const double* b, std::size_t n) {
    double lanes[kLanes] = {};  // in a fixed order, whatever the processor
    for (std::size_t i = 0; i < n; i += kLanes)
        for (std::size_t lane = 0; lane < kLanes; ++lane)
            lanes[lane] += a[i + lane] * b[i + lane];
    return ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
           ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7]));
}

}  // namespace lwcal
