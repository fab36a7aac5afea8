// SPDX-License-Identifier: BSD-3-Clause
//
// Accepting and forgetting. The limits are generous for daemons, which answer at once, and small
// for a machine.
#include <atoll/base/error.hpp>
#include <tools/hosts/gate.hpp>

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace atl::tools {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t waiting_max = 128;
constexpr auto proof_within = 10s;

}  // namespace

gate::gate(event_loop& loop, const secret& key, std::vector<address> at,
           std::function<void(std::shared_ptr<link>)> arrived)
    : loop_(loop), key_(key), arrived_(std::move(arrived)) {
  int fault = 0;
  listeners_.reserve(at.size());
  for (auto& each : at) {
    auto socket = listen_at(each);
    if (!socket) {
      fault = errno;
      continue;
    }
    addresses_.push_back(each);
    auto& made = listeners_.emplace_back(listener{std::move(socket), 0});
    made.token = loop_.add(made.socket.get(), EPOLLIN,
                           [this, &made](std::uint32_t) { accept_all(made.socket); });
  }
  if (listeners_.empty())
    throw error("launcher", "no address of this machine can be listened at: " + errno_text(fault),
                "give one by --interface");
}

gate::~gate() {
  for (const auto& each : listeners_) loop_.remove(each.token);
}

void gate::accept_all(const descriptor& from) {
  for (int turns = 0; turns < 64; ++turns) {  // others want their turn too
    descriptor socket(accept4(from.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket) {
      // Out of descriptors: a stranger gives one back, or the loop would find the same again. After
      // the first turn there may be nobody who calls: the kernel looks for a descriptor first.
      if (turns == 0 && (errno == EMFILE || errno == ENFILE) && !waiting_.empty())
        waiting_.pop_front();
      return;
    }
    if (waiting_.size() >= waiting_max) waiting_.pop_front();
    waiting_.push_back(link::open(
        loop_, {.socket = std::move(socket), .side = handshake::side::accepted, .key = &key_},
        {.proven = [this](link& which) { proven(which); },
         .heard = {},
         .closed = [this](link& which, const std::string&) { forget(which); }}));
  }
}

void gate::proven(link& which) {
  const auto kept = which.shared_from_this();
  forget(which);
  arrived_(kept);
}

void gate::forget(const link& which) {
  std::erase_if(waiting_, [&](const auto& each) { return each.get() == &which; });
}

void gate::tick(link::clock::time_point now) {
  while (!waiting_.empty() && now - waiting_.front()->opened_at() > proof_within)
    waiting_.pop_front();
}

}  // namespace atl::tools
