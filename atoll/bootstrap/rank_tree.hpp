// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives of a bootstrap over the ranks' own sockets, for launchers that serve a process
// only for a while: under PMI-1 an MPI library in the same process closes the connection when it is
// finalised. The ranks form a tree with up to 32 children per rank; rank (r - 1) / 32 is the parent
// of rank r. The contributions of all ranks go up to rank 0, and rank 0 sends the gathered result
// down. Within a host the sockets are abstract Unix sockets, between hosts TCP.
//
// A rank that has children publishes, through the launcher, the address at which it listens and a
// random key. A process that connects must send the key and its rank before anything else that it
// sends is read. Collectives are for one thread at a time. The tree has a thread of its own that
// watches the connections, because a launcher that was told of a normal end no longer watches the
// process. A neighbour whose connection closes without a message has ended, and so has the job.
#pragma once

#include <atoll/bootstrap/bootstrap.hpp>

#include <sys/types.h>

#include <array>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace atl::bootstrap {

class rank_tree {
 public:
  static constexpr rank_id radix = 32;
  static constexpr std::size_t blob_bytes_max = 64 * 1024;
  using secret = std::array<std::byte, 32>;

  /// Where a rank listens: a Unix socket's name, or a port of these IP addresses.
  struct address {
    secret key{};
    std::string name;
    std::uint16_t port = 0;
    std::vector<std::string> hosts;
  };

  struct place {
    rank_id rank = 0;
    rank_id size = 1;
    bool is_one_host = true;
    std::string interface;  // name or address; empty: all of this machine
  };

  /// Called when a neighbour has ended without having left, with the exit code that it sent, or
  /// with nothing. May be called from any thread; does not return.
  using ended_action = std::function<void(rank_id peer, std::optional<int> code)>;

  /// Begins to listen where this rank has children. Throws `atl::error`.
  rank_tree(place own_place, ended_action ended);
  rank_tree(const rank_tree&) = delete;
  rank_tree& operator=(const rank_tree&) = delete;
  ~rank_tree();

  /// The data that other ranks need to find this rank; empty where no rank connects to it.
  blob card() const;

  /// Connects with the parent and the children, by the cards of all ranks. Collective.
  void connect(std::span<const blob> cards);

  std::vector<blob> exchange(std::span<const std::byte> contribution);
  void fence() { exchange({}); }

  /// Tells the neighbours that this rank leaves, or that the job ends with this code.
  void leave() noexcept;
  void end(int code) noexcept;

  /// The message to the parent: blobs with their ranks. Nothing when the bytes are no such list.
  using entries = std::vector<std::pair<rank_id, blob>>;
  static blob encode(const entries& gathered);
  static std::optional<entries> decode_entries(std::span<const std::byte> raw, rank_id size);
  static blob encode(const address& location);
  static std::optional<address> decode_address(std::span<const std::byte> raw);

  /// The last word of a peer that has closed its connection, found in the bytes that this rank has
  /// not read yet: that the peer leaves, or the code with which the job ends, or neither.
  struct farewell {
    bool has_left = false;
    std::optional<int> code = {};
  };
  static farewell farewell_in(std::span<const std::byte> unread) noexcept;

 private:
  struct stranger;

  rank_id first_child() const { return place_.rank * radix + 1; }
  rank_id children() const;
  void accept_children();
  void start_watcher();
  void take_greetings(std::vector<stranger>& strangers, std::size_t& missing);
  bool admit(stranger& from);
  void tell_neighbours(std::uint64_t word, int code) noexcept;
  void watch(const std::stop_token& stop);
  bool is_gone(const descriptor& socket, rank_id peer);
  void send(const descriptor& to, rank_id peer, std::span<const std::byte> body);
  blob receive(const descriptor& from, rank_id peer);

  place place_;
  ended_action ended_;
  pid_t owner_;
  address own_;
  descriptor listener_;
  descriptor parent_;
  std::vector<descriptor> children_;  // in order of their ranks
  descriptor wake_;                   // of the watcher, at the end
  std::jthread watcher_;
};

}  // namespace atl::bootstrap
