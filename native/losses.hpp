// Losses of the labels (paper, Eq. 1), their weighted median and median absolute deviation.
//
// The loss of a row is -log(a). The agreement a is the probability that the score gives to the
// row's own label. Within a class the pooled table is already ordered by loss, so median and
// deviation are selected from sorted runs. No sort and no array of losses is needed.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "elementary.hpp"

namespace lwcal {

// The pooled table: the labels of each class, counted at each distinct score. Where every score
// has a single row, `label` holds it instead of the counts.
struct Counts {
    const double* score;
    const double* negative;
    const double* positive;
    const std::uint8_t* label;
    std::size_t size;

    Counts slice(std::size_t begin, std::size_t end) const {
        if (label) return {score + begin, nullptr, nullptr, label + begin, end - begin};
        return {score + begin, negative + begin, positive + begin, nullptr, end - begin};
    }
};

// Memory for the counts of a few rows, which stays in the first-level cache.
struct FewCounts {
    static constexpr std::size_t most = 512;
    double negative[most], positive[most];
};

LWCAL_VECTORISE inline void count_labels(const std::uint8_t* label, std::size_t n,
                                         double* negative, double* positive) {
    for (std::size_t i = 0; i < n; ++i) {
        positive[i] = static_cast<double>(label[i]);
        negative[i] = 1.0 - positive[i];
    }
}

// Calls use(rows) on consecutive parts of a table, as counts.
template <typename Use>
void for_few_rows(const Counts& table, Use use) {
    FewCounts few;
    for (std::size_t begin = 0; begin < table.size; begin += FewCounts::most) {
        Counts rows = table.slice(begin, std::min(table.size, begin + FewCounts::most));
        if (rows.label) {
            count_labels(rows.label, rows.size, few.negative, few.positive);
            rows = {rows.score, few.negative, few.positive, nullptr, rows.size};
        }
        use(rows);
    }
}

constexpr double kClip = 0x1p-40;  // as LOG_CLIP in kernels/pure.py

inline double negative_log(double agreement) {
    agreement = clipped(agreement, kClip, 1.0 - kClip);
    return -log_of(agreement);
}

LWCAL_VECTORISE inline void log_losses(const double* agreement, std::size_t n, double* losses) {
    for (std::size_t i = 0; i < n; ++i) losses[i] = negative_log(agreement[i]);
}

// The weights of one class in a table.
struct ClassWeights {
    const double* counts;
    const std::uint8_t* label;
    bool positive;

    double sum(std::size_t begin, std::size_t end) const {
        return label ? of_labels(begin, end) : of_counts(begin, end);
    }

   private:
    double of_labels(std::size_t begin, std::size_t end) const {
        std::size_t ones = 0;
        for (std::size_t i = begin; i < end; ++i) ones += label[i];
        return static_cast<double>(positive ? ones : end - begin - ones);
    }
    double of_counts(std::size_t begin, std::size_t end) const {
        double lanes[4] = {0, 0, 0, 0};  // independent chains, so the adds overlap
        std::size_t i = begin;
        for (; i + 4 <= end; i += 4)
            for (int lane = 0; lane < 4; ++lane) lanes[lane] += counts[i + lane];
        for (; i < end; ++i) lanes[0] += counts[i];
        return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
    }
};

// Weights of a table below a score, and from it on.
struct ClassTotals {
    double negative_below, positive_below, negative_above, positive_above;
};

inline ClassTotals class_totals(const Counts& table, double threshold) {
    const auto cut = static_cast<std::size_t>(
        std::lower_bound(table.score, table.score + table.size, threshold) - table.score);
    const ClassWeights negative{table.negative, table.label, false};
    const ClassWeights positive{table.positive, table.label, true};
    return {negative.sum(0, cut), positive.sum(0, cut), negative.sum(cut, table.size),
            positive.sum(cut, table.size)};
}

// Sum of the first i weights. Sums are stored every kStep rows, which needs little memory.
// The remaining rows are added only for the positions that a search asks for.
class PrefixSum {
   public:
    PrefixSum(ClassWeights weights, std::size_t n) : weights_(weights) {
        checkpoints_.reserve(n / kStep + 1);
        double total = 0.0;
        for (std::size_t start = 0; start < n; start += kStep) {
            checkpoints_.push_back(total);
            total += weights.sum(start, std::min(n, start + kStep));
        }
        if (n % kStep == 0) checkpoints_.push_back(total);
        total_ = total;
    }
    double operator()(std::size_t i) const {
        return checkpoints_[i / kStep] + weights_.sum(i / kStep * kStep, i);
    }
    double total() const { return total_; }

   private:
    static constexpr std::size_t kStep = 64;
    ClassWeights weights_;
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

// Rows [begin, end) of one class, ordered by a key that rises or falls with the index. `Weight` is
// the sum of the first weights.
template <typename Key, typename Weight>
struct Run {
    Run(std::size_t first, std::size_t last, bool rises, Key of, const Weight& sums)
        : begin(first), end(last), rising(rises), key(of), weight(&sums),
          edge(sums(rises ? first : last)) {}

    std::size_t begin, end;
    bool rising;
    Key key;
    const Weight* weight;
    double edge;  // weight before the run, or up to its end if it falls

