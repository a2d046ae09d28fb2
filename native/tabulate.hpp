// Pool rows (score, label) to a table (score, negatives, positives).
//
// The sign bit of a score in [0, 1] is 0 unless the score is -0.0. The 64 bits, read as an
// integer, therefore order like the scores. A shift to the left drops the sign and leaves the
// last bit to the label:  key = bits(score) << 1 | label.
// Sorting keys sorts by score, then by label.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

#include "elementary.hpp"
#include "losses.hpp"
#include "parallel.hpp"

namespace lwcal {

inline std::uint64_t key_of(double score, std::uint8_t label) {
    return (std::bit_cast<std::uint64_t>(score) << 1) | label;
}

// An approximate median of the keys, from a few of them. Needs at least one row.
inline std::uint64_t middle_key(const double* scores, std::size_t n) {
    constexpr std::size_t samples = 255;
    std::vector<std::uint64_t> some;
    for (std::size_t i = 0; i < samples; ++i) some.push_back(key_of(scores[i * n / samples], 0));
    std::nth_element(some.begin(), some.begin() + samples / 2, some.end());
    return some[samples / 2];
}

// As many keys as one thread sorts in less time than another takes to start.
constexpr std::size_t kFewKeys = std::size_t{1} << 16;  // as SORT_IN_PARALLEL in tabulate.py

// Write the small keys from the left and the large keys from the right, so that both parts can be
// sorted at the same time. Returns the position of the first large key. Few keys are one part.
inline std::size_t label_keys(const double* scores, const std::uint8_t* labels, std::size_t n,
                              std::uint64_t* keys) {
    if (n < kFewKeys) {
        for (std::size_t i = 0; i < n; ++i) keys[i] = key_of(scores[i], labels[i]);
        return 0;
    }
    const std::uint64_t pivot = middle_key(scores, n);
    std::size_t left = 0, right = n;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t key = key_of(scores[i], labels[i]);
        const bool larger = key >= pivot;
        right -= larger;
        keys[larger ? right : left] = key;
        left += !larger;
    }
    return left;
}

// Split sorted keys into scores, in their own memory, and labels. Returns whether scores repeat.
// Without comparisons the loop vectorises.
LWCAL_VECTORISE inline bool split_keys(std::uint64_t* keys, std::size_t n, std::uint8_t* labels) {
    std::uint64_t least = ~std::uint64_t{0};  // difference of neighbours
    for (std::size_t i = 0; i < n; ++i) labels[i] = static_cast<std::uint8_t>(keys[i] & 1);
    for (std::size_t i = 0; i + 1 < n; ++i) {
        const std::uint64_t bits = keys[i] >> 1, difference = (keys[i + 1] >> 1) - bits;
        least = difference < least ? difference : least;
        keys[i] = bits;
    }
    keys[n - 1] >>= 1;
    return least == 0;
}

// The same for all rows, in parallel. Returns whether scores repeat.
inline bool split_rows(std::uint64_t* keys, std::size_t n, std::uint8_t* labels) {
    std::atomic<bool> ties{false};
    for_each_piece<kLightPiece>(n, [&](std::size_t, std::size_t begin, std::size_t end) {
        if (split_keys(keys + begin, end - begin, labels + begin)) ties = true;
    });
    for (std::size_t border = kLightPiece; border < n; border += kLightPiece)
        if (keys[border] == keys[border - 1]) ties = true;
    return ties;
}

// Pool rows whose scores repeat. The first entries of `bits` become the distinct scores.
// Returns their number.
inline std::size_t pool_rows(std::uint64_t* bits, const std::uint8_t* labels, std::size_t n,
                             double* negatives, double* positives) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < n; ++size) {
        const std::size_t start = i;
        const std::uint64_t score = bits[i];
        std::size_t positive = 0;
        do positive += labels[i];
        while (++i < n && bits[i] == score);
        bits[size] = score;
        negatives[size] = static_cast<double>(i - start - positive);
        positives[size] = static_cast<double>(positive);
    }
    return size;
}

// Number of rows per key, in the order of the keys.
struct KeyCount {
    std::uint64_t key, count;
};

// Count rows per key in a small hash table, for scores with few distinct values. Needs at least
// one row. Returns nullopt for more than `limit` keys, where sorting is faster.
inline std::optional<std::vector<KeyCount>> count_distinct(const double* scores,
                                                           const std::uint8_t* labels,
                                                           std::size_t n, std::size_t limit) {
    constexpr std::uint64_t empty = ~std::uint64_t{0};  // no score in [0, 1] has these bits
    const std::size_t slots = std::bit_ceil(4 * std::clamp<std::size_t>(limit, 1, n));
    const int shift = 64 - std::countr_zero(slots);
    std::vector<KeyCount> table(slots, KeyCount{empty, 0});
    std::size_t distinct = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t key = key_of(scores[i], labels[i]);
        std::size_t at = (key * 0x9E3779B97F4A7C15u) >> shift;  // Fibonacci hashing
        while (table[at].key != key) {
            if (table[at].key == empty) {
                if (++distinct > limit) return std::nullopt;
                table[at].key = key;
                break;
            }
            at = (at + 1) & (slots - 1);
        }
        ++table[at].count;
    }
    std::erase_if(table, [](const KeyCount& slot) { return slot.key == empty; });
    std::sort(table.begin(), table.end(), [](auto& a, auto& b) { return a.key < b.key; });
    return table;
}

// Pool counted keys. Returns the number of distinct scores.
inline std::size_t pool_counted(const std::vector<KeyCount>& counted, double* scores,
                                double* negatives, double* positives) {
    std::size_t size = 0;
    for (const auto& [key, count] : counted) {
        const double score = std::bit_cast<double>(key >> 1);
        if (size == 0 || scores[size - 1] != score) {
            scores[size] = score;
            negatives[size] = positives[size] = 0.0;
            ++size;
        }
        ((key & 1) ? positives : negatives)[size - 1] = static_cast<double>(count);
    }
    return size;
}

// Add two tables with increasing scores. Scores without weight are left out. Returns the number of
// scores. Which table comes next is as random as the scores, so there is no branch on it.
inline std::size_t add_tables(const Counts& a, const Counts& b, double* scores, double* negatives,
                              double* positives) {
    const auto negative = [](const Counts& t, std::size_t i) {
        return t.label ? 1.0 - static_cast<double>(t.label[i]) : t.negative[i];
    };
    const auto positive = [](const Counts& t, std::size_t i) {
        return t.label ? static_cast<double>(t.label[i]) : t.positive[i];
    };
    std::size_t size = 0, i = 0, j = 0;
    const auto add = [&](double score, double n, double p) {
        scores[size] = score;
        negatives[size] = n;
        positives[size] = p;
        size += n + p > 0.0;
    };
    while (i < a.size && j < b.size) {
        // as integers, which order like scores and take less time to compare
        const auto x = std::bit_cast<std::uint64_t>(a.score[i]);
        const auto y = std::bit_cast<std::uint64_t>(b.score[j]);
        const bool of_a = x <= y, of_b = y <= x;
        const double if_a = of_a, if_b = of_b;
        add(std::bit_cast<double>(std::min(x, y)), if_a * negative(a, i) + if_b * negative(b, j),
            if_a * positive(a, i) + if_b * positive(b, j));
        i += of_a;
        j += of_b;
    }
    for (; i < a.size; ++i) add(a.score[i], negative(a, i), positive(a, i));
    for (; j < b.size; ++j) add(b.score[j], negative(b, j), positive(b, j));
    return size;
}

}  // namespace lwcal
