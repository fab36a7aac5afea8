// SPDX-License-Identifier: BSD-3-Clause
//
// Starts jobs and waits for them. Signals that end a program are blocked while a job runs and taken
// one by one: one from the terminal's keys has reached the job already, any other is sent on. The
// time is shared evenly by passes and numbers of ranks; what one does not need, later ones have.
// The time that all of them leave goes to sizes between those where the choice changes, and to more
// passes.
#include <tools/tune/jobs.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/settings.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/settings.hpp>
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
#include <map>
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

/// One job of all. It measures the points of the request, or only those between their sizes.
struct tune_job {
  unsigned pass = 0;
  unsigned ranks = 0;
  std::vector<tune::point> between = {};
  bool between_only = false;
};

using points_by_ranks = std::map<unsigned, std::vector<tune::point>>;

/// All jobs of one command, and what is known of their points.
class tune_jobs {
 public:
  explicit tune_jobs(const tune_request& request);

  tune_progress run();

 private:
  using keys = std::set<std::string>;

  void add(tune_job job);
  void run_added();
  void measure_between();
  void measure_more_passes();
  points_by_ranks other_sizes_of(const std::vector<tune_record>& records) const;
  std::vector<tune_record> records() const;
  std::size_t points_left() const;
  keys recorded(std::size_t records_max) const;
  void report_known(const keys& known) const;
  std::vector<std::string> words_of(std::size_t place, double seconds) const;
  std::vector<std::string> place_of(std::size_t place) const;

  const tune_request& request_;
  std::vector<tune_job> jobs_;
  std::vector<std::vector<std::string>> points_;  // of each job, by key
  std::size_t total_ = 0;
  std::size_t records_before_ = 0;
  std::size_t next_ = 0;       // of the jobs
  job_end last_;               // of a job
  std::size_t completed_ = 0;  // jobs
  clock::time_point begin_ = clock::now();
  clock::time_point end_;
};

tune_jobs::tune_jobs(const tune_request& request) : request_(request) {
  const auto span = std::chrono::duration<double>(std::min(request.seconds, 1e8));
  end_ = begin_ + std::chrono::duration_cast<clock::duration>(span);
  records_before_ = read_records(request.records).size();
  for (unsigned pass = 0; pass < request.passes_least(); ++pass) {
    for (const unsigned ranks : request.ranks) add({.pass = pass, .ranks = ranks});
  }
}

