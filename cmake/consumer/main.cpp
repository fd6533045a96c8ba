// A program outside the tree that uses the installed package: one forecast on default parameters.
#include <cstdio>

#include "model/analytic/analytic.hpp"

int main() {
  qpcast::Platform platform;
  platform.name = "defaults";
  qpcast::AnalyticSolver solver{platform};
  const auto layout = qpcast::parse_layout("qps=16;threads=16;batch=16", "consumer");
  const auto* rate = solver.predict(layout, nullptr).find(qpcast::Metric::rate);
  std::printf("consumer: %.1f Mmsg/s\n", rate ? rate->value : 0.0);
  return rate && rate->value > 0 ? 0 : 1;
}
