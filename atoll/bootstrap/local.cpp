// SPDX-License-Identifier: BSD-3-Clause
//
// A rank's side of the launcher protocol, with blocking calls: each collective is one frame out and
// one frame back. The launcher's answer to hello carries the host memory as a descriptor. When the
// launcher closes the connection the job is over; a rank that still waits throws.
#include <atoll/base/error.hpp>
#include <atoll/bootstrap/blob_table.hpp>
#include <atoll/bootstrap/local.hpp>
#include <atoll/bootstrap/single.hpp>

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

namespace atl::bootstrap {
namespace {

error launcher_gone() {
  return {"job", "the launcher closed its connection to this rank", "the job has ended"};
}

error garbled() {
  return {"job", "the launcher sent a message that this library does not know",
          "use the atoll command that belongs to this library"};
}

descriptor connect_to(const job_address& job) {
  descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!made)
    throw error("job", "no socket to the launcher: " + errno_text(errno),
                "raise the limit of open files (ulimit -n)");
  const auto to = socket_address_of(job);
  int failed;
  do {
    failed = connect(made.get(), reinterpret_cast<const sockaddr*>(&to.address), to.length);
  } while (failed != 0 && errno == EINTR);
  if (failed != 0)
    throw error("job", "the launcher named by ATOLL_JOB cannot be reached: " + errno_text(errno),
                "start the program with a new `atoll run`, in the launcher's network namespace, "
                "or unset ATOLL_JOB");
  return made;
}

/// The process that listens, which must be this user's.
pid_t launcher_of(const descriptor& connected) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(connected.get(), SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0)
    throw error("job", "the launcher's user is unknown: " + errno_text(errno), "");
  if (peer.uid != geteuid())
    throw error("job", "the launcher runs as another user (" + std::to_string(peer.uid) + ")",
                "start ranks as the user that called `atoll run`");
  return peer.pid;
}

/// Reads exactly `into.size()` bytes; keeps descriptors that come along.
void read_all(int socket, std::span<std::byte> into, std::vector<descriptor>& carried) {
  while (!into.empty()) {
    iovec part{into.data(), into.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(wire::welcome_descriptors * sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw launcher_gone();
    const cmsghdr* head = CMSG_FIRSTHDR(&message);
    if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
      const std::size_t count = (head->cmsg_len - CMSG_LEN(0)) / sizeof(int);
      for (std::size_t i = 0; i < count; ++i) {
        int number = -1;
        std::memcpy(&number, CMSG_DATA(head) + i * sizeof number, sizeof number);
        carried.emplace_back(number);
      }
    }
    into = into.subspan(static_cast<std::size_t>(got));
  }
}

bool write_all(int socket, std::span<const std::byte> data) noexcept {
  while (!data.empty()) {
    const ssize_t sent = ::send(socket, data.data(), data.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return false;
    data = data.subspan(static_cast<std::size_t>(sent));
  }
  return true;
}

}  // namespace

local::local(const identity& me)
    : rank_(me.rank),
      size_(me.size),
      owner_(getpid()),
      socket_(connect_to(me.job)),
      launcher_(launcher_of(socket_)) {
  join(me);
}

void local::join(const identity& me) {
  send(wire::encode(
      wire::hello{.rank = me.rank, .size = me.size, .key = me.job.key, .version = me.version}));
  std::vector<descriptor> carried;
  const auto body = receive(wire::kind::welcome, wire::welcome_bytes_max, carried);
  auto welcome = wire::decode_welcome(body);
  if (!welcome || welcome->size != size_ || carried.size() != wire::welcome_descriptors)
    throw garbled();
  memory_ = std::move(carried[0]);
  stopped_.emplace(std::move(carried[1]), size_);
  host_firsts_ = std::move(welcome->host_firsts);
}

std::vector<std::uint32_t> local::hosts() const {
  if (host_firsts_.size() < 2) return {};
  std::vector<std::uint32_t> host_of_rank(size_);
  for (std::size_t host = 1; host < host_firsts_.size(); ++host)
    std::fill(host_of_rank.begin() + host_firsts_[host], host_of_rank.end(),
              static_cast<std::uint32_t>(host));
  return host_of_rank;
}

void local::send(std::span<const std::byte> frame) {
  const std::lock_guard hold(sending_);
  if (!write_all(socket_.get(), frame)) throw launcher_gone();
}

wire::bytes local::receive(wire::kind expected, std::size_t body_bytes_max) {
  std::vector<descriptor> carried;
  return receive(expected, body_bytes_max, carried);
}

wire::bytes local::receive(wire::kind expected, std::size_t body_bytes_max,
                           std::vector<descriptor>& carried) {
  std::array<std::byte, wire::header_bytes> raw;
  read_all(socket_.get(), raw, carried);
  const auto head = wire::decode_header(raw, body_bytes_max);
  if (!head) throw garbled();
  wire::bytes body(head->body_bytes);
  read_all(socket_.get(), body, carried);
  if (head->type == expected) return body;
  const auto refusal = wire::decode_refused(body);
  if (head->type != wire::kind::refused || !refusal) throw garbled();
  throw error("rank " + std::to_string(rank_), refusal->cause, refusal->remedy);
}

blob_table local::exchange(std::span<const std::byte> contribution) {
  if (contribution.size() > wire::blob_bytes_max)
    throw error("exchange",
                "a blob of " + std::to_string(contribution.size()) + " bytes is longer than 64 KiB",
                "send less");
  send(wire::encode_exchange(contribution));
  std::vector<descriptor> carried;
  receive(wire::kind::table, wire::text_bytes_max, carried);
  if (carried.empty())
    throw error("exchange", "this process has no room for the launcher's file",
                "raise the limit of open files (ulimit -n)");
  auto table = blob_table::of_file(carried[0], size_);
  if (!table) throw garbled();
  return std::move(*table);
}

void local::fence() {
  send(wire::encode(wire::kind::fence));
  receive(wire::kind::passed, wire::text_bytes_max);
}

void local::stop(int code) {
  send(wire::encode(wire::stop{.code = code}));
  receive(wire::kind::passed, wire::text_bytes_max);
}

bool local::outlive_failures() {
  send(wire::encode(wire::kind::outlive));
  return true;
}

void local::depend_on_others() { send(wire::encode(wire::kind::depend)); }

descriptor local::host_memory() { return duplicate(memory_); }

/// The launcher ends this process; it is left to itself only if the launcher is dead too.
void local::end_job(int code, std::string_view message) noexcept {
  using namespace std::chrono_literals;
  flush_output();
  if (getpid() != owner_) _exit(code);  // a forked child ends itself, and not the job
  // A thread stuck in a send holds the mutex for at most as long as the launcher is busy. Past that
  // this process ends without a word and the launcher reports it by its exit code.
  std::unique_lock hold(sending_, std::defer_lock);
  for (int tries = 0; tries < 100 && !hold.try_lock(); ++tries) std::this_thread::sleep_for(1ms);
  if (!hold.owns_lock()) _exit(code);
  const wire::end_job last{.code = code, .message = std::string(message)};
  if (!write_all(socket_.get(), wire::encode(last))) _exit(code);
  std::this_thread::sleep_for(5s);
  _exit(code);
}

void local::goodbye() noexcept {
  if (getpid() != owner_) return;
  const std::lock_guard hold(sending_);
  write_all(socket_.get(), wire::encode(wire::kind::goodbye));
  socket_.reset();
}

}  // namespace atl::bootstrap
