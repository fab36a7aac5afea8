// SPDX-License-Identifier: BSD-3-Clause
//
// Starts jobs and waits for them. Signals that end a program are blocked while a job runs and taken
// one by one: one from the terminal's keys has reached the job already, any other is sent on. The
// time is shared evenly by passes and numbers of ranks; what one does not need, later ones have.
#include <tools/tune/jobs.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/settings.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/settings.hpp>
#include <atoll/coll/tuned/network.hpp>
#include <atoll/core/settings.hpp>
#include <tools/hosts/host_list.hpp>
#include <tools/run/program.hpp>
#include <tools/tune/measuring_program.hpp>
#include <tools/tune/rules.hpp>

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <set>
#include <utility>

namespace atl::tools {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t all_records = std::numeric_limits<std::size_t>::max();
constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGQUIT};

double seconds_till(clock::time_point end) {
  return std::chrono::duration<double>(end - clock::now()).count();
}

/// Blocks the signals that end a program, and that of a child's end, as long as it lives. A signal
/// that our parent made us ignore (nohup, a background job of a script) stays ignored, here and in
/// the job: a blocked one would be taken all the same.
class blocked_signals {
 public:
  blocked_signals() {
    sigemptyset(&taken_);
    for (const int each : ending_signals) {
      struct sigaction action{};
      sigaction(each, nullptr, &action);
      if (action.sa_handler != SIG_IGN) sigaddset(&taken_, each);
    }
    sigaddset(&taken_, SIGCHLD);
    std::signal(SIGCHLD, SIG_DFL);  // had our parent ignored it, no child would leave its status
    sigprocmask(SIG_BLOCK, &taken_, &previous_);
  }
  blocked_signals(const blocked_signals&) = delete;
  blocked_signals& operator=(const blocked_signals&) = delete;
  ~blocked_signals() { restore(); }

  void restore() const { sigprocmask(SIG_SETMASK, &previous_, nullptr); }
  siginfo_t next() const {
    siginfo_t info{};
    while (sigwaitinfo(&taken_, &info) < 0) {
    }
    return info;
  }

 private:
  sigset_t taken_{}, previous_{};
};

struct job_end {
  int status = 0;  // its code, or 128 plus the signal that ended it
  int signal = 0;  // that asked this command to end; 0: none
};

/// Runs a program, and passes on to it what would end this process.
job_end run_job(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& each : words) pointers.push_back(each.data());
  pointers.push_back(nullptr);
  const blocked_signals blocked;
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child < 0) throw error("atoll tune", errno_text(errno), "are there too many processes?");
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(127);
    blocked.restore();
    execv(pointers.front(), pointers.data());
    _exit(127);
  }
  job_end end;
  int status = 0;
  pid_t ended = 0;
  while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
    const siginfo_t info = blocked.next();
    if (info.si_signo == SIGCHLD) continue;
    end.signal = info.si_signo;
    if (info.si_code != SI_KERNEL) kill(child, info.si_signo);
  }
  if (ended < 0) {
    throw error("atoll tune", text("the end of a job is unknown: ", errno_text(errno)),
                "give the same command again; what was measured is kept");
  }
  end.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return end;
}

std::string joined(const std::vector<std::string>& words) {
  std::string list;
  for (const std::string& each : words) list += (list.empty() ? "" : ",") + each;
  return list;
}

std::vector<std::string> sizes_in_bytes(const tune_request& request) {
  std::vector<std::string> words;
  for (const std::size_t each : request.which.sizes) words.push_back(text(each));
  return words;
}

/// One job of all.
struct tune_job {
  unsigned pass = 0;
  unsigned ranks = 0;
};

/// All jobs of one command, and what is known of their points.
class tune_jobs {
 public:
  explicit tune_jobs(const tune_request& request);

  tune_progress run();

 private:
  using keys = std::set<std::string>;

  keys recorded(std::size_t records_max) const;
  void report_known(const keys& known) const;
  std::vector<std::string> words_of(std::size_t place, double seconds) const;
  std::vector<std::string> place_of(std::size_t place) const;

