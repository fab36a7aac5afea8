// SPDX-License-Identifier: BSD-3-Clause
//
// Frames, pipes and windows of one host. A pipe is read in pieces and passed on as it comes; the
// supervisor makes lines of it if the user wants tags.
#include <tools/hosts/upstream_link.hpp>
#include <tools/run/descriptors.hpp>
#include <tools/run/process_tree.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace atl::tools {

using namespace protocol;

namespace {

constexpr std::size_t window_bytes = 256 * 1024;
constexpr std::size_t last_bytes_max = 1024 * 1024;  // that a pipe may still hold at the end

}  // namespace

upstream_link::upstream_link(event_loop& loop, descriptor uplink, std::uint32_t node, rank_id ranks)
    : loop_(loop), node_(node), events_(ranks) {
  link_ =
      link::open(loop, {.socket = std::move(uplink), .body_bytes_max = down_bytes_max},
                 {.proven = {},
                  .received = [this](link&, const frame& order) { obey(order); },
                  .closed = [](link&, const std::string&) {  // the daemon has died: so has the job
                    kill_descendants();
                    _exit(1);
                  }});
}

upstream_link::~upstream_link() {
  for (auto& from : sources_) close(*from);
  close_input();
}

void upstream_link::run(rank_port& ranks) {
  port_ = &ranks;
  ranks.start();
  while (!ranks.is_done()) {
    loop_.wait(wait_ms());
    ranks.reap();
    loop_.dispatch();
    ranks.tick(rank_port::clock::now());
    if (events_.due_at() <= event_batch::clock::now()) send_events();
  }
  finish();
}

int upstream_link::wait_ms() const {
  const auto next = std::min(port_->next_deadline(), events_.due_at());
  if (next == rank_port::never) return -1;
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - rank_port::clock::now());
  return static_cast<int>(std::clamp<std::int64_t>(left.count(), 0, 3'600'000));
}

rank_streams upstream_link::streams() {
  return {.open_output = [this](rank_id rank, int stream) { return open_output(rank, stream); },
          .open_input = [this] { return open_input(); }};
}

void upstream_link::send(kind type, const bytes& body) { link_->send(encode(type, node_, body)); }

void upstream_link::send_events() {
  for (auto& piece : events_.take()) send(kind::events, body_of(events{std::move(piece)}));
}

void upstream_link::obey(const frame& order) {
  switch (order.kind) {
    case kind::pass:
      events_.passed();
      return port_->pass({order.body.begin(), order.body.end()});
    case kind::note_fates:
      if (const auto notices = decode<fate_notices>(order.body))
        for (const auto& each : notices->list) port_->note_fate(each.rank, each.fate);
      return;
    case kind::signal:
      if (const auto sent = decode<protocol::signal>(order.body))
        port_->signal({.signal = sent->number});
      return;
    case kind::end:
      if (const auto end = decode<protocol::end>(order.body))
        port_->end(std::chrono::milliseconds(end->grace_ms));
      return;
    case kind::report:
      return port_->report();
    case kind::output_taken:
      if (const auto count = decode<amount>(order.body)) taken(count->bytes_count);
      return;
    case kind::input:
      return obey_input(order);
    default:
      return;
  }
}

void upstream_link::happened(rank_event event) {
  events_.add(std::move(event), event_batch::clock::now());
}

/// Sends the events that came before the failure first.
void upstream_link::failed(const failure& found) {
  send_events();
  send(kind::failed,
       body_of(protocol::failed{.code = static_cast<std::uint8_t>(found.code),
                                .interrupted_by = static_cast<std::uint8_t>(found.interrupted_by),
                                .others_speak = found.others_speak,
                                .also_ended = found.also_ended,
                                .reason = found.reason,
                                .rank = found.rank,
                                .rank_code = static_cast<std::uint8_t>(found.rank_code)}));
}

void upstream_link::report_line(const std::string& line) {
  send(kind::report_line, body_of(protocol::output_line{line}));
}

