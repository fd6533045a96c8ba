#include "calibrate/import/recognise.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace qpcast::import {

namespace {

struct Mark {
  std::string_view words;   ///< that the tool prints
  std::string_view tool;    ///< a format's name, or a tool's that no importer reads
  std::string_view advice;  ///< empty: import it as the format `tool`
};

constexpr std::string_view no_importer =
    "no importer reads it; perftest, nvshmem-perftest and nccl-tests have one";
constexpr Mark marks[] = {
    {R"("schema":"qpcast.measurement)", "rows of qpcast",
     "they need no import; give them to calibrate or validate"},
    {"Collective test starting", "nccl-tests", ""},
    {"# nThread ", "nccl-tests", ""},
    {"&&&& PERF", "nvshmem-perftest", ""},
    {"shmem_put", "nvshmem-perftest", ""},
    {"shmem_p_", "nvshmem-perftest", ""},
    {"shmem_get", "nvshmem-perftest", ""},
    {"#bytes", "perftest", ""},
    {"RDMA_Write", "perftest", ""},
    {"test_info", "perftest", ""},
    {"# OSU ", "OSU micro-benchmarks", no_importer},
    {"iperf", "iperf", no_importer},
    {"ucx_perftest", "ucx_perftest", no_importer},
};

}  // namespace

std::optional<Recognised> recognise_other(std::string_view text, std::string_view format) {
  const Mark* other = nullptr;
  for (const auto& mark : marks) {
    if (text.find(mark.words) == std::string_view::npos) continue;
    if (mark.tool == format) return std::nullopt;
    if (!other) other = &mark;
  }
  if (!other) return std::nullopt;
  const auto before = text.substr(0, text.find(other->words));
  return Recognised{std::string{other->tool},
                    other->advice.empty() ? fmt::format("qpcast import {} reads it", other->tool)
                                          : std::string{other->advice},
                    1 + static_cast<std::size_t>(std::ranges::count(before, '\n'))};
}

}  // namespace qpcast::import
