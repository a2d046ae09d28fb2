// Draws from a log density, by adaptive importance sampling. kernels/importance.py explains it.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <vector>

#include "columns.hpp"
#include "elementary.hpp"
#include "points.hpp"
#include "small_matrix.hpp"

namespace lwcal {

// The constants have the same values as in kernels/importance.py.
constexpr double kFreedom = 5.0, kInflation = 1.3, kLeastSize = 8.0;
constexpr double kLeastShare = 1e-9, kLeastVariance = 1e-18;
constexpr double kWidenings[] = {1.0, 1e3, 1e6, 1e9, 1e12};

using Numbers = std::vector<double>;

// The following loops are over points.

LWCAL_VECTORISE inline void start_standard(const double* point, double center, std::size_t count,
                                           double* standard) {
    for (std::size_t k = 0; k < count; ++k) standard[k] = point[k] - center;
}

LWCAL_VECTORISE inline void divide_and_add_square(double divisor, std::size_t count,
                                                  double* standard, double* squares) {
    for (std::size_t k = 0; k < count; ++k) {
        standard[k] /= divisor;
        squares[k] += standard[k] * standard[k];
    }
}

LWCAL_VECTORISE inline void shapes_of(const double* squares, double power, double log_volume,
                                      std::size_t count, double* shapes) {
    for (std::size_t k = 0; k < count; ++k)
        shapes[k] = -power * log_of(1.0 + squares[k] / kFreedom) - log_volume;
}

LWCAL_VECTORISE inline void add_powers(const double* logs, const double* highest,
                                       std::size_t count, double* sums) {
    for (std::size_t k = 0; k < count; ++k) sums[k] += exp_of(logs[k] - highest[k]);
}

LWCAL_VECTORISE inline void weigh(const double* heights, const double* highest, const double* sums,
                                  double proposals, std::size_t count, double* log_weights) {
    for (std::size_t k = 0; k < count; ++k)
        log_weights[k] = heights[k] - (highest[k] + log_of(sums[k] / proposals));
}

LWCAL_VECTORISE inline void powers_of(const double* logs, double power, double top,
                                      std::size_t count, double* out) {
    for (std::size_t k = 0; k < count; ++k) out[k] = exp_of(power * (logs[k] - top));
}

// A multivariate Student t distribution.
class Proposal {
   public:
    Proposal(const Vector& center, const Square& covariance, std::size_t size)
        : center_(center), size_(size) {
        // a direction in which the points did not spread keeps a little width, and so does one
        // that rounding made negative
        bool has_factor = false;
        for (std::size_t k = 0; k < std::size(kWidenings) && !has_factor; ++k) {
            Square widened = covariance;
            for (std::size_t i = 0; i < size; ++i)
                widened[i][i] +=
                    larger(covariance[i][i], 0.0) * kLeastShare * kWidenings[k] + kLeastVariance;
            has_factor = factorise(widened, size, root_);
        }
        if (!has_factor) throw std::invalid_argument("the covariance is not positive definite.");
        for (std::size_t i = 0; i < size; ++i) log_volume_ += std::log(root_[i][i]);
    }
    Vector point(const double* standard) const {
        Vector found = center_;
        for (std::size_t row = 0; row < size_; ++row)
            for (std::size_t column = 0; column <= row; ++column)
                found[row] += root_[row][column] * standard[column];
        return found;
    }
    // Log densities up to the constant of the standard proposal.
    void log_shapes(const PointRange& points, double* shapes) const {
        const std::size_t count = points.count;
        Points standard(size_, count);
        Numbers squares(count);
        for (std::size_t row = 0; row < size_; ++row) {
            double* const of_row = standard.of(row);
            start_standard(points.of(row), center_[row], count, of_row);
            for (std::size_t column = 0; column < row; ++column)
                add_scaled(standard.of(column), -root_[row][column], count, of_row);
            divide_and_add_square(root_[row][row], count, of_row, squares.data());
        }
        const double power = (kFreedom + static_cast<double>(size_)) / 2.0;
        shapes_of(squares.data(), power, log_volume_, count, shapes);
    }

