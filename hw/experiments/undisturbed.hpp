/// Which passes a row is made of when others use the machine too.
#pragma once

#include <vector>

namespace qpcast::hw {

struct TimedPass {
  double value = 0;     ///< of the row's metric
  double mhz = 0;       ///< observed clock of the producer's processor; 0: not observed
  bool shared = false;  ///< somebody else had a share of a processor before it was over
};

/// The passes that nobody disturbed; with less than two of those, the two whose clocks were the
/// quickest, undisturbed ones first. The choice never looks at what was measured.
std::vector<TimedPass> undisturbed(std::vector<TimedPass> passes);

}  // namespace qpcast::hw
