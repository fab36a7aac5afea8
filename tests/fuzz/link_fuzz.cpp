// SPDX-License-Identifier: BSD-3-Clause
//
// Fuzzes a connection of the launcher over several hosts as a whole: sockets, handshake, records
// and frames. The first byte chooses who the other side is. A stranger's bytes must prove nothing.
// Bytes that somebody pushes into a proven connection must not open. A daemon that is proven and
// wrong may send any frames: they keep to their bounds, and drive the same state machine as the
// head's.
#include <tools/hosts/link.hpp>
#include <tools/run/meeting.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

namespace {

namespace tools = atl::tools;
namespace words = atl::tools::words;
using tools::bytes;

constexpr atl::rank_id ranks = 3;
constexpr std::size_t challenge_bytes = 40;
constexpr std::size_t proof_bytes = 32;

void require(bool condition) {
  if (!condition) std::abort();
}

/// A link and the raw socket of its other side.
class connection {
 public:
  connection() : key_(tools::random_secret()) {
    int ends[2];
    require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) == 0);
    other_ = atl::descriptor(ends[1]);
    link_ =
        tools::link::open(loop_,
                          {.socket = atl::descriptor(ends[0]),
                           .side = tools::handshake::side::accepted,
                           .key = &key_},
                          {.proven = {},
                           .heard = [this](tools::link&, const words::frame& what) { heard(what); },
                           .closed = {}});
  }

  const tools::link& link() const { return *link_; }
  std::size_t frames() const { return frames_; }

  void push(std::span<const std::byte> what) {
    if (link_->is_open()) (void)send(other_.get(), what.data(), what.size(), MSG_NOSIGNAL);
    loop_.wait(0);
    loop_.dispatch();
  }

  /// In pieces of changing size, as a socket would give it.
  void push_torn(std::span<const std::byte> all) {
    for (std::size_t piece = 7; !all.empty(); piece = piece * 5 % 997 + 1) {
      const auto count = std::min(piece, all.size());
      push(all.first(count));
      all = all.subspan(count);
    }
  }

  /// Plays a daemon's part in the handshake; returns the seal of what it sends then.
  tools::seal prove() {
    tools::handshake daemon(tools::handshake::side::called, key_, 1);
    bytes answer;
    give(daemon, challenge_bytes, answer);
    push(answer);
    give(daemon, proof_bytes, answer);
    require(link_->is_proven());
    return daemon.sending();
  }

 private:
  void give(tools::handshake& to, std::size_t count, bytes& answer) {
    std::byte got[64];
    require(recv(other_.get(), got, count, 0) == static_cast<ssize_t>(count));
    auto received = std::span<const std::byte>(got, count);
    to.take(received, answer);
  }

  void heard(const words::frame& what) {
    ++frames_;
    require(what.body.size() <= words::up_bytes_max);
    if (what.what == words::word::joined) {
      if (const auto who = words::decode<words::joined>(what.body))
        (void)meeting_.join(who->rank, who->version, static_cast<pid_t>(who->pid));
    } else if (what.what == words::word::entered) {
      if (auto which = words::decode<words::entered>(what.body)) entered(std::move(*which));
    } else if (const auto who = words::decode<words::of_rank>(what.body);
               who && who->rank < ranks) {
      if (what.what == words::word::left) meeting_.leave(who->rank);
      if (what.what == words::word::ended) meeting_.process_ended(who->rank);
    }
    if (const auto why = meeting_.stuck()) require(!why->empty());
  }

  void entered(words::entered&& what) {
    const auto which = static_cast<tools::meeting::collective>(what.collective);
    const bool known =
        which == tools::meeting::collective::exchange || which == tools::meeting::collective::fence;
    if (!known || what.rank >= ranks || !meeting_.enter(what.rank, which, std::move(what.blob)))
      return;
    if (meeting_.complete() != tools::meeting::collective::none)
      require(meeting_.pass().size() == ranks);
  }

  tools::secret key_;
  tools::event_loop loop_;
  atl::descriptor other_;
  std::shared_ptr<tools::link> link_;
  tools::meeting meeting_{ranks};
  std::size_t frames_ = 0;
};

void be_a_stranger(std::span<const std::byte> what) {
  connection to;
  to.push_torn(what);
  require(!to.link().is_proven() && to.frames() == 0);
}

void push_into_a_proven_one(std::span<const std::byte> what) {
  connection to;
  to.prove();
  to.push_torn(what);
  require(to.frames() == 0);
}

void be_a_daemon_that_is_wrong(std::span<const std::byte> what) {
  connection to;
  auto sealing = to.prove();
  for (std::size_t piece = 61; !what.empty(); piece = piece * 7 % 4093 + 1) {
    const auto sealed = sealing.close(what.first(std::min(piece, what.size())));
    what = what.subspan(std::min(piece, what.size()));
    const auto length = static_cast<std::uint32_t>(sealed.size());
    bytes record(sizeof length);
    std::memcpy(record.data(), &length, sizeof length);
    record.insert(record.end(), sealed.begin(), sealed.end());
    to.push_torn(record);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size_bytes) {
  if (size_bytes == 0) return 0;
  const auto rest = std::as_bytes(std::span(data, size_bytes)).subspan(1);
  if (data[0] == 's') be_a_stranger(rest);
  if (data[0] == 'p') push_into_a_proven_one(rest);
  if (data[0] == 'd') be_a_daemon_that_is_wrong(rest);
  return 0;
}