descriptor upstream_link::open_output(rank_id rank, int stream) {
  auto pipe = make_pipe("output of a rank");
  auto made = std::make_unique<source>();
  made->pipe = std::move(pipe.read);
  made->rank = rank;
  made->stream = stream;
  fcntl(made->pipe.get(), F_SETFL, O_NONBLOCK);
  made->token = loop_.add(made->pipe.get(), EPOLLIN, [this, from = made.get()](std::uint32_t) {
    if (!read_some(*from)) close(*from);
    pause_or_resume();
  });
  sources_.push_back(std::move(made));
  return std::move(pipe.write);
}

/// Returns false at the end of the pipe.
bool upstream_link::read_some(source& from) {
  std::array<std::byte, 32768> chunk;
  const ssize_t got = read(from.pipe.get(), chunk.data(), chunk.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  const auto count = static_cast<std::size_t>(got);
  send(kind::output, body_of(protocol::output{.rank = from.rank,
                                              .stream = static_cast<std::uint8_t>(from.stream),
                                              .data = {chunk.begin(), chunk.begin() + got}}));
  under_way_ += count;
  return true;
}

void upstream_link::taken(std::uint32_t count) {
  if (count == reader_gone) {  // the ranks get SIGPIPE, as they would without us in between
    for (auto& from : sources_)
      if (from->stream == 1) close(*from);
    return;
  }
  under_way_ -= std::min<std::size_t>(under_way_, count);
  pause_or_resume();
}

void upstream_link::pause_or_resume() {
  const bool pause = under_way_ >= (paused_ ? window_bytes / 2 : window_bytes);
  if (pause == paused_) return;
  paused_ = pause;
  for (auto& from : sources_)
    if (from->pipe) loop_.modify(from->token, paused_ ? 0U : EPOLLIN);
}

void upstream_link::close(source& ended) {
  if (!ended.pipe) return;
  loop_.remove(ended.token);
  ended.pipe.reset();
}

descriptor upstream_link::open_input() {
  auto pipe = make_pipe("input of rank 0");
  fcntl(pipe.write.get(), F_SETFL, O_NONBLOCK);
  input_ = std::move(pipe.write);
  send(kind::input_taken, body_of(amount{}));  // rank 0 has started and wants input
  return std::move(pipe.read);
}

void upstream_link::obey_input(const frame& order) {
  if (order.body.empty()) input_ends_ = true;
  pending_input_.insert(pending_input_.end(), order.body.begin(), order.body.end());
  feed();
}

/// Gives rank 0 as much input as its pipe takes. When rank 0 has closed the pipe, the input is
/// thrown away.
void upstream_link::feed() {
  std::size_t given = 0;
  while (input_ && given < pending_input_.size()) {
    const ssize_t put =
        write(input_.get(), pending_input_.data() + given, pending_input_.size() - given);
    if (put < 0 && errno == EAGAIN) break;
    if (put < 0 && errno != EINTR) close_input();
    if (put > 0) given += static_cast<std::size_t>(put);
  }
  if (!input_) given = pending_input_.size();
  pending_input_.erase(pending_input_.begin(),
                       pending_input_.begin() + static_cast<std::ptrdiff_t>(given));
  if (given > 0) send(kind::input_taken, body_of(amount{static_cast<std::uint32_t>(given)}));
  if (pending_input_.empty() && input_ends_) close_input();
  if (!pending_input_.empty() && input_token_ == 0) {
    input_token_ = loop_.add(input_.get(), EPOLLOUT, [this](std::uint32_t) {
      loop_.remove(std::exchange(input_token_, 0));
      feed();
    });
  }
}

void upstream_link::close_input() {
  if (input_token_ != 0) loop_.remove(std::exchange(input_token_, 0));
  input_.reset();
}

void upstream_link::finish() {
  for (auto& from : sources_) {
    const std::size_t limit = under_way_ + last_bytes_max;
    std::size_t previous = 0;
    do {
      previous = under_way_;
    } while (from->pipe && read_some(*from) && under_way_ > previous && under_way_ < limit);
    close(*from);
  }
  send_events();
  send(kind::finished, body_of(nodes{{node_}}));
  while (link_->is_open() && !link_->is_flushed()) {
    loop_.wait(1000);
    loop_.dispatch();
  }
}

}  // namespace atl::tools
