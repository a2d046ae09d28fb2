// Pool the rows (score, label) of many groups to a table each; see tabulate.hpp for the keys.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "parallel.hpp"
#include "tabulate.hpp"

namespace lwcal {

// Rows of groups, of which group k ends before row ends[k].
struct GroupEnds {
    const std::int64_t* ends;
    std::size_t count;

    std::size_t begin(std::size_t k) const { return k ? end(k - 1) : 0; }
    std::size_t end(std::size_t k) const { return static_cast<std::size_t>(ends[k]); }
};

// Calls use(group, begin, end) on neighbouring rows of one group: often all its rows are together.
template <typename Use>
void for_each_stretch(const std::int64_t* groups, std::size_t begin, std::size_t end, Use use) {
    while (begin < end) {
        const std::int64_t group = groups[begin];
        std::size_t to = begin + 1;
        while (to < end && groups[to] == group) ++to;
        use(group, begin, to);
        begin = to;
    }
}

// Write the keys of each group one after the other, in the order of the rows, and where each group
// ends. Groups must be numbers below `count`. Rows are counted first, so that every piece of them
// knows its places and all pieces are written at once.
inline void group_keys(const double* scores, const std::uint8_t* labels, const std::int64_t* groups,
                       std::size_t n, std::size_t count, std::uint64_t* keys, std::int64_t* ends) {
    const std::size_t piece = std::max(kLightPiece, 4 * count), pieces = (n + piece - 1) / piece;
    std::vector<std::int64_t> places(pieces * count, 0);
    for_each_run(n, piece, [&](std::size_t run, std::size_t begin, std::size_t end) {
        std::int64_t* counts = places.data() + run * count;
        for_each_stretch(groups, begin, end, [&](std::int64_t group, std::size_t i, std::size_t to) {
            counts[group] += static_cast<std::int64_t>(to - i);
        });
    });
    std::int64_t before = 0;
    for (std::size_t k = 0; k < count; ++k) {
        for (std::size_t run = 0; run < pieces; ++run) {
            const std::int64_t rows = places[run * count + k];
            places[run * count + k] = before;
            before += rows;
        }
        ends[k] = before;
    }
    for_each_run(n, piece, [&](std::size_t run, std::size_t begin, std::size_t end) {
        std::int64_t* next = places.data() + run * count;
        for_each_stretch(groups, begin, end, [&](std::int64_t group, std::size_t i, std::size_t to) {
            std::uint64_t* key = keys + next[group];
            next[group] += static_cast<std::int64_t>(to - i);
            for (; i < to; ++i) *key++ = key_of(scores[i], labels[i]);
        });
    });
}

// Split the sorted keys of each group into scores, in their own memory, and labels. Writes the
// number of distinct scores of each group, and returns whether any score repeats in its group.
inline bool split_groups(std::uint64_t* keys, const GroupEnds& groups, std::uint8_t* labels,
                         std::int64_t* sizes) {
    std::atomic<bool> ties{false};
    constexpr std::size_t some = 64;  // groups
    for_each_piece<some>(groups.count, [&](std::size_t, std::size_t k, std::size_t last) {
        for (; k < last; ++k) {
            const std::size_t begin = groups.begin(k), n = groups.end(k) - begin;
            sizes[k] = static_cast<std::int64_t>(n);
            if (n && split_keys(keys + begin, n, labels + begin)) {
                sizes[k] = -1;  // to be counted
                ties = true;
            }
        }
    });
    return ties;
}

// Pool the rows of groups in which scores repeat. The tables of the other groups stay as they are.
inline void pool_groups(std::uint64_t* bits, const std::uint8_t* labels, const GroupEnds& groups,
                        double* negatives, double* positives, std::int64_t* sizes) {
    constexpr std::size_t some = 64;
    for_each_piece<some>(groups.count, [&](std::size_t, std::size_t k, std::size_t last) {
        for (; k < last; ++k) {
            if (sizes[k] >= 0) continue;
            const std::size_t begin = groups.begin(k);
            sizes[k] = static_cast<std::int64_t>(
                pool_rows(bits + begin, labels + begin, groups.end(k) - begin, negatives + begin,
                          positives + begin));
        }
    });
}

}  // namespace lwcal
