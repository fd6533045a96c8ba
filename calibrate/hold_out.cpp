#include "calibrate/hold_out.hpp"

#include "calibrate/checks.hpp"
#include "model/error.hpp"

namespace qpcast::calibrate {

namespace {

/// FNV-1a, 64 bits.
std::uint64_t hash(const std::string& text) {
  std::uint64_t h = 0xcbf29ce484222325;
  for (const char c : text) {
    h ^= static_cast<unsigned char>(c);
    h *= 0x100000001b3;
  }
  return h;
}

}  // namespace

int half_of(const Measurement& row) {
  const auto h = hash(row.layout.to_string());
  return static_cast<int>((h ^ (h >> 32)) & 1);
}

std::vector<HeldOut> hold_out(const std::vector<Measurement>& rows,
                              const std::map<std::string, PlatformFacts>& facts,
                              const Presets& presets, const Options& options) {
  auto quiet = options;
  quiet.leave_one_out = quiet.profile = false;
  quiet.bootstrap = 0;
  const auto once = check_rows(rows, options.accept).rows;
  std::map<std::string, AnalyticSolver> solvers[2];
  for (const int half : {0, 1}) {
    std::vector<Measurement> other;
    for (const auto& row : once)
      if (half_of(row) != half) other.push_back(row);
    if (other.empty()) throw InputError{"hold-out", "data", "all layouts fall into one half"};
    for (const auto& p : calibrate(other, facts, presets, "the other half", quiet).platforms)
      solvers[half].emplace(p.name, AnalyticSolver{p});
  }
  std::vector<HeldOut> result;
  for (const auto& row : once) {
    HeldOut h{row, {}};
    auto& fitted = solvers[half_of(row)];
    const auto it = fitted.find(row.platform);
    if (it != fitted.end())
      h.answer = it->second.answer(question_of(row, presets));
    else
      h.answer.reason = "the other half has no row on this platform";
    result.push_back(std::move(h));
  }
  return result;
}

}  // namespace qpcast::calibrate
