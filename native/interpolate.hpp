// Evaluate a piecewise linear map at many points.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "parallel.hpp"

namespace lwcal {

// Finds the last knot at or below a point. The knots are counted once into buckets of equal
// width, so a look-up starts from one or two candidates.
class KnotIndex {
   public:
    KnotIndex(const double* knots, std::size_t size, std::size_t buckets)
        : knots_(knots), width_(static_cast<double>(buckets)), start_(buckets + 2) {
        std::size_t knot = 0;
        for (std::size_t bucket = 0; bucket <= buckets; ++bucket) {
            while (knot < size && bucket_of(knots[knot]) < bucket) ++knot;
            start_[bucket] = static_cast<std::uint32_t>(knot);
        }
        start_[buckets + 1] = static_cast<std::uint32_t>(size);
    }
    // Number of knots <= point.
    std::size_t count_up_to(double point) const {
        const std::size_t bucket = bucket_of(point);
        std::size_t low = start_[bucket], size = start_[bucket + 1] - low;
        while (size > 0) {  // usually not once
            const std::size_t half = (size + 1) / 2;
            low += knots_[low + half - 1] <= point ? half : 0;
            size -= half;
        }
        return low;
    }

   private:
    // Points outside [0, 1] and NaN fall into an end bucket, so no look-up leaves the index.
    std::size_t bucket_of(double point) const {
        return static_cast<std::size_t>(std::min(std::max(0.0, point * width_), width_));
    }
    const double* knots_;
    double width_;
    std::vector<std::uint32_t> start_;
};

// One segment of the map. The limit `top` keeps rounding from breaking monotonicity.
struct Segment {
    double x, y, slope, top;

    double at(double point) const { return std::min(y + (point - x) * slope, top); }
};

// The segment of points with `below` knots at or below them.
inline Segment segment_after(const double* x, const double* y, std::size_t size,
                             std::size_t below) {
    if (below == 0) return {0.0, y[0], 0.0, y[0]};
    const std::size_t k = below - 1;
    if (below == size) return {x[k], y[k], 0.0, y[k]};
    const double slope = (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
    // The slope overflows if knots are a denormal apart. The map then steps at the next knot.
    return {x[k], y[k], std::isfinite(slope) ? slope : 0.0, y[k + 1]};
}

// Knots lie in [0, 1]. The map is constant beyond the first and the last knot.
inline void interpolate(const double* points, std::size_t n, const double* x, const double* y,
                        std::size_t size, double* values) {
    if (n < size / 16) {  // to prepare the look-ups would take longer than to search for so few
        for (std::size_t i = 0; i < n; ++i) {
            const auto below = static_cast<std::size_t>(std::upper_bound(x, x + size, points[i]) - x);
            values[i] = segment_after(x, y, size, below).at(points[i]);
        }
        return;
    }
    std::vector<Segment> segments(size + 1);
    for (std::size_t k = 0; k <= size; ++k) segments[k] = segment_after(x, y, size, k);
    // With 32 buckets per knot nearly every bucket lies within one segment, and the processor
    // guesses the end of the search. There are fewer if there are few points to look up.
    const std::size_t buckets = std::clamp<std::size_t>(std::min(32 * size, n), 1, 1u << 22);
    const KnotIndex index(x, size, buckets);
    for_each_piece(n, [&](std::size_t, std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            values[i] = segments[index.count_up_to(points[i])].at(points[i]);
        }
    });
}

}  // namespace lwcal
