// SPDX-License-Identifier: BSD-3-Clause
//
// Sockets, credentials and frames of the launcher. The answer to hello carries the host memory of
// the rank's round; a round's memory is dropped here as soon as every rank has it, and lives on
// only in the ranks that map it.
#include <atoll/base/error.hpp>
#include <atoll/bootstrap/single.hpp>
#include <tools/run/door.hpp>

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace atl::tools {

namespace wire = bootstrap::wire;

using namespace std::chrono_literals;

namespace {

constexpr int backlog = 4096;
constexpr int so_peerpidfd = 77;           // SO_PEERPIDFD of Linux 6.5, which older headers lack
constexpr std::size_t strangers_max = 16;  // connections at a time beyond one per rank
constexpr int accepted_per_turn = 64;      // then other events have their turn
constexpr auto hello_within = 10s;
constexpr auto rest_without_descriptors = 100ms;

/// The process at the other end, or 0 when it runs as another user.
pid_t trusted_peer(int socket) {
  ucred peer{};
  socklen_t length = sizeof peer;
  if (getsockopt(socket, SOL_SOCKET, SO_PEERCRED, &peer, &length) != 0) return 0;
  return peer.uid == geteuid() ? peer.pid : 0;
}

/// Sends the first bytes of a frame together with a descriptor. A fresh connection takes them all.
bool send_with_descriptor(int socket, const wire::bytes& frame, int carried) {
  iovec part{const_cast<std::byte*>(frame.data()), frame.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(sizeof(int));
  std::memcpy(CMSG_DATA(head), &carried, sizeof carried);
  return sendmsg(socket, &message, MSG_NOSIGNAL) == static_cast<ssize_t>(frame.size());
}

}  // namespace

door::door(event_loop& loop, meeting& ranks, const launch& job, events tell)
    : loop_(loop),
      ranks_(ranks),
      job_(job),
      tell_(std::move(tell)),
      listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      members_(ranks.size()) {
  const auto at = bootstrap::socket_address_of(job.job);
  if (!listener_ ||
      bind(listener_.get(), reinterpret_cast<const sockaddr*>(&at.address), at.length) != 0 ||
      listen(listener_.get(), backlog) != 0)
    throw error("launcher", "cannot open the socket of the job: " + errno_text(errno), "");
  listener_token_ = loop_.add(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept_some(); });
}

door::~door() {
  loop_.remove(listener_token_);
  while (!connections_.empty()) close(connections_.begin()->second);
}

/// Accepts the connections that wait, up to the limit; the others wait until a connection closes.
/// A process of another user is turned away at once, and counts as a turn.
void door::accept_some() {
  for (int turn = 0; turn < accepted_per_turn && !is_full(); ++turn) {
    descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (!socket && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (!socket) return rest();
    const pid_t pid = trusted_peer(socket.get());
    if (pid == 0) continue;
    const auto made = std::make_shared<connection>();
    made->pid = pid;
    made->socket = std::move(socket);
    made->token = loop_.add(made->socket.get(), EPOLLIN, [this, made](std::uint32_t happened) {
      if (happened & EPOLLOUT) flush(made);
      if (happened & (EPOLLIN | EPOLLHUP | EPOLLERR)) readable(made);
    });
    connections_.emplace(made->socket.get(), made);
    forget_known_strangers();
    strangers_.push_back(made);
  }
  if (is_full()) loop_.modify(listener_token_, 0);
}

/// Without descriptors or memory nobody can be accepted, and the kernel would report the same
/// connection again at once.
void door::rest() {
  loop_.modify(listener_token_, 0);
  rests_until_ = clock::now() + rest_without_descriptors;
}

/// Connections that have closed or become members are no strangers any more.
void door::forget_known_strangers() {
  while (!strangers_.empty()) {
    const auto first = strangers_.front().lock();
    if (first && first->socket && first->rank == no_rank) return;
    strangers_.pop_front();
  }
}

void door::tick(clock::time_point now) {
  forget_known_strangers();
  while (!strangers_.empty()) {
    const auto first = strangers_.front().lock();
    if (now - first->opened_at < hello_within) break;
    close(first);
    forget_known_strangers();
  }
  if (now < rests_until_) return;
  rests_until_ = clock::time_point::max();
  if (!is_full()) loop_.modify(listener_token_, EPOLLIN);
}

void door::renew_time(clock::time_point now) {
  for (const auto& each : strangers_)
    if (const auto stranger = each.lock()) stranger->opened_at = now;
}

door::clock::time_point door::next_tick() const {
  const auto first = strangers_.empty() ? nullptr : strangers_.front().lock();
  return first ? std::min(rests_until_, first->opened_at + hello_within) : rests_until_;
}

bool door::is_full() const { return connections_.size() >= ranks_.size() + strangers_max; }

void door::readable(const std::shared_ptr<connection>& from) {
  std::array<std::byte, 16384> received;
  while (from->socket) {
    const ssize_t got = recv(from->socket.get(), received.data(), received.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got <= 0) {
      const rank_id rank = from->rank;
      close(from);
      if (rank != no_rank) tell_.lost(rank);
      return;
    }
    from->reader.append(std::span(received).first(static_cast<std::size_t>(got)));
    if (!handle_frames(from)) {
      const rank_id rank = from->rank;
      close(from);
      if (rank != no_rank) tell_.wrong(rank, "sent a message that the launcher does not know");
    }
  }
}

bool door::handle_frames(const std::shared_ptr<connection>& from) {
  while (from->socket) {
    wire::kind what{};
    std::span<const std::byte> body;
    switch (from->reader.next(what, body)) {
      case wire::frame_reader::result::more:
        return true;
      case wire::frame_reader::result::bad:
        return false;
      case wire::frame_reader::result::frame:
        break;
    }
    if (!handle(from, what, body)) return false;
  }
  return true;
}

/// Returns false when the frame makes no sense from this connection now.
bool door::handle(const std::shared_ptr<connection>& from, wire::kind what,
                  std::span<const std::byte> body) {
  if (from->closing) return true;  // refused: whatever else it says is not heard
  if (from->rank == no_rank) return what == wire::kind::hello && greet(from, body);
  const rank_id rank = from->rank;
  auto done = change::entered;
  switch (what) {
    case wire::kind::exchange:
      if (!ranks_.enter(rank, meeting::collective::exchange, {body.begin(), body.end()}))
        return false;
      break;
    case wire::kind::fence:
      if (!ranks_.enter(rank, meeting::collective::fence, {})) return false;
      break;
    case wire::kind::goodbye:
      done = change::left;
      ranks_.leave(rank);
      close(from);
      break;
    case wire::kind::end_job: {
      const auto last = wire::decode_end_job(body);
      if (last) tell_.end_job(rank, *last);
      return last.has_value();
    }
    default:
      return false;
  }
  pass_if_complete();
  tell_.changed(rank, done);
  return true;
}

bool door::greet(const std::shared_ptr<connection>& from, std::span<const std::byte> body) {
  const auto hello = wire::decode_hello(body);
  if (!hello) return false;
  if (hello->protocol != wire::protocol) {
    refuse(from, {"it speaks launcher protocol " + std::to_string(hello->protocol) +
                      ", but this `atoll run` speaks " + std::to_string(wire::protocol),
                  "use the atoll command that belongs to the program's libatoll.so"});
    return true;
  }
  if (!wire::same_key(hello->key, job_.job.key)) {
    refuse(from, {"it does not know the key of the job", "leave ATOLL_JOB as `atoll run` set it"});
    return true;
  }
  const auto& place = job_.place;
  if (hello->size != place.job_size) {
    refuse(from, {"it says that the job has " + std::to_string(hello->size) +
                      " ranks, but it has " + std::to_string(place.job_size),
                  "leave ATOLL_SIZE as `atoll run` set it"});
    return true;
  }
  if (!place.host.empty() && hello->rank - place.first >= ranks_.size()) {
    refuse(from, {"it is started on host " + place.host + ", but belongs to another",
                  "leave ATOLL_RANK as `atoll run` set it"});
    return true;
  }
  return admit(from, hello->rank - place.first, hello->version);
}

bool door::admit(const std::shared_ptr<connection>& from, rank_id rank,
                 const std::string& version) {
  if (rank < ranks_.size()) drain(rank);  // its last process may just have left
  const auto refusal = ranks_.join(rank, version, from->pid);
  if (refusal) {
    refuse(from, *refusal);
    return true;
  }
  from->rank = rank;
  members_[rank] = from;
  const std::uint32_t round = ranks_.of(rank).rounds - 1;
  const auto frame = wire::encode(wire::welcome{
      .size = job_.place.job_size, .round = round, .host_firsts = job_.place.host_firsts});
  if (!send_with_descriptor(from->socket.get(), frame, memory_of_round(round).get())) return false;
  forget_memories();
  if (from->pid != tell_.process_of(rank)) watch_life(from);
  tell_.changed(rank, change::joined);
  return true;
}

void door::refuse(const std::shared_ptr<connection>& to, const meeting::refusal& why) {
  to->closing = true;
  send(to, std::make_shared<const wire::bytes>(wire::encode(why)));
}

/// A member that is a child of the rank's process can die without the warden seeing it end, while a
/// child of its own keeps the socket open. Its pidfd shows the end. The socket gives the pidfd of
/// the very process that connected; before Linux 6.5 the number has to do.
void door::watch_life(const std::shared_ptr<connection>& of) {
  int peer = -1;
  socklen_t length = sizeof peer;
  const bool told = getsockopt(of->socket.get(), SOL_SOCKET, so_peerpidfd, &peer, &length) == 0;
  if (!told && errno == ENOPROTOOPT) peer = static_cast<int>(syscall(SYS_pidfd_open, of->pid, 0));
  of->life = descriptor(peer);
  if (!of->life) return;  // an old kernel, or it has ended: the socket's end must do
  of->life_token = loop_.add(of->life.get(), EPOLLIN, [this, of](std::uint32_t) {
    readable(of);
    if (!of->socket) return;
    const rank_id rank = of->rank;
    close(of);
    tell_.lost(rank);
  });
}

void door::send(const std::shared_ptr<connection>& to, shared_frame frame) {
  to->queue.push_back(std::move(frame));
  if (to->queue.size() == 1) flush(to);
}

void door::flush(const std::shared_ptr<connection>& to) {
  while (to->socket && !to->queue.empty()) {
    const auto& frame = *to->queue.front();
    const ssize_t sent =
        ::send(to->socket.get(), frame.data() + to->sent, frame.size() - to->sent, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) break;  // full: EPOLLOUT comes; gone: EPOLLHUP comes
    to->sent += static_cast<std::size_t>(sent);
    if (to->sent < frame.size()) continue;
    to->queue.pop_front();
    to->sent = 0;
  }
  if (!to->socket) return;
  if (to->queue.empty() && to->closing) return close(to);
  loop_.modify(to->token, to->queue.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT);
}

void door::close(std::shared_ptr<connection> what) {
  if (!what->socket) return;
  if (is_full() && rests_until_ == clock::time_point::max()) loop_.modify(listener_token_, EPOLLIN);
  loop_.remove(what->token);
  if (what->life) loop_.remove(what->life_token);
  if (what->rank != no_rank && members_[what->rank] == what) members_[what->rank].reset();
  connections_.erase(what->socket.get());
  what->socket.reset();
  what->life.reset();
}

void door::drain(rank_id rank) {
  const auto member = members_[rank];
  if (member) readable(member);
}

void door::pass_if_complete() {
  if (!job_.place.host.empty()) return;  // it is complete when all hosts say so
  const auto which = ranks_.complete();
  if (which == meeting::collective::none) return;
  const auto blobs = ranks_.pass();
  const auto answer = std::make_shared<const wire::bytes>(which == meeting::collective::exchange
                                                              ? wire::encode_blobs(blobs)
                                                              : wire::encode(wire::kind::passed));
  send_to_members(answer);
}

void door::pass(const wire::bytes& answer) {
  ranks_.pass();
  send_to_members(std::make_shared<const wire::bytes>(answer));
}

void door::send_to_members(const shared_frame& answer) {
  const auto members = members_;
  for (const auto& member : members)
    if (member) send(member, answer);
}

descriptor& door::memory_of_round(std::uint32_t round) {
  auto& memory = memories_[round];
  if (!memory) memory = bootstrap::make_host_memory();
  return memory;
}

void door::forget_memories() {
  std::uint32_t joined_by_all = ranks_.of(0).rounds;
  for (rank_id rank = 1; rank < ranks_.size() && joined_by_all > 0; ++rank)
    joined_by_all = std::min(joined_by_all, ranks_.of(rank).rounds);
  memories_.erase(memories_.begin(), memories_.lower_bound(joined_by_all));
}

}  // namespace atl::tools
