// The mode of a smooth log density, by damped Newton steps. kernels/newton.py explains them.
//
// A density has the functions `size`, `local` and `heights`.
#pragma once

#include <cmath>
#include <cstddef>
#include <stdexcept>

#include "points.hpp"
#include "small_matrix.hpp"

namespace lwcal {

// The constants have the same values as in kernels/newton.py.
constexpr int kMostSteps = 100, kStepLengths = 12, kMostRidges = 60;
constexpr double kFloor = 0.25, kEnough = 0.5, kConverged = 1e-8;

// A log density at one point.
struct LocalDensity {
    double height = 0.0;
    Vector gradient{};
    Square information{};  // expected, which may be indefinite
};

// A positive definite matrix with its factor.
struct Information {
    Square matrix, root{};
};

// The information, with a ridge if a curvature is below the floor.
inline Information raised(const Square& information, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j < size; ++j)
            if (!std::isfinite(information[i][j]))
                throw std::invalid_argument("the information is not finite.");
    Information found{information};
    Square root{};
    if (factorise(with_ridge(information, size, -kFloor), size, root) &&
        factorise(information, size, found.root))
        return found;
    double ridge = kFloor;
    for (int k = 0; k < kMostRidges; ++k, ridge *= 4.0) {
        found.matrix = with_ridge(information, size, ridge);
        if (factorise(found.matrix, size, found.root)) return found;
    }
    throw std::invalid_argument("the information is not positive definite.");
}

struct Mode {
    Vector parameters;
    double height;
    Information information;
};

template <typename Density>
Mode find_mode(const Density& density, Vector mode) {
    const std::size_t size = density.size();
    LocalDensity here = density.local(mode);
    for (int count = 0; count < kMostSteps; ++count) {
        const Information information = raised(here.information, size);
        const Vector step = solve_factorised(information.root, here.gradient, size);
        const double promised = dot(here.gradient, step, size);
        if (!(promised >= kConverged)) break;
        const auto moved = [&](double length) {
            Vector point = mode;
            for (std::size_t i = 0; i < size; ++i) point[i] += length * step[i];
            return point;
        };
        const LocalDensity there = density.local(moved(1.0));
        if (there.height - here.height >= kEnough * promised / 2.0) {
            mode = moved(1.0);
            here = there;
            continue;
        }
        Points trials(size, kStepLengths);
        double heights[kStepLengths], length = 1.0;
        for (int k = 0; k < kStepLengths; ++k, length *= 0.5) trials.put(k, moved(length));
        density.heights({trials, 0, kStepLengths}, heights);
        int best = -1;  // one so far away that its height overflows is never the best
        for (int k = 0; k < kStepLengths; ++k)
            if (heights[k] > (best < 0 ? here.height : heights[best])) best = k;
        if (best < 0) break;
        mode = trials.at(best);
        here = density.local(mode);
    }
    return {mode, here.height, raised(here.information, size)};
}

}  // namespace lwcal
