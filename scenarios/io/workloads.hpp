/// Workloads and fabrics from scenarios/workloads/*.json and scenarios/fabrics/*.json, and the
/// report of one on the other. scenarios/README.md explains the formats.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "model/fabric/fabric.hpp"
#include "model/fabric/report.hpp"
#include "model/fabric/workload.hpp"

namespace qpcast::io {

/// "schema": "qpcast.workload/1". @throws InputError with file and member
WorkloadSpec workload_from_json(const std::string& text, const std::string& source);
/// "schema": "qpcast.fabric/1". @throws InputError with file and member
Fabric fabric_from_json(const std::string& text, const std::string& source);

/// A file, or the name of one under scenarios/workloads. @throws InputError
WorkloadSpec read_workload(const std::string& name_or_path);
/// A file, or the name of one under scenarios/fabrics. @throws InputError
Fabric read_fabric(const std::string& name_or_path);

/// "schema": "qpcast.exchange/1"
nlohmann::ordered_json to_json(const WorkloadReport& report);

}  // namespace qpcast::io
