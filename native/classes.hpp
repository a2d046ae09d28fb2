// Noisy labels of several classes that follow a scaling: the clean probabilities of a row are
// softmax(matrix * x + intercepts), and a true class k has the label j with probability
// chances[k][j].
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "columns.hpp"
#include "elementary.hpp"
#include "parallel.hpp"
#include "sigmoids.hpp"

namespace lwcal {

// Features x are stored class by class, so that loops over rows vectorise.
struct ClassRows {
    const double* features;  // of shape (classes, rows)
    const std::int64_t* labels;
    const double* weights;
    std::size_t size, classes;
};

struct ClassModel {
    const double* matrix;      // (classes, classes), or its diagonal
    const double* intercepts;  // (classes,)
    const double* chances;     // (classes, classes): true class, label
    bool diagonal;
};

// Where each sum stands: the log likelihood, its gradients, and the expected number of rows of
// each label (first index) and true class (second).
struct ClassSums {
    std::size_t classes, of_matrix;
    explicit ClassSums(std::size_t k, bool diagonal)
        : classes(k), of_matrix(diagonal ? k : k * k) {}
    std::size_t intercepts() const { return 1; }
    std::size_t matrix() const { return 1 + classes; }
    std::size_t counts() const { return 1 + classes + of_matrix; }
    std::size_t size() const { return counts() + classes * classes; }
};

constexpr std::size_t kRowsInBlock = 128;     // their values stay in the cache
constexpr std::size_t kRowsInPiece = 1024;    // at least
constexpr std::size_t kMostPieces = 16;       // each has sums of its own

// log(x) for any positive normal number.
inline double log_wide(double x) {
    int exponent;
    const double fraction = std::frexp(x, &exponent);
    return log_of(fraction) + exponent * (kLn2High + kLn2Low);
}

// Four at a time: values that are loaded once serve four products.
LWCAL_VECTORISE inline void add_four_scaled(const double* from, const double* by, std::size_t n,
                                            double* to) {
    const double *a = from, *b = a + kRowsInBlock, *c = b + kRowsInBlock, *d = c + kRowsInBlock;
    for (std::size_t i = 0; i < n; ++i)
        to[i] += (by[0] * a[i] + by[1] * b[i]) + (by[2] * c[i] + by[3] * d[i]);
}

LWCAL_VECTORISE inline void add_four_sums(const double* values, const double* with, std::size_t n,
                                          double* sums) {
    double lanes[4][kLanes] = {};
    for (std::size_t i = 0; i < n; i += kLanes)
        for (std::size_t k = 0; k < 4; ++k)
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                lanes[k][lane] += values[i + lane] * with[k * kRowsInBlock + i + lane];
    for (std::size_t k = 0; k < 4; ++k)
        sums[k] += ((lanes[k][0] + lanes[k][1]) + (lanes[k][2] + lanes[k][3])) +
                   ((lanes[k][4] + lanes[k][5]) + (lanes[k][6] + lanes[k][7]));
}

// One block of rows, padded with rows of no weight.
class ClassBlock {
   public:
    ClassBlock(const ClassModel& model, std::size_t classes, std::vector<double>& sums)
        : model_(model),
          k_(classes),
          at_(classes, model.diagonal),
          x_(classes * kRowsInBlock),
          z_(classes * kRowsInBlock),
          by_label_(classes * classes),
          sums_(sums) {
        for (std::size_t k = 0; k < k_; ++k)
            for (std::size_t j = 0; j < k_; ++j) by_label_[j * k_ + k] = model.chances[k * k_ + j];
    }

    void add(const ClassRows& rows, std::size_t begin, std::size_t end) {
        const std::size_t n = fill(rows, begin, end);
        find_clean(n);
        for (std::size_t i = 0; i < end - begin; ++i)
            explain(rows.labels[begin + i], rows.weights[begin + i], i);
        for (std::size_t i = end - begin; i < n; ++i)
            for (std::size_t k = 0; k < k_; ++k) z_[k * kRowsInBlock + i] = 0.0;
        add_gradients(n);
    }

   private:
    std::size_t fill(const ClassRows& rows, std::size_t begin, std::size_t end) {
        const std::size_t n = end - begin, padded = (n + kLanes - 1) / kLanes * kLanes;
        for (std::size_t k = 0; k < k_; ++k) {
            double* x = &x_[k * kRowsInBlock];
            std::copy_n(rows.features + k * rows.size + begin, n, x);
            std::fill(x + n, x + padded, 0.0);
        }
        return padded;
    }

