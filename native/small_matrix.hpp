// Linear algebra with up to eight unknowns.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace lwcal {

constexpr std::size_t kMostUnknowns = 8;
using Vector = std::array<double, kMostUnknowns>;
using Square = std::array<Vector, kMostUnknowns>;

inline double dot(const Vector& a, const Vector& b, std::size_t size) {
    double sum = 0.0;
    for (std::size_t i = 0; i < size; ++i) sum += a[i] * b[i];
    return sum;
}

// The lower triangle whose product with its transpose is a symmetric matrix. False if that matrix
// is not positive definite.
inline bool factorise(const Square& matrix, std::size_t size, Square& root) {
    for (std::size_t row = 0; row < size; ++row)
        for (std::size_t column = 0; column <= row; ++column) {
            const double rest = matrix[row][column] - dot(root[row], root[column], column);
            if (column < row) {
                root[row][column] = rest / root[column][column];
            } else {
                if (!(rest > 0.0)) return false;
                root[row][row] = std::sqrt(rest);
            }
        }
    return true;
}

// x with root * x = b.
inline Vector solve_lower(const Square& root, const Vector& b, std::size_t size) {
    Vector x{};
    for (std::size_t row = 0; row < size; ++row)
        x[row] = (b[row] - dot(root[row], x, row)) / root[row][row];
    return x;
}

// x with root * transpose(root) * x = b.
inline Vector solve_factorised(const Square& root, const Vector& b, std::size_t size) {
    Vector x = solve_lower(root, b, size);
    for (std::size_t row = size; row-- > 0;) {
        for (std::size_t below = row + 1; below < size; ++below) x[row] -= root[below][row] * x[below];
        x[row] /= root[row][row];
    }
    return x;
}

inline Square inverse(const Square& root, std::size_t size) {
    Square found{};
    for (std::size_t column = 0; column < size; ++column) {
        Vector unit{};
        unit[column] = 1.0;
        found[column] = solve_factorised(root, unit, size);  // symmetric, so a row is a column
    }
    return found;
}

inline Square with_ridge(Square matrix, std::size_t size, double ridge) {
    for (std::size_t i = 0; i < size; ++i) matrix[i][i] += ridge;
    return matrix;
}

}  // namespace lwcal
