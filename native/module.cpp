// The compiled kernels. Each has a twin of the same name in kernels/pure.py.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/tuple.h>

#include <tuple>
#include <utility>
#include <vector>

#include "array.hpp"
#include "grid.hpp"
#include "interpolate.hpp"
#include "isotonic.hpp"
#include "losses.hpp"
#include "sigmoids.hpp"
#include "tabulate.hpp"

namespace lwcal {

using Table = std::tuple<Out, Out, Out>;
using Knots = std::pair<Out, Out>;
using Bins = nb::ndarray<double, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;
using Column = nb::ndarray<const double, nb::ndim<1>, nb::device::cpu>;  // perhaps of a matrix
using Pairs = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
using Keys = nb::ndarray<std::uint64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

Counts counts_of(const In<double>& scores, const In<double>& negatives,
                 const In<double>& positives) {
    return {scores.data(), negatives.data(), positives.data(), scores.size()};
}

// Both ends of every block.
Knots knots_of(const std::vector<Block>& blocks) {
    std::vector<double> x, y;
    for (const Block& block : blocks) {
        const double mean = block.mean();
        x.push_back(block.first);
        y.push_back(mean);
        if (block.last > block.first) {
            x.push_back(block.last);
            y.push_back(mean);
        }
    }
    return {to_array(x), to_array(y)};
}

std::optional<Table> count_distinct_rows(In<double> scores, In<std::uint8_t> labels,
                                         std::size_t limit) {
    auto found = count_distinct(scores.data(), labels.data(), scores.size(), limit);
    if (!found) return std::nullopt;
    const std::size_t n = found->keys.size();
    Buffer<double> negatives(n), positives(n), distinct(n);
    const std::size_t size = pool(
        found->keys.data(), n, [&](std::size_t i) { return found->counts[i]; }, negatives.data(),
        positives.data());
    for (std::size_t i = 0; i < size; ++i)
        distinct.data()[i] = std::bit_cast<double>(found->keys[i]);
    return Table{distinct.release(size), negatives.release(size), positives.release(size)};
}

Table pool_sorted_keys(Keys keys) {
    const std::size_t n = keys.size();
    Buffer<double> negatives(n), positives(n);
    const std::size_t size = pool_rows(keys.data(), n, negatives.data(), positives.data());
    Out scores(keys.data(), {size}, nb::find(keys));  // the keys' own memory, read as doubles
    return {scores, negatives.release(size), positives.release(size)};
}

std::vector<Line> lines_of(const Column& slopes, const Column& intercepts) {
    std::vector<Line> lines(slopes.size());
    for (std::size_t k = 0; k < lines.size(); ++k) lines[k] = {slopes(k), intercepts(k)};
    return lines;
}

}  // namespace lwcal

NB_MODULE(compiled, m) {
    using namespace lwcal;
    m.doc() = "Compiled kernels; see lwcal.kernels.pure for what each computes.";
    m.def("count_distinct", &count_distinct_rows);
    m.def("count_on_grid", [](In<double> scores, In<std::uint8_t> labels,
                              std::optional<In<double>> weights, Bins bins) {
        const double* given = weights ? weights->data() : nullptr;
        nb::gil_scoped_release others_run;  // whoever makes the next batch need not wait
        const auto count = given ? count_on_grid<true> : count_on_grid<false>;
        count(scores.data(), labels.data(), given, scores.size(),
              reinterpret_cast<Bin*>(bins.data()), static_cast<double>(bins.shape(0) - 1));
    }, nb::arg("scores"), nb::arg("labels"), nb::arg("weights").none(), nb::arg("bins"));
    m.def("label_keys", [](In<double> scores, In<std::uint8_t> labels) {
        Buffer<std::uint64_t> keys(scores.size());
        const std::size_t middle =
            label_keys(scores.data(), labels.data(), scores.size(), keys.data());
        return std::pair(keys.release(scores.size()), middle);
    });
    m.def("pool_sorted_keys", &pool_sorted_keys);
    m.def("log_losses", [](In<double> agreement) {
        Buffer<double> out(agreement.size());
        log_losses(agreement.data(), agreement.size(), out.data());
        return out.release(agreement.size());
    });
    m.def("median_and_mad", [](In<double> scores, In<double> negatives, In<double> positives) {
        return median_and_mad(counts_of(scores, negatives, positives));
    });
    m.def("isotonic", [](In<double> scores, In<double> negatives, In<double> positives) {
        return knots_of(isotonic(counts_of(scores, negatives, positives)));
    });
    m.def("loss_weighted_isotonic",
          [](In<double> scores, In<double> negatives, In<double> positives, nb::callable scale_of,
             double floor, double ceiling) {
              const Counts table = counts_of(scores, negatives, positives);
              const auto [median, mad] = median_and_mad(table);
              const double rate = 1.0 / nb::cast<double>(scale_of(mad));
              auto [x, y] = knots_of(
                  loss_weighted_isotonic(table, Reliability{median, rate, floor, ceiling}));
              return std::tuple(median, mad, x, y);
          });
    m.def("interpolate", [](In<double> points, In<double> x, In<double> y) {
        Buffer<double> out(points.size());
        interpolate(points.data(), points.size(), x.data(), y.data(), x.size(), out.data());
        return out.release(points.size());
    });
    m.def("average_sigmoid", [](Column slopes, Column intercepts, In<double> weights,
                                In<double> z) {
        const std::vector<Line> lines = lines_of(slopes, intercepts);
        Buffer<double> out(z.size());
        average_sigmoid(lines.data(), weights.data(), lines.size(), z.data(), z.size(),
                        out.data());
        return out.release(z.size());
    });
    m.def("flipped_log_likelihood",
          [](Column slopes, Column intercepts, Pairs rates, double clip, In<double> z,
             In<double> negatives, In<double> positives) {
              const std::vector<Line> lines = lines_of(slopes, intercepts);
              std::vector<Flips> flips;
              for (std::size_t k = 0; k < lines.size(); ++k)
                  flips.push_back({rates(k, 0), rates(k, 1), clip});
              const Labels labels{z.data(), negatives.data(), positives.data(), z.size()};
              Buffer<double> out(lines.size());
              flipped_log_likelihood(lines.data(), flips.data(), lines.size(), labels, out.data());
              return out.release(lines.size());
          });
    m.def("flipped_derivatives", [](double slope, double intercept, double r0, double r1,
                                    double clip, In<double> z, In<double> negatives,
                                    In<double> positives) {
        const Labels labels{z.data(), negatives.data(), positives.data(), z.size()};
        const Derivatives found = flipped_derivatives({slope, intercept}, {r0, r1, clip}, labels);
        Buffer<double> gradient(4), information(16);
        std::copy_n(found.gradient, 4, gradient.data());
        std::copy_n(found.information[0], 16, information.data());
        return std::pair(gradient.release(4), information.release(4, 4));
    });
}
