// SPDX-License-Identifier: BSD-3-Clause
//
// The collectives of a bootstrap over sockets of the ranks' own, for launchers that serve a process
// only for a while: under PMI-1 an MPI library in the same process ends the connection when it is
// finalised. The ranks are a tree of 32 children each; rank r is a child of (r - 1) / 32. What all
// send goes up to rank 0, and what rank 0 has gathered comes down. Within a host the sockets are
// abstract Unix ones, between hosts TCP.
//
// A rank that has children tells all, through the launcher, where it listens and a random key. A
// process that connects shows the key and its rank before anything else that it sends is read.
// Collectives are for one thread at a time. A thread of the tree's own watches the connections,
// since a launcher that has been told of a good end does not watch the process any more: a
// neighbour that is gone without a word has ended, and so has the job.
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

  /// What is done when a neighbour has ended without having left: with the code that it gave, or
  /// nothing. May be called from any thread; does not return.
  using ended_action = std::function<void(rank_id peer, std::optional<int> code)>;

  /// Begins to listen where this rank has children. Throws `atl::error`.
  rank_tree(place here, ended_action ended);
  rank_tree(const rank_tree&) = delete;
  rank_tree& operator=(const rank_tree&) = delete;
  ~rank_tree();

  /// What the others need to find this rank; empty where nobody looks for it.
  blob card() const;

  /// Connects with the parent and the children, by the cards of all ranks. Collective.
  void connect(std::span<const blob> cards);

  std::vector<blob> exchange(std::span<const std::byte> mine);
  void fence() { exchange({}); }

  /// Tells the neighbours that this rank leaves, or that the job ends with this code.
  void leave() noexcept;
  void end(int code) noexcept;

  /// What goes up: blobs with their ranks. Nothing when the bytes are no such list.
  using entries = std::vector<std::pair<rank_id, blob>>;
  static blob encode(const entries& gathered);
  static std::optional<entries> decode_entries(std::span<const std::byte> raw, rank_id size);
  static blob encode(const address& where);
  static std::optional<address> decode_address(std::span<const std::byte> raw);

  /// What a peer that has closed its connection said at last, after messages of which this rank has
  /// not read all: that it leaves, or the code with which the job ends, or neither.
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