    std::size_t size() const { return end - begin; }
    // Position j counts from the end with the smallest key.
    double at(std::size_t j) const { return key(rising ? begin + j : end - 1 - j); }
    double weight_of_first(std::size_t j) const {
        return rising ? (*weight)(begin + j) - edge : edge - (*weight)(end - j);
    }
};

// Smallest key x with weight(keys <= x) >= target.
//
// Each step takes the middle of the longest window as a pivot. If the pivot is too small, so are
// all keys up to it; otherwise no key beyond it is the answer. Windows of all runs shrink together.
template <typename Key, typename Weight, std::size_t n>
double select(const std::array<Run<Key, Weight>, n>& runs, double target) {
    std::array<std::size_t, n> low{}, high{};
    for (std::size_t r = 0; r < n; ++r) high[r] = runs[r].size();
    double smallest = INFINITY;
    for (;;) {
        std::size_t longest = 0;
        for (std::size_t r = 1; r < n; ++r)
            if (high[r] - low[r] > high[longest] - low[longest]) longest = r;
        if (high[longest] == low[longest]) return smallest;
        const std::size_t middle = low[longest] + (high[longest] - low[longest]) / 2;
        const double pivot = runs[longest].at(middle);
        std::array<std::size_t, n> above;  // first position with a key above the pivot
        double weight = 0.0;
        for (std::size_t r = 0; r < n; ++r) {
            above[r] = first_where(low[r], high[r],
                                   [&](std::size_t j) { return runs[r].at(j) > pivot; });
            weight += runs[r].weight_of_first(above[r]);
        }
        if (weight >= target) {
            smallest = pivot;
            for (std::size_t r = 0; r < n; ++r)
                high[r] = first_where(low[r], above[r],
                                      [&](std::size_t j) { return runs[r].at(j) >= pivot; });
            high[longest] = std::min(high[longest], middle);  // it ends even if keys are NaN
        } else {
            low = above;
            low[longest] = std::max(low[longest], middle + 1);
        }
    }
}

// The mean of the two middle values, as in numpy's median of the repeated rows.
template <typename Key, typename Weight, std::size_t n>
double weighted_median(const std::array<Run<Key, Weight>, n>& runs, double total) {
    const double lower = select(runs, total / 2);
    double weight = 0.0, upper = INFINITY;  // weight up to `lower`, and the next key with a weight
    for (const auto& run : runs) {
        const std::size_t above =
            first_where(0, run.size(), [&](std::size_t j) { return run.at(j) > lower; });
        const double before = run.weight_of_first(above);
        const std::size_t next = first_where(above, run.size(), [&](std::size_t j) {
            return run.weight_of_first(j + 1) > before;
        });
        weight += before;
        if (next < run.size()) upper = std::min(upper, run.at(next));
    }
    if (weight > total / 2 || std::isinf(upper)) return lower;
    return lower + (upper - lower) / 2;
}

// The rows of one class: how many, the loss of each in the order of the scores, and their weights.
template <typename Loss, typename Weight>
struct LossesOfClass {
    std::size_t size;
    Loss loss;
    Weight weight;
};

// Median loss m and median absolute deviation s (paper, Eq. 2), of which the total weight is given.
template <typename Loss, typename Weight>
std::pair<double, double> median_and_mad(const LossesOfClass<Loss, Weight>& negative,
                                         const LossesOfClass<Loss, Weight>& positive, double total) {
    struct Key {
        const Loss* losses;
        double operator()(std::size_t i) const { return (*losses)(i); }
    };
    const Key if_negative{&negative.loss}, if_positive{&positive.loss};
    const std::size_t negatives = negative.size, positives = positive.size;
    const std::array<Run<Key, Weight>, 2> losses = {
        {{0, negatives, true, if_negative, negative.weight},
         {0, positives, false, if_positive, positive.weight}}};
    const double m = weighted_median(losses, total);

    struct Deviation {
        Key loss;
        double m;
        double operator()(std::size_t i) const { return std::abs(loss(i) - m); }
    };
    // The deviation falls up to the row whose loss is m and then rises: two runs per class.
    const std::size_t negative_turn =
        first_where(0, negatives, [&](std::size_t i) { return if_negative(i) > m; });
    const std::size_t positive_turn =
        first_where(0, positives, [&](std::size_t i) { return if_positive(i) <= m; });
    const Deviation of_negative{if_negative, m}, of_positive{if_positive, m};
    const std::array<Run<Deviation, Weight>, 4> deviations = {
        {{0, negative_turn, false, of_negative, negative.weight},
         {negative_turn, negatives, true, of_negative, negative.weight},
         {0, positive_turn, false, of_positive, positive.weight},
         {positive_turn, positives, true, of_positive, positive.weight}}};
    return {m, weighted_median(deviations, total)};
}

// The loss of any row of a table, if its label is of one class; computed when a search asks for it.
struct AnyLoss {
    const double* scores;
    bool positive;
    double operator()(std::size_t i) const {
        return negative_log(positive ? scores[i] : 1.0 - scores[i]);
    }
};

inline std::pair<double, double> median_and_mad(const Counts& table) {
    const auto rows_of = [&](bool positive) {
        const double* counts = positive ? table.positive : table.negative;
        return LossesOfClass<AnyLoss, PrefixSum>{
            table.size, {table.score, positive}, {{counts, table.label, positive}, table.size}};
    };
    const auto negative = rows_of(false), positive = rows_of(true);
    return median_and_mad(negative, positive, negative.weight.total() + positive.weight.total());
}

}  // namespace lwcal
