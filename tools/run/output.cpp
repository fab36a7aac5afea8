// SPDX-License-Identifier: BSD-3-Clause
//
// Pipes in, whole lines out. A write never blocks: poll says first that the stream takes at least
// PIPE_BUF bytes, and no more are written at once. (The streams belong to the user, and making them
// non-blocking would change them for the shell and for the ranks too.)
#include <tools/run/descriptors.hpp>
#include <tools/run/output.hpp>

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace atl::tools {
namespace {

constexpr std::size_t queue_bytes_high = 256 * 1024;
constexpr std::size_t queue_bytes_low = 64 * 1024;
constexpr int look_again_ms = 50;                    // whether to give up
constexpr std::size_t line_bytes_max = 1024 * 1024;  // a longer line is passed on in pieces

bool takes_more(int number, int timeout_ms) {
  pollfd waiting{.fd = number, .events = POLLOUT, .revents = 0};
  return poll(&waiting, 1, timeout_ms) > 0;
}

}  // namespace

job_output::job_output(event_loop& loop, rank_id ranks)
    : loop_(loop), digits_(static_cast<int>(std::to_string(ranks - 1).size())) {
  writers_[1].number = 2;
}

job_output::~job_output() {
  for (auto& from : sources_) close(*from);
  for (auto& to : writers_) loop_.remove(to.token);
}

descriptor job_output::open_pipe(rank_id rank, int stream) {
  auto pipe = make_pipe("output of rank " + std::to_string(rank));
  auto made = std::make_unique<source>();
  made->pipe = std::move(pipe.read);
  made->rank = rank;
  made->stream = stream;
  fcntl(made->pipe.get(), F_SETFL, O_NONBLOCK);
  made->token = loop_.add(made->pipe.get(), EPOLLIN, [this, from = made.get()](std::uint32_t) {
    if (!read_some(*from)) close(*from);
    for (auto& to : writers_) write_out(to);
    pause_or_resume();
  });
  sources_.push_back(std::move(made));
  return std::move(pipe.write);
}

/// Returns false at the end of the pipe.
bool job_output::read_some(source& from) {
  std::array<char, 16384> chunk;
  const ssize_t got = read(from.pipe.get(), chunk.data(), chunk.size());
  if (got < 0) return errno == EAGAIN || errno == EINTR;
  if (got == 0) return false;
  take(from, {chunk.data(), static_cast<std::size_t>(got)});
  return true;
}

void job_output::take(source& from, std::string_view text) {
  for (auto end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
    pass_line(from, text.substr(0, end));
    text.remove_prefix(end + 1);
  }
  from.line += text;
  if (from.line.size() > line_bytes_max) pass_line(from, {});
}

void job_output::pass_line(source& from, std::string_view suffix) {
  auto& queue = writer_of(from.stream).queue;
  const auto number = std::to_string(from.rank);
  queue += '[';
  queue.append(static_cast<std::size_t>(digits_) - number.size(), ' ');
  queue += number + "] ";
  queue += from.line;
  queue += suffix;
  queue += '\n';
  from.line.clear();
}

void job_output::accept(rank_id rank, int stream, std::string_view text, bool tagged) {
  auto& to = writer_of(stream);
  if (tagged) {
    auto& from = remote_[{rank, stream}];
    from.rank = rank;
    from.stream = stream;
    take(from, text);
  } else {
    to.queue += text;
  }
  write_out(to);
}

std::size_t job_output::backlog_bytes() const {
  return std::max(writers_[0].queue.size(), writers_[1].queue.size());
}

void job_output::say(std::string_view line) {
  auto& to = writers_[1];
  to.queue += line;
  write_out(to);
}

void job_output::write_out(stream_writer& to) {
  std::size_t done = 0;
  while (!to.gone && done < to.queue.size()) {
    if (!takes_more(to.number, 0)) break;
    const auto count = std::min<std::size_t>(to.queue.size() - done, PIPE_BUF);
    const ssize_t put = write(to.number, to.queue.data() + done, count);
    if (put > 0)
      done += static_cast<std::size_t>(put);
    else if (put < 0 && errno != EINTR && errno != EAGAIN)
      reader_gone(to);
  }
  to.queue.erase(0, to.gone ? to.queue.size() : done);
  if (!to.queue.empty()) wait_for_reader(to);
}

void job_output::wait_for_reader(stream_writer& to) {
  if (to.token != 0) return;
  to.token = loop_.add(to.number, EPOLLOUT, [this, &to](std::uint32_t) {
    loop_.remove(std::exchange(to.token, 0));
    write_out(to);
    pause_or_resume();
  });
}

/// Closing our ends passes it on: the ranks get SIGPIPE, as they would without us in between.
void job_output::reader_gone(stream_writer& to) {
  to.gone = true;
  for (auto& from : sources_)
    if (&writer_of(from->stream) == &to) close(*from);
}

void job_output::pause_or_resume() {
  const bool pause = backlog_bytes() > (paused_ ? queue_bytes_low : queue_bytes_high);
  if (pause == paused_) return;
  paused_ = pause;
  for (auto& from : sources_) loop_.modify(from->token, paused_ ? 0U : EPOLLIN);
}

void job_output::close(source& ended) {
  if (!ended.pipe) return;
  if (!ended.line.empty()) pass_line(ended, {});
  loop_.remove(ended.token);
  ended.pipe.reset();
}

void job_output::finish(const std::function<bool()>& give_up) {
  for (auto& from : sources_) {
    while (from->pipe && read_some(*from)) {
      pollfd more{.fd = from->pipe.get(), .events = POLLIN, .revents = 0};
      if (poll(&more, 1, 0) <= 0 || writer_of(from->stream).queue.size() > line_bytes_max) break;
    }
    close(*from);
  }
  for (auto& [stream_key, from] : remote_)
    if (!from.line.empty()) pass_line(from, {});
  for (auto& to : writers_)
    while (!to.gone && !to.queue.empty()) {
      if (takes_more(to.number, look_again_ms))
        write_out(to);
      else if (give_up())
        break;
    }
}

}  // namespace atl::tools
