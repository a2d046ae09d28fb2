// Python bindings of the compiled kernels. Each has a twin of the same name in kernels/pure.py.
//
// A binding checks the lengths and shapes of its arrays, because a wrong length would read or
// write beyond their memory. Callers check the values: scores in [0, 1], labels 0 or 1.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "array.hpp"
#include "classes.hpp"
#include "condense.hpp"
#include "grid.hpp"
#include "groups.hpp"
#include "interpolate.hpp"
#include "isotonic.hpp"
#include "log_odds.hpp"
#include "logistic.hpp"
#include "losses.hpp"
#include "metrics.hpp"
#include "noise_model.hpp"
#include "offsets.hpp"
#include "own_losses.hpp"
#include "parallel.hpp"
#include "regression.hpp"
#include "sigmoids.hpp"
#include "tabulate.hpp"
#include "within.hpp"

namespace lwcal {

using Table = std::tuple<Out, Out, Out>;
using Knots = std::pair<Out, Out>;
using Bins = nb::ndarray<double, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;
using Column = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;  // may be a matrix column
using Keys = nb::ndarray<std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

using AnyArray = nb::ndarray<const double, nb::c_contig, nb::device::cpu>;
using AnyColumn = nb::ndarray<nb::ro, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// A table as counts of both classes, or, without negatives, as the label of each single row.
Counts counts_of(const In<double>& scores, const std::optional<In<double>>& negatives,
                 const AnyColumn& positives) {
    require_not_empty("scores", scores.size());
    require_length("positives", positives.size(), scores.size());
    if (negatives) require_length("negatives", negatives->size(), scores.size());
    if (positives.dtype() != (negatives ? nb::dtype<double>() : nb::dtype<std::uint8_t>()))
        throw std::invalid_argument("positives must be float64, or uint8 without negatives.");
    const void* column = positives.data();
    if (negatives)
        return {scores.data(), negatives->data(), static_cast<const double*>(column), nullptr,
                scores.size()};
    return {scores.data(), nullptr, nullptr, static_cast<const std::uint8_t*>(column),
            scores.size()};
}

constexpr std::size_t kFewTables = 2;  // that a thread takes at once, and that share its memory

using Columns = std::tuple<In<double>, std::optional<In<double>>, AnyColumn>;

std::vector<Counts> counts_of_each(const std::vector<Columns>& tables) {
    std::vector<Counts> counts;
    counts.reserve(tables.size());
    for (const auto& [scores, negatives, positives] : tables)
        counts.push_back(counts_of(scores, negatives, positives));
    return counts;
}

Labels labels_of(const In<double>& z, const In<double>& negatives, const In<double>& positives) {
    require_length("negatives", negatives.size(), z.size());
    require_length("positives", positives.size(), z.size());
    return {z.data(), negatives.data(), positives.data(), z.size()};
}

std::vector<Line> lines_of(const Column& slopes, const Column& intercepts) {
    require_length("intercepts", intercepts.size(), slopes.size());
    std::vector<Line> lines(slopes.size());
    for (std::size_t k = 0; k < lines.size(); ++k) lines[k] = {slopes(k), intercepts(k)};
    return lines;
}

// Both ends of every block.
Knots knots_of(const std::vector<Block>& blocks) {
    Buffer<double> x(2 * blocks.size()), y(2 * blocks.size());
    std::size_t size = 0;
    const auto add = [&](double score, double mean) {
        x.data()[size] = score;
        y.data()[size++] = mean;
    };
    for (const Block& block : blocks) {
        const double mean = block.mean();
        add(block.first, mean);
        if (block.last > block.first) add(block.last, mean);
    }
    return {x.release(size), y.release(size)};
}

std::optional<Table> count_distinct_rows(In<double> scores, In<std::uint8_t> labels,
                                         std::size_t limit) {
    require_not_empty("scores", scores.size());
    require_length("labels", labels.size(), scores.size());
    const auto counted = unlocked(
        [&] { return count_distinct(scores.data(), labels.data(), scores.size(), limit); });
    if (!counted) return std::nullopt;
    Buffer<double> distinct(counted->size()), negatives(counted->size()),
        positives(counted->size());
    const std::size_t size =
        pool_counted(*counted, distinct.data(), negatives.data(), positives.data());
    return Table{distinct.release(size), negatives.release(size), positives.release(size)};
}

void count_rows_on_grid(In<double> scores, In<std::uint8_t> labels,
                        std::optional<In<double>> weights, Bins bins) {
    require_length("labels", labels.size(), scores.size());
    if (weights) require_length("weights", weights->size(), scores.size());
    require_not_empty("bins", bins.shape(0));
    if (!within(scores.data(), scores.size(), 0.0, 1.0))  // each one is an address
        throw std::invalid_argument("scores must lie in [0, 1].");
    const double* given = weights ? weights->data() : nullptr;
    const auto count = given ? count_on_grid<true> : count_on_grid<false>;
    unlocked([&] {
        count(scores.data(), labels.data(), given, scores.size(),
              reinterpret_cast<Bin*>(bins.data()), static_cast<double>(bins.shape(0) - 1));
    });
}

auto keys_of_rows(In<double> scores, In<std::uint8_t> labels) {
    require_not_empty("scores", scores.size());
    require_length("labels", labels.size(), scores.size());
    Buffer<std::uint64_t> keys(scores.size());
    const std::size_t middle = unlocked(
        [&] { return label_keys(scores.data(), labels.data(), scores.size(), keys.data()); });
    return std::pair(keys.release(scores.size()), middle);
}

nb::object pool_sorted_keys(Keys keys) {
    const std::size_t n = keys.size();
    require_not_empty("keys", n);
    Buffer<std::uint8_t> labels(n);
    const bool ties = unlocked([&] { return split_rows(keys.data(), n, labels.data()); });
    // the keys' own memory, read as doubles
    const auto scores = [&](std::size_t size) { return Out(keys.data(), {size}, nb::find(keys)); };
    if (!ties) return nb::make_tuple(scores(n), nb::none(), labels.release(n));
    Buffer<double> negatives(n), positives(n);
    const std::size_t size = unlocked([&] {
        return pool_rows(keys.data(), labels.data(), n, negatives.data(), positives.data());
    });
    return nb::make_tuple(scores(size), negatives.release(size), positives.release(size));
}

auto keys_of_groups(In<double> scores, In<std::uint8_t> labels, In<std::int64_t> groups,
                    std::size_t count) {
    const std::size_t n = scores.size();
    require_length("labels", labels.size(), n);
    require_length("groups", groups.size(), n);
    Buffer<std::uint64_t> keys(n);
    Buffer<std::int64_t> ends(count);
    unlocked([&] {
        const auto most = static_cast<std::int64_t>(count);
        bool known = true;  // each one is an address
        for (std::size_t i = 0; i < n; ++i) known &= groups(i) >= 0 && groups(i) < most;
        if (!known) throw std::invalid_argument("groups must be numbers below their count.");
        group_keys(scores.data(), labels.data(), groups.data(), n, count, keys.data(),
                   ends.data());
    });
    return std::pair(keys.release(n), ends.release(count));
}

nb::object pool_sorted_groups(Keys keys, In<std::int64_t> ends) {
    const std::size_t n = keys.size(), count = ends.size();
    for (std::size_t k = 0; k < count; ++k)
        if (ends(k) < (k ? ends(k - 1) : 0))
            throw std::invalid_argument("ends must never fall.");
    require_length("keys", n, count ? static_cast<std::size_t>(ends(count - 1)) : 0);
    const GroupEnds groups{ends.data(), count};
    Buffer<std::uint8_t> labels(n);
    Buffer<std::int64_t> sizes(count);
    const bool ties =
        unlocked([&] { return split_groups(keys.data(), groups, labels.data(), sizes.data()); });
    nb::object negatives = nb::none(), positives = nb::none();
    if (ties) {
        Buffer<double> of_negatives(n), of_positives(n);
        unlocked([&] {
            pool_groups(keys.data(), labels.data(), groups, of_negatives.data(),
                        of_positives.data(), sizes.data());
        });
        negatives = nb::cast(of_negatives.release(n));
        positives = nb::cast(of_positives.release(n));
    }
    // the keys' own memory, read as doubles
    const Out scores(keys.data(), {n}, nb::find(keys));
    return nb::make_tuple(scores, labels.release(n), negatives, positives, sizes.release(count));
}

Table sum_of_tables(In<double> scores, std::optional<In<double>> negatives, AnyColumn positives,
                    In<double> other_scores, std::optional<In<double>> other_negatives,
                    AnyColumn other_positives) {
    const Counts one = counts_of(scores, negatives, positives);
    const Counts other = counts_of(other_scores, other_negatives, other_positives);
    const std::size_t most = one.size + other.size;
    Buffer<double> sum(most), of_negatives(most), of_positives(most);
    const std::size_t size = unlocked([&] {
        return add_tables(one, other, sum.data(), of_negatives.data(), of_positives.data());
    });
    return Table{sum.release(size), of_negatives.release(size), of_positives.release(size)};
}

using Matrix = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

auto sums_with_each(std::vector<Columns> tables, In<double> scores, Matrix negatives,
                    Matrix positives) {
    const std::vector<Counts> counts = counts_of_each(tables);
    const std::size_t size = scores.size();
    for (const Matrix& added : {negatives, positives}) {
        require_length("a matrix", added.shape(0), counts.size());
        require_length("a row of a matrix", added.shape(1), size);
    }
    struct Sum {
        explicit Sum(std::size_t most) : scores(most), negatives(most), positives(most) {}
        Buffer<double> scores, negatives, positives;
        std::size_t size = 0;
    };
    std::vector<Sum> sums;
    sums.reserve(counts.size());
    for (const Counts& table : counts) sums.emplace_back(table.size + size);
    unlocked([&] {
        for_each_of(counts, [&](std::size_t k) {
            const Counts added{scores.data(), negatives.data() + k * size,
                               positives.data() + k * size, nullptr, size};
            Sum& sum = sums[k];
            sum.size = add_tables(counts[k], added, sum.scores.data(), sum.negatives.data(),
                                  sum.positives.data());
        });
    });
    std::vector<Table> found;
    found.reserve(sums.size());
    for (Sum& sum : sums)
        found.emplace_back(sum.scores.release(sum.size), sum.negatives.release(sum.size),
                           sum.positives.release(sum.size));
    return found;
}

auto sums_of_blocks(In<double> scores, std::optional<In<double>> negatives, AnyColumn positives,
                    In<std::int64_t> starts) {
    const Counts table = counts_of(scores, negatives, positives);
    const std::size_t blocks = starts.size();
    for (std::size_t k = 0; k < blocks; ++k)
        if (starts(k) <= (k ? starts(k - 1) : -1) ||
            starts(k) >= static_cast<std::int64_t>(table.size))
            throw std::invalid_argument("starts must increase and lie in the table.");
    Buffer<double> negative(blocks), positive(blocks), score(blocks);
    unlocked([&] {
        block_sums(table, starts.data(), blocks, negative.data(), positive.data(), score.data());
    });
    return Table{negative.release(blocks), positive.release(blocks), score.release(blocks)};
}

Knots fit_isotonic(In<double> scores, std::optional<In<double>> negatives, AnyColumn positives) {
    const Counts table = counts_of(scores, negatives, positives);
    return knots_of(unlocked([&] { return isotonic(table); }));
}

auto median_and_deviation(In<double> scores, std::optional<In<double>> negatives,
                          AnyColumn positives) {
    const Counts table = counts_of(scores, negatives, positives);
    return unlocked([&] { return median_and_mad_of(table); });
}

auto totals_of_classes(std::vector<Columns> tables, double threshold) {
    const std::vector<Counts> counts = counts_of_each(tables);
    Buffer<double> totals(4 * counts.size());
    constexpr std::size_t some = 16;  // tables
    unlocked([&] {
        for_each_piece<some>(counts.size(), [&](std::size_t, std::size_t k, std::size_t end) {
            for (; k < end; ++k) {
                const ClassTotals found = class_totals(counts[k], threshold);
                double* row = totals.data() + 4 * k;
                row[0] = found.negative_below;
                row[1] = found.positive_below;
                row[2] = found.negative_above;
                row[3] = found.positive_above;
            }
        });
    });
    return totals.release(counts.size(), 4);
}

using LossWeightedKnots = std::tuple<double, double, Out, Out>;

LossWeightedKnots knots_of(const LossWeightedFit& fit) {
    auto [x, y] = knots_of(fit.blocks);
    return {fit.m, fit.s, x, y};
}

auto fit_loss_weighted(In<double> scores, std::optional<In<double>> negatives,
                       AnyColumn positives, double mad_factor, double epsilon, double scale_floor,
                       double floor, double ceiling) {
    const Counts table = counts_of(scores, negatives, positives);
    const WeightRule rule{mad_factor, epsilon, scale_floor, floor, ceiling};
    OwnLosses own;
    return knots_of(unlocked([&] { return loss_weighted_fit(table, rule, own); }));
}

auto fit_each_loss_weighted(std::vector<Columns> tables, double mad_factor, double epsilon,
                            double scale_floor, double floor, double ceiling) {
    const std::vector<Counts> counts = counts_of_each(tables);
    const WeightRule rule{mad_factor, epsilon, scale_floor, floor, ceiling};
    std::vector<LossWeightedFit> fits(counts.size());
    unlocked([&] {
        const auto fit = [&](std::size_t, std::size_t k, std::size_t end) {
            OwnLosses own;
            for (; k < end; ++k) fits[k] = loss_weighted_fit(counts[k], rule, own);
        };
        for_each_piece<kFewTables, 1>(counts.size(), fit);
    });
    std::vector<LossWeightedKnots> found;
    found.reserve(fits.size());
    for (const LossWeightedFit& fit : fits) found.push_back(knots_of(fit));
    return found;
}

auto errors_of_classes(In<double> scores, std::optional<In<double>> negatives,
                       AnyColumn positives) {
    const Counts table = counts_of(scores, negatives, positives);
    const ClassErrors found = unlocked([&] { return class_errors(table); });
    return std::tuple(found.negative, found.positive, found.negative_squares,
                      found.positive_squares);
}

double sum_of_log_losses(In<double> scores, std::optional<In<double>> negatives,
                         AnyColumn positives, double clip) {
    // the logarithm is made for [2^-60, 2^60]
    if (!(clip >= 0x1p-60 && clip <= 0.5)) throw std::invalid_argument("clip must be positive.");
    const Counts table = counts_of(scores, negatives, positives);
    return unlocked([&] { return log_loss(table, clip); });
}

double count_ranked_pairs(In<double> scores, std::optional<In<double>> negatives,
                          AnyColumn positives) {
    const Counts table = counts_of(scores, negatives, positives);
    return unlocked([&] { return ranked_pairs(table); });
}

Out residuals_in_cells(In<double> scores, std::optional<In<double>> negatives,
                       AnyColumn positives, std::size_t count) {
    const Counts table = counts_of(scores, negatives, positives);
    require_not_empty("cells", count);
    Buffer<double> cells(count);
    unlocked([&] { spread_residuals(table, count, cells.data()); });
    return cells.release(count);
}

Nodes checked_nodes(double clip, double first, double step, std::size_t count) {
    // the logarithm is made for [2^-60, 2^60]
    if (!(clip >= 0x1p-60 && clip <= 0.5)) throw std::invalid_argument("clip must be positive.");
    if (!(step > 0.0)) throw std::invalid_argument("step must be positive.");
    if (count < 2) throw std::invalid_argument("nodes must be two or more.");
    return {first, step, count};
}

using Cells = nb::ndarray<double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

void count_rows_at_nodes(In<double> probabilities, std::optional<In<double>> weights,
                         In<std::int64_t> segments, double clip, double first, double step,
                         Cells counts) {
    const std::size_t n = probabilities.size();
    if (weights) require_length("weights", weights->size(), n);
    require_length("segments", segments.size(), n);
    const Nodes nodes = checked_nodes(clip, first, step, counts.shape(1));
    const auto most = static_cast<std::int64_t>(counts.shape(0));
    unlocked([&] {
        bool known = true;  // each one is an address
        for (std::size_t i = 0; i < n; ++i) known &= segments(i) >= 0 && segments(i) < most;
        if (!known) throw std::invalid_argument("segments must be rows of counts.");
        count_at_nodes(probabilities.data(), weights ? weights->data() : nullptr, segments.data(),
                       n, clip, nodes, counts.data());
    });
}

auto labels_at_nodes(In<double> probabilities, std::vector<Columns> tables, double clip,
                     double first, double step, std::size_t count) {
    const Nodes nodes = checked_nodes(clip, first, step, count);
    std::vector<Counts> counts = counts_of_each(tables);
    std::size_t rows = 0;
    for (Counts& table : counts) {
        table.score = probabilities.data() + rows;
        rows += table.size;
    }
    require_length("probabilities", probabilities.size(), rows);
    Buffer<double> negatives(counts.size() * count), positives(counts.size() * count);
    unlocked([&] {
        for_each_of(counts, [&](std::size_t k) {
            spread_labels(counts[k], clip, nodes, negatives.data() + k * count,
                          positives.data() + k * count);
        });
    });
    return std::pair(negatives.release(counts.size(), count),
                     positives.release(counts.size(), count));
}

auto curvature_at_offsets(In<double> log_odds, Matrix negatives, Matrix positives,
                          In<double> offsets, double flipped, double right) {
    const std::size_t segments = offsets.size(), nodes = log_odds.size();
    for (const Matrix& counts : {negatives, positives}) {
        require_length("a matrix", counts.shape(0), segments);
        require_length("a row of a matrix", counts.shape(1), nodes);
    }
    Buffer<double> gradients(segments), informations(segments);
    constexpr std::size_t some = 256;  // segments of about a hundred nodes
    unlocked([&] {
        for_each_piece<some>(segments, [&](std::size_t, std::size_t begin, std::size_t end) {
            for (std::size_t k = begin; k < end; ++k) {
                const NodeCounts rows{log_odds.data(), negatives.data() + k * nodes,
                                      positives.data() + k * nodes, nodes};
                const Curvature found = curvature_of(rows, offsets(k), {flipped, right});
                gradients.data()[k] = found.gradient;
                informations.data()[k] = found.information;
            }
        });
    });
    return std::pair(gradients.release(segments), informations.release(segments));
}

auto logistic_loss(In<double> scores, std::optional<In<double>> negatives, AnyColumn positives,
                   double if_positive, double if_negative, double a, double b, double c,
                   bool of_logs) {
    const Counts table = counts_of(scores, negatives, positives);
    const LogisticSums found = unlocked([&] {
        return logistic_sums(table, {if_positive, if_negative}, {a, b, c}, of_logs);
    });
    const double* sums = found.of;
    Buffer<double> gradient(3), hessian(9);
    std::copy_n(sums + 1, 3, gradient.data());
    for (int row = 0, next = 4; row < 3; ++row)
        for (int column = row; column < 3; ++column, ++next)
            hessian.data()[3 * row + column] = hessian.data()[3 * column + row] = sums[next];
    return std::tuple(sums[0], gradient.release(3), hessian.release(3, 3));
}

Out interpolate_points(In<double> points, In<double> x, In<double> y) {
    require_not_empty("x", x.size());
    require_length("y", y.size(), x.size());
    Buffer<double> out(points.size());
    unlocked([&] {
        interpolate(points.data(), points.size(), x.data(), y.data(), x.size(), out.data());
    });
    return out.release(points.size());
}

template <auto add>
Out average_of_lines(Column slopes, Column intercepts, In<double> weights, In<double> z) {
    const std::vector<Line> lines = lines_of(slopes, intercepts);
    require_length("weights", weights.size(), lines.size());
    Buffer<double> out(z.size());
    unlocked([&] {
        average(add, lines.data(), weights.data(), lines.size(), z.data(), z.size(), out.data());
    });
    return out.release(z.size());
}

Out sums_of_sigmoids(Column slopes, Column intercepts, In<double> z, In<double> weights) {
    const std::vector<Line> lines = lines_of(slopes, intercepts);
    require_length("weights", weights.size(), z.size());
    Buffer<double> out(lines.size());
    unlocked([&] {
        sigmoid_sums(lines.data(), lines.size(), z.data(), weights.data(), z.size(), out.data());
    });
    return out.release(lines.size());
}

auto sigmoids_of_lines(Column slopes, Column intercepts, In<double> z) {
    const std::vector<Line> lines = lines_of(slopes, intercepts);
    const std::size_t n = z.size();
    Buffer<double> out(lines.size() * n);
    unlocked([&] {
        for (std::size_t k = 0; k < lines.size(); ++k)
            sigmoids_of(lines[k], z.data(), n, out.data() + k * n);
    });
    return out.release(lines.size(), n);
}

using Cube = nb::ndarray<const double, nb::ndim<3>, nb::c_contig, nb::device::cpu>;

NoisePrior noise_prior_of(const In<double>& numbers) {
    require_length("prior", numbers.size(), 11);
    const double* at = numbers.data();
    if (!(at[6] >= 0.0 && at[6] <= 2.0)) throw std::invalid_argument("a family must have 0 to 2 rates.");
    const RateFamily rates{static_cast<std::size_t>(at[6]), at[7], at[8], at[9], at[10]};
    return {at[0], at[1], at[2], at[3], at[4], at[5], rates};
}

NoisePosterior noise_posterior_of(const In<double>& prior, double clip, const In<double>& z,
                                  const In<double>& negatives, const In<double>& positives,
                                  const In<double>& checked_z, const In<double>& true_negatives,
                                  const In<double>& true_positives,
                                  const In<double>& labels_of_checked) {
    require_length("labels_of_checked", labels_of_checked.size(), 4);
    const double* of_checked = labels_of_checked.data();
    return {noise_prior_of(prior), {labels_of(z, negatives, positives),
                                    labels_of(checked_z, true_negatives, true_positives),
                                    {of_checked[0], of_checked[1]},
                                    {of_checked[2], of_checked[3]},
                                    clip}};
}

Out parameters_of(const Mode& mode, std::size_t size) {
    Buffer<double> out(size);
    std::copy_n(mode.parameters.data(), size, out.data());
    return out.release(size);
}

auto information_of(const Mode& mode, std::size_t size) {
    Buffer<double> out(size * size);
    for (std::size_t row = 0; row < size; ++row)
        std::copy_n(mode.information.matrix[row].data(), size, out.data() + row * size);
    return out.release(size, size);
}

// What draws from a posterior around its mode take.
template <typename Density>
struct Proposed {
    Density density;
    Vector mode;
    Square information;
    StandardPoints standard;

