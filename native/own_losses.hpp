// The losses of a table of few rows, computed once for the medians and for the weights.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "losses.hpp"
#include "parallel.hpp"

namespace lwcal {

// The rows of one class, in the order of their scores. Memory is kept for the next table.
class OwnRows {
   public:
    std::size_t size = 0;
    // First agreements of the score with the label, then losses, then what follows from these.
    double* losses() { return memory_.get(); }
    const double* losses() const { return memory_.get(); }
    double* counts() { return memory_.get() + room_; }
    const double* counts() const { return memory_.get() + room_; }

    void make_room(std::size_t rows) {
        if (rows <= room_) return;
        memory_ = std::make_unique_for_overwrite<double[]>(2 * rows);
        room_ = rows;
    }

   private:
    std::unique_ptr<double[]> memory_;
    std::size_t room_ = 0;
};

struct KnownLoss {
    const double* losses;
    double operator()(std::size_t i) const { return losses[i]; }
};

// Single rows weigh 1.
struct RowCount {
    double operator()(std::size_t i) const { return static_cast<double>(i); }
};

// Losses of the rows of each class that have a weight.
class OwnLosses {
   public:
    // More rows are searched for the medians without their losses, and weighed in several threads.
    static constexpr std::size_t most = kPiece;

    // Take the losses of another table.
    void read(const Counts& table) {
        counted_ = !table.label;
        for (OwnRows* rows : {&negative_, &positive_}) rows->make_room(table.size + 1);
        counted_ ? divide_counts(table) : divide_labels(table);
        for (OwnRows* rows : {&negative_, &positive_})
            log_losses(rows->losses(), rows->size, rows->losses());
    }

    std::pair<double, double> median_and_mad() const {
        if (!counted_)
            return lwcal::median_and_mad<KnownLoss, RowCount>(
                {negative_.size, {negative_.losses()}, {}},
                {positive_.size, {positive_.losses()}, {}},
                static_cast<double>(negative_.size + positive_.size));
        const auto rows_of = [](const OwnRows& rows) {
            return LossesOfClass<KnownLoss, PrefixSum>{
                rows.size, {rows.losses()}, {{rows.counts(), nullptr, false}, rows.size}};
        };
        const auto negative = rows_of(negative_), positive = rows_of(positive_);
        return lwcal::median_and_mad(negative, positive,
                                     negative.weight.total() + positive.weight.total());
    }

    OwnRows& negative() { return negative_; }
    OwnRows& positive() { return positive_; }

   private:
    // Which class comes next is as random as the labels, so there is no branch on it. One place
    // more than there are rows is written to.
    void divide_labels(const Counts& table) {
        double *negative = negative_.losses(), *positive = positive_.losses();
        std::size_t ones = 0;
        for (std::size_t i = 0; i < table.size; ++i) {
            negative[i - ones] = 1.0 - table.score[i];
            positive[ones] = table.score[i];
            ones += table.label[i] != 0;
        }
        negative_.size = table.size - ones;
        positive_.size = ones;
    }
    void divide_counts(const Counts& table) {
        double *negative = negative_.losses(), *positive = positive_.losses();
        double *negatives = negative_.counts(), *positives = positive_.counts();
        std::size_t zeros = 0, ones = 0;
        for (std::size_t i = 0; i < table.size; ++i) {
            const double n = table.negative[i], p = table.positive[i];
            negative[zeros] = 1.0 - table.score[i];
            negatives[zeros] = n;
            positive[ones] = table.score[i];
            positives[ones] = p;
            zeros += n > 0.0;
            ones += p > 0.0;
        }
        negative_.size = zeros;
        positive_.size = ones;
    }

    bool counted_ = false;
    OwnRows negative_, positive_;
};

inline std::pair<double, double> median_and_mad_of(const Counts& table) {
    if (table.size > OwnLosses::most) return median_and_mad(table);
    OwnLosses own;
    own.read(table);
    return own.median_and_mad();
}

}  // namespace lwcal
