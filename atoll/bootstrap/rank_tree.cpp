// SPDX-License-Identifier: BSD-3-Clause
//
// Connections and messages of the tree. A message is its length, 8 bytes, and its body; the first
// thing that a child sends is a greeting of fixed length: the key, then its rank. All sockets
// block, but while the children are awaited, when strangers may be among those who connect.
#include <atoll/bootstrap/rank_tree.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/system/blocked_signals.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/threads/forget_thread.hpp>
#include <atoll/bootstrap/fields.hpp>
#include <atoll/bootstrap/rank_sockets.hpp>

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <system_error>
#include <tuple>

namespace atl::bootstrap {
namespace {

constexpr std::size_t greeting_bytes = std::tuple_size_v<rank_tree::secret> + sizeof(rank_id);
constexpr std::size_t text_bytes_max = 64;  // of an address
constexpr std::size_t addresses_max = 64;
constexpr std::size_t strangers_max = 64;
constexpr auto connect_time_max = std::chrono::seconds(60);  // for all children
constexpr auto greeting_time_max = std::chrono::seconds(5);  // for a greeting
constexpr std::size_t entry_head_bytes = 2 * sizeof(std::uint32_t);
constexpr auto unread_pause = std::chrono::milliseconds(20);  // before the watcher looks again
constexpr std::uint64_t leaves = ~std::uint64_t{0};
constexpr std::uint64_t ends = leaves - 1;  // and a code follows
constexpr std::size_t end_bytes = sizeof(std::uint64_t) + sizeof(std::int32_t);

struct finished_writer : field_writer {
  blob finish() { return std::move(made_); }
};

}  // namespace

/// A connection whose greeting has not come yet.
struct rank_tree::stranger {
  descriptor socket;
  std::array<std::byte, greeting_bytes> greeting{};
  std::size_t received = 0;
  std::chrono::steady_clock::time_point deadline;
};

blob rank_tree::encode(const entries& gathered) {
  finished_writer out;
  for (const auto& [rank, data] : gathered) {
    out.put(static_cast<std::uint32_t>(rank));
    out.put(static_cast<std::uint32_t>(data.size()));
    out.put_bytes(data);
  }
  return out.finish();
}

std::optional<rank_tree::entries> rank_tree::decode_entries(std::span<const std::byte> raw,
                                                            rank_id size) {
  field_cursor in(raw);
  entries found;
  while (in.good() && in.left() > 0) {
    const auto rank = in.take<std::uint32_t>();
    const auto bytes = in.take<std::uint32_t>();
    if (rank >= size || bytes > blob_bytes_max || found.size() == size) return std::nullopt;
    const auto data = in.take_bytes(bytes);
    found.emplace_back(rank, blob(data.begin(), data.end()));
  }
  if (!in.is_whole()) return std::nullopt;
  return found;
}

blob rank_tree::encode(const address& location) {
  finished_writer out;
  out.put_bytes(location.key);
  out.put_text(location.name, text_bytes_max);
  out.put(location.port);
  out.put(static_cast<std::uint16_t>(location.hosts.size()));
  for (const auto& host : location.hosts) out.put_text(host, text_bytes_max);
  return out.finish();
}

std::optional<rank_tree::address> rank_tree::decode_address(std::span<const std::byte> raw) {
  field_cursor in(raw);
  address location;
  const auto key = in.take_bytes(location.key.size());
  std::copy(key.begin(), key.end(), location.key.begin());
  location.name = in.take_text(text_bytes_max);
  location.port = in.take<std::uint16_t>();
  const std::size_t hosts = in.take<std::uint16_t>();
  if (hosts > addresses_max) return std::nullopt;
  for (std::size_t i = 0; i < hosts && in.good(); ++i)
    location.hosts.push_back(in.take_text(text_bytes_max));
  if (!in.is_whole()) return std::nullopt;
  return location;
}

rank_tree::rank_tree(place own_place, ended_action ended)
    : place_(std::move(own_place)), ended_(std::move(ended)), owner_(getpid()) {
  if (children() == 0) return;
  fill_randomly(own_.key);
  if (place_.is_one_host) {
    listener_ = listen_on_this_host(own_.name);
    return;
  }
  listener_ = listen_on_networks(own_.port);
  own_.hosts = addresses_of(place_.interface);
  if (own_.hosts.size() > addresses_max) own_.hosts.resize(addresses_max);
}

blob rank_tree::card() const { return listener_ ? encode(own_) : blob(); }

rank_id rank_tree::children() const {
  const std::uint64_t first = std::uint64_t{place_.rank} * radix + 1;
  return first >= place_.size
             ? 0
             : static_cast<rank_id>(std::min<std::uint64_t>(radix, place_.size - first));
}

/// A rank calls its parent first and then waits for its children. Ranks never wait for each other
/// in a circle, since a call is complete when the kernel of the parent has taken it.
void rank_tree::connect(std::span<const blob> cards) {
  if (place_.rank > 0) {
    const rank_id parent = (place_.rank - 1) / radix;
    const auto location = decode_address(cards[parent]);
    if (!location)
      throw error("job", text("rank ", parent, " has published no address at which it listens"),
                  "let all ranks load the same libatoll.so");
    parent_ = place_.is_one_host ? call_on_this_host(location->name, parent)
                                 : call_over_networks(location->hosts, location->port, parent);
    finished_writer greeting;
    greeting.put_bytes(location->key);
    greeting.put(static_cast<rank_id>(place_.rank));
    if (!write_fully(parent_, greeting.finish())) ended_(parent, std::nullopt);
  }
  accept_children();
  start_watcher();
}

void rank_tree::start_watcher() {
  wake_ = descriptor(eventfd(0, EFD_CLOEXEC));
  if (!wake_)
    throw error("job", text("eventfd: ", errno_text(errno)),
                "raise the limit of open files (ulimit -n)");
  try {
    const blocked_signals meanwhile;  // they are for the program's own threads
    watcher_ = std::jthread([this](const std::stop_token& stop) { watch(stop); });
  } catch (const std::system_error& refused) {
    throw error("job", text("no thread to watch the other ranks: ", refused.what()),
                "raise the limit of processes (ulimit -u)");
  }
}

/// A forked child has the object, but not the thread.
rank_tree::~rank_tree() {
  if (watcher_.joinable() && getpid() != owner_) forget_thread(watcher_);
  watcher_.request_stop();
  if (wake_) eventfd_write(wake_.get(), 1);
}

void rank_tree::accept_children() {
  using clock = std::chrono::steady_clock;
  children_.resize(children());
  std::size_t missing = children_.size();
  std::vector<stranger> strangers;
  const auto give_up = clock::now() + connect_time_max;
  while (missing > 0) {
    if (clock::now() >= give_up) {
      const auto gone = std::ranges::find_if(children_, [](const auto& child) { return !child; });
      throw error("job",
                  text("rank ", first_child() + static_cast<rank_id>(gone - children_.begin()),
                       " does not connect to rank ", place_.rank),
                  "it has ended, or a firewall forbids connections between the hosts");
    }
    std::vector<int> sockets{strangers.size() < strangers_max ? listener_.get() : -1};
    for (const auto& each : strangers) sockets.push_back(each.socket.get());
    wait_for_input(sockets, std::chrono::milliseconds(500));
    if (strangers.size() < strangers_max)
      if (auto came = accept_one(listener_))
        strangers.push_back(
            {.socket = std::move(came), .deadline = clock::now() + greeting_time_max});
    take_greetings(strangers, missing);
  }
  listener_.reset();
}

void rank_tree::take_greetings(std::vector<stranger>& strangers, std::size_t& missing) {
  const auto now = std::chrono::steady_clock::now();
  std::erase_if(strangers, [&](stranger& each) {
    const auto greeting = std::span(each.greeting);
    const ssize_t got = recv(each.socket.get(), greeting.data() + each.received,
                             greeting.size() - each.received, MSG_DONTWAIT);
    const bool nothing_yet = got < 0 && (errno == EAGAIN || errno == EINTR);
    if (got > 0) each.received += static_cast<std::size_t>(got);
    const bool is_whole = each.received == greeting.size();
    if (is_whole && admit(each)) --missing;
    return is_whole || (got <= 0 && !nothing_yet) || now >= each.deadline;
  });
}

/// Takes the connection of a child that has proved itself.
bool rank_tree::admit(stranger& from) {
  field_cursor in(from.greeting);
  const auto key = in.take_bytes(own_.key.size());
  const auto rank = in.take<rank_id>();
  std::byte difference{0};
  for (std::size_t i = 0; i < own_.key.size(); ++i) difference |= key[i] ^ own_.key[i];
  const rank_id index = rank - first_child();
  if (difference != std::byte{0} || index >= children_.size() || children_[index]) return false;
  children_[index] = std::move(from.socket);
  return true;
}

void rank_tree::send(const descriptor& to, rank_id peer, std::span<const std::byte> body) {
  finished_writer head;
  head.put(static_cast<std::uint64_t>(body.size()));
  if (!write_fully(to, head.finish()) || !write_fully(to, body)) ended_(peer, std::nullopt);
}

blob rank_tree::receive(const descriptor& from, rank_id peer) {
  std::array<std::byte, sizeof(std::uint64_t)> head;
  if (!read_fully(from, head)) ended_(peer, std::nullopt);
  const auto bytes = field_cursor(head).take<std::uint64_t>();
  if (bytes == ends) {
    std::array<std::byte, sizeof(std::int32_t)> code;
    if (!read_fully(from, code)) ended_(peer, std::nullopt);
    ended_(peer, field_cursor(code).take<std::int32_t>());
  }
  if (bytes == leaves)
    throw error("job", text("rank ", peer, " has left it, and this rank waits for its data"),
                "let all ranks make the same collective calls before they end");
  if (bytes > std::uint64_t{place_.size} * (blob_bytes_max + entry_head_bytes))
    throw error("job", text("rank ", peer, " sent more than all ranks together can"),
                "let all ranks load the same libatoll.so");
  blob body(bytes);
  if (!read_fully(from, body)) ended_(peer, std::nullopt);
  return body;
}

std::vector<blob> rank_tree::exchange(std::span<const std::byte> contribution) {
  blob gathered = encode(entries{{place_.rank, blob(contribution.begin(), contribution.end())}});
  for (rank_id i = 0; i < children_.size(); ++i) {
    const blob received = receive(children_[i], first_child() + i);
    gathered.insert(gathered.end(), received.begin(), received.end());
  }
  if (place_.rank > 0) {
    const rank_id parent = (place_.rank - 1) / radix;
    send(parent_, parent, gathered);
    gathered = receive(parent_, parent);
  }
  for (rank_id i = 0; i < children_.size(); ++i) send(children_[i], first_child() + i, gathered);
  auto all_entries = decode_entries(gathered, place_.size);
  std::vector<blob> blobs(place_.size);
  std::vector<bool> has_arrived(place_.size);
  if (all_entries)
    for (auto& [rank, data] : *all_entries) {
      has_arrived[rank] = true;
      blobs[rank] = std::move(data);
    }
  if (!std::ranges::all_of(has_arrived, [](bool came) { return came; }))
    throw error("job", "the data that the ranks have sent each other are incomplete",
                "let all ranks load the same libatoll.so");
  return blobs;
}

void rank_tree::tell_neighbours(std::uint64_t word, int code) noexcept {
  std::array<std::byte, end_bytes> raw;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const std::uint64_t from =
        i < sizeof word ? word >> (8 * i) : std::uint64_t(code) >> (8 * (i - sizeof word));
    raw[i] = static_cast<std::byte>(from);
  }
  const std::size_t bytes = word == ends ? end_bytes : sizeof word;
  const auto tell = [&](const descriptor& to) {
    if (to) ::send(to.get(), raw.data(), bytes, MSG_NOSIGNAL | MSG_DONTWAIT);
  };
  tell(parent_);
  for (const auto& child : children_) tell(child);
}

