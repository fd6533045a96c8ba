#include "hw/nic/emulated/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <chrono>
#include <span>

#include "hw/affinity.hpp"
#include "hw/nic/device_error.hpp"
#include "hw/proxy/backoff.hpp"

namespace qpcast::hw::emulated {

namespace {

constexpr const char* device = "emulated";

void check_memory(const QueueMemory& memory, Mode mode) {
  const auto refuse = [](const std::string& why) {
    throw DeviceError{device, "attach", EINVAL, why};
  };
  if (!std::has_single_bit(memory.depth) || memory.depth > wqe::deepest_queue)
    refuse(fmt::format("depth {}: a power of two up to {}", memory.depth, wqe::deepest_queue));
  if (!memory.doorbell || !memory.completions.entries)
    refuse("a queue pair needs a doorbell slot and a completion queue");
  if (mode == Mode::execute && (!memory.send_queue || !memory.record))
    refuse("a queue pair needs a send queue and a doorbell record");
  if (reinterpret_cast<std::uintptr_t>(memory.send_queue) % wqe::block_bytes != 0)
    refuse("the send queue must be 64 B aligned");
  if (memory.completions.log_depth > 22) refuse("a completion queue has 2^22 entries at most");
}

}  // namespace

/// Keeps the engine between two passes.
class Server::Control {
 public:
  explicit Control(Server& server) : server_{server} {
    server_.waiting_.fetch_add(1);
    server_.pass_.lock();
    server_.waiting_.fetch_sub(1);
  }
  ~Control() { server_.pass_.unlock(); }
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;

