// Weighted isotonic regression of the labels on the score (paper, Eq. 4 and 5).
// Adjacent violators are pooled in one pass over the pooled table.
#pragma once

#include <cmath>
#include <utility>
#include <vector>

#include "losses.hpp"
#include "own_losses.hpp"
#include "parallel.hpp"

namespace lwcal {

struct Block {
    double first, last;         // lowest and highest score
    double negative, positive;  // weight of the labels of each class
    double mean() const { return positive / (negative + positive); }
};

// Join each block to the one before if its mean is not above that one's, because isotonic
// regression makes the two equal. Returns the number of blocks left, the first ones of `joined`,
// which may be the memory of the blocks themselves.
//
// Which blocks join is as random as the labels, so a branch would often be predicted wrongly. The
// compiler makes none here: a sum is multiplied by 0 where a block starts.
template <typename BlockAt>
std::size_t join_falling(std::size_t n, BlockAt block_at, Block* joined) {
    std::size_t size = 0;
    double previous_mean = NAN, negative = 0.0, positive = 0.0;  // so the first block starts one
    for (std::size_t i = 0; i < n; ++i) {
        const Block next = block_at(i);
        if (next.negative + next.positive == 0.0) continue;  // weights can be 0 if the floor is 0
        const double mean = next.mean();
        const bool starts = !(mean <= previous_mean);  // a NaN starts one too
        previous_mean = mean;
        const double kept = 1.0 - static_cast<double>(starts);
        negative = kept * negative + next.negative;
        positive = kept * positive + next.positive;
        size += starts;
        joined[size - starts].first = next.first;  // unless it starts: a place not yet in use
        joined[size - 1].last = next.last;
        joined[size - 1].negative = negative;
        joined[size - 1].positive = positive;
    }
    return size;
}

class AdjacentViolators {
   public:
    // Counts of at most FewCounts::most scores, in their order, after those of earlier calls.
    void add(const Counts& rows) {
        Block few[FewCounts::most];
        const auto row = [&](std::size_t i) {
            return Block{rows.score[i], rows.score[i], rows.negative[i], rows.positive[i]};
        };
        std::size_t size = rows.size, left = join_falling(size, row, few);
        // a stack takes longer for a block than several rounds, so they go on while many join
        while (left > 1 && 4 * left <= 3 * size) {
            size = left;
            left = join_falling(size, [&](std::size_t i) { return few[i]; }, few);
        }
        for (std::size_t i = 0; i < left; ++i) push(few[i]);
    }
    // Add the blocks of a later part, which was pooled separately.
    void add(const std::vector<Block>& blocks) {
        for (const Block& block : blocks) push(block);
    }
    std::vector<Block> finish() { return std::move(blocks_); }

