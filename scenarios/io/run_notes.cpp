#include "scenarios/io/run_notes.hpp"

#include <fmt/format.h>

#include "scenarios/io/json_reader.hpp"

namespace qpcast::io {

namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr const char* plan_schema = "qpcast.plan/1";
constexpr const char* point_schema = "qpcast.point/1";

std::vector<std::string> ids_of(ObjectReader& o) {
  const auto& list = o.member("rows");
  if (!list.is_array() || list.empty()) o.fail("rows", "an array of the ids of rows is right");
  std::vector<std::string> ids;
  for (const auto& id : list) {
    if (!id.is_string()) o.fail("rows", "an id is a string");
    ids.push_back(id.get<std::string>());
  }
  return ids;
}

PlanNote plan_from(ObjectReader& o) {
  PlanNote note;
  note.platform = o.text("platform");
  note.source = o.text("source", "");
  note.nic = o.text("nic", "");
  note.plan = o.text("plan");
  note.rows = ids_of(o);
  return note;
}

PointNote point_from(ObjectReader& o) {
  PointNote note;
  const auto outcome = o.text("outcome");
  if (outcome != "failed" && outcome != "skipped")
    o.fail("outcome", fmt::format("'{}' is not one of failed, skipped", outcome));
  note.outcome = outcome == "failed" ? PointNote::Outcome::failed : PointNote::Outcome::skipped;
  note.rows = ids_of(o);
  note.reason = o.text("reason");
  return note;
}

}  // namespace

std::string to_json_line(const PlanNote& note) {
  return ordered_json{{"schema", plan_schema}, {"platform", note.platform}, {"source", note.source},
                      {"nic", note.nic},       {"plan", note.plan},         {"rows", note.rows}}
      .dump();
}

std::string to_json_line(const PointNote& note) {
  return ordered_json{
      {"schema", point_schema},
      {"outcome", note.outcome == PointNote::Outcome::failed ? "failed" : "skipped"},
      {"rows", note.rows},
      {"reason", note.reason}}
      .dump();
}

bool take_note(const json& line, const std::string& source, RunNotes& notes) {
  if (!line.is_object() || !line.contains("schema")) return false;
  const auto& schema = line["schema"];
  if (schema != plan_schema && schema != point_schema) return false;
  ObjectReader o{line, source};
  o.require_schema(schema);
  if (schema == plan_schema)
    notes.plans.push_back(plan_from(o));
  else
    notes.points.push_back(point_from(o));
  o.finish();
  return true;
}

}  // namespace qpcast::io
