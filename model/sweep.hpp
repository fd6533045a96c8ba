/// Sweep: the layouts of a product of value lists, one at a time and in a fixed order.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/layout.hpp"

namespace qpcast {

/// Expands one value expression: `a,b,c`, `1..64*2` (geometric) or `1..10+3` (arithmetic, step 1
/// when omitted). @throws InputError for malformed or empty ranges
std::vector<std::string> expand_values(const std::string& key, const std::string& expression,
                                       const std::string& source);

/// A product of lists. Memory grows with the lists, not with the product.
class Sweep {
 public:
  /// @param items  `key=expression` strings; a key may appear once
  Sweep(const std::vector<std::string>& items, const Layout& base, const std::string& source);

  std::uint64_t size() const { return size_; }
  /// The i-th layout; the last key varies fastest. May contradict itself: see Layout::check.
  Layout at(std::uint64_t i) const;
  /// Keys with more than one value, in order: the columns of a result.
  const std::vector<std::string>& swept() const { return swept_; }

 private:
  struct Axis {
    std::string key;
    std::vector<std::string> texts;
    std::vector<Layout> parsed;  ///< one layout per value, with only this key set
  };
  Layout base_;
  std::vector<Axis> axes_;
  std::vector<std::string> swept_;
  std::uint64_t size_ = 1;
};

}  // namespace qpcast
