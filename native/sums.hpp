// Sums over the rows of a table, in parallel and always in the same order.
#pragma once

#include <vector>

#include "losses.hpp"
#include "parallel.hpp"
#include "sigmoids.hpp"

namespace lwcal {

// The sum over all rows of what `sum_rows` finds for a few of them, always in the same order.
template <typename Sum, typename SumRows>
Sum sum_over(const Counts& table, SumRows sum_rows) {
    std::vector<Sum> pieces(pieces_of(table.size));
    for_each_piece(table.size, [&](std::size_t piece, std::size_t begin, std::size_t end) {
        for_few_rows(table.slice(begin, end), [&](const Counts& rows) {
            const SomeLabels some({rows.score, rows.negative, rows.positive, rows.size}, 0);
            pieces[piece].add(sum_rows(some));
        });
    });
    Sum whole;
    for (const Sum& piece : pieces) whole.add(piece);
    return whole;
}

}  // namespace lwcal
