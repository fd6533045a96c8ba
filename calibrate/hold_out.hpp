/// Hold-out error: fit on half of the layouts, forecast the other half, and the other way round.
#pragma once

#include <vector>

#include "calibrate/calibrate.hpp"

namespace qpcast::calibrate {

/// The half (0 or 1) of a layout: from a hash of its text, so that all rows of a layout, and of the
/// layouts it is compared with, are on the same side of any machine.
int half_of(const Measurement& row);

/// One forecast of a row from a fit that saw no row of its layout.
struct HeldOut {
  Measurement row;
  Answer answer;
};

/// Both folds' forecasts, in input order.
/// @throws InputError when a half has no rows
std::vector<HeldOut> hold_out(const std::vector<Measurement>& rows,
                              const std::map<std::string, PlatformFacts>& facts,
                              const Presets& presets, const Options& options);

}  // namespace qpcast::calibrate
