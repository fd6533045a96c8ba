/// The user asked to stop (SIGINT, SIGTERM, SIGHUP): thrown out of every wait.
#pragma once

#include <stdexcept>

namespace qpcast::hw {

class Interrupted : public std::runtime_error {
 public:
  Interrupted() : std::runtime_error{"interrupted; finished rows are kept"} {}
};

}  // namespace qpcast::hw
