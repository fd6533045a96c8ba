#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "cli/context.hpp"
#include "cli/terminal.hpp"
#include "scenarios/io/platforms.hpp"

namespace qpcast::cli {

namespace {

const char* provenance_name(Provenance p) {
  return p == Provenance::fitted ? "fitted" : p == Provenance::published ? "published" : "assumed";
}

void print_overview(const std::map<std::string, Platform>& platforms) {
  Table table{{"<platform", "fitted", "assumed", "SM clock, MHz", "link, Gbit/s",
               "<calibrated from", "<description"}};
  for (const auto& [name, p] : platforms) {
    const auto fitted =
        std::count_if(p.parameters.begin(), p.parameters.end(),
                      [](const Parameter& q) { return q.provenance == Provenance::fitted; });
    table.row({name, fmt::format("{}", fitted),
               fmt::format("{}", p.parameters.size() - static_cast<std::size_t>(fitted)),
               number(p.facts.sm_clock_mhz), number(p.facts.link_gbit_per_s),
               p.calibrated_from + (p.emulated ? " (emulated)" : ""), p.facts.description});
  }
  fmt::print("{}\nqpcast platforms NAME lists a platform's parameters with their rows.\n",
             table.text());
}

void print_parameters(const Platform& p) {
  fmt::print("{}: {}{}\nfacts: {}\n\n", p.name, p.facts.description,
             p.emulated ? " (emulated)" : "", p.facts.source);
  Table table{{"<parameter", "value", "90 % lo", "hi", "<unit", "<provenance", "<rows or note"}};
  for (const auto& q : p.parameters) {
    auto rows = fmt::format(
        "{}", fmt::join(q.rows.begin(),
                        q.rows.begin() + static_cast<long>(std::min<std::size_t>(3, q.rows.size())),
                        " "));
    if (q.rows.size() > 3) rows += fmt::format(" and {} more", q.rows.size() - 3);
    table.row({q.name, number(q.value), number(q.lo), number(q.hi), q.unit,
               provenance_name(q.provenance),
               q.note.empty() ? rows
               : rows.empty() ? q.note
                              : rows + "; " + q.note});
  }
  fmt::print("{}", table.text());
}

}  // namespace

void add_platforms(CLI::App& app, int&) {
  auto* sub = app.add_subcommand("platforms", "What is known of each platform, with provenance");
  const auto name = std::make_shared<std::string>();
  const auto json = std::make_shared<bool>(false);
  sub->add_option("platform", *name, "A platform's name or .json file: list its parameters");
  sub->add_flag("--json", *json, "The platform file itself");
  sub->footer("Examples:\n  qpcast platforms\n  qpcast platforms P-IB");
  sub->callback([name, json] {
    if (name->empty() && *json) {
      auto list = nlohmann::ordered_json::array();
      for (const auto& [n, p] : load_platforms())
        list.push_back(nlohmann::ordered_json::parse(io::to_json(p)));
      fmt::print(
          "{}\n",
          nlohmann::ordered_json{{"schema", "qpcast.platforms/1"}, {"platforms", list}}.dump(1));
    } else if (name->empty()) {
      print_overview(load_platforms());
    } else if (*json) {
      fmt::print("{}", io::to_json(load_platform(*name)));
    } else {
      print_parameters(load_platform(*name));
    }
  });
}

}  // namespace qpcast::cli