    // Leaves exponentials in z, and their sums in totals.
    void find_clean(std::size_t n) {
        for (std::size_t k = 0; k < k_; ++k) {
            double* z = &z_[k * kRowsInBlock];
            std::fill_n(z, n, model_.intercepts[k]);
            if (model_.diagonal) {
                add_scaled(&x_[k * kRowsInBlock], model_.matrix[k], n, z);
                continue;
            }
            const double* row = model_.matrix + k * k_;
            std::size_t j = 0;
            for (; j + 4 <= k_; j += 4) add_four_scaled(&x_[j * kRowsInBlock], row + j, n, z);
            for (; j < k_; ++j) add_scaled(&x_[j * kRowsInBlock], row[j], n, z);
        }
        std::copy_n(&z_[0], n, highest_);
        for (std::size_t k = 1; k < k_; ++k) raise_to(&z_[k * kRowsInBlock], n, highest_);
        std::fill_n(totals_, n, 0.0);
        for (std::size_t k = 0; k < k_; ++k) exponentials(highest_, n, &z_[k * kRowsInBlock], totals_);
    }

    // What the label of a row says: adds its log likelihood and expected true class, and leaves
    // the weighted residuals of the classes in z.
    void explain(std::int64_t label, double weight, std::size_t i) {
        const double* chances = &by_label_[label * k_];
        double* counts = &sums_[at_.counts() + label * k_];
        double explained = 0.0;
        for (std::size_t k = 0; k < k_; ++k) explained += z_[k * kRowsInBlock + i] * chances[k];
        sums_[0] += weight * (log_wide(explained) - log_of(totals_[i]));
        const double by_truth = weight / explained, by_clean = weight / totals_[i];
        for (std::size_t k = 0; k < k_; ++k) {
            double& z = z_[k * kRowsInBlock + i];
            const double expected = by_truth * (z * chances[k]);
            counts[k] += expected;
            z = expected - by_clean * z;
        }
    }

    void add_gradients(std::size_t n) {
        std::fill_n(totals_, n, 1.0);
        for (std::size_t k = 0; k < k_; ++k) {
            const double* residuals = &z_[k * kRowsInBlock];
            sums_[at_.intercepts() + k] += sum_of_products(residuals, totals_, n);
            if (model_.diagonal) {
                sums_[at_.matrix() + k] += sum_of_products(residuals, &x_[k * kRowsInBlock], n);
                continue;
            }
            double* row = &sums_[at_.matrix() + k * k_];
            std::size_t j = 0;
            for (; j + 4 <= k_; j += 4) add_four_sums(residuals, &x_[j * kRowsInBlock], n, row + j);
            for (; j < k_; ++j) row[j] += sum_of_products(residuals, &x_[j * kRowsInBlock], n);
        }
    }

    const ClassModel& model_;
    std::size_t k_;
    ClassSums at_;
    std::vector<double> x_, z_, by_label_;
    std::vector<double>& sums_;
    double highest_[kRowsInBlock], totals_[kRowsInBlock];
};

// The pieces depend on the number of rows alone, and are added up in order, so results do not
// depend on the number of threads.
inline std::vector<double> class_sums(const ClassRows& rows, const ClassModel& model) {
    const std::size_t pieces =
        std::clamp<std::size_t>(rows.size / kRowsInPiece, 1, kMostPieces);
    const std::size_t each = (rows.size + pieces - 1) / pieces;
    const std::size_t size = ClassSums(rows.classes, model.diagonal).size();
    std::vector<std::vector<double>> found(pieces);
    for_each_piece<1, 1>(pieces, [&](std::size_t piece, std::size_t, std::size_t) {
        std::vector<double> sums(size);
        ClassBlock block(model, rows.classes, sums);
        const std::size_t end = std::min(rows.size, (piece + 1) * each);
        for (std::size_t begin = std::min(end, piece * each); begin < end; begin += kRowsInBlock)
            block.add(rows, begin, std::min(end, begin + kRowsInBlock));
        found[piece] = std::move(sums);
    });
    for (std::size_t piece = 1; piece < pieces; ++piece)
        for (std::size_t s = 0; s < size; ++s) found[0][s] += found[piece][s];
    return std::move(found[0]);
}

}  // namespace lwcal
