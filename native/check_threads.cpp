// Call the kernels that use several threads from several threads at once, for the thread sanitizer.
// It does not run inside Python. Exits with 1 if a result differs from that of a single caller.
#include <cstdio>
#include <cstring>
#include <thread>
#include <vector>

#include "interpolate.hpp"
#include "isotonic.hpp"
#include "tabulate.hpp"

using namespace lwcal;

constexpr std::size_t kRows = 3 * kLightPiece + 5;
constexpr int kCallers = 8, kRounds = 3;

struct Results {
    std::vector<double> interpolated = std::vector<double>(kRows), blocks;
    std::vector<std::uint64_t> keys = std::vector<std::uint64_t>(kRows);
    std::vector<std::uint8_t> labels = std::vector<std::uint8_t>(kRows);
    bool operator==(const Results&) const = default;
};

Results run(const std::vector<double>& scores, const std::vector<std::uint8_t>& labels) {
    Results found;
    const double x[] = {0.1, 0.4, 0.9}, y[] = {0.0, 0.5, 1.0};
    interpolate(scores.data(), kRows, x, y, 3, found.interpolated.data());
    label_keys(scores.data(), labels.data(), kRows, found.keys.data());
    std::sort(found.keys.begin(), found.keys.end());
    split_rows(found.keys.data(), kRows, found.labels.data());
    std::vector<double> distinct(kRows);
    std::memcpy(distinct.data(), found.keys.data(), kRows * sizeof(double));
    const Counts table{distinct.data(), nullptr, nullptr, found.labels.data(), kRows};
    for (const Block& block : isotonic(table)) found.blocks.push_back(block.mean());
    return found;
}

int main() {
    process_limit = 4;
    std::vector<double> scores(kRows);
    std::vector<std::uint8_t> labels(kRows);
    std::uint64_t state = 1;
    for (std::size_t i = 0; i < kRows; ++i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        scores[i] = static_cast<double>(state >> 11) * 0x1p-53;
        labels[i] = (state >> 7) % 3 == 0;
    }
    const Results expected = run(scores, labels);
    std::vector<Results> found(kCallers);
    for (int round = 0; round < kRounds; ++round) {
        std::vector<std::thread> callers;
        for (Results& result : found)
            callers.emplace_back([&] { result = run(scores, labels); });
        for (std::thread& caller : callers) caller.join();
        for (const Results& result : found)
            if (!(result == expected)) return std::puts("a result depends on the threads"), 1;
    }
    std::puts("no result depends on the threads");
}
