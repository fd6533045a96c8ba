/// What `qpcast calibrate` prints.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "calibrate/calibrate.hpp"
#include "calibrate/hold_out.hpp"
#include "calibrate/identifiability.hpp"

namespace qpcast::cli {

void print_warnings(const calibrate::Warnings& warnings);
void print_rows(const calibrate::Calibration& c);
void print_summary(const calibrate::Calibration& c);
void print_intervals(const char* title, const std::vector<calibrate::Interval>& intervals);
void print_transfer(const std::vector<calibrate::Transferred>& list);
void print_identifiability(const std::string& platform, const calibrate::Identifiability& result);
/// Errors of forecasts from a fit to the other half of the layouts.
void print_hold_out(const std::vector<calibrate::HeldOut>& held_out);
nlohmann::ordered_json hold_out_to_json(const std::vector<calibrate::HeldOut>& held_out);

}  // namespace qpcast::cli