   private:
    Vector center_;
    Square root_{};
    std::size_t size_;
    double log_volume_ = 0.0;
};

// Weights that sum to 1, from a power of their logarithms.
inline Numbers normalised(const Numbers& logs, double power) {
    const double top = *std::max_element(logs.begin(), logs.end());
    Numbers weights(logs.size());
    powers_of(logs.data(), power, top, logs.size(), weights.data());
    double sum = 0.0;
    for (const double weight : weights) sum += weight;
    for (double& weight : weights) weight /= sum;
    return weights;
}

inline double effective_size(const Numbers& weights) {
    double squares = 0.0;
    for (const double weight : weights) squares += weight * weight;
    return 1.0 / squares;
}

// The distribution with the moments of weighted points. Weights are flattened if few dominate.
inline Proposal proposal_around(const Points& points, const Numbers& logs) {
    const std::size_t size = points.size(), count = logs.size();
    double power = 1.0;
    Numbers weights = normalised(logs, power);
    while (effective_size(weights) < kLeastSize * static_cast<double>(size) && power > 0.05) {
        power *= 0.7;
        weights = normalised(logs, power);
    }
    Vector mean{};
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t k = 0; k < count; ++k) mean[i] += weights[k] * points.of(i)[k];
    Square covariance{};
    for (std::size_t i = 0; i < size; ++i)
        for (std::size_t j = 0; j <= i; ++j) {
            double sum = 0.0;
            for (std::size_t k = 0; k < count; ++k)
                sum += weights[k] * (points.of(i)[k] - mean[i]) * (points.of(j)[k] - mean[j]);
            covariance[i][j] = covariance[j][i] = sum;
        }
    return Proposal(mean, covariance, size);
}

// Points of the standard proposal: `count` of them in each round.
struct StandardPoints {
    const double* points;
    std::size_t rounds, count;
    double log_constant;
};

struct WeightedPoints {
    Points points;
    Numbers log_weights;
};

// Log weights of the first points against the mixture of all proposals.
inline Numbers weights_of(const Numbers& heights, const std::vector<Numbers>& shapes,
                          std::size_t count) {
    Numbers highest(shapes[0].begin(), shapes[0].begin() + static_cast<std::ptrdiff_t>(count));
    Numbers sums(count), log_weights(count);
    for (const Numbers& of_proposal : shapes) raise_to(of_proposal.data(), count, highest.data());
    for (const Numbers& of_proposal : shapes)
        add_powers(of_proposal.data(), highest.data(), count, sums.data());
    weigh(heights.data(), highest.data(), sums.data(), static_cast<double>(shapes.size()), count,
          log_weights.data());
    return log_weights;
}

// A density has the functions `size` and `heights`.
template <typename Density>
WeightedPoints draw_from(const Density& density, const Vector& mode, const Square& information,
                         const StandardPoints& standard) {
    const std::size_t size = density.size(), all = standard.rounds * standard.count;
    Square root{};
    if (!factorise(information, size, root))
        throw std::invalid_argument("the information is not positive definite.");
    Square covariance = inverse(root, size);
    for (Vector& row : covariance)
        for (double& value : row) value *= kInflation * kInflation;
    WeightedPoints draws{Points(size, all), {}};
    std::vector<Proposal> proposals{Proposal(mode, covariance, size)};
    std::vector<Numbers> shapes;  // of every proposal at every point
    Numbers heights(all);
    for (std::size_t round = 0; round < standard.rounds; ++round) {
        if (round > 0) proposals.push_back(proposal_around(draws.points, draws.log_weights));
        const std::size_t begin = round * standard.count, end = begin + standard.count;
        for (std::size_t k = begin; k < end; ++k)
            draws.points.put(k, proposals.back().point(standard.points + k * size));
        const PointRange added{draws.points, begin, standard.count};
        density.heights(added, &heights[begin]);
        shapes.emplace_back(all);
        for (std::size_t p = 0; p < round; ++p) proposals[p].log_shapes(added, &shapes[p][begin]);
        proposals.back().log_shapes({draws.points, 0, end}, shapes.back().data());
        draws.log_weights = weights_of(heights, shapes, end);
    }
    const double log_volume = standard.log_constant + std::log(static_cast<double>(all));
    for (double& weight : draws.log_weights) weight -= log_volume;
    return draws;
}

}  // namespace lwcal
