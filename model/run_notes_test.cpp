#include "model/run_notes.hpp"

#include <catch2/catch.hpp>

using namespace qpcast;
using Outcome = PointNote::Outcome;

TEST_CASE("what is missing of several plans, without what a machine cannot measure") {
  RunNotes notes;
  notes.plans = {{"P", "emulated", "nic", "quick", {"a", "b", "c", "d"}},
                 {"P", "emulated", "nic", "full", {"c", "d", "e", "f"}}};
  notes.points = {{Outcome::skipped, {"b"}, "no inline data"},
                  {Outcome::failed, {"a"}, "timed out"},  // measured since
                  {Outcome::failed, {"e", "f"}, "in error"},
                  {Outcome::failed, {"e", "f"}, "in error again"}};
  const auto c = completeness(notes, {"a", "c", "other"});
  CHECK(c.plans == "quick, full");
  CHECK(c.asked == 5);
  CHECK(c.missing == 3);  // d, e, f
  CHECK(c.failed == 2);
  CHECK(c.first_reason == "in error");
}

TEST_CASE("a finished plan misses nothing, and a file without notes says nothing") {
  RunNotes notes;
  CHECK(completeness(notes, {"a"}).asked == 0);
  CHECK(completeness(notes, {"a"}).plans.empty());
  notes.plans = {{"P", "emulated", "nic", "quick", {"a"}},
                 {"P", "emulated", "nic", "quick", {"a", "b"}}};
  const auto c = completeness(notes, {"a", "b"});
  CHECK(c.plans == "quick");
  CHECK(c.missing == 0);
  CHECK(c.failed == 0);
}