    Proposed(const Density& density, const In<double>& given_mode, const Matrix& given_information,
             const Cube& points, double log_constant)
        : density(density),
          mode{},
          information{},
          standard{points.data(), points.shape(0), points.shape(1), log_constant} {
        const std::size_t size = density.size();
        require_length("mode", given_mode.size(), size);
        require_length("information", given_information.shape(0), size);
        require_length("a row of information", given_information.shape(1), size);
        require_length("a point of standard", points.shape(2), size);
        require_not_empty("standard", points.shape(0) * points.shape(1));
        std::copy_n(given_mode.data(), size, mode.data());
        for (std::size_t row = 0; row < size; ++row)
            std::copy_n(given_information.data() + row * size, size, information[row].data());
    }
    WeightedPoints draws() const { return draw_from(density, mode, information, standard); }
};

auto mode_of_noise(In<double> prior, double clip, In<double> z, In<double> negatives,
                   In<double> positives, In<double> checked_z, In<double> true_negatives,
                   In<double> true_positives, In<double> labels_of_checked) {
    const NoisePosterior posterior =
        noise_posterior_of(prior, clip, z, negatives, positives, checked_z, true_negatives,
                           true_positives, labels_of_checked);
    const Mode mode = unlocked([&] { return find_mode(posterior, posterior.start()); });
    return std::pair(parameters_of(mode, posterior.size()),
                     information_of(mode, posterior.size()));
}

auto columns_of(const NoisePosterior& posterior, const WeightedPoints& draws) {
    const std::size_t count = draws.points.count();
    const std::vector<Line> lines = posterior.lines({draws.points, 0, count});
    const std::vector<Rates> of_rates = posterior.rates({draws.points, 0, count});
    Buffer<double> slopes(count), intercepts(count), rates(2 * count);
    for (std::size_t k = 0; k < count; ++k) {
        slopes.data()[k] = lines[k].slope;
        intercepts.data()[k] = lines[k].intercept;
        rates.data()[2 * k] = of_rates[k].r0;
        rates.data()[2 * k + 1] = of_rates[k].r1;
    }
    return std::tuple(slopes.release(count), intercepts.release(count), rates.release(count, 2),
                      to_array(draws.log_weights));
}

// Prior, mode, information, standard proposal and the log of its constant, clip, evidence.
using NoiseTask = std::tuple<In<double>, In<double>, Matrix, Cube, double, double, In<double>,
                             In<double>, In<double>, In<double>, In<double>, In<double>,
                             In<double>>;

nb::list draws_of_noise(const std::vector<NoiseTask>& tasks) {
    std::vector<Proposed<NoisePosterior>> proposed;
    for (const NoiseTask& task : tasks)
        proposed.push_back(std::apply(
            [](const auto& prior, const auto& mode, const auto& information, const auto& standard,
               double log_constant, double clip, const auto&... evidence) {
                return Proposed<NoisePosterior>(noise_posterior_of(prior, clip, evidence...), mode,
                                                information, standard, log_constant);
            },
            task));
    const std::size_t count = proposed.size();
    std::vector<std::optional<WeightedPoints>> draws(count);
    unlocked([&] {
        // the last ones first: they have most parameters, and take longest
        for_each_piece<1>(count, [&](std::size_t k, std::size_t, std::size_t) {
            draws[count - 1 - k] = proposed[count - 1 - k].draws();
        });
        return 0;
    });
    nb::list found;
    for (std::size_t k = 0; k < count; ++k)
        found.append(columns_of(proposed[k].density, *draws[k]));
    return found;
}

// The prior has a row of mean, standard deviation and 1 or 0 for each coefficient.
Regression regression_of(const Matrix& features, const In<double>& offset,
                         const In<double>& negatives, const In<double>& positives,
                         const Matrix& prior) {
    const std::size_t size = features.shape(0);
    require_not_empty("features", size);
    if (size > kMostUnknowns) throw std::invalid_argument("features must be eight or fewer.");
    require_length("a row of features", features.shape(1), offset.size());
    require_length("prior", prior.shape(0), size);
    require_length("a row of prior", prior.shape(1), 3);
    std::vector<Coefficient> coefficients;
    for (std::size_t j = 0; j < size; ++j)
        coefficients.push_back({prior(j, 2) != 0.0, prior(j, 0), prior(j, 1)});
    return {features.data(), labels_of(offset, negatives, positives), coefficients};
}

auto mode_of_regression(Matrix features, In<double> offset, In<double> negatives,
                        In<double> positives, Matrix prior, In<double> start) {
    const Regression regression =
        regression_of(features, offset, negatives, positives, prior);
    const std::size_t size = regression.size();
    require_length("start", start.size(), size);
    Vector first{};
    std::copy_n(start.data(), size, first.data());
    const Mode mode = unlocked([&] { return find_mode(regression, first); });
    return std::tuple(mode.height, parameters_of(mode, size), information_of(mode, size));
}

auto draws_of_regression(Matrix features, In<double> offset, In<double> negatives,
                         In<double> positives, Matrix prior, In<double> mode, Matrix information,
                         Cube standard, double log_constant) {
    const Regression regression =
        regression_of(features, offset, negatives, positives, prior);
    const Proposed<Regression> proposed(regression, mode, information, standard, log_constant);
    const WeightedPoints draws = unlocked([&] { return proposed.draws(); });
    const std::size_t size = regression.size(), count = draws.points.count();
    Buffer<double> points(size * count);
    std::copy_n(draws.points.of(0), size * count, points.data());
    return std::pair(points.release(size, count), to_array(draws.log_weights));
}

auto likelihood_of_classes(Matrix features, In<std::int64_t> labels, In<double> weights,
                           AnyArray matrix, In<double> intercepts, Matrix chances) {
    const std::size_t k = features.shape(0), n = features.shape(1);
    require_not_empty("features", k * n);
    require_length("labels", labels.size(), n);
    require_length("weights", weights.size(), n);
    require_length("intercepts", intercepts.size(), k);
    require_length("chances", chances.shape(0), k);
    require_length("a row of chances", chances.shape(1), k);
    const bool diagonal = matrix.ndim() == 1;
    require_length("matrix", matrix.shape(0), k);
    if (!diagonal) require_length("a row of matrix", matrix.shape(1), k);
    for (std::size_t i = 0; i < n; ++i)
        if (labels.data()[i] < 0 || labels.data()[i] >= static_cast<std::int64_t>(k))
            throw std::invalid_argument("a label must be the number of a class.");
    const ClassRows rows{features.data(), labels.data(), weights.data(), n, k};
    const ClassModel model{static_cast<const double*>(matrix.data()), intercepts.data(),
                           chances.data(), diagonal};
    const std::vector<double> sums = unlocked([&] { return class_sums(rows, model); });
    const ClassSums at(k, diagonal);
    Buffer<double> by_matrix(at.of_matrix), by_intercepts(k), counts(k * k);
    std::copy_n(&sums[at.matrix()], at.of_matrix, by_matrix.data());
    std::copy_n(&sums[at.intercepts()], k, by_intercepts.data());
    std::copy_n(&sums[at.counts()], k * k, counts.data());
    return std::tuple(sums[0], by_matrix.release(at.of_matrix), by_intercepts.release(k),
                      counts.release(k, k));
}

}  // namespace lwcal