 private:
  Server& server_;
};

Server::Server(const Imposed& imposed)
    : imposed_{imposed},
      registrations_{std::make_unique<Registration[]>(most_registrations)},
      queues_{std::make_unique<Queue[]>(most_queues)},
      adapter_{registrations_.get(), most_registrations, queues_.get(), most_queues},
      fault_pending_{imposed.fault != Fault::none},
      pacer_{imposed.rate},
      cache_{imposed.contexts, imposed.replacement},
      thread_{[this](const std::stop_token& stop) { run(stop); }} {
  if (const auto place = places_beside_a_software_nic().nic; place >= 0) run_on(place);
}

std::uint32_t Server::register_memory(void* address, std::size_t bytes, bool remote_access) {
  const Control control{*this};
  const std::span all{registrations_.get(), most_registrations};
  const auto free = std::ranges::find(all, 0U, &Registration::key);
  if (free == all.end())
    throw DeviceError{device, "register_memory", ENOMEM, "4096 memory regions at most"};
  const auto slot = static_cast<std::uint32_t>(free - all.begin());
  // The low byte is the key's variant, as of an mkey: a stale key is not taken for a new one.
  const std::uint32_t variant = ++generation_ & 0xff;
  *free = {reinterpret_cast<std::uintptr_t>(address), bytes, (slot + 1) << 8 | variant,
           remote_access, remote_access};
  return free->key;
}

void Server::deregister(std::uint32_t key) {
  const Control control{*this};
  if (find_registration(adapter_, key)) registrations_[(key >> 8) - 1] = {};
}

std::uint32_t Server::attach(const QueueMemory& memory, std::uint64_t access_key) {
  check_memory(memory, imposed_.mode);
  const Control control{*this};
  const std::span all{queues_.get(), most_queues};
  // Slot 0 stays free, so that no queue has number 0.
  const auto free = std::ranges::find(all.subspan(1), Condition::absent, &Queue::condition);
  if (free == all.subspan(1).end())
    throw DeviceError{device, "attach", ENOMEM, "4095 queue pairs at most"};
  const auto slot = static_cast<std::uint32_t>(&*free - all.data());
  const std::uint32_t number = (++generation_ * most_queues | slot) & wqe::number_mask;
  Queue fresh;
  fresh.memory = memory;
  fresh.send = wqe::make_send_queue(memory.send_queue, memory.depth, number);
  fresh.completions.memory = memory.completions;
  fresh.receive_completions.memory = memory.receive_completions;
  fresh.access_key = access_key;
  fresh.condition = Condition::ready;
  *free = fresh;
  active_.push_back(slot);
  return number;
}

Queue& Server::queue(std::uint32_t number) {
  Queue* const found = find_queue(adapter_, number);
  if (!found)
    throw DeviceError{device, "queue pair", EINVAL, fmt::format("there is no {:#x}", number)};
  return *found;
}

void Server::connect(std::uint32_t number, std::uint32_t peer) {
  const Control control{*this};
  queue(number).peer = peer;
}

void Server::detach(std::uint32_t number) {
  const Control control{*this};
  Queue& gone = queue(number);
  detached_ += gone.counters;
  std::erase(active_, number & (most_queues - 1));
  gone.condition = Condition::absent;
}

void Server::inject(Fault fault, std::uint32_t number) {
  const Control control{*this};
  break_queue(queue(number), fault);
}

Event Server::event(std::uint32_t number) const {
  if (removed_) return Event::device_removed;
  return static_cast<Event>(load_acquire(&queues_[number & (most_queues - 1)].event));
}

Counters Server::counters(std::uint32_t number) {
  const Control control{*this};
  return queue(number).counters;
}

Counters Server::counters() {
  const Control control{*this};
  Counters sum = detached_;
  for (const auto slot : active_) sum += queues_[slot].counters;
  return sum;
}

double Server::now() const {
  using Clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::micro>(Clock::now().time_since_epoch()).count();
}

void Server::run(const std::stop_token& stop) {
  for (Backoff backoff; !stop.stop_requested();) {
    while (waiting_ > 0 && !stop.stop_requested()) std::this_thread::yield();
    if (pass())
      backoff.reset();
    else
      backoff.pause();
  }
}

bool Server::pass() {
  const std::scoped_lock lock{pass_};
  if (removed_) return false;
  if (imposed_.rate > 0 || imposed_.contexts > 0) return pass_paced();
  bool busy = false;
  for (const auto slot : active_) busy |= visit(queues_[slot]);
  return busy;
}

/// @return something was served; what waits for its time is no reason to spin, since the pacer
/// catches up
bool Server::pass_paced() {
  bool busy = false;
  for (std::size_t idle = 0; idle < active_.size() && !removed_;) {
    turn_ %= active_.size();
    const auto served = serve_turn(queues_[active_[turn_]]);
    if (!served) break;  // its time has not come
    busy |= *served > 0;
    if (*served == 0) ++idle;
    if (*served == 0 || left_ == 0) {
      ++turn_;
      left_ = burst;
    }
  }
  std::uint32_t waiting = 0;
  for (const auto slot : active_) waiting += backlog(queues_[slot], imposed_.mode);
  pacer_.seen(now(), waiting);
  return busy;
}

/// Serves the queue pair whose turn it is. Its context is fetched once per turn, and the turn goes
/// on until it has had a burst or has nothing left, so that consecutive writes share the fetch.
/// @return messages; nothing while the engine is still busy
std::optional<std::uint32_t> Server::serve_turn(Queue& queue) {
  const auto at = now();
  const auto allowed = pacer_.allowance(at, left_);
  if (allowed == 0) return std::nullopt;
  if (!strike(queue)) return 0;
  if (removed_) return std::nullopt;
  const auto messages = step(adapter_, queue, imposed_.mode, allowed);
  if (messages == 0) return 0;
  const bool miss = left_ == burst && imposed_.contexts > 0 && !cache_.touch(queue.send.qpn);
  pacer_.took(at, messages, miss ? imposed_.miss_us : 0);
  left_ -= messages;
  served_ += messages;
  return messages;
}

bool Server::visit(Queue& queue) {
  if (!strike(queue) || removed_) return false;
  // A sink retires everything that is announced at once.
  const auto most = imposed_.mode == Mode::sink ? wqe::deepest_queue : burst;
  const auto messages = step(adapter_, queue, imposed_.mode, most);
  served_ += messages;
  return messages > 0;
}

/// The fault strikes once, while a submitter waits, so that it cannot go unnoticed.
/// @return false while it is due and nobody waits: serving now could serve what has just come
bool Server::strike(Queue& queue) {
  if (!fault_pending_ || served_ < imposed_.fault_after) return true;
  if (backlog(queue, imposed_.mode) == 0) return false;
  fault_pending_ = false;
  break_queue(queue, imposed_.fault);
  return true;
}

void Server::break_queue(Queue& queue, Fault fault) {
  switch (fault) {
    case Fault::queue_error:
      detail::fail(queue, Refusal::injected);
      return;
    case Fault::completion_overrun:
      overrun(queue);
      return;
    case Fault::peer_dead:
      // Slot 0 has no queue pair, so that this number is nobody's.
      queue.peer = most_queues;
      return;
    case Fault::device_removed:
      removed_ = true;
      return;
    case Fault::none:
      return;
  }
}

}  // namespace qpcast::hw::emulated
