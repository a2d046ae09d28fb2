// A logistic regression with a normal prior: its posterior, up to the constant of the prior.
// kernels/regression.py explains it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "columns.hpp"
#include "elementary.hpp"
#include "newton.hpp"
#include "points.hpp"
#include "sigmoids.hpp"
#include "small_matrix.hpp"

namespace lwcal {

// What a parameter stands for, and its prior.
struct Coefficient {
    bool in_logs;
    double mean, sd;

    double value(double parameter) const { return in_logs ? slope_of(parameter) : parameter; }
    double residual(double parameter) const { return (parameter - mean) / sd; }
};

// What each row adds to the log likelihood, and the factors of its derivatives.
struct RegressionTerms {
    Values linear, height, pull, weight;
};

LWCAL_VECTORISE inline void regress(const SomeLabels& labels, RegressionTerms& at) {
    for (std::size_t i = 0; i < labels.size; ++i) {
        const double total = labels.negative[i] + labels.positive[i], linear = at.linear[i];
        const double small = exp_of(linear < 0.0 ? linear : -linear);  // nothing overflows
        const double share = 1.0 / (1.0 + small);
        const double softplus = (linear < 0.0 ? 0.0 : linear) + log_of(1.0 + small);
        at.height[i] = labels.positive[i] * linear - total * softplus;
        at.pull[i] = labels.positive[i] - total * (linear < 0.0 ? small * share : share);
        at.weight[i] = total * (small * share * share);
    }
}

// Some rows: their labels, with the offset in the place of log-odds, and their features.
struct SomeRows {
    SomeLabels labels;
    Values features[kMostUnknowns];

    SomeRows(const Labels& all, const double* features_of_all, std::size_t size, std::size_t begin)
        : labels(all, begin) {
        const std::size_t n = std::min(kValues, all.size - begin);
        for (std::size_t j = 0; j < size; ++j)
            fill(features_of_all + j * all.size + begin, n, features[j]);
    }
    void regress_at(const Vector& coefficients, std::size_t size, RegressionTerms& at) const {
        std::copy_n(labels.z, labels.size, at.linear);
        for (std::size_t j = 0; j < size; ++j)
            add_scaled(features[j], coefficients[j], labels.size, at.linear);
        regress(labels, at);
    }
};

class Regression {
 public:
    // The features are those of one coefficient after those of another.
    Regression(const double* features, const Labels& labels,
               const std::vector<Coefficient>& coefficients)
        : features_(features), labels_(labels), coefficients_(coefficients) {}

    std::size_t size() const { return coefficients_.size(); }

    // Log posteriors of points.
    void heights(const PointRange& points, double* found) const {
        for (std::size_t k = 0; k < points.count; ++k) found[k] = -penalty(points.at(k));
        RegressionTerms at;
        for (std::size_t begin = 0; begin < labels_.size; begin += kValues) {
            const SomeRows rows(labels_, features_, size(), begin);
            for (std::size_t k = 0; k < points.count; ++k) {
                rows.regress_at(values(points.at(k)), size(), at);
                found[k] += sum_of(at.height, rows.labels.size);
            }
        }
    }

    LocalDensity local(const Vector& point) const {
        const Vector coefficients = values(point);
        LocalDensity found;
        RegressionTerms at;
        Values weighted;
        for (std::size_t begin = 0; begin < labels_.size; begin += kValues) {
            const SomeRows rows(labels_, features_, size(), begin);
            const std::size_t n = rows.labels.size;
            rows.regress_at(coefficients, size(), at);
            found.height += sum_of(at.height, n);
            for (std::size_t i = 0; i < size(); ++i) {
                found.gradient[i] += sum_of_products(rows.features[i], at.pull, n);
                multiply(rows.features[i], at.weight, n, weighted);
                for (std::size_t j = 0; j <= i; ++j)
                    found.information[i][j] += sum_of_products(weighted, rows.features[j], n);
            }
        }
        found.height -= penalty(point);
        for (std::size_t i = 0; i < size(); ++i) {
            const Coefficient& of = coefficients_[i];
            // the derivative of a coefficient by its logarithm is the coefficient
            const double by = of.in_logs ? coefficients[i] : 1.0;
            found.gradient[i] = by * found.gradient[i] - of.residual(point[i]) / of.sd;
            for (std::size_t j = 0; j <= i; ++j) {
                const double by_other = coefficients_[j].in_logs ? coefficients[j] : 1.0;
                found.information[i][j] *= by * by_other;
                found.information[j][i] = found.information[i][j];
            }
            found.information[i][i] += 1.0 / (of.sd * of.sd);
        }
        return found;
    }

 private:
    Vector values(const Vector& point) const {
        Vector found{};
        for (std::size_t j = 0; j < size(); ++j) found[j] = coefficients_[j].value(point[j]);
        return found;
    }
    double penalty(const Vector& point) const {
        double squares = 0.0;
        for (std::size_t j = 0; j < size(); ++j) {
            const double residual = coefficients_[j].residual(point[j]);
            squares += residual * residual;
        }
        return 0.5 * squares;
    }

    const double* features_;
    Labels labels_;
    std::vector<Coefficient> coefficients_;
};

}  // namespace lwcal