NB_MODULE(compiled, m) {
    using namespace lwcal;
    m.doc() = "Compiled kernels; lwcal.kernels.pure documents what each computes.";
    m.def("within", [](In<double> values, double low, double high) {
        return unlocked([&] { return within(values.data(), values.size(), low, high); });
    });
    m.def("count_distinct", &count_distinct_rows);
    // An array that the kernel writes to must not be converted: the copy would be written to.
    m.def("count_on_grid", &count_rows_on_grid, nb::arg("scores"), nb::arg("labels"),
          nb::arg("weights").none(), nb::arg("bins").noconvert());
    m.def("label_keys", &keys_of_rows);
    m.def("pool_sorted_keys", &pool_sorted_keys, nb::arg("keys").noconvert());
    m.def("group_keys", &keys_of_groups);
    m.def("pool_sorted_groups", &pool_sorted_groups, nb::arg("keys").noconvert(), nb::arg("ends"));
    m.def("add_tables", &sum_of_tables, nb::arg("scores"), nb::arg("negatives").none(),
          nb::arg("positives"), nb::arg("other_scores"), nb::arg("other_negatives").none(),
          nb::arg("other_positives"));
    m.def("add_to_each", &sums_with_each);
    m.def("log_losses", [](In<double> agreement) {
        Buffer<double> out(agreement.size());
        unlocked([&] { log_losses(agreement.data(), agreement.size(), out.data()); });
        return out.release(agreement.size());
    });
    m.def("median_and_mad", &median_and_deviation, nb::arg("scores"), nb::arg("negatives").none(),
          nb::arg("positives"));
    m.def("isotonic", &fit_isotonic, nb::arg("scores"), nb::arg("negatives").none(),
          nb::arg("positives"));
    m.def("class_totals", &totals_of_classes);
    m.def("class_errors", &errors_of_classes, nb::arg("scores"), nb::arg("negatives").none(),
          nb::arg("positives"));
    m.def("log_loss", &sum_of_log_losses, nb::arg("scores"), nb::arg("negatives").none(),
          nb::arg("positives"), nb::arg("clip"));
    m.def("ranked_pairs", &count_ranked_pairs, nb::arg("scores"), nb::arg("negatives").none(),
          nb::arg("positives"));
    m.def("spread_residuals", &residuals_in_cells, nb::arg("scores"), nb::arg("negatives").none(),
          nb::arg("positives"), nb::arg("cells"));
    m.def("spread_labels", &labels_at_nodes);
    m.def("count_at_nodes", &count_rows_at_nodes, nb::arg("probabilities"),
          nb::arg("weights").none(), nb::arg("segments"), nb::arg("clip"), nb::arg("first"),
          nb::arg("step"), nb::arg("counts").noconvert());
    m.def("block_sums", &sums_of_blocks, nb::arg("scores"), nb::arg("negatives").none(),
          nb::arg("positives"), nb::arg("starts"));
    m.def("loss_weighted_isotonic", &fit_loss_weighted, nb::arg("scores"),
          nb::arg("negatives").none(), nb::arg("positives"), nb::arg("mad_factor"),
          nb::arg("epsilon"), nb::arg("scale_floor"), nb::arg("floor"), nb::arg("ceiling"));
    m.def("loss_weighted_isotonics", &fit_each_loss_weighted);
    m.def("logistic_loss", &logistic_loss, nb::arg("scores"), nb::arg("negatives").none(),
          nb::arg("positives"), nb::arg("if_positive"), nb::arg("if_negative"), nb::arg("a"),
          nb::arg("b"), nb::arg("c"), nb::arg("of_logs"));
    m.def("interpolate", &interpolate_points);
    m.def("average_sigmoid", &average_of_lines<add_sigmoid>);
    m.def("average_entropy", &average_of_lines<add_entropy>);
    m.def("sigmoid_sums", &sums_of_sigmoids);
    m.def("offset_curvature", &curvature_at_offsets);
    m.def("sigmoids", &sigmoids_of_lines);
    m.def("noise_mode", &mode_of_noise);
    m.def("noise_draws", &draws_of_noise);
    m.def("regression_mode", &mode_of_regression);
    m.def("regression_draws", &draws_of_regression);
    m.def("class_likelihood", &likelihood_of_classes);
    m.def("set_thread_limit", [](std::size_t threads, bool for_process) {
        if (for_process)
            process_limit = threads;
        else
            thread_limit = threads;
    });
}
