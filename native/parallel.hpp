// Process large arrays in pieces, on all cores.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace lwcal {

// Pieces have a fixed size and are combined in order, so results do not depend on the number of
// threads. A piece takes about as long as the start of a thread, so each thread gets several.
constexpr std::size_t kPiece = std::size_t{1} << 13;       // of work that takes 5 to 20 ns a row
constexpr std::size_t kLightPiece = std::size_t{1} << 17;  // of a single pass over memory

template <std::size_t size = kPiece>
std::size_t pieces_of(std::size_t n) {
    return (n + size - 1) / size;
}

// How many threads a call may use: in this process, and in this thread if it is not 0.
inline std::atomic<std::size_t> process_limit{1};
inline thread_local std::size_t thread_limit = 0;

// Threads at work in this process, over all calls at the same time. Calls from many threads share
// the cores: each starts helpers only for cores that are still free.
inline std::atomic<std::size_t> threads_at_work{0};

// Reserves threads for one call, the calling one included, and returns them at the end.
class Team {
   public:
    explicit Team(std::size_t wanted) {
        const std::size_t limit = thread_limit ? thread_limit : process_limit.load();
        const std::size_t most = std::max<std::size_t>(1, std::min(wanted, limit));
        std::size_t busy = threads_at_work;
        do {
            const std::size_t free = busy < limit ? limit - busy : 1;
            size_ = std::min(most, free);
        } while (!threads_at_work.compare_exchange_weak(busy, busy + size_));
    }
    ~Team() { threads_at_work -= size_; }
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    std::size_t size() const { return size_; }

   private:
    std::size_t size_;
};

// Whether this thread can throw. The first exception of a thread makes the system allocate memory
// for it, and without memory that ends the process. So it is done at the start, while there is room.
inline bool can_throw() {
    void* room = std::malloc(std::size_t{1} << 16);
    if (!room) return false;
    std::free(room);
    return std::uncaught_exceptions() >= 0;
}

// Calls work(piece, begin, end) once for every piece of [0, n), in any order, from as many threads
// as have `each` pieces to do. An exception of a helper is raised again in the calling thread. If
// no more helpers can be started, those that run do all the work.
template <std::size_t size = kPiece, std::size_t each = 2, typename Work>
void for_each_piece(std::size_t n, Work work) {
    const std::size_t pieces = pieces_of<size>(n);
    std::atomic<std::size_t> next{0};
    std::exception_ptr failure;
    std::mutex of_failure;
    const auto run = [&]() noexcept {
        try {
            for (std::size_t piece; (piece = next++) < pieces;)
                work(piece, piece * size, std::min(n, (piece + 1) * size));
        } catch (...) {
            const std::lock_guard<std::mutex> guard(of_failure);
            failure = std::current_exception();
            next = pieces;  // the others stop after their piece
        }
    };
    const Team team(pieces / each);
    std::vector<std::thread> helpers;
    helpers.reserve(team.size());
    try {
        const auto help = [&run]() noexcept {
            if (can_throw()) run();
        };
        for (std::size_t t = 1; t < team.size(); ++t) helpers.emplace_back(help);
    } catch (const std::exception&) {  // the system has no thread or no memory left for one
    }
    run();
    for (std::thread& helper : helpers) helper.join();
    if (failure) std::rethrow_exception(failure);
}

// The same for pieces of a length that is known only now. It must not depend on the threads.
template <typename Work>
void for_each_run(std::size_t n, std::size_t length, Work work) {
    for_each_piece<1>((n + length - 1) / length, [&](std::size_t run, std::size_t, std::size_t) {
        work(run, run * length, std::min(n, (run + 1) * length));
    });
}

// Calls work(k) once for every one of several things, each of which takes as long as a piece.
template <typename Things, typename Work>
void for_each_of(const Things& things, Work work) {
    for_each_piece<1>(things.size(), [&](std::size_t k, std::size_t, std::size_t) { work(k); });
}

}  // namespace lwcal
