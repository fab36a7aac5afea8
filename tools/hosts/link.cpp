// SPDX-License-Identifier: BSD-3-Clause
//
// Sockets and records of a link. A record is a length and a sealed piece of the frame stream; its
// length is bounded before anything is kept. A callback may drop the link: every loop asks whether
// the socket is still there.
#include <atoll/bootstrap/fields.hpp>
#include <tools/hosts/link.hpp>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

namespace atl::tools {

using namespace std::chrono_literals;

namespace {

constexpr std::size_t record_head_bytes = sizeof(std::uint32_t);
constexpr std::size_t plain_bytes_max = 32 * 1024;  // in one record
constexpr auto ping_after = 1s;

struct record_head : bootstrap::field_writer {
  explicit record_head(std::size_t count) { put(static_cast<std::uint32_t>(count)); }
  const bytes& raw() const { return made_; }
};

}  // namespace

link::link(event_loop& loop, parts made_of)
    : loop_(loop),
      socket_(std::move(made_of.socket)),
      node_(made_of.node),
      proven_(made_of.key == nullptr),
      frames_(made_of.body_bytes_max),
      opened_at_(clock::now()),
      heard_at_(opened_at_),
      said_at_(opened_at_) {
  if (made_of.key) shaking_.emplace(made_of.side, *made_of.key, made_of.node);
}

std::shared_ptr<link> link::open(event_loop& loop, parts made_of, events handlers) {
  const std::shared_ptr<link> made(new link(loop, std::move(made_of)));
  made->events_ = std::move(handlers);
  const int number = made->socket_.get();
  fcntl(number, F_SETFL, fcntl(number, F_GETFL) | O_NONBLOCK);
  const int enabled = 1;
  setsockopt(number, IPPROTO_TCP, TCP_NODELAY, &enabled,
             sizeof enabled);  // fails for a socket pair, which needs none
  made->token_ = loop.add(number, EPOLLIN, [weak = made->weak_from_this()](std::uint32_t flags) {
    if (const auto self = weak.lock()) self->happened(flags);
  });
  if (made->shaking_) made->queue(made->shaking_->opening());
  return made;
}

link::~link() { drop(); }

void link::drop() {
  if (!socket_) return;
  loop_.remove(token_);
  socket_.reset();
}

void link::close(const std::string& reason) {
  if (!socket_) return;
  drop();
  const auto call = events_.closed;
  if (call) call(*this, reason);
}

void link::happened(std::uint32_t flags) {
  if (flags & EPOLLOUT) flush();
  if (flags & (EPOLLIN | EPOLLHUP | EPOLLERR)) readable();
}

void link::readable() {
  std::array<std::byte, 65536> received;
  for (int turns = 0; socket_ && turns < 16; ++turns) {  // others want their turn too
    const ssize_t got = recv(socket_.get(), received.data(), received.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (got < 0) return close(std::strerror(errno));
    if (got == 0) return close("the connection was closed");
    heard_at_ = clock::now();
    take(std::span(received).first(static_cast<std::size_t>(got)));
  }
}

void link::take(std::span<const std::byte> received) {
  if (shaking_ && !shake(received)) return;
  if (!receiving_) {
    frames_.append(received);
    return take_frames();
  }
  if (!take_records(received)) close("it sent what does not open with the keys of this connection");
}

/// Returns whether the link is proven.
bool link::shake(std::span<const std::byte>& received) {
  bytes answer;
  const auto state = shaking_->take(received, answer);
  queue(answer);
  if (!socket_ || state == handshake::state::going_on) return false;
  if (state == handshake::state::refused) {
    refused_ = true;
    close("it does not know the key of the job");
    return false;
  }
  sending_.emplace(shaking_->sending());
  receiving_.emplace(shaking_->receiving());
  node_ = shaking_->node();
  shaking_.reset();
  proven_ = true;
  const auto call = events_.proven;
  if (call) call(*this);
  return static_cast<bool>(socket_);
}

/// Returns false when something does not open.
bool link::take_records(std::span<const std::byte> received) {
  while (!received.empty() && socket_) {
    std::size_t wanted = record_head_bytes;
    if (record_.size() >= record_head_bytes) {
      const std::size_t sealed = bootstrap::field_cursor(record_).take<std::uint32_t>();
      if (sealed < seal_bytes || sealed > plain_bytes_max + seal_bytes) return false;
      wanted += sealed;
    }
    const auto count = std::min(wanted - record_.size(), received.size());
    record_.insert(record_.end(), received.begin(),
                   received.begin() + static_cast<std::ptrdiff_t>(count));
    received = received.subspan(count);
    if (record_.size() < wanted || wanted == record_head_bytes) continue;
    const auto plain = receiving_->open(std::span(record_).subspan(record_head_bytes));
    if (!plain) return false;
    record_.clear();
    frames_.append(*plain);
    take_frames();
  }
  return true;
}

void link::take_frames() {
  protocol::frame found;
  while (socket_) {
    const auto result = frames_.next(found);
    if (result == protocol::stream::result::more) return;
    if (result == protocol::stream::result::bad)
      return close("it sent a message that this launcher does not know");
    if (found.kind == protocol::kind::ping) continue;
    const auto call = events_.received;
    if (call) call(*this, found);
  }
}

void link::send(std::span<const std::byte> frame) {
  if (!socket_ || !proven_) return;
  if (!sending_) return queue(frame);
  bytes records;
  while (!frame.empty()) {
    const auto piece = frame.first(std::min(frame.size(), plain_bytes_max));
    frame = frame.subspan(piece.size());
    const auto sealed = sending_->close(piece);
    const record_head head(sealed.size());
    records.insert(records.end(), head.raw().begin(), head.raw().end());
    records.insert(records.end(), sealed.begin(), sealed.end());
  }
  queue(records);
}

void link::queue(std::span<const std::byte> raw) {
  if (raw.empty()) return;
  said_at_ = clock::now();
  queue_.insert(queue_.end(), raw.begin(), raw.end());
  flush();
}

void link::flush() {
  while (socket_ && sent_ < queue_.size()) {
    const ssize_t put =
        ::send(socket_.get(), queue_.data() + sent_, queue_.size() - sent_, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) break;  // full: EPOLLOUT comes; gone: EPOLLHUP comes
    sent_ += static_cast<std::size_t>(put);
  }
  if (sent_ == queue_.size()) {
    queue_.clear();
    sent_ = 0;
  }
  if (socket_) loop_.modify(token_, queue_.empty() ? EPOLLIN : EPOLLIN | EPOLLOUT);
}

void link::tick(clock::time_point now, clock::duration silence_max) {
  if (!socket_ || !proven_) return;
  if (now - heard_at_ > silence_max) return close("nothing was heard of it for too long");
  if (now - said_at_ >= ping_after) send(protocol::encode(protocol::kind::ping, 0));
}

}  // namespace atl::tools