  const tune_request& request_;
  std::vector<tune_job> jobs_;
  std::vector<std::vector<std::string>> points_;  // of each job, by key
  std::size_t total_ = 0;
  std::size_t records_before_ = 0;
  clock::time_point begin_ = clock::now();
  clock::time_point end_;
};

// A point as records tell it. Of the network and the sharing of cores the job alone knows.
std::string key_of(const tune_record& each) {
  return text(each.collective, " ", each.ranks, " ", each.hosts, " ", each.pass, " ", each.bytes,
              " ", each.blocking, " ", each.work, " ", each.element_bytes, " ", each.commutative,
              " ", each.strict);
}

tune_jobs::tune_jobs(const tune_request& request) : request_(request) {
  const auto span = std::chrono::duration<double>(std::min(request.seconds, 1e8));
  end_ = begin_ + std::chrono::duration_cast<clock::duration>(span);
  records_before_ = read_records(request.records).size();
  const std::vector<std::string> names = tune::collective_names();
  for (unsigned pass = 0; pass < request.passes; ++pass) {
    for (const unsigned ranks : request.ranks) {
      jobs_.push_back({pass, ranks});
      std::vector<std::string>& own = points_.emplace_back();
      const std::size_t hosts =
          request.hosts.empty() ? 1 : fill(parse_hosts(request.hosts), ranks).size();
      for (const tune::point& each : request.points(ranks)) {
        own.push_back(key_of({.collective = names[static_cast<std::size_t>(each.kind)],
                              .ranks = ranks,
                              .hosts = hosts,
                              .blocking = each.blocking,
                              .work = each.blocking ? 0 : request.work,
                              .element_bytes = each.element_bytes,
                              .commutative = each.commutative,
                              .strict = each.strict,
                              .bytes = each.bytes,
                              .pass = pass}));
      }
      total_ += own.size();
    }
  }
}

// Those of the first so many records of the file.
tune_jobs::keys tune_jobs::recorded(std::size_t records_max) const {
  keys found;
  const std::vector<tune_record> records = read_records(request_.records);
  for (const std::size_t each : records_that_count(records)) {
    if (each < records_max) found.insert(key_of(records[each]));
  }
  return found;
}

std::size_t left_of_points(const std::vector<std::string>& points,
                           const std::set<std::string>& known) {
  return static_cast<std::size_t>(
      std::ranges::count_if(points, [&](const auto& each) { return !known.contains(each); }));
}

void tune_jobs::report_known(const keys& known) const {
  std::size_t count = total_;
  for (const auto& each : points_) count -= left_of_points(each, known);
  const char* const records = request_.records.c_str();
  if (count != 0) {
    std::fprintf(stderr, "atoll tune: %s has %zu of the %zu points; --fresh measures them again\n",
                 records, count, total_);
  }
  const auto others = std::ranges::count_if(read_records(request_.records), [](const auto& each) {
    return each.version != coll::algorithms_version();
  });
  if (others != 0) {
    std::fprintf(
        stderr,
        "atoll tune: %s has %td records of other algorithms than those of this Atoll, which do "
        "not count\n",
        records, others);
  }
}

// The words that tell a job its place among all.
std::vector<std::string> tune_jobs::place_of(std::size_t place) const {
  const keys known = recorded(all_records);
  const keys known_before = recorded(records_before_);
  std::size_t points_before = 0, points_after = 0, measured = 0;
  for (std::size_t i = 0; i < points_.size(); ++i) {
    const std::size_t left_at_point = left_of_points(points_[i], known);
    measured += left_of_points(points_[i], known_before) - left_at_point;
    if (i < place) points_before += points_[i].size();
    if (i > place) points_after += left_at_point;
  }
  return {"--points",           text(total_),
          "--points-before",    text(points_before),
          "--points-after",     text(points_after),
          "--measured",         text(measured),
          "--measured-seconds", text(-seconds_till(begin_)),
          "--seconds-left",     text(std::max(seconds_till(end_), 0.0))};
}

