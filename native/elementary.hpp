// Logarithm and exponential, written out.
//
// The C library is not used for two reasons. Its last bit differs between platforms, and the
// weights amplify that bit when the median absolute deviation is near zero. The compiler also
// cannot vectorise library calls. Both functions are branch-free and accurate to about one unit
// in the last place over the ranges used here.
#pragma once

#include <bit>
#include <cstdint>

// Also compile the marked loops for wider vector registers. The version is chosen when the module
// loads, which needs gcc and glibc. That is before the thread sanitizer is ready.
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && \
    !defined(__SANITIZE_THREAD__)
#define LWCAL_VECTORISE __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define LWCAL_VECTORISE
#endif

namespace lwcal {

// The larger of two numbers, and a number within limits; none of them is NaN. ARM has one
// instruction for the function, and eight for the comparison. With x86 it is the other way round.
#if defined(__aarch64__)
inline double larger(double x, double y) { return __builtin_fmax(x, y); }
inline double clipped(double x, double low, double high) {
    return __builtin_fmin(__builtin_fmax(x, low), high);
}
#else
inline double larger(double x, double y) { return x < y ? y : x; }
inline double clipped(double x, double low, double high) {
    x = x < low ? low : x;
    return x > high ? high : x;
}
#endif

constexpr double kLn2High = 0x1.62e42feep-1;  // ln 2 in two parts: k * high is exact for small k
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

// log(x) for x in [2^-60, 2^60].
inline double log_of(double x) {
    // x = 2^k * f with f in [sqrt(1/2), sqrt(2)); the bias keeps the shifted integer positive
    constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcd, bias = 64;
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t exponent = (bits - sqrt_half + (bias << 52)) >> 52;
    const double f = std::bit_cast<double>(bits - ((exponent - bias) << 52));
    // writing an integer below 2^52 into the fraction of 2^52 converts it to a double
    const double k = std::bit_cast<double>(exponent | 0x4330000000000000) - (0x1p52 + bias);
    // log f = 2 atanh(s) with s = (f - 1) / (f + 1), |s| <= 0.1716; series up to s^19, in pairs
    // of terms that do not wait for each other
    const double s = (f - 1.0) / (f + 1.0);
    const double z = s * s;
    const double z2 = z * z, z4 = z2 * z2;
    const double tail =
        z * (((1.0 / 3 + z * (1.0 / 5)) + z2 * (1.0 / 7 + z * (1.0 / 9))) +
             z4 * (((1.0 / 11 + z * (1.0 / 13)) + z2 * (1.0 / 15 + z * (1.0 / 17))) +
                   z4 * (1.0 / 19)));
    return k * kLn2High + (2.0 * s + (2.0 * s * tail + k * kLn2Low));
}

// exp(x), with x clipped to [-700, 700].
inline double exp_of(double x) {
    x = clipped(x, -700.0, 700.0);
    constexpr double magic = 0x1.8p52;  // adding it rounds to an integer, kept in the low bits
    const double shifted = x * 0x1.71547652b82fep0 + magic;
    const double k = shifted - magic;
    const double r = (x - k * kLn2High) - k * kLn2Low;  // |r| <= ln(2) / 2
    // Taylor series up to r^13, in pairs of terms too
    const double r2 = r * r, r4 = r2 * r2;
    const double rest =
        ((1.0 / 2 + r * (1.0 / 6)) + r2 * (1.0 / 24 + r * (1.0 / 120))) +
        r4 * (((1.0 / 720 + r * (1.0 / 5040)) + r2 * (1.0 / 40320 + r * (1.0 / 362880))) +
              r4 * ((1.0 / 3628800 + r * (1.0 / 39916800)) +
                    r2 * (1.0 / 479001600 + r * (1.0 / 6227020800))));
    const double e = 1.0 + (r + r2 * rest);
    // times 2^k: add k to the exponent
    return std::bit_cast<double>(std::bit_cast<std::uint64_t>(e) +
                                 (std::bit_cast<std::uint64_t>(shifted) << 52));
}

}  // namespace lwcal
