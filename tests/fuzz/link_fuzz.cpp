// SPDX-License-Identifier: BSD-3-Clause
//
// Fuzzes a connection of the launcher over several hosts as a whole: sockets, handshake, records
// and frames. The first byte chooses the other side. A stranger's bytes must prove nothing. Bytes
// that a third party adds to a proven connection must not decrypt. A proven daemon that is faulty
// may send any frames: the parsers must stay within them, and they drive the same state machine as
// the supervisor's.
#include <tools/hosts/link.hpp>
#include <tools/run/rendezvous.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <span>

namespace {

namespace tools = atl::tools;
namespace protocol = atl::tools::protocol;
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
    link_ = tools::link::open(
        loop_,
        {.socket = atl::descriptor(ends[0]),
         .side = tools::handshake::side::accepted,
         .key = &key_},
        {.proven = {},
         .received = [this](tools::link&, const protocol::frame& frame) { receive(frame); },
         .closed = {}});
  }

  const tools::link& link() const { return *link_; }
  std::size_t frames() const { return frames_; }

  void push(std::span<const std::byte> data) {
    if (link_->is_open()) (void)send(other_.get(), data.data(), data.size(), MSG_NOSIGNAL);
    loop_.wait(0);
    loop_.dispatch();
  }

  /// Pushes data in pieces of changing size, as a socket would deliver them.
  void push_torn(std::span<const std::byte> data) {
    for (std::size_t piece = 7; !data.empty(); piece = piece * 5 % 997 + 1) {
      const auto count = std::min(piece, data.size());
      push(data.first(count));
      data = data.subspan(count);
    }
  }

  /// Plays a daemon's part in the handshake; returns the seal for its later messages.
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

  void receive(const protocol::frame& frame) {
    ++frames_;
    require(frame.body.size() <= protocol::up_bytes_max);
    if (frame.kind != protocol::kind::events) return;
    if (auto happened = protocol::decode<protocol::events>(frame.body))
      for (auto& each : happened->list)
        if (each.rank < ranks) take(std::move(each));
    if (const auto reason = rendezvous_.stuck()) require(!reason->empty());
  }

  /// As the supervisor does.
  void take(tools::rank_event&& event) {
    using kind = tools::rank_event::kind;
    using tools::rendezvous;
    if (event.type == kind::joined)
      (void)rendezvous_.join(event.rank, event.version, static_cast<pid_t>(event.number));
    if (event.type == kind::left) rendezvous_.leave(event.rank);
    if (event.type == kind::ended) rendezvous_.process_ended(event.rank);
    if (event.type == kind::entered)
      (void)rendezvous_.enter(event.rank, static_cast<rendezvous::collective>(event.number),
                              std::move(event.blob));
    if (rendezvous_.complete() != rendezvous::collective::none)
      require(rendezvous_.pass().size() == ranks);
  }

  tools::secret key_;
  tools::event_loop loop_;
  atl::descriptor other_;
  std::shared_ptr<tools::link> link_;
  tools::rendezvous rendezvous_{ranks};
  std::size_t frames_ = 0;
};

void push_unproven(std::span<const std::byte> input) {
  connection to;
  to.push_torn(input);
  require(!to.link().is_proven() && to.frames() == 0);
}

void push_proven(std::span<const std::byte> input) {
  connection to;
  to.prove();
  to.push_torn(input);
  require(to.frames() == 0);
}

void push_sealed(std::span<const std::byte> input) {
  connection to;
  auto sealing = to.prove();
  for (std::size_t piece = 61; !input.empty(); piece = piece * 7 % 4093 + 1) {
    const auto sealed = sealing.close(input.first(std::min(piece, input.size())));
    input = input.subspan(std::min(piece, input.size()));
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
  const auto input = std::as_bytes(std::span(data, size_bytes)).subspan(1);
  if (data[0] == 's') push_unproven(input);
  if (data[0] == 'p') push_proven(input);
  if (data[0] == 'd') push_sealed(input);
  return 0;
}
