// SPDX-License-Identifier: BSD-3-Clause
//
// Frames, pipes and windows of one host. A pipe is read in pieces and passed on as it comes; the
// head makes lines of it if the user wants tags.
#include <atoll/base/error.hpp>
#include <atoll/bootstrap/wire.hpp>
#include <tools/hosts/agent.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <utility>

namespace atl::tools {

using namespace words;

namespace {

constexpr std::size_t window_bytes = 256 * 1024;
constexpr std::size_t last_bytes_max = 1024 * 1024;  // that a pipe may still hold at the end
constexpr std::uint32_t reader_gone = ~std::uint32_t{0};

std::pair<descriptor, descriptor> make_pipe(const char* of) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw error(of, "pipe2 failed: " + errno_text(errno),
                "raise the limit of open files (ulimit -n)");
  return {descriptor(ends[0]), descriptor(ends[1])};
}

}  // namespace

agent::~agent() {
  for (auto& from : sources_) close(*from);
  close_input();
}

void agent::attach(event_loop& loop, orders take) {
  loop_ = &loop;
  take_ = std::move(take);
  link_ = link::open(loop, {.socket = std::move(uplink_), .body_bytes_max = down_bytes_max},
                     {.proven = {},
                      .heard = [this](link&, const frame& order) { obey(order); },
                      .closed = [this](link&, const std::string&) { take_.gone(); }});
}

void agent::say(word what, const bytes& body) { link_->send(encode(what, node_, body)); }

void agent::obey(const frame& order) {
  switch (order.what) {
    case word::pass:
      return take_.pass({order.body.begin(), order.body.end()});
    case word::signal:
      if (const auto sent = decode<words::signal>(order.body))
        take_.signal({.signal = sent->number});
      return;
    case word::end:
      if (const auto end = decode<words::end>(order.body))
        take_.end(std::chrono::milliseconds(end->grace_ms));
      return;
    case word::report:
      return take_.report();
    case word::taken:
      if (const auto count = decode<amount>(order.body)) taken(count->bytes_count);
      return;
    case word::input:
      return obey_input(order);
    default:
      return;
  }
}

void agent::joined(rank_id rank, const meeting::record& state, std::string_view version) {
  say(word::joined, body_of(words::joined{.rank = rank,
                                          .pid = static_cast<std::uint32_t>(state.pid),
                                          .version = std::string(version)}));
}

void agent::entered(rank_id rank, const meeting::record& state) {
  say(word::entered, body_of(words::entered{.rank = rank,
                                            .collective = static_cast<std::uint8_t>(state.waits_in),
                                            .blob = state.blob}));
}

void agent::left(rank_id rank) { say(word::left, body_of(of_rank{rank})); }

void agent::ended(rank_id rank) { say(word::ended, body_of(of_rank{rank})); }

void agent::asked_to_end(rank_id rank) { say(word::asked, body_of(of_rank{rank})); }

void agent::failed(const failure& first) {
  say(word::failed, body_of(words::failed{.code = static_cast<std::uint8_t>(first.code),
                                          .signal = static_cast<std::uint8_t>(first.signal),
                                          .left = first.left,
                                          .others_speak = first.others_speak,
                                          .why = first.why}));
}

void agent::tell(const std::string& line) { say(word::tell, body_of(words::line{line})); }

descriptor agent::open_output(rank_id rank, int stream) {
  auto [ours, for_rank] = make_pipe("output of a rank");
  auto made = std::make_unique<source>();
  made->pipe = std::move(ours);
  made->rank = rank;
  made->stream = stream;
  fcntl(made->pipe.get(), F_SETFL, O_NONBLOCK);
  made->token = loop_->add(made->pipe.get(), EPOLLIN, [this, from = made.get()](std::uint32_t) {
    if (!read_some(*from)) close(*from);
    pause_or_resume();
  });
  sources_.push_back(std::move(made));
  return std::move(for_rank);
}

/// Returns false at the end of the pipe.
bool agent::read_some(source& from) {
  std::array<std::byte, 32768> chunk;
  const ssize_t got = read(from.pipe.get(), chunk.data(), chunk.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  const auto count = static_cast<std::size_t>(got);
  say(word::output, body_of(words::output{.rank = from.rank,
                                          .stream = static_cast<std::uint8_t>(from.stream),
                                          .data = {chunk.begin(), chunk.begin() + got}}));
  under_way_ += count;
  return true;
}

void agent::taken(std::uint32_t count) {
  if (count == reader_gone) {  // the ranks get SIGPIPE, as they would without us in between
    for (auto& from : sources_)
      if (from->stream == 1) close(*from);
    return;
  }
  under_way_ -= std::min<std::size_t>(under_way_, count);
  pause_or_resume();
}

void agent::pause_or_resume() {
  const bool pause = under_way_ >= (paused_ ? window_bytes / 2 : window_bytes);
  if (pause == paused_) return;
  paused_ = pause;
  for (auto& from : sources_)
    if (from->pipe) loop_->modify(from->token, paused_ ? 0U : EPOLLIN);
}

void agent::close(source& what) {
  if (!what.pipe) return;
  loop_->remove(what.token);
  what.pipe.reset();
}

descriptor agent::open_input() {
  auto [for_rank, ours] = make_pipe("input of rank 0");
  fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  input_ = std::move(ours);
  say(word::fed, body_of(amount{}));  // rank 0 is there
  return std::move(for_rank);
}

void agent::obey_input(const frame& order) {
  if (order.body.empty()) input_ends_ = true;
  fodder_.insert(fodder_.end(), order.body.begin(), order.body.end());
  feed();
}

/// Gives rank 0 as much input as it takes now. The input of a rank that reads no more is thrown
/// away.
void agent::feed() {
  std::size_t given = 0;
  while (input_ && given < fodder_.size()) {
    const ssize_t put = write(input_.get(), fodder_.data() + given, fodder_.size() - given);
    if (put < 0 && errno == EAGAIN) break;
    if (put < 0 && errno != EINTR) close_input();
    if (put > 0) given += static_cast<std::size_t>(put);
  }
  if (!input_) given = fodder_.size();
  fodder_.erase(fodder_.begin(), fodder_.begin() + static_cast<std::ptrdiff_t>(given));
  if (given > 0) say(word::fed, body_of(amount{static_cast<std::uint32_t>(given)}));
  if (fodder_.empty() && input_ends_) close_input();
  if (!fodder_.empty() && input_token_ == 0) {
    input_token_ = loop_->add(input_.get(), EPOLLOUT, [this](std::uint32_t) {
      loop_->remove(std::exchange(input_token_, 0));
      feed();
    });
  }
}

void agent::close_input() {
  if (input_token_ != 0) loop_->remove(std::exchange(input_token_, 0));
  input_.reset();
}

void agent::finish() {
  for (auto& from : sources_) {
    const std::size_t limit = under_way_ + last_bytes_max;
    std::size_t before = 0;
    do {
      before = under_way_;
    } while (from->pipe && read_some(*from) && under_way_ > before && under_way_ < limit);
    close(*from);
  }
  say(word::finished);
  while (link_->is_open() && !link_->is_flushed()) {
    loop_->wait(1000);
    loop_->dispatch();
  }
}

}  // namespace atl::tools
