// SPDX-License-Identifier: BSD-3-Clause
//
// Accepts connections and drops those that prove nothing. The limits are generous for daemons,
// which answer at once, and cost the machine little.
#include <atoll/base/error.hpp>
#include <tools/hosts/daemon_listener.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <string_view>
#include <utility>

namespace atl::tools {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t strangers_max = 128;
constexpr int accepted_per_turn = 64;  // then other events have their turn
constexpr auto proof_within = 10s;
constexpr int calls_max = 512;  // that wait to be accepted

}  // namespace

daemon_listener::daemon_listener(event_loop& loop, const secret& key,
                                 std::vector<inet_address> addresses, std::size_t expected,
                                 std::function<void(std::shared_ptr<link>)> arrived)
    : loop_(loop), key_(key), arrived_(std::move(arrived)), waiting_max_(strangers_max + expected) {
  int fault = 0;
  listeners_.reserve(addresses.size());
  for (auto& each : addresses) {
    auto socket = bootstrap::listen_at(each, calls_max);
    if (!socket) {
      fault = errno;
      continue;
    }
    addresses_.push_back(each);
    auto& made = listeners_.emplace_back(listener{std::move(socket), 0});
    made.token = loop_.add(made.socket.get(), EPOLLIN,
                           [this, &made](std::uint32_t) { accept_some(made.socket); });
  }
  if (listeners_.empty())
    throw error("launcher", "no address of this machine can be listened at: " + errno_text(fault),
                "give one by --interface");
}

daemon_listener::~daemon_listener() {
  for (const auto& each : listeners_) loop_.remove(each.token);
}

void daemon_listener::accept_some(const descriptor& from) {
  for (int turn = 0; turn < accepted_per_turn; ++turn) {
    inet_address caller_at;
    caller_at.length = sizeof caller_at.raw;
    descriptor socket(
        accept4(from.get(), caller_at.get(), &caller_at.length, SOCK_CLOEXEC | SOCK_NONBLOCK));
    // This does not mean that a connection waits: the kernel looks for a free descriptor first.
    if (!socket && (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM)) {
      is_paused_ = true;
      return listen(false);
    }
    if (!socket) return;
    if (waiting_.size() >= waiting_max_) drop_one();
    auto made = link::open(
        loop_, {.socket = std::move(socket), .side = handshake::side::accepted, .key = &key_},
        {.proven = [this](link& which) { proven(which); },
         .received = {},
         .closed = [this](link& which, const std::string&) { forget(which); }});
    waiting_.push_back({std::move(made), caller_at.digits()});
  }
}

/// The oldest connection of the machine that has the most.
void daemon_listener::drop_one() {
  std::map<std::string_view, std::size_t> count_by_machine;
  for (const auto& each : waiting_) ++count_by_machine[each.machine];
  const auto largest = std::ranges::max_element(
      count_by_machine, {}, [](const auto& of_one_machine) { return of_one_machine.second; });
  waiting_.erase(std::ranges::find(waiting_, largest->first, &caller::machine));
}

void daemon_listener::listen(bool to_callers) {
  for (const auto& each : listeners_) loop_.modify(each.token, to_callers ? EPOLLIN : 0U);
}

void daemon_listener::proven(link& which) {
  const auto kept = which.shared_from_this();
  forget(which);
  arrived_(kept);
}

void daemon_listener::forget(const link& which) {
  std::erase_if(waiting_, [&](const auto& each) { return each.connection.get() == &which; });
}

void daemon_listener::tick(link::clock::time_point now) {
  while (!waiting_.empty() && now - waiting_.front().connection->opened_at() > proof_within)
    waiting_.pop_front();
  if (std::exchange(is_paused_, false)) listen(true);
}

}  // namespace atl::tools
