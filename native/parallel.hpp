// Process large arrays in pieces, on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <thread>
#include <vector>

namespace lwcal {

// Pieces have a fixed size and are combined in order, so results do not depend on the number of
// threads.
constexpr std::size_t kPiece = std::size_t{1} << 18;
constexpr std::size_t kMostThreads = 8;  // more threads would only wait for memory

inline std::size_t pieces_of(std::size_t n) { return (n + kPiece - 1) / kPiece; }

// Calls work(piece, begin, end) once for every piece of [0, n), in any order.
template <typename Work>
void for_each_piece(std::size_t n, Work work) {
    const std::size_t pieces = pieces_of(n);
    std::atomic<std::size_t> next{0};
    const auto run = [&] {
        for (std::size_t piece; (piece = next++) < pieces;)
            work(piece, piece * kPiece, std::min(n, (piece + 1) * kPiece));
    };
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    std::vector<std::thread> helpers;
    for (std::size_t t = 1; t < std::min({cores, pieces, kMostThreads}); ++t)
        helpers.emplace_back(run);
    run();
    for (std::thread& helper : helpers) helper.join();
}

}  // namespace lwcal