std::vector<std::string> tune_jobs::words_of(std::size_t place, double seconds) const {
  const tune_job& job = jobs_[place];
  std::vector<std::string> words{std::filesystem::read_symlink("/proc/self/exe"), "run", "-n",
                                 text(job.ranks)};
  const auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) words.insert(words.end(), {option, value});
  };
  add("--hosts", request_.hosts);
  add("--rsh", request_.rsh);
  if (request_.hosts.empty() && job.ranks <= cores_available()) add("--bind", "core");
  add("-e", std::string(setting::coll_table.name) + "=off");
  add("-e", std::string(setting::barrier_radix.name) + "=auto");
  words.push_back(measuring_program());
  add("--records", request_.records);
  add("--seconds", text(seconds));
  add("--rounds", text(request_.rounds));
  add("--pass", text(job.pass));
  add("--sizes", joined(sizes_in_bytes(request_)));
  add("--collectives", joined(request_.collectives));
  add("--form", request_.form);
  add("--work", text(request_.work));
  add("--memory-limit", text(request_.which.memory_limit));
  for (const unsigned each : request_.elements) add("--elements", text(each));
  if (request_.in_order) words.emplace_back("--in-order");
  if (request_.strict) words.emplace_back("--strict");
  if (request_.all) words.emplace_back("--all");
  for (std::string& each : place_of(place)) words.push_back(std::move(each));
  return words;
}

// Each job has an even share of the time that is left, so all passes have some.
tune_progress tune_jobs::run() {
  const auto count_left = [&] {
    const keys known = recorded(all_records);
    std::size_t left = 0;
    for (const auto& each : points_) left += left_of_points(each, known);
    return left;
  };
  report_known(recorded(all_records));
  job_end end;
  std::size_t ended = 0;
  for (std::size_t i = 0; i < jobs_.size() && end.signal == 0; ++i) {
    const double left = seconds_till(end_);
    if (left <= 0) break;
    const std::size_t shared_by = jobs_.size() - i;
    end = run_job(words_of(i, left / static_cast<double>(shared_by)));
    if (end.signal == 0 && end.status == 0) ++ended;
    if (end.signal != 0 || end.status == 0) continue;
    throw launch_refusal{end.status, text("the job of ", jobs_[i].ranks, " ranks failed; ",
                                          "what was measured is kept in ", request_.records)};
  }
  return {.points = total_, .recorded = total_ - count_left(), .jobs = ended, .signal = end.signal};
}

}  // namespace

std::vector<std::size_t> records_that_count(const std::vector<tune_record>& records) {
  const std::string machine = coll::machine_text();
  const auto is_over_hosts = [&](const tune_record& each) {
    return each.machine == machine && each.version == coll::algorithms_version() && each.hosts > 1;
  };
  const auto latest = std::find_if(records.rbegin(), records.rend(), is_over_hosts);
  const std::string network = latest == records.rend() ? "" : latest->network;
  // Ranks that share cores are slower on the same network, so equal jobs are compared.
  const auto is_as_fast = [&](const tune_record& each) {
    const auto alike =
        std::find_if(records.rbegin(), records.rend(), [&](const tune_record& other) {
          return is_over_hosts(other) && other.network == each.network &&
                 other.ranks == each.ranks && other.hosts == each.hosts;
        });
    return each.network_ns == alike->network_ns ||
           coll::is_same_network(double(each.network_ns), double(alike->network_ns));
  };
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const tune_record& each = records[i];
    if (each.version != coll::algorithms_version() || each.machine != machine) continue;
    const bool has_network =
        each.hosts == 1 || (!network.empty() && each.network == network && is_as_fast(each));
    if (has_network) places.push_back(i);
  }
  return places;
}

tune_progress measure(const tune_request& request) { return tune_jobs(request).run(); }

}  // namespace atl::tools
