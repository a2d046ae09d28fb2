// Loss of a logistic regression on a table, with its derivatives.
#pragma once

#include <algorithm>

#include "sums.hpp"

namespace lwcal {

// Probability of a positive target, by the label of a row.
struct Targets {
    double if_positive, if_negative;
};

// linear = a * first + b * second + c
struct Weights {
    double a, b, c;
};

// Sums over rows: the loss, its gradient and its Hessian by (a, b, c), the upper half by rows.
struct LogisticSums {
    static constexpr std::size_t size = 10;
    double of[size] = {};
    void add(const LogisticSums& other) {
        for (std::size_t k = 0; k < size; ++k) of[k] += other.of[k];
    }
};

// The features of a row are log(p) and -log(1 - p), or p alone.
LWCAL_VECTORISE inline void take_logs(const Values& score, std::size_t n, Values& first,
                                      Values& second) {
    for (std::size_t i = 0; i < n; ++i) {
        const double possible = clipped(score[i], kClip, 1.0 - kClip);
        first[i] = log_of(possible);
        second[i] = -log_of(1.0 - possible);
    }
}

// The features of up to kValues scores. Returns their number, padded to whole registers.
inline std::size_t features_of(const double* scores, std::size_t n, bool of_logs, Values& first,
                               Values& second) {
    Values score;
    const std::size_t padded = fill(scores, n, of_logs ? score : first);
    if (of_logs)
        take_logs(score, padded, first, second);
    else
        std::fill_n(second, padded, 0.0);
    return padded;
}

// What each row adds to the loss, and the factors of its derivatives.
struct LocalLoss {
    Values first, second, loss, residual, curvature;
};

LWCAL_VECTORISE inline void lose(const SomeLabels& rows, Targets targets, Weights weights,
                                 LocalLoss& at) {
    for (std::size_t i = 0; i < rows.size; ++i) {
        const double total = rows.negative[i] + rows.positive[i];
        const double positive =
            rows.positive[i] * targets.if_positive + rows.negative[i] * targets.if_negative;
        const double linear = weights.a * at.first[i] + weights.b * at.second[i] + weights.c;
        const double size = linear < 0.0 ? -linear : linear;
        const double small = exp_of(-size);  // nothing overflows
        const double share = 1.0 / (1.0 + small);
        const double softplus = (linear < 0.0 ? 0.0 : linear) + log_of(1.0 + small);
        at.loss[i] = total * softplus - positive * linear;
        at.residual[i] = total * (linear < 0.0 ? small * share : share) - positive;
        at.curvature[i] = total * (small * share * share);
    }
}

inline LogisticSums sum_logistic(const SomeLabels& rows, Targets targets, Weights weights,
                                 bool of_logs) {
    LocalLoss at;
    features_of(rows.z, rows.size, of_logs, at.first, at.second);
    lose(rows, targets, weights, at);
    Values terms, by_second;
    LogisticSums found;
    const auto sum_product = [&](const Values& a, const Values& b) {
        multiply(a, b, rows.size, terms);
        return sum_of(terms, rows.size);
    };
    found.of[0] = sum_of(at.loss, rows.size);
    found.of[1] = sum_product(at.residual, at.first);
    found.of[2] = sum_product(at.residual, at.second);
    found.of[3] = sum_of(at.residual, rows.size);
    multiply(at.curvature, at.second, rows.size, by_second);
    found.of[5] = sum_product(by_second, at.first);
    found.of[7] = sum_product(by_second, at.second);
    found.of[8] = sum_of(by_second, rows.size);
    found.of[6] = sum_product(at.curvature, at.first);  // leaves curvature * first in `terms`
    multiply(terms, at.first, rows.size, by_second);
    found.of[4] = sum_of(by_second, rows.size);
    found.of[9] = sum_of(at.curvature, rows.size);
    return found;
}

inline LogisticSums logistic_sums(const Counts& table, Targets targets, Weights weights,
                                  bool of_logs) {
    return sum_over<LogisticSums>(table, [&](const SomeLabels& rows) {
        return sum_logistic(rows, targets, weights, of_logs);
    });
}

}  // namespace lwcal
