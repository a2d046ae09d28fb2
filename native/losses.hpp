// Losses of the labels (paper, Eq. 1), their weighted median and median absolute deviation.
//
// The loss of a row is -log(a). The agreement a is the probability that the score gives to the
// row's own label. Within a class the pooled table is already ordered by loss, so median and
// deviation are selected from sorted runs. No sort and no array of losses is needed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "elementary.hpp"

namespace lwcal {

// The pooled table: the labels of each class, counted at each distinct score.
struct Counts {
    const double* score;
    const double* negative;
    const double* positive;
    std::size_t size;

    Counts slice(std::size_t begin, std::size_t end) const {
        return {score + begin, negative + begin, positive + begin, end - begin};
    }
};

constexpr double kClip = 0x1p-40;  // as LOG_CLIP in kernels/pure.py

inline double negative_log(double agreement) {
    agreement = agreement < kClip ? kClip : agreement;
    agreement = agreement > 1.0 - kClip ? 1.0 - kClip : agreement;
    return -log_of(agreement);
}

LWCAL_VECTORISE inline void log_losses(const double* agreement, std::size_t n, double* losses) {
    for (std::size_t i = 0; i < n; ++i) losses[i] = negative_log(agreement[i]);
}

// Sum of the first i weights. Sums are stored every kStep rows, which needs little memory.
// The remaining rows are added only for the positions that a search asks for.
class PrefixSum {
   public:
    PrefixSum(const double* weights, std::size_t n) : weights_(weights) {
        checkpoints_.reserve(n / kStep + 1);
        double total = 0.0;
        for (std::size_t start = 0; start < n; start += kStep) {
            checkpoints_.push_back(total);
            const std::size_t stop = std::min(n, start + kStep);
            double lanes[4] = {0, 0, 0, 0};  // independent chains, so the adds overlap
            std::size_t i = start;
            for (; i + 4 <= stop; i += 4)
                for (int lane = 0; lane < 4; ++lane) lanes[lane] += weights[i + lane];
            for (; i < stop; ++i) lanes[0] += weights[i];
            total += (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
        }
        if (n % kStep == 0) checkpoints_.push_back(total);
        total_ = total;
    }
    double operator()(std::size_t i) const {
        double sum = checkpoints_[i / kStep];
        for (std::size_t j = i / kStep * kStep; j < i; ++j) sum += weights_[j];
        return sum;
    }
    double total() const { return total_; }

   private:
    static constexpr std::size_t kStep = 32;
    const double* weights_;
    std::vector<double> checkpoints_;
    double total_ = 0.0;
};

// First index in [begin, end) for which `holds` is true. It must stay true from there on.
template <typename Predicate>
std::size_t first_where(std::size_t begin, std::size_t end, Predicate holds) {
    while (begin < end) {
        const std::size_t middle = begin + (end - begin) / 2;
        if (holds(middle))
            end = middle;
        else
            begin = middle + 1;
    }
    return begin;
}

// Rows [begin, end) of one class, ordered by a key that rises or falls with the index.
template <typename Key>
struct Run {
    std::size_t begin, end;
    bool rising;
    Key key;
    const PrefixSum* weight;

    std::size_t size() const { return end - begin; }
    // Position j counts from the end with the smallest key.
    std::size_t index(std::size_t j) const { return rising ? begin + j : end - 1 - j; }
    double weight_up_to(double limit) const {
        const std::size_t within =
            first_where(0, size(), [&](std::size_t j) { return key(index(j)) > limit; });
        return rising ? (*weight)(begin + within) - (*weight)(begin)
                      : (*weight)(end) - (*weight)(end - within);
    }
};

template <typename Key>
double weight_up_to(const std::vector<Run<Key>>& runs, double limit) {
    double weight = 0.0;
    for (const auto& run : runs) weight += run.weight_up_to(limit);
    return weight;
}

// Smallest key x with weight(keys <= x) >= target, or > target if `strictly`.
template <typename Key>
double select(const std::vector<Run<Key>>& runs, double target, bool strictly) {
    double smallest = INFINITY;
    for (const auto& run : runs) {
        const std::size_t j = first_where(0, run.size(), [&](std::size_t candidate) {
            const double weight = weight_up_to(runs, run.key(run.index(candidate)));
            return strictly ? weight > target : weight >= target;
        });
        if (j < run.size()) smallest = std::min(smallest, run.key(run.index(j)));
    }
    return smallest;
}

template <typename Key>
double weighted_median(const std::vector<Run<Key>>& runs, double total) {
    // The mean of the two middle values, as in numpy's median of the repeated rows.
    const double lower = select(runs, total / 2, false);
    if (weight_up_to(runs, lower) > total / 2) return lower;
    const double upper = select(runs, total / 2, true);
    return std::isinf(upper) ? lower : lower + (upper - lower) / 2;
}

// Losses of the rows of one class, from the table's scores.
class ClassLosses {
   public:
    ClassLosses(const double* scores, std::size_t rows, bool positive)
        : scores_(scores), positive_(positive) {
        if (rows > kFewRows) return;
        known_.resize(rows);
        for (std::size_t i = 0; i < rows; ++i) known_[i] = compute(i);
    }
    double operator()(std::size_t i) const { return known_.empty() ? compute(i) : known_[i]; }

   private:
    double compute(std::size_t i) const {
        return negative_log(positive_ ? scores_[i] : 1.0 - scores_[i]);
    }
    static constexpr std::size_t kFewRows = 4096;
    const double* scores_;
    bool positive_;
    std::vector<double> known_;  // for small tables, which use each loss many times
};

// Median loss m and median absolute deviation s (paper, Eq. 2).
inline std::pair<double, double> median_and_mad(const Counts& table) {
    const std::size_t n = table.size;
    const PrefixSum negative_weight(table.negative, n), positive_weight(table.positive, n);
    const double total = negative_weight.total() + positive_weight.total();
    const ClassLosses of_negative(table.score, n, false), of_positive(table.score, n, true);

    struct Loss {
        const ClassLosses* losses;
        double operator()(std::size_t i) const { return (*losses)(i); }
    };
    const std::vector<Run<Loss>> losses = {{0, n, true, {&of_negative}, &negative_weight},
                                           {0, n, false, {&of_positive}, &positive_weight}};
    const double m = weighted_median(losses, total);

    struct Deviation {
        const ClassLosses* losses;
        double m;
        double operator()(std::size_t i) const { return std::abs((*losses)(i) - m); }
    };
    // The deviation falls up to the row whose loss is m and then rises: two runs per class.
    const std::size_t negative_turn =
        first_where(0, n, [&](std::size_t i) { return of_negative(i) > m; });
    const std::size_t positive_turn =
        first_where(0, n, [&](std::size_t i) { return of_positive(i) <= m; });
    const Deviation if_negative{&of_negative, m}, if_positive{&of_positive, m};
    const std::vector<Run<Deviation>> deviations = {
        {0, negative_turn, false, if_negative, &negative_weight},
        {negative_turn, n, true, if_negative, &negative_weight},
        {0, positive_turn, false, if_positive, &positive_weight},
        {positive_turn, n, true, if_positive, &positive_weight}};
    return {m, weighted_median(deviations, total)};
}

}  // namespace lwcal
