#include "model/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "model/error.hpp"
#include "model/nearest.hpp"

namespace qpcast {

namespace {

constexpr std::string_view submitters[] = {"gpu", "proxy", "cpu-assisted", "host"};
constexpr std::string_view orderings[] = {"none", "gpu", "release", "system"};
constexpr std::string_view publications[] = {"exclusive",         "lock-per-wqe",
                                             "thread-handoff",    "warp-cooperative",
                                             "warp-synchronised", "warp-drifting"};
constexpr std::string_view completions[] = {"per-qp", "per-peer", "all-qp"};
constexpr std::string_view memories[] = {"gpu", "host"};
constexpr std::string_view transports[] = {"rc", "dc"};
constexpr std::string_view handoffs[] = {"baseline", "tuned"};
constexpr std::string_view host_states[] = {"cold", "warm", "uncontrolled"};
constexpr std::string_view queues[] = {"shared", "shared-with-one", "private"};
constexpr std::string_view roles[] = {"send", "receive", "bidirectional", "all-to-all"};
constexpr std::string_view callers[] = {"compute", "streaming"};
constexpr std::string_view builds[] = {"inlined", "separate"};
constexpr std::string_view workloads[] = {"moe-dispatch", "moe-combine"};
constexpr std::string_view flags[] = {"0", "1"};

constexpr Field count(Key key, std::string_view name, double lo, double hi, std::string_view doc) {
  return {key, name, "", lo, hi, true, {}, doc};
}
constexpr Field choice(Key key, std::string_view name, std::span<const std::string_view> choices,
                       std::string_view doc) {
  return {key, name, "", 0, static_cast<double>(choices.size()) - 1, true, choices, doc};
}

constexpr double many = 1 << 20;
constexpr std::array<Field, key_count> table{{
    choice(Key::submitter, "submitter", submitters, "who writes work requests and rings"),
    count(Key::threads, "threads", 1, many, "submitting GPU threads"),
    count(Key::sms, "sms", 1, 1024, "streaming multiprocessors the threads are spread over"),
    count(Key::qps, "qps", 1, many, "queue pairs messages are spread over"),
    count(Key::contexts, "contexts", 1, many, "communication contexts, one queue pair each"),
    count(Key::batch, "batch", 1, 256, "work requests per doorbell, or per post of a proxy"),
    {Key::payload, "payload", "B", 0, 1 << 30, true, {}, "message payload"},
    choice(Key::inline_data, "inline", flags, "payload inside the WQE (1) or by pointer (0)"),
    choice(Key::ordering, "ordering", orderings, "scope of the fence before the doorbell"),
    choice(Key::publication, "publication", publications, "how threads share a queue pair"),
    choice(Key::completion, "completion", completions, "queue pairs a completion visits"),
    choice(Key::queue_memory, "queue_memory", memories, "where queues live"),
    choice(Key::transport, "transport", transports, "reliable (rc) or dynamically connected (dc)"),
    count(Key::dci_pool, "dci_pool", 0, 4096, "DC initiators per PE"),
    {Key::clock_mhz, "clock_mhz", "MHz", 100, 5000, false, {}, "SM clock"},
    count(Key::workers, "workers", 1, 256, "CPU proxy workers"),
    count(Key::rings, "rings", 1, 4096, "descriptor rings in host memory"),
    choice(Key::handoff, "handoff", handoffs, "how a descriptor reaches the ring"),
    choice(Key::host_state, "host_state", host_states, "CPU frequency and idle state"),
    choice(Key::shared_refcount, "shared_refcount", flags, "proxy workers share a counter"),
    count(Key::background_ctas, "background_ctas", 0, many, "CTAs of bulk traffic beside a probe"),
    choice(Key::queue, "queue", queues, "what a probe shares with the bulk traffic"),
    choice(Key::role, "role", roles, "traffic direction at the NIC"),
    count(Key::active_qps, "active_qps", 1, 1 << 24, "connections in use, or 'sweep'"),
    count(Key::peers, "peers", 1, many, "peers addressed"),
    count(Key::pes, "pes", 1, many, "processing elements in the job"),
    count(Key::writes_per_visit, "writes_per_visit", 1, many, "writes per connection visit"),
    count(Key::window, "window", 1, many, "messages a thread has outstanding before it waits"),
    count(Key::queue_depth, "queue_depth", 1, 1 << 20,
          "work requests a queue pair holds, or descriptors a ring"),
    choice(Key::caller, "caller", callers, "kind of the enclosing kernel"),
    count(Key::live_values, "live_values", 0, 255, "values the caller keeps live across the call"),
    choice(Key::build, "build", builds, "communication code inlined or compiled separately"),
    count(Key::blocks_per_sm, "blocks_per_sm", 1, 64, "resident blocks of the enclosing kernel"),
    count(Key::messages_per_block, "messages_per_block", 0, many, "messages a block sends"),
    choice(Key::wait, "wait", flags, "wait for each message (1)"),
    choice(Key::workload, "workload", workloads, "application phase"),
    count(Key::ranks, "ranks", 1, many, "ranks of the workload"),
    count(Key::gpus_per_node, "gpus_per_node", 1, 1024, "GPUs per node"),
    count(Key::tokens, "tokens", 1, many, "tokens per rank"),
    count(Key::hidden, "hidden", 1, many, "hidden size"),
    count(Key::experts, "experts", 1, many, "experts in the job"),
    count(Key::topk, "topk", 1, 1024, "experts per token"),
}};

constexpr bool in_order() {
  for (std::size_t i = 0; i < key_count; ++i)
    if (static_cast<std::size_t>(table.at(i).key) != i) return false;
  return true;
}
static_assert(in_order(), "the vocabulary's rows must follow Key's order");

double parse_choice(const Field& f, std::string_view value, const std::string& source) {
  const auto it = std::find(f.choices.begin(), f.choices.end(), value);
  if (it != f.choices.end()) return static_cast<double>(it - f.choices.begin());
  throw InputError{source, std::string{f.name},
                   fmt::format("'{}' is not one of {}", value, fmt::join(f.choices, ", "))};
}

double parse_number(const Field& f, std::string_view value, const std::string& source) {
  if (f.key == Key::active_qps && value == "sweep") return sweep_value;
  double number = 0;
  const auto* end = value.data() + value.size();
  const auto [stop, code] = std::from_chars(value.data(), end, number);
  const std::string unit = f.unit.empty() ? "" : fmt::format(" {}", f.unit);
  const auto expected =
      fmt::format("expected {} from {} to {}{}", f.whole ? "a whole number" : "a number", f.lowest,
                  f.highest, unit);
  if (code != std::errc{} || stop != end || !std::isfinite(number))
    throw InputError{source, std::string{f.name}, fmt::format("'{}': {}", value, expected)};
  if (number < f.lowest || number > f.highest || (f.whole && number != std::floor(number)))
    throw InputError{source, std::string{f.name}, fmt::format("{}: {}", value, expected)};
  return number;
}

[[noreturn]] void contradiction(const std::string& source, Key a, Key b, const Layout& layout,
                                const std::string& advice) {
  throw InputError{source, std::string{field(a).name},
                   fmt::format("{}={} contradicts {}={}: {}", field(a).name, layout.text(a),
                               field(b).name, layout.text(b), advice)};
}

}  // namespace

std::span<const Field> fields() { return table; }
const Field& field(Key key) { return table[static_cast<std::size_t>(key)]; }

std::optional<Key> find_key(std::string_view name) {
  for (const auto& f : table)
    if (f.name == name) return f.key;
  return std::nullopt;
}

std::string nearest_key(std::string_view name) {
  std::vector<std::string_view> names{"library"};
  for (const auto& f : table) names.push_back(f.name);
  return nearest(name, names);
}

void Layout::parse(std::string_view key, std::string_view value, const std::string& source) {
  if (key == "library") {
    if (value.empty()) throw InputError{source, "library", "empty; name a preset"};
    library = value;
    return;
  }
  const auto known = find_key(key);
  if (!known)
    throw InputError{source, std::string{key},
                     fmt::format("unknown key; did you mean '{}'?", nearest_key(key))};
  const auto& f = field(*known);
  set(*known, f.choices.empty() ? parse_number(f, value, source) : parse_choice(f, value, source));
}

void Layout::check(const std::string& source) const {
  constexpr double inline_limit = 220;
  if (number(Key::inline_data, 0) == 1 && number(Key::payload, 0) > inline_limit)
    contradiction(source, Key::inline_data, Key::payload, *this,
                  "a WQE holds at most 220 B inline");
  const bool gpu =
      has(Key::submitter) && (choice(Key::submitter, Submitter::gpu) == Submitter::gpu);
  for (const Key proxy_only : {Key::workers, Key::rings, Key::handoff})
    if (gpu && has(proxy_only))
      contradiction(source, proxy_only, Key::submitter, *this,
                    "only submitter=proxy or submitter=host has it");
  const bool proxy =
      has(Key::submitter) && choice(Key::submitter, Submitter::gpu) == Submitter::proxy;
  for (const Key gpu_only : {Key::publication, Key::ordering})
    if (proxy && has(gpu_only))
      contradiction(source, gpu_only, Key::submitter, *this, "a GPU submitter has it, a proxy not");
  if (choice(Key::transport, Transport::dc) == Transport::rc && number(Key::dci_pool, 0) > 0)
    contradiction(source, Key::dci_pool, Key::transport, *this, "DC initiators need transport=dc");
  if (choice(Key::publication, Publication::warp_drifting) == Publication::exclusive &&
      has(Key::threads) && has(Key::qps) && number(Key::threads, 1) > number(Key::qps, 1))
    contradiction(source, Key::publication, Key::threads, *this,
                  fmt::format("exclusive needs a queue pair per thread, qps={}", text(Key::qps)));
  if (has(Key::sms) && has(Key::threads) && number(Key::sms, 1) > number(Key::threads, 1))
    contradiction(source, Key::sms, Key::threads, *this, "every SM needs a thread");
}

std::string Layout::text(Key key) const {
  if (!has(key)) return "";
  const double value = values_[index(key)];
  const auto& f = qpcast::field(key);
  if (!f.choices.empty()) return std::string{f.choices[static_cast<std::size_t>(value)]};
  if (key == Key::active_qps && value == sweep_value) return "sweep";
  return fmt::format("{}", value);
}

std::string Layout::to_string() const {
  std::string out = library.empty() ? "" : "library=" + library;
  for (const auto& f : table)
    if (has(f.key)) out += fmt::format("{}{}={}", out.empty() ? "" : ";", f.name, text(f.key));
  return out;
}

bool Layout::operator==(const Layout& other) const {
  if (library != other.library) return false;
  for (const auto& f : table) {
    if (has(f.key) != other.has(f.key)) return false;
    if (has(f.key) && values_[index(f.key)] != other.values_[index(f.key)]) return false;
  }
  return true;
}

Layout parse_layout(std::string_view text, const std::string& source) {
  Layout layout;
  while (!text.empty()) {
    const auto end = std::min(text.find(';'), text.size());
    const auto item = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (item.empty()) continue;
    const auto equals = item.find('=');
    if (equals == std::string_view::npos)
      throw InputError{source, std::string{item}, "expected key=value"};
    const auto key = item.substr(0, equals);
    if (const auto known = find_key(key); known && layout.has(*known))
      throw InputError{source, std::string{key}, "given twice"};
    layout.parse(key, item.substr(equals + 1), source);
  }
  return layout;
}

}  // namespace qpcast