void rank_tree::leave() noexcept { tell_neighbours(leaves, 0); }

void rank_tree::end(int code) noexcept { tell_neighbours(ends, code); }

rank_tree::farewell rank_tree::farewell_in(std::span<const std::byte> unread) noexcept {
  const auto ends_with = [&](std::size_t bytes, std::uint64_t word) {
    if (unread.size() < bytes) return false;
    field_cursor in(unread.last(bytes));
    return in.take<std::uint64_t>() == word;
  };
  if (ends_with(sizeof leaves, leaves)) return {.has_left = true};
  if (!ends_with(end_bytes, ends)) return {};
  field_cursor code(unread.last(end_bytes - sizeof ends));
  return {.code = code.take<std::int32_t>()};
}

/// Looks at a connection that the peer has closed. Messages that this rank has not asked for yet
/// may be before the end, so only the last counts. False when a call of this rank reads meanwhile.
bool rank_tree::is_gone(const descriptor& socket, rank_id peer) {
  int pending = 0;
  if (ioctl(socket.get(), FIONREAD, &pending) != 0) pending = 0;
  std::vector<std::byte> unread(static_cast<std::size_t>(pending));
  const ssize_t got = recv(socket.get(), unread.data(), unread.size(), MSG_PEEK | MSG_DONTWAIT);
  if (pending != 0 && got != pending) return false;
  const farewell last = farewell_in(unread);
  if (!last.has_left) ended_(peer, last.code);
  return true;
}

void rank_tree::watch(const std::stop_token& stop) {
  std::vector<pollfd> watched{{wake_.get(), POLLIN, 0}};
  std::vector<rank_id> peers{place_.rank};
  if (parent_) {
    watched.push_back({parent_.get(), POLLRDHUP, 0});
    peers.push_back((place_.rank - 1) / radix);
  }
  for (rank_id i = 0; i < children_.size(); ++i) {
    watched.push_back({children_[i].get(), POLLRDHUP, 0});
    peers.push_back(first_child() + i);
  }
  while (!stop.stop_requested()) {
    const int happened = poll(watched.data(), watched.size(), -1);
    bool is_unread = false;
    for (std::size_t i = 1; happened > 0 && i < watched.size(); ++i) {
      if (watched[i].revents == 0 || watched[i].fd < 0) continue;
      const auto& socket = parent_ && i == 1 ? parent_ : children_[peers[i] - first_child()];
      if (is_gone(socket, peers[i]))
        watched[i].fd = -1;  // it has left, and may be forgotten
      else
        is_unread = true;
    }
    if (is_unread) std::this_thread::sleep_for(unread_pause);
  }
}

}  // namespace atl::bootstrap
