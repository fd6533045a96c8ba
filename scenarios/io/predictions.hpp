/// Predictions to JSON, "schema": "qpcast.prediction/1".
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/layout.hpp"
#include "model/prediction.hpp"

namespace qpcast::io {

nlohmann::ordered_json to_json(const Prediction& prediction, const std::string& platform,
                               const Layout& layout);

nlohmann::ordered_json to_json(const SimulatedLatency& latency);

}  // namespace qpcast::io
