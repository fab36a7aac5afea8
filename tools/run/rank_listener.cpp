// SPDX-License-Identifier: BSD-3-Clause
//
// Sockets, credentials and frames of the launcher. The answer to hello carries the host memory of
// the rank's round; a round's memory is dropped here as soon as every rank has it, and lives on
// only in the ranks that map it.
#include <atoll/base/error.hpp>
#include <atoll/bootstrap/blob_table.hpp>
#include <atoll/bootstrap/single.hpp>
#include <tools/run/rank_listener.hpp>

#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <span>
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

/// Sends the first bytes of a frame, and descriptors with the first of them. Returns as send does.
ssize_t send_with_descriptors(int socket, std::span<const std::byte> frame,
                              std::span<const int> carried) {
  iovec part{const_cast<std::byte*>(frame.data()), frame.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(wire::welcome_descriptors * sizeof(int))] = {};
  msghdr message{};
  message.msg_iov = &part;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = CMSG_SPACE(carried.size_bytes());
  cmsghdr* head = CMSG_FIRSTHDR(&message);
  head->cmsg_level = SOL_SOCKET;
  head->cmsg_type = SCM_RIGHTS;
  head->cmsg_len = CMSG_LEN(carried.size_bytes());
  std::memcpy(CMSG_DATA(head), carried.data(), carried.size_bytes());
  return sendmsg(socket, &message, MSG_NOSIGNAL);
}

}  // namespace

rank_listener::rank_listener(event_loop& loop, rendezvous& ranks, const launch& job,
                             events handlers)
    : loop_(loop),
      ranks_(ranks),
      job_(job),
      events_(std::move(handlers)),
      listener_(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)),
      members_(ranks.size()),
      stopped_(job.place.job_size) {
  const auto address = bootstrap::socket_address_of(job.job);
  if (!listener_ ||
      bind(listener_.get(), reinterpret_cast<const sockaddr*>(&address.address), address.length) !=
          0 ||
      listen(listener_.get(), backlog) != 0)
    throw error("launcher", "cannot open the socket of the job: " + errno_text(errno), "");
  listener_token_ = loop_.add(listener_.get(), EPOLLIN, [this](std::uint32_t) { accept_some(); });
}

rank_listener::~rank_listener() {
  loop_.remove(listener_token_);
  while (!connections_.empty()) close(connections_.begin()->second);
}

