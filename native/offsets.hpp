// How the likelihood of a segment's labels changes with an offset of its log-odds.
#pragma once

#include <cstddef>
#include <limits>

#include "elementary.hpp"

namespace lwcal {

// Probability of a positive label of a row in either true class: rises with the first.
struct LabelNoise {
    double flipped, right;
};

// The labels of a segment, counted at log-odds.
struct NodeCounts {
    const double* log_odds;
    const double* negative;
    const double* positive;
    std::size_t size;
};

// Slope of the log-likelihood, and Fisher's information.
struct Curvature {
    double gradient = 0.0, information = 0.0;
};

LWCAL_VECTORISE inline Curvature curvature_of(const NodeCounts& rows, double offset,
                                              LabelNoise noise) {
    constexpr double least = 1e-300, most = 1.0 - std::numeric_limits<double>::epsilon();
    constexpr std::size_t lanes = 8;  // independent chains, so the adds overlap
    double gradient[lanes] = {}, information[lanes] = {};
    const double rise = noise.right - noise.flipped;
    for (std::size_t i = 0; i < rows.size; i += lanes) {
        const std::size_t here = rows.size - i < lanes ? rows.size - i : lanes;
        for (std::size_t lane = 0; lane < here; ++lane) {
            const double truth = 1.0 / (1.0 + exp_of(-(rows.log_odds[i + lane] + offset)));
            const double label = clipped(noise.flipped + rise * truth, least, most);
            const double slope = rise * truth * (1.0 - truth);
            const double change = slope / (label * (1.0 - label));
            const double positive = rows.positive[i + lane];
            const double total = rows.negative[i + lane] + positive;
            gradient[lane] += change * (positive - total * label);
            information[lane] += total * change * slope;
        }
    }
    Curvature found;
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        found.gradient += gradient[lane];
        found.information += information[lane];
    }
    return found;
}

}  // namespace lwcal
