// Process large arrays in pieces, on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lwcal {

// Pieces have a fixed size and are combined in order, so results do not depend on the number of
// threads.
constexpr std::size_t kPiece = std::size_t{1} << 18;
constexpr std::size_t kMostThreads = 8;  // more threads would only wait for memory

inline std::size_t pieces_of(std::size_t n) { return (n + kPiece - 1) / kPiece; }

// Calls work(piece, begin, end) once for every piece of [0, n), in any order. An exception of a
// helper is raised again in the calling thread. If no more helpers can be started, those that run
// do all the work.
template <typename Work>
void for_each_piece(std::size_t n, Work work) {
    const std::size_t pieces = pieces_of(n);
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex of_failure;
    const auto run = [&]() noexcept {
        try {
            for (std::size_t piece; (piece = next++) < pieces;)
                work(piece, piece * kPiece, std::min(n, (piece + 1) * kPiece));
        } catch (...) {
            const std::lock_guard<std::mutex> guard(of_failure);
            failure = std::current_exception();
            next = pieces;  // the others stop after their piece
        }
    };
    const std::size_t cores = std::max(1u, std::thread::hardware_concurrency());
    const std::size_t threads = std::min({cores, pieces, kMostThreads});
    std::vector<std::thread> helpers;
    helpers.reserve(threads);
    try {
        for (std::size_t t = 1; t < threads; ++t) helpers.emplace_back(run);
    } catch (const std::exception&) {  // the system has no thread or no memory left for one
    }
    run();
    for (std::thread& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace lwcal
