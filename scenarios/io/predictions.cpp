#include "scenarios/io/predictions.hpp"

namespace qpcast::io {

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
  j["warnings"] = prediction.warnings;
  return j;
}

}  // namespace qpcast::io
