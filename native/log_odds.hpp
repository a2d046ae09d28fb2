// Labels counted at evenly spaced log-odds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "losses.hpp"

namespace lwcal {

// Nodes at first, first + step, and so on.
struct Nodes {
    double first, step;
    std::size_t count;  // two or more
};

// Where the log-odds of a probability lie between nodes: 1.25 is a quarter of a step after the
// second node.
LWCAL_VECTORISE inline void places_of(const double* probabilities, std::size_t n, double clip,
                                      const Nodes& nodes, double* places) {
    for (std::size_t i = 0; i < n; ++i) {
        const double p = clipped(probabilities[i], clip, 1.0 - clip);
        places[i] = (log_of(p / (1.0 - p)) - nodes.first) / nodes.step;
    }
}

// Adds each label to the two nodes around its row, in shares that keep the mean of the log-odds.
// Beyond the last node, the shares of the last two continue.
inline void spread_labels(const Counts& table, double clip, const Nodes& nodes, double* negatives,
                          double* positives) {
    std::fill_n(negatives, nodes.count, 0.0);
    std::fill_n(positives, nodes.count, 0.0);
    const double last = static_cast<double>(nodes.count - 2);
    // rows in the order of their scores are around the same nodes for long, so sums are added late
    std::size_t node = 0;
    double below[2] = {}, above[2] = {};
    const auto add_sums = [&] {
        negatives[node] += below[0];
        negatives[node + 1] += above[0];
        positives[node] += below[1];
        positives[node + 1] += above[1];
        below[0] = below[1] = above[0] = above[1] = 0.0;
    };
    for_few_rows(table, [&](const Counts& rows) {
        double places[FewCounts::most];
        places_of(rows.score, rows.size, clip, nodes, places);
        for (std::size_t i = 0; i < rows.size; ++i) {
            // written so that NaN goes to the first node
            const auto next = static_cast<std::size_t>(std::min(std::max(0.0, places[i]), last));
            if (next != node) {
                add_sums();
                node = next;
            }
            const double share = places[i] - static_cast<double>(node);
            below[0] += rows.negative[i] * (1.0 - share);
            above[0] += rows.negative[i] * share;
            below[1] += rows.positive[i] * (1.0 - share);
            above[1] += rows.positive[i] * share;
        }
    });
    add_sums();
}

// Adds rows to the counts of their segments, each to the two nodes around it in the same shares.
// A row of `counts` is a segment. Rows without weights count 1.
inline void count_at_nodes(const double* probabilities, const double* weights,
                           const std::int64_t* segments, std::size_t n, double clip,
                           const Nodes& nodes, double* counts) {
    const double last = static_cast<double>(nodes.count - 2);
    double places[FewCounts::most];
    for (std::size_t begin = 0; begin < n; begin += FewCounts::most) {
        const std::size_t few = std::min(FewCounts::most, n - begin);
        places_of(probabilities + begin, few, clip, nodes, places);
        for (std::size_t i = 0; i < few; ++i) {
            const auto node = static_cast<std::size_t>(std::min(std::max(0.0, places[i]), last));
            const double share = places[i] - static_cast<double>(node);
            const double weight = weights ? weights[begin + i] : 1.0;
            const auto segment = static_cast<std::size_t>(segments[begin + i]);
            double* around = counts + segment * nodes.count + node;
            around[0] += weight * (1.0 - share);
            around[1] += weight * share;
        }
    }
}

}  // namespace lwcal
