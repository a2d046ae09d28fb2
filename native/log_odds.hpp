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

// The node before each place, as a whole number, and the share of the row that belongs to the next
// one. Beyond the last node, the shares of the last two continue. NaN goes to the first node.
LWCAL_VECTORISE inline void divide_places(double* places, std::size_t n, const Nodes& nodes,
                                          double* before) {
    const double last = static_cast<double>(nodes.count - 2);
    for (std::size_t i = 0; i < n; ++i) {
        double node = 0.0 < places[i] ? places[i] : 0.0;
        node = node < last ? node : last;
        before[i] = static_cast<double>(static_cast<std::int32_t>(node));
        places[i] -= before[i];
    }
}

// What rows of both classes add to the two nodes around them.
struct NodeSums {
    double negative_below = 0.0, negative_above = 0.0, positive_below = 0.0, positive_above = 0.0;

    void add(double negative, double positive, double share) {
        negative_below += negative * (1.0 - share);
        negative_above += negative * share;
        positive_below += positive * (1.0 - share);
        positive_above += positive * share;
    }
};

// Adds each label to the two nodes around its row, in shares that keep the mean of the log-odds.
inline void spread_labels(const Counts& table, double clip, const Nodes& nodes, double* negatives,
                          double* positives) {
    std::fill_n(negatives, nodes.count, 0.0);
    std::fill_n(positives, nodes.count, 0.0);
    // rows in the order of their scores are around the same nodes for long, so sums are added late
    double node = 0.0;
    NodeSums sums;
    const auto finish_node = [&] {
        const auto at = static_cast<std::size_t>(node);
        negatives[at] += sums.negative_below;
        negatives[at + 1] += sums.negative_above;
        positives[at] += sums.positive_below;
        positives[at + 1] += sums.positive_above;
    };
    for_few_rows(table, [&](const Counts& rows) {
        double shares[FewCounts::most], before[FewCounts::most];
        places_of(rows.score, rows.size, clip, nodes, shares);
        divide_places(shares, rows.size, nodes, before);
        for (std::size_t i = 0; i < rows.size;) {
            if (before[i] != node) {
                finish_node();
                node = before[i];
                sums = {};
            }
            NodeSums here = sums;  // in registers
            for (; i < rows.size && before[i] == node; ++i)
                here.add(rows.negative[i], rows.positive[i], shares[i]);
            sums = here;
        }
    });
    finish_node();
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