/// Accepts the connections that wait, up to the limit; the others wait until a connection closes.
/// A process of another user is turned away at once, and counts as a turn.
void rank_listener::accept_some() {
  for (int turn = 0; turn < accepted_per_turn && !is_full(); ++turn) {
    descriptor socket(accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    if (!socket && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (!socket && (errno == EINTR || errno == ECONNABORTED)) continue;
    if (!socket) return pause_accepting();
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
void rank_listener::pause_accepting() {
  loop_.modify(listener_token_, 0);
  rests_until_ = clock::now() + rest_without_descriptors;
}

/// Connections that have closed or become members are no strangers any more.
void rank_listener::forget_known_strangers() {
  while (!strangers_.empty()) {
    const auto first = strangers_.front().lock();
    if (first && first->socket && first->rank == no_rank) return;
    strangers_.pop_front();
  }
}

void rank_listener::tick(clock::time_point now) {
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

void rank_listener::renew_time(clock::time_point now) {
  for (const auto& each : strangers_)
    if (const auto stranger = each.lock()) stranger->opened_at = now;
}

rank_listener::clock::time_point rank_listener::next_tick() const {
  const auto first = strangers_.empty() ? nullptr : strangers_.front().lock();
  return first ? std::min(rests_until_, first->opened_at + hello_within) : rests_until_;
}

bool rank_listener::is_full() const { return connections_.size() >= ranks_.size() + strangers_max; }

void rank_listener::readable(const std::shared_ptr<connection>& from) {
  std::array<std::byte, 16384> received;
  while (from->socket) {
    const ssize_t got = recv(from->socket.get(), received.data(), received.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got <= 0) {
      const rank_id rank = from->rank;
      close(from);
      if (rank != no_rank) events_.lost(rank);
      return;
    }
    from->reader.append(std::span(received).first(static_cast<std::size_t>(got)));
    if (!handle_frames(from)) {
      const rank_id rank = from->rank;
      close(from);
      if (rank != no_rank) events_.wrong(rank, "sent a message that the launcher does not know");
    }
  }
}

bool rank_listener::handle_frames(const std::shared_ptr<connection>& from) {
  while (from->socket) {
    wire::kind kind{};
    std::span<const std::byte> body;
    switch (from->reader.next(kind, body)) {
      case wire::message_reader::result::more:
        return true;
      case wire::message_reader::result::bad:
        return false;
      case wire::message_reader::result::frame:
        break;
    }
    if (!handle(from, kind, body)) return false;
  }
  return true;
}

/// Returns false when the frame makes no sense from this connection now.
bool rank_listener::handle(const std::shared_ptr<connection>& from, wire::kind kind,
                           std::span<const std::byte> body) {
  if (from->closing) return true;  // refused: its other frames are ignored
  if (from->rank == no_rank) return kind == wire::kind::hello && greet(from, body);
  const rank_id rank = from->rank;
  switch (kind) {
    case wire::kind::exchange:
      return enter(rank, rendezvous::collective::exchange, body);
    case wire::kind::fence:
      return enter(rank, rendezvous::collective::fence, {});
    case wire::kind::stop:
      if (const auto last = wire::decode_stop(body)) return stop(rank, last->code);
      return false;
    case wire::kind::outlive:
      events_.outlives(rank);
      return body.empty();
    case wire::kind::depend:
      events_.depends(rank);
      return body.empty();
    case wire::kind::goodbye:
      ranks_.leave(rank);
      close(from);
      events_.left(rank);
      return true;
    case wire::kind::end_job:
      if (const auto last = wire::decode_end_job(body)) return events_.end_job(rank, *last), true;
      return false;
    default:
      return false;
  }
}

/// The blob is not kept here, but by the rendezvous of the job.
bool rank_listener::enter(rank_id rank, rendezvous::collective which,
                          std::span<const std::byte> blob) {
  if (!ranks_.enter(rank, which, {})) return false;
  events_.entered(rank, which, {blob.begin(), blob.end()});
  return true;
}

bool rank_listener::stop(rank_id rank, int code) {
  if (!ranks_.enter(rank, rendezvous::collective::stop, {})) return false;
  events_.stopped(rank, code);
  events_.entered(rank, rendezvous::collective::stop, {});
  return true;
}

bool rank_listener::greet(const std::shared_ptr<connection>& from,
                          std::span<const std::byte> body) {
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

bool rank_listener::admit(const std::shared_ptr<connection>& from, rank_id rank,
                          const std::string& version) {
  if (rank < ranks_.size()) drain(rank);  // its last process may just have left
  const auto refusal = ranks_.join(rank, version, from->pid);
  if (refusal) {
    refuse(from, *refusal);
    return true;
  }
  from->rank = rank;
  members_[rank] = from;
  const std::uint32_t round = ranks_.state_of(rank).rounds - 1;
  const auto frame = wire::encode(wire::welcome{
      .size = job_.place.job_size, .round = round, .host_firsts = job_.place.host_firsts});
  // A fresh connection takes them all.
  const std::array carried{memory_of_round(round).get(), stopped_.file().get()};
  if (send_with_descriptors(from->socket.get(), frame, carried) !=
      static_cast<ssize_t>(frame.size()))
    return false;
  forget_memories();
  if (from->pid != events_.process_of(rank)) watch_life(from);
  events_.joined(rank);
  return true;
}

void rank_listener::refuse(const std::shared_ptr<connection>& to,
                           const rendezvous::refusal& reason) {
  to->closing = true;
  send(to, std::make_shared<const answer>(answer{.frame = wire::encode(reason), .file = {}}));
}

/// A member that is a child of the rank's process can die without the launcher seeing it end,
/// while a child of its own keeps the socket open. Its pidfd shows the end. The socket gives the
/// pidfd of the process that connected; before Linux 6.5 the pidfd is opened by the number.
void rank_listener::watch_life(const std::shared_ptr<connection>& member) {
  int peer = -1;
  socklen_t length = sizeof peer;
  const bool has_descriptor =
      getsockopt(member->socket.get(), SOL_SOCKET, so_peerpidfd, &peer, &length) == 0;
  if (!has_descriptor && errno == ENOPROTOOPT)
    peer = static_cast<int>(syscall(SYS_pidfd_open, member->pid, 0));
  member->life = descriptor(peer);
  if (!member->life) return;  // an old kernel, or it has ended: only the socket's end shows it
  member->life_token = loop_.add(member->life.get(), EPOLLIN, [this, member](std::uint32_t) {
    readable(member);
    if (!member->socket) return;
    const rank_id rank = member->rank;
    close(member);
    events_.lost(rank);
  });
}

void rank_listener::send(const std::shared_ptr<connection>& to, shared_answer sent) {
  to->queue.push_back(std::move(sent));
  if (to->queue.size() == 1) flush(to);
}

void rank_listener::flush(const std::shared_ptr<connection>& to) {
  while (to->socket && !to->queue.empty()) {
    const auto& [frame, file] = *to->queue.front();
    const auto rest = std::span(frame).subspan(to->sent);
    const std::array carried{file.get()};
    const ssize_t sent = file && to->sent == 0
                             ? send_with_descriptors(to->socket.get(), rest, carried)
                             : ::send(to->socket.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
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

void rank_listener::close(std::shared_ptr<connection> ended) {
  if (!ended->socket) return;
  if (is_full() && rests_until_ == clock::time_point::max()) loop_.modify(listener_token_, EPOLLIN);
  loop_.remove(ended->token);
  if (ended->life) loop_.remove(ended->life_token);
  if (ended->rank != no_rank && members_[ended->rank] == ended) members_[ended->rank].reset();
  connections_.erase(ended->socket.get());
  ended->socket.reset();
  ended->life.reset();
}

void rank_listener::drain(rank_id rank) {
  const auto member = members_[rank];
  if (member) readable(member);
}

void rank_listener::drain_all() {
  const auto members = members_;  // one that has left is taken off the list while it is read
  for (const auto& member : members)
    if (member) readable(member);
}

/// Ranks get the frame of the supervisor, except for blobs, which they find in a file.
rank_listener::shared_answer rank_listener::answer_of(const wire::bytes& frame) {
  const auto raw = std::span(frame).first<wire::header_bytes>();
  const auto head = wire::decode_header(raw, frame.size());
  if (!head || head->type != wire::kind::blobs)
    return std::make_shared<const answer>(answer{.frame = frame, .file = {}});
  const auto block = std::span(frame).subspan(wire::header_bytes);
  try {
    return std::make_shared<const answer>(answer{.frame = wire::encode(wire::kind::table),
                                                 .file = bootstrap::make_block_file(block)});
  } catch (const error& reason) {  // each rank reports it, with its number
    const rendezvous::refusal message{.cause = reason.cause(), .remedy = reason.remedy()};
    return std::make_shared<const answer>(answer{.frame = wire::encode(message), .file = {}});
  }
}

void rank_listener::pass(const wire::bytes& frame) {
  ranks_.pass();
  const shared_answer made = answer_of(frame);
  const auto members = members_;
  for (const auto& member : members)
    if (member) send(member, made);
}

descriptor& rank_listener::memory_of_round(std::uint32_t round) {
  auto& memory = memories_[round];
  if (!memory) memory = bootstrap::make_host_memory();
  return memory;
}

void rank_listener::forget_memories() {
  std::uint32_t joined_by_all = ranks_.state_of(0).rounds;
  for (rank_id rank = 1; rank < ranks_.size() && joined_by_all > 0; ++rank)
    joined_by_all = std::min(joined_by_all, ranks_.state_of(rank).rounds);
  memories_.erase(memories_.begin(), memories_.lower_bound(joined_by_all));
}

}  // namespace atl::tools