void tune_jobs::add(tune_job job) {
  const std::vector<std::string> names = tune::collective_names();
  const std::size_t hosts =
      request_.hosts.empty() ? 1 : fill(parse_hosts(request_.hosts), job.ranks).size();
  std::vector<tune::point> points = job.between;
  if (!job.between_only) {
    const std::vector<tune::point> usual = request_.points(job.ranks);
    points.insert(points.end(), usual.begin(), usual.end());
  }
  std::vector<std::string>& own = points_.emplace_back();
  for (const tune::point& each : points) {
    own.push_back(key_of({.collective = names[static_cast<std::size_t>(each.kind)],
                          .ranks = job.ranks,
                          .hosts = hosts,
                          .blocking = each.blocking,
                          .work = each.blocking ? 0 : request_.work,
                          .element_bytes = each.element_bytes,
                          .commutative = each.commutative,
                          .strict = each.strict,
                          .bytes = each.bytes,
                          .pass = job.pass}));
  }
  total_ += own.size();
  jobs_.push_back(std::move(job));
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
  std::vector<std::string> between;
  for (const tune::point& each : job.between) between.push_back(tune::text_of(each));
  add("--between", joined(between));
  if (job.between_only) words.emplace_back("--between-only");
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
void tune_jobs::run_added() {
  for (; next_ < jobs_.size() && last_.signal == 0; ++next_) {
    const double left = seconds_till(end_);
    if (left <= 0) return;
    const std::size_t shared_by = jobs_.size() - next_;
    last_ = run_job(words_of(next_, left / static_cast<double>(shared_by)));
    if (last_.signal == 0 && last_.status == 0) ++completed_;
    if (last_.signal != 0 || last_.status == 0) continue;
    throw launch_refusal{last_.status, text("the job of ", jobs_[next_].ranks, " ranks failed; ",
                                            "what was measured is kept in ", request_.records)};
  }
}

// The points of records that are calls of the request of sizes that it does not have.
points_by_ranks tune_jobs::other_sizes_of(const std::vector<tune_record>& records) const {
  points_by_ranks found;
  for (const unsigned ranks : request_.ranks) {
    std::set<std::string> calls, known;
    for (tune::point each : request_.points(ranks)) {
      known.insert(tune::text_of(each));
      each.bytes = 0;
      calls.insert(tune::text_of(each));
    }
    for (const tune_record& each : records) {
      const auto kind = tune::collective_named(each.collective);
      const bool is_alike =
          kind && each.ranks == ranks && (each.blocking || each.work == request_.work);
      if (!is_alike || each.hosts != request_.layout(ranks).hosts) continue;
      tune::point call{.kind = *kind,
                       .bytes = 0,
                       .blocking = each.blocking,
                       .element_bytes = static_cast<unsigned>(each.element_bytes),
                       .commutative = each.commutative,
                       .strict = each.strict};
      const bool is_asked_for = calls.contains(tune::text_of(call));
      call.bytes = each.bytes;
      if (is_asked_for && known.insert(tune::text_of(call)).second) found[ranks].push_back(call);
    }
  }
  return found;
}

std::vector<tune_record> tune_jobs::records() const {
  const std::vector<tune_record> all = read_records(request_.records);
  std::vector<tune_record> counting;
  for (const std::size_t each : records_that_count(all)) counting.push_back(all[each]);
  return counting;
}

// Sizes that were not asked for are measured where the choice changes between two that were, in a
// few steps, each of which halves the way by factors.
void tune_jobs::measure_between() {
  constexpr unsigned steps = 4;
  for (unsigned step = 0; step < steps && last_.signal == 0 && seconds_till(end_) > 0; ++step) {
    const points_by_ranks added = other_sizes_of(points_between(records()));
    for (unsigned pass = 0; pass < request_.passes_least(); ++pass) {
      for (const auto& [ranks, points] : added)
        add({.pass = pass, .ranks = ranks, .between = points, .between_only = true});
    }
    const std::size_t left = points_left();
    if (left == 0) return;
    std::fprintf(
        stderr, "atoll tune: %zu more points, of sizes between those whose choices differ\n", left);
    run_added();
  }
}

// As many as the time allows, by the mean of those that there were.
void tune_jobs::measure_more_passes() {
  constexpr unsigned passes_most = 6;
  for (unsigned pass = request_.passes_least(); pass < passes_most && last_.signal == 0; ++pass) {
    if (seconds_till(end_) < -seconds_till(begin_) / pass) return;
    points_by_ranks between = other_sizes_of(records());
    for (const unsigned ranks : request_.ranks)
      add({.pass = pass, .ranks = ranks, .between = between[ranks]});
    run_added();
  }
}

std::size_t tune_jobs::points_left() const {
  const keys known = recorded(all_records);
  std::size_t left = 0;
  for (const auto& each : points_) left += left_of_points(each, known);
  return left;
}

tune_progress tune_jobs::run() {
  report_known(recorded(all_records));
  run_added();
  if (request_.sizes.empty()) measure_between();
  if (request_.passes == 0 && request_.sizes.empty()) measure_more_passes();
  return {.points = total_,
          .recorded = total_ - points_left(),
          .jobs = completed_,
          .signal = last_.signal};
}

}  // namespace

std::vector<std::size_t> records_that_count(const std::vector<tune_record>& records) {
  const tune_record here{.machine = coll::machine_text()};
  const auto is_over_hosts = [&](const tune_record& each) {
    return each.machine == here.machine && each.version == here.version && each.settings.empty() &&
           each.hosts > 1;
  };
  const auto latest = std::find_if(records.rbegin(), records.rend(), is_over_hosts);
  // Ranks that share cores are slower on the same network, so equal jobs are compared.
  const auto job_of = [&](const tune_record& each) {
    tune_record job = here;
    job.ranks = each.ranks;
    job.hosts = each.hosts;
    job.oversubscribed = each.ranks > cores_available();
    if (each.hosts == 1) return job;
    if (latest != records.rend()) job.network = latest->network;
    const auto alike =
        std::find_if(records.rbegin(), records.rend(), [&](const tune_record& other) {
          return is_over_hosts(other) && other.network == job.network &&
                 other.ranks == each.ranks && other.hosts == each.hosts;
        });
    if (alike == records.rend()) return job;
    job.network_ns = alike->network_ns;
    job.oversubscribed = alike->oversubscribed;
    return job;
  };
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const bool has_network = records[i].hosts == 1 || !records[i].network.empty();
    if (has_network && is_of_job(records[i], job_of(records[i]))) places.push_back(i);
  }
  return places;
}

tune_progress measure(const tune_request& request) { return tune_jobs(request).run(); }

}  // namespace atl::tools
