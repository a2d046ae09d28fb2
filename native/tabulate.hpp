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

// Write the small keys from the left and the large keys from the right, so that both parts can be
// sorted at the same time. Returns the position of the first large key.
inline std::size_t label_keys(const double* scores, const std::uint8_t* labels, std::size_t n,
                              std::uint64_t* keys) {
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

// Pool sorted keys in place. The first entries of `keys` become the distinct scores.
// `count(i)` is the number of rows of the i-th key. Returns the number of scores.
template <typename Count>
std::size_t pool(std::uint64_t* keys, std::size_t n, Count count, double* negatives,
                 double* positives) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < n; ++size) {
        const std::uint64_t bits = keys[i] >> 1;
        double total = 0.0, positive = 0.0;
        do {
            const double rows = count(i);
            total += rows;
            positive += (keys[i] & 1) ? rows : 0.0;
        } while (++i < n && (keys[i] >> 1) == bits);
        keys[size] = bits;
        negatives[size] = total - positive;
        positives[size] = positive;
    }
    return size;
}

LWCAL_VECTORISE inline bool has_ties(const std::uint64_t* keys, std::size_t n) {
    bool tie = false;
    for (std::size_t i = 1; i < n; ++i) tie |= (keys[i] ^ keys[i - 1]) < 2;
    return tie;
}

// Pool keys whose scores are all different. Without comparisons the loop vectorises.
LWCAL_VECTORISE inline void unpack(std::uint64_t* keys, std::size_t n, double* negatives,
                                   double* positives) {
    constexpr std::uint64_t one = std::bit_cast<std::uint64_t>(1.0);
    for (std::size_t i = 0; i < n; ++i) {
        const std::uint64_t label = keys[i] & 1;
        keys[i] >>= 1;
        negatives[i] = std::bit_cast<double>(one * (1 - label));
        positives[i] = std::bit_cast<double>(one * label);
    }
}

inline std::size_t pool_rows(std::uint64_t* keys, std::size_t n, double* negatives,
                             double* positives) {
    std::atomic<bool> ties{false};
    for_each_piece(n, [&](std::size_t, std::size_t begin, std::size_t end) {
        const std::size_t overlap = begin > 0;  // include the pair across the border
        if (has_ties(keys + begin - overlap, end - begin + overlap)) ties = true;
    });
    if (ties) return pool(keys, n, [](std::size_t) { return 1.0; }, negatives, positives);
    for_each_piece(n, [&](std::size_t, std::size_t begin, std::size_t end) {
        unpack(keys + begin, end - begin, negatives + begin, positives + begin);
    });
    return n;
}

// Number of rows per key, in the order of the keys.
struct KeyCounts {
    std::vector<std::uint64_t> keys;
    std::vector<double> counts;
};

// Count rows per key in a small hash table, for scores with few distinct values. Needs at least
// one row. Returns nullopt for more than `limit` keys, where sorting is faster.
inline std::optional<KeyCounts> count_distinct(const double* scores, const std::uint8_t* labels,
                                               std::size_t n, std::size_t limit) {
    constexpr std::uint64_t empty = ~std::uint64_t{0};  // no score in [0, 1] has these bits
    const std::size_t slots = std::bit_ceil(4 * std::clamp<std::size_t>(limit, 1, n));
    const int shift = 64 - std::countr_zero(slots);
    struct Slot {
        std::uint64_t key, count;
    };
    std::vector<Slot> table(slots, Slot{empty, 0});
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
    std::erase_if(table, [](const Slot& slot) { return slot.key == empty; });
    std::sort(table.begin(), table.end(), [](auto& a, auto& b) { return a.key < b.key; });
    KeyCounts found;
    for (const Slot& slot : table) {
        found.keys.push_back(slot.key);
        found.counts.push_back(static_cast<double>(slot.count));
    }
    return found;
}

}  // namespace lwcal