   private:
    void push(Block block) {
        while (!blocks_.empty() && blocks_.back().mean() >= block.mean()) {
            block.first = blocks_.back().first;
            block.negative += blocks_.back().negative;
            block.positive += blocks_.back().positive;
            blocks_.pop_back();
        }
        blocks_.push_back(block);
    }
    std::vector<Block> blocks_;
};

// Pool the pieces of a table in parallel, then pool the results.
// `weigh_rows` may replace the counts of a few rows by weights.
template <typename WeighRows>
std::vector<Block> pool_pieces(const Counts& table, WeighRows weigh_rows) {
    std::vector<std::vector<Block>> pieces(pieces_of(table.size));
    const auto pool = [&](std::size_t piece, std::size_t begin, std::size_t end) {
        AdjacentViolators violators;
        FewCounts room;
        for_few_rows(table.slice(begin, end),
                     [&](const Counts& rows) { violators.add(weigh_rows(rows, room)); });
        pieces[piece] = violators.finish();
    };
    // a whole piece takes several times as long as the start of a thread
    table.size < 2 * kPiece ? for_each_piece(table.size, pool)
                            : for_each_piece<kPiece, 1>(table.size, pool);
    if (pieces.size() == 1) return std::move(pieces[0]);
    AdjacentViolators whole;
    for (const auto& blocks : pieces) whole.add(blocks);
    return whole.finish();
}

inline std::vector<Block> isotonic(const Counts& table) {
    return pool_pieces(table, [](const Counts& rows, FewCounts&) { return rows; });
}

constexpr double kNegligible = 1e-300;  // same as in kernels/pure.py

// Bounded reliability weight of a loss (paper, Eq. 2).
struct Reliability {
    double m, rate, floor, ceiling;  // rate = 1 / scale
    double operator()(double loss) const {
        const double weight = 1.0 / (1.0 + exp_of((loss - m) * rate));
        const double counted = weight < kNegligible ? 0.0 : weight;
        const double raised = counted < floor ? floor : counted;
        return raised > ceiling ? ceiling : raised;
    }
};

// Multiply every label by its reliability. Most scores have labels of one class only, so one
// weight per row is computed, for that class. Returns whether some rows have both classes. Losses
// and weights have loops of their own: one loop for both would run out of registers.
LWCAL_VECTORISE inline bool weigh(const Counts& rows, Reliability reliability, double* negative,
                                  double* positive) {
    std::uint64_t both = 0;  // bits of the smaller counts: zero unless some row has both
    double weight[FewCounts::most];
    for (std::size_t i = 0; i < rows.size; ++i) {
        const double n = rows.negative[i], p = rows.positive[i];
        weight[i] = negative_log(p > 0.0 ? rows.score[i] : 1.0 - rows.score[i]);
        both |= std::bit_cast<std::uint64_t>(n < p ? n : p);
    }
    for (std::size_t i = 0; i < rows.size; ++i) weight[i] = reliability(weight[i]);
    for (std::size_t i = 0; i < rows.size; ++i) {
        negative[i] = rows.negative[i] * weight[i];
        positive[i] = rows.positive[i] * weight[i];
    }
    return both != 0;
}

// Replace agreements of a score with its label by their reliability.
LWCAL_VECTORISE inline void reliabilities(double* agreement, std::size_t n,
                                          Reliability reliability) {
    for (std::size_t i = 0; i < n; ++i) agreement[i] = reliability(negative_log(agreement[i]));
}

// Rows with both classes need a second weight, for their negative labels.
inline void weigh_negatives(const Counts& rows, Reliability reliability, double* negative) {
    std::size_t found[FewCounts::most], size = 0;
    double weight[FewCounts::most];
    for (std::size_t i = 0; i < rows.size; ++i) {
        found[size] = i;
        weight[size] = 1.0 - rows.score[i];
        size += (rows.negative[i] > 0.0) & (rows.positive[i] > 0.0);
    }
    reliabilities(weight, size, reliability);
    for (std::size_t k = 0; k < size; ++k) negative[found[k]] = rows.negative[found[k]] * weight[k];
}

// How reliabilities follow from the median of the losses and their deviation.
struct WeightRule {
    double mad_factor, epsilon, scale_floor, floor, ceiling;
    Reliability operator()(double m, double s) const {
        return {m, 1.0 / std::max(mad_factor * s + epsilon, scale_floor), floor, ceiling};
    }
};

// Isotonic regression with every label weighted by its reliability.
inline std::vector<Block> loss_weighted_isotonic(const Counts& table, Reliability reliability) {
    return pool_pieces(table, [&](const Counts& rows, FewCounts& weighted) -> Counts {
        if (weigh(rows, reliability, weighted.negative, weighted.positive))
            weigh_negatives(rows, reliability, weighted.negative);
        return {rows.score, weighted.negative, weighted.positive, nullptr, rows.size};
    });
}

struct LossWeightedFit {
    double m, s;
    std::vector<Block> blocks;
};

LWCAL_VECTORISE inline void reliabilities_of(double* losses, std::size_t n,
                                             Reliability reliability) {
    for (std::size_t i = 0; i < n; ++i) losses[i] = reliability(losses[i]);
}

// The same for a table of few rows, whose losses are known, and are replaced by reliabilities.
inline std::vector<Block> loss_weighted_isotonic(const Counts& table, Reliability reliability,
                                                 OwnLosses& own) {
    for (OwnRows* rows : {&own.negative(), &own.positive()}) {
        reliabilities_of(rows->losses(), rows->size, reliability);
        rows->losses()[rows->size] = 0.0;  // of the rows after the last one of a class
    }
    const double *negative = own.negative().losses(), *positive = own.positive().losses();
    return pool_pieces(table, [&](const Counts& rows, FewCounts& weighted) -> Counts {
        for (std::size_t i = 0; i < rows.size; ++i) {
            const double n = rows.negative[i], p = rows.positive[i];
            weighted.negative[i] = n * *negative;
            weighted.positive[i] = p * *positive;
            negative += n > 0.0;
            positive += p > 0.0;
        }
        return {rows.score, weighted.negative, weighted.positive, nullptr, rows.size};
    });
}

inline LossWeightedFit loss_weighted_fit(const Counts& table, const WeightRule& rule,
                                         OwnLosses& own) {
    if (table.size <= OwnLosses::most) {
        own.read(table);
        const auto [m, s] = own.median_and_mad();
        return {m, s, loss_weighted_isotonic(table, rule(m, s), own)};
    }
    const auto [m, s] = median_and_mad(table);
    return {m, s, loss_weighted_isotonic(table, rule(m, s))};
}

}  // namespace lwcal
