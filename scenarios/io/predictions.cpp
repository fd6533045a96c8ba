#include "scenarios/io/predictions.hpp"

#include <cmath>

namespace qpcast::io {

nlohmann::ordered_json to_json(const SimulatedLatency& l) {
  auto buckets = nlohmann::ordered_json::array();
  for (const auto& b : l.histogram) buckets.push_back({b.us, b.count});
  return {{"count", l.count},
          {"mean", l.mean},
          {"p50", l.p50},
          {"p99", l.p99},
          {"p999", l.p999},
          {"unit", "us"},
          {"histogram", std::move(buckets)}};
}

namespace {

nlohmann::ordered_json report_json(const SimulationReport& s) {
  nlohmann::ordered_json half_width;  // null until there are enough batches for one
  if (std::isfinite(s.half_width)) half_width = s.half_width;
  return {{"seed", s.seed},
          {"messages", s.messages},
          {"warm_up", s.warm_up},
          {"stopping_rule", {{"half_width", s.sought}, {"messages", s.budget}}},
          {"rate_half_width", std::move(half_width)},
          {"converged", s.converged},
          {"simulated_us", s.simulated_us},
          {"latency", to_json(s.latency)},
          {"probe", to_json(s.probe)}};
}

}  // namespace

nlohmann::ordered_json to_json(const Prediction& prediction, const std::string& platform,
                               const Layout& layout) {
  nlohmann::ordered_json j;
  j["schema"] = "qpcast.prediction/1";
  j["platform"] = platform;
  j["layout"] = layout.to_string();
  j["solver"] = prediction.solver;
  j["emulated"] = prediction.emulated;
  auto& metrics = j["metrics"] = nlohmann::ordered_json::array();
  for (const auto& m : prediction.metrics)
    metrics.push_back({{"metric", metric_name(m.metric)},
                       {"value", m.estimate.value},
                       {"lo", m.estimate.lo},
                       {"hi", m.estimate.hi},
                       {"unit", metric_unit(m.metric)}});
  j["bottleneck"] = prediction.bottleneck;
  auto& stations = j["utilisation"] = nlohmann::ordered_json::object();
  for (const auto& s : prediction.stations) stations[s.name] = s.utilisation;
  if (prediction.simulation) j["simulation"] = report_json(*prediction.simulation);
  j["warnings"] = prediction.warnings;
  return j;
}

}  // namespace qpcast::io
