// Points stored by coordinate, so that loops over many points vectorise.
#pragma once

#include <cstddef>
#include <vector>

#include "small_matrix.hpp"

namespace lwcal {

class Points {
   public:
    Points(std::size_t size, std::size_t count)
        : size_(size), count_(count), values_(size * count) {}

    std::size_t size() const { return size_; }
    std::size_t count() const { return count_; }
    // One coordinate of all points.
    double* of(std::size_t coordinate) { return values_.data() + coordinate * count_; }
    const double* of(std::size_t coordinate) const { return values_.data() + coordinate * count_; }

    Vector at(std::size_t k) const {
        Vector point{};
        for (std::size_t i = 0; i < size_; ++i) point[i] = of(i)[k];
        return point;
    }
    void put(std::size_t k, const Vector& point) {
        for (std::size_t i = 0; i < size_; ++i) of(i)[k] = point[i];
    }

   private:
    std::size_t size_, count_;
    std::vector<double> values_;
};

// Some neighbouring points.
struct PointRange {
    const Points& points;
    std::size_t begin, count;

    const double* of(std::size_t coordinate) const { return points.of(coordinate) + begin; }
    Vector at(std::size_t k) const { return points.at(begin + k); }
};

}  // namespace lwcal
