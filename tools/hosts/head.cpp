// SPDX-License-Identifier: BSD-3-Clause
//
// The messages that the head hears, and its decisions. As in the warden, everything that decides
// about the exit status goes through fail(), which hears only the first.
#include <atoll/base/error.hpp>
#include <atoll/base/version.hpp>
#include <atoll/bootstrap/wire.hpp>
#include <tools/hosts/head.hpp>
#include <tools/run/ending.hpp>
#include <tools/run/process_tree.hpp>

#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <utility>

namespace atl::tools {

using namespace words;
using namespace std::chrono_literals;

namespace {

constexpr auto grace_after_failure = 250ms;  // as the warden's
constexpr auto grace_to_speak = 300ms;
constexpr auto grace_after_interrupt = 800ms;
constexpr auto grace_after_hangup = 2s;
constexpr auto grace_after_clean_end = 2s;
constexpr auto grace_for_hosts = 10s;  // to say that they have finished
constexpr auto grace_for_shells = 2s;  // to end after their daemons
constexpr auto grace_for_reader = 1s;
constexpr std::size_t output_bytes_high = 256 * 1024;  // waiting for the user's streams

bool ends_by_default(int number) {
  return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

descriptor open_children_signal() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGCHLD);
  return descriptor(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

}  // namespace

head::head(const run_options& options, plan job, const secret& key, int control,
           const rlimit& core_file)
    : options_(options),
      job_(std::move(job)),
      control_(control),
      children_(open_children_signal()),
      ranks_(job_.size),
      output_(loop_, job_.size),
      nodes_(job_.hosts.size() + 1),
      states_(job_.size),
      below_(loop_, key, job_, {0, version_text, core_file},
             {.heard = [this](const frame& what) { heard(what); },
              .lost = [this](std::uint32_t node, const std::string& why) { lost(node, why); }}) {
  loop_.add(control_, EPOLLIN, [this](std::uint32_t) { obey(); });
  loop_.add(children_.get(), EPOLLIN, [this](std::uint32_t) { reap(); });
}

head::~head() = default;

outcome head::run() {
  below_.start();
  open_input();
  if (options_.timeout_s > 0)
    timeout_at_ = clock::now() +
                  std::chrono::microseconds(static_cast<std::int64_t>(options_.timeout_s * 1e6));
  while (!all_finished()) {
    const auto next =
        std::min({timeout_at_, end_at_, end_cleanly_at_, give_up_at_, clock::now() + 1s});
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(next - clock::now());
    loop_.wait(static_cast<int>(std::max(left, 0ms).count()));
    loop_.dispatch();
    acknowledge();
    check_clocks();
    look_at_input();
    below_.tick(clock::now());
  }
  print_reports();
  below_.broadcast(encode(word::over, 0));
  end_shells();
  const auto read_by = interrupted_by_ != 0 ? clock::now() + grace_for_reader : never;
  output_.finish([=, this] { return clock::now() > read_by || is_given_up(); });
  return outcome_;
}

bool head::all_finished() const {
  return std::all_of(nodes_.begin() + 1, nodes_.end(),
                     [](const auto& each) { return each.finished; });
}

void head::reap() {
  signalfd_siginfo info[16];
  while (read(children_.get(), info, sizeof info) > 0) {
  }
  int status = 0;
  for (pid_t pid; (pid = waitpid(-1, &status, WNOHANG)) > 0;) below_.reap(pid, status);
}

/// Remote shells end with their daemons; those that are left then are killed.
void head::end_shells() {
  below_.over();
  const auto until = clock::now() + grace_for_shells;
  while (below_.has_shells() && clock::now() < until) {
    loop_.wait(20);
    loop_.dispatch();
  }
  kill_descendants(5000);
}

// --- what daemons tell -------------------------------------------------------------------------

void head::heard(const frame& what) {
  auto& from = nodes_[what.node];
  switch (what.what) {
    case word::failed:
      if (const auto why = decode<words::failed>(what.body)) return failed(what.node, *why);
      return broken(what.node);
    case word::lost:
      if (const auto why = decode<line>(what.body)) return lost(what.node, why->text);
      return broken(what.node);
    case word::tell:
      if (const auto said = decode<line>(what.body))
        return reporting_ ? from.report.push_back(said->text) : tell(said->text);
      return broken(what.node);
    case word::output:
      if (auto data = decode<words::output>(what.body))
        return take_output(what.node, std::move(*data));
      return broken(what.node);
    case word::fed:
      if (const auto count = decode<amount>(what.body)) return took_input(count->bytes_count);
      return broken(what.node);
    case word::finished:
      from.finished = true;
      for (rank_id i = 0; i < job_.hosts[what.node - 1].count; ++i)
        rank_ended(job_.hosts[what.node - 1].first + i);
      return check_stuck();
    default:
      return heard_of_rank(what);
  }
}

void head::heard_of_rank(const frame& what) {
  if (what.what == word::joined) {
    const auto who = decode<words::joined>(what.body);
    return who && is_of_node(who->rank, what.node) ? joined(*who) : broken(what.node);
  }
  if (what.what == word::entered) {
    auto which = decode<words::entered>(what.body);
    return which && is_of_node(which->rank, what.node) ? entered(std::move(*which))
                                                       : broken(what.node);
  }
  const auto who = decode<of_rank>(what.body);
  if (!who || !is_of_node(who->rank, what.node)) return broken(what.node);
  if (what.what == word::left) ranks_.leave(who->rank);
  if (what.what == word::ended) rank_ended(who->rank);
  if (what.what == word::asked) asked(who->rank);
  check_stuck();
}

bool head::is_of_node(rank_id rank, std::uint32_t node) const {
  const auto& host = job_.hosts[node - 1];
  return rank >= host.first && rank - host.first < host.count;
}

/// A proven daemon that sends nonsense is a defect or worse: the job does not go on with it.
void head::broken(std::uint32_t node) {
  fail(1, "host " + job_.hosts[node - 1].name + ": its daemon sent a message that makes no sense",
       left_but_on(0));
}

void head::joined(const words::joined& who) {
  const auto refusal = ranks_.join(who.rank, who.version, static_cast<pid_t>(who.pid));
  if (refusal)
    fail(1, "rank " + std::to_string(who.rank) + ": " + refusal->cause + "; " + refusal->remedy,
         left_but_on(0));
}

void head::entered(words::entered&& what) {
  const auto which = static_cast<meeting::collective>(what.collective);
  const bool known = which == meeting::collective::exchange || which == meeting::collective::fence;
  if (!known || !ranks_.enter(what.rank, which, std::move(what.blob))) return;
  pass_if_complete();
  check_stuck();
}

void head::pass_if_complete() {
  const auto which = ranks_.complete();
  if (which == meeting::collective::none) return;
  const auto blobs = ranks_.pass();
  namespace wire = bootstrap::wire;
  const auto answer = which == meeting::collective::exchange ? wire::encode_blobs(blobs)
                                                             : wire::encode(wire::kind::passed);
  below_.broadcast(encode(word::pass, 0, answer));
}

void head::rank_ended(rank_id rank) {
  if (std::exchange(states_[rank].ended, true)) return;
  ranks_.process_ended(rank);
}

void head::asked(rank_id rank) {
  states_[rank].asked_to_end = true;
  if (end_cleanly_at_ == never) end_cleanly_at_ = clock::now() + grace_after_clean_end;
  check_clean_end(clock::now());
}

void head::failed(std::uint32_t node, const words::failed& why) {
  if (phase_ == phase::running) outcome_.signal = why.signal;
  if (phase_ == phase::running && why.signal != 0) interrupted_by_ = why.signal;
  fail(why.code, why.why, why.left + left_but_on(node), why.others_speak != 0);
}

/// Nothing more comes from this node nor from those below it.
void head::lost(std::uint32_t node, const std::string& why) {
  for (std::uint32_t each = 1; each < nodes_.size(); ++each)
    if (is_below(each, node, job_.radix)) nodes_[each].finished = true;
  fail(125, why, left_but_on(node));
}

rank_id head::left_but_on(std::uint32_t node) const {
  rank_id left = 0;
  for (rank_id rank = 0; rank < job_.size; ++rank)
    if (!states_[rank].ended && (node == 0 || !is_of_node(rank, node))) ++left;
  return left;
}

// --- streams -----------------------------------------------------------------------------------

void head::take_output(std::uint32_t node, words::output&& what) {
  if (!is_of_node(what.rank, node) || (what.stream != 1 && what.stream != 2)) return broken(node);
  const std::string_view text(reinterpret_cast<const char*>(what.data.data()), what.data.size());
  output_.accept(what.rank, what.stream, text, options_.tag);
  nodes_[node].untold_bytes += what.data.size();
}

/// Tells daemons that their output was taken, while the user's streams keep up.
void head::acknowledge() {
  const bool gone = output_.reader_is_gone();
  if (!gone && output_.backlog_bytes() > output_bytes_high) return;
  for (std::uint32_t node = 1; node < nodes_.size(); ++node) {
    const auto count = std::exchange(nodes_[node].untold_bytes, 0);
    if (count == 0) continue;
    const amount taken{gone ? ~std::uint32_t{0} : static_cast<std::uint32_t>(count)};
    below_.send_to(node, encode(word::taken, node, body_of(taken)));
  }
}

// --- endings -----------------------------------------------------------------------------------

void head::check_stuck() {
  if (phase_ != phase::running) return;
  if (const auto why = ranks_.stuck()) fail(1, *why, left_but_on(0));
}

void head::check_clean_end(clock::time_point now) {
  if (phase_ != phase::running || end_cleanly_at_ == never) return;
  const auto is_done = [](const rank_state& each) { return each.ended || each.asked_to_end; };
  if (now < end_cleanly_at_ && !std::ranges::all_of(states_, is_done)) return;
  end_all(grace_after_failure);
}

void head::fail(int code, const std::string& why, rank_id left, bool others_speak) {
  if (phase_ != phase::running) return;
  tell(why + (left > 0 ? "; ending the " + std::to_string(left) + " left" : ""));
  outcome_.code = static_cast<unsigned char>(code);
  if (!others_speak)
    return end_all(interrupted_by_ != 0 ? grace_after_interrupt : grace_after_failure);
  phase_ = phase::failed;
  end_at_ = clock::now() + grace_to_speak;
  timeout_at_ = end_cleanly_at_ = never;
}

void head::end_all(std::chrono::milliseconds grace) {
  phase_ = phase::ending;
  timeout_at_ = end_at_ = end_cleanly_at_ = never;
  give_up_at_ = clock::now() + grace + grace_for_hosts;
  below_.broadcast(
      encode(word::end, 0, body_of(words::end{static_cast<std::uint32_t>(grace.count())})));
}

/// A host that is cut off or hangs cannot say that it has finished. Its daemon ends its ranks when
/// it misses us.
void head::give_up() {
  give_up_at_ = never;
  for (std::uint32_t node = 1; node < nodes_.size(); ++node) {
    if (std::exchange(nodes_[node].finished, true)) continue;
    tell("host " + job_.hosts[node - 1].name +
         " does not answer; it ends its ranks by itself when "
         "it can");
  }
}

void head::check_clocks() {
  const auto now = clock::now();
  check_clean_end(now);
  if (now >= end_at_) end_all(grace_after_failure);
  if (paused_at_ == never && now >= timeout_at_) report_timeout();
  if (now >= give_up_at_) give_up();
}

void head::report_timeout() {
  char seconds[32];
  std::snprintf(seconds, sizeof seconds, "%g", options_.timeout_s);
  tell(std::string("time-out after ") + seconds + " s; the ranks were:");
  reporting_ = true;
  outcome_.code = 124;
  below_.broadcast(encode(word::report, 0));
  end_all(grace_after_failure);
}

void head::print_reports() {
  for (std::uint32_t node = 1; reporting_ && node < nodes_.size(); ++node) {
    for (const auto& text : nodes_[node].report) tell(text);
    if (nodes_[node].report.empty())
      tell("  of host " + job_.hosts[node - 1].name + " nothing was heard");
  }
}

/// The foreground process has sent a signal, or is dead: then so is the job.
void head::obey() {
  signal_order order;
  const ssize_t got = recv(control_, &order, sizeof order, MSG_DONTWAIT);
  if (got == sizeof order) return obey(order);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
  below_.broadcast(encode(word::over, 0));
  kill_descendants(5000);
  _exit(1);
}

void head::obey(const signal_order& order) {
  const auto pass_on = [&] {
    below_.broadcast(encode(word::signal, 0, body_of(words::signal{order.signal})));
  };
  if (order.signal == SIGTSTP) paused_at_ = clock::now();
  if (order.signal == SIGCONT && paused_at_ != never) {
    if (timeout_at_ != never) timeout_at_ += clock::now() - paused_at_;
    paused_at_ = never;
  }
  if (!ends_by_default(order.signal)) return pass_on();
  const bool again = interrupted_by_ == order.signal && phase_ == phase::running;
  interrupted_by_ = order.signal;
  if (!again) pass_on();
  if (!again && order.signal != SIGHUP) return;
  outcome_.signal = order.signal == SIGINT ? SIGINT : 0;
  if (phase_ == phase::running) tell("interrupted by " + signal_name(order.signal));
  outcome_.code = static_cast<unsigned char>(128 + order.signal);
  end_all(again ? grace_after_failure : grace_after_hangup);
}

/// The job is over and its last lines wait for a reader: nobody may want them any more.
bool head::is_given_up() {
  signal_order order;
  const ssize_t got = recv(control_, &order, sizeof order, MSG_DONTWAIT);
  if (got == sizeof order) return ends_by_default(order.signal);
  return got >= 0 || (errno != EAGAIN && errno != EINTR);
}

}  // namespace atl::tools
