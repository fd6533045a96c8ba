/// The calibrated domain: where a platform's own layouts lie, so that a forecast inside it
/// (interpolation) can be told from one outside (extrapolation).
///
/// A layout lies inside when, among the calibrated layouts of the same submitter, every number it
/// names is within the smallest and largest calibrated one, and every choice was seen.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/layout.hpp"

namespace qpcast::validate {

class CalibratedDomain {
 public:
  /// @param layouts  Platform::layouts. @throws InputError for one that is malformed
  explicit CalibratedDomain(const std::vector<std::string>& layouts);

  bool empty() const { return by_submitter_.empty(); }
  /// What leaves the domain, one text per key; empty: interpolation.
  std::vector<std::string> outside(const Layout& layout) const;

 private:
  struct Range {
    double lo = 0, hi = 0;
    std::set<double> values;
  };
  std::map<std::string, std::map<Key, Range>> by_submitter_;
};

}  // namespace qpcast::validate
