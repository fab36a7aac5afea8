// SPDX-License-Identifier: BSD-3-Clause
//
// A session of measuring. Rank 0 decides what depends on times or on files, and the others follow:
// whether a point is done, how many calls a trial has, which candidates are left out, when the time
// is over.
#include <tools/tune/measure/session.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/tuned/candidates.hpp>
#include <atoll/coll/tuned/machine.hpp>
#include <atoll/coll/tuned/network.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <nlohmann/json.hpp>
#include <tools/tune/job_settings.hpp>
#include <tools/tune/measure/budget.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <limits>
#include <span>
#include <utility>

namespace atl::tune {

namespace {

using clock = std::chrono::steady_clock;
using json = nlohmann::ordered_json;

constexpr unsigned rounds_min = 4;
constexpr double trial_ns = 5e5;                // that a trial should last
constexpr unsigned scouting_rounds = 2;         // after which algorithms may be left out
constexpr double far_behind = 1.6;              // of the best, after those
constexpr std::size_t parameter_bases_max = 2;  // algorithms that are tried with other parameters
constexpr double promising = 1.15;              // of the best in an earlier pass
constexpr double predicted_factor_max = 6;      // of the best, by the model
constexpr std::size_t candidates_kept = 3;      // where the time is too short for all
constexpr std::size_t parameters_about = 8;     // candidates that parameters add
constexpr std::uint64_t calls_max = 1000;
constexpr double slow_call_ns = 5e6;  // of which a trial has few

double seconds_since(clock::time_point begin) {
  return std::chrono::duration<double>(clock::now() - begin).count();
}

// The properties that must be equal for records to belong to this job.
json shape_of(runtime& job) {
  json shape{{"machine", coll::machine_text()},
             {"version", coll::algorithms_version()},
             {"ranks", job.size()},
             {"hosts", job.world().hosts().count()},
             {"oversubscribed", job.is_oversubscribed()}};
  if (!job.world().hosts().one_host()) shape["network"] = layer_access::network_names(job);
  const std::vector<std::string> settings = settings_that_change_times(job.configuration());
  if (!settings.empty()) shape["settings"] = settings;
  return shape;
}

job_layout layout_of(runtime& job) {
  const team_hosts& hosts = job.world().hosts();
  std::vector<std::size_t> ranks(hosts.count());
  for (rank_id each = 0; each < job.size(); ++each) ++ranks[hosts.host_of(each)];
  return {.ranks = job.size(), .hosts = ranks.size(), .host_ranks = std::ranges::max(ranks)};
}

double lower_quartile(std::vector<double> times) {
  const auto quarter = times.begin() + static_cast<std::ptrdiff_t>(times.size() / 4);
  std::nth_element(times.begin(), quarter, times.end());
  return *quarter;
}

// The names of the algorithms of a record that are hardly slower than its best.
std::vector<std::string> near_the_best(const tools::tune_record& record) {
  std::map<std::string, double> usual_ns;
  double best = std::numeric_limits<double>::max();
  for (const auto& [name, times] : record.times_ns) {
    usual_ns[name] = lower_quartile(times);
    best = std::min(best, usual_ns[name]);
  }
  std::vector<std::string> names;
  for (const auto& [name, each] : usual_ns) {
    if (each <= promising * best) names.push_back(name);
  }
  return names;
}

bool ends_within_a_line(const std::string& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || file.tellg() <= 0) return false;
  file.seekg(-1, std::ios::end);
  return file.get() != '\n';
}

}  // namespace

session::session(runtime& job, const measuring_plan& chosen)
    : job_(job),
      plan_(chosen),
      trials_(job, begin_ + std::chrono::duration_cast<clock::duration>(
                                std::chrono::duration<double>(chosen.seconds))),
      model_(trials_),
      network_ns_(coll::measure_network_ns(job)) {
  if (job_.rank() != 0 || plan_.records.empty()) return;
  const bool was_cut_off = ends_within_a_line(plan_.records);
  records_.open(plan_.records, std::ios::app);
  if (was_cut_off) records_ << '\n';
  if (!records_)
    throw error(plan_.records, "cannot be written", "name a file that can, with --records");
}

// The points that records of jobs like this one have, and what was promising there.
std::set<std::string> session::points_recorded() {
  std::set<std::string> found;
  const tools::tune_record job = head_of({.bytes = 1});
  for (tools::tune_record& each : tools::read_records(plan_.records)) {
    if (!is_of_job(each, job)) continue;
    found.insert(key_of(each));
    each.pass = 0;
    const std::vector<std::string> fast = near_the_best(each);
    promising_[key_of(each)].insert(fast.begin(), fast.end());
  }
  return found;
}

// The record of a point as it will be read.
tools::tune_record session::head_of(const point& measured) const {
  tools::tune_record head = tools::record_head_from(header_of(measured).dump()).value();
  head.network_ns = network_ns_;
  return head;
}

json session::header_of(const point& measured) const {
  json line = shape_of(job_);
  line["collective"] = coll::name_of(measured.kind);
  line["bytes"] = measured.bytes;
  line["blocking"] = measured.blocking;
  if (!measured.blocking && plan_.work != 0) line["work"] = plan_.work;
  if (measured.element_bytes != usual_element_bytes) line["element_bytes"] = measured.element_bytes;
  if (!measured.commutative) line["commutative"] = false;
  if (measured.strict) line["strict"] = true;
  if (plan_.pass != 0) line["pass"] = plan_.pass;
  return line;
}

std::vector<point> session::points_left(const std::vector<point>& points) {
  std::set<std::string> recorded;
  if (job_.rank() == 0 && !plan_.records.empty()) recorded = points_recorded();
  std::vector<point> left;
  for (const point& each : points) {
    const bool is_done = recorded.contains(key_of(head_of(each)));
    if (!trials_.agree(is_done)) left.push_back(each);
  }
  return left;
}

void session::report_messages() const {
  if (job_.rank() != 0) return;
  const std::string networks = layer_access::network_names(job_);
  std::fprintf(stderr,
               "atoll tune: %u ranks, hosts: %u%s%s: a message arrives after %.2f us, costs its "
               "sender %.2f us, and %.3f ns for each byte\n",
               static_cast<unsigned>(job_.size()),
               static_cast<unsigned>(job_.world().hosts().count()),
               networks.empty() ? "" : ", network ", networks.c_str(), model_.latency_ns() / 1000,
               model_.overhead_ns() / 1000, model_.byte_ns());
}

void session::run() {
  const std::vector<point> points = points_of(plan_.which, layout_of(job_));
  const std::vector<point> left = points_left(points);
  if (!left.empty()) report_messages();
  for (std::size_t i = 0; i < left.size(); ++i) {
    const double seconds_left = trials_.agree(plan_.seconds - seconds_since(begin_));
    if (seconds_left <= 0) return;
    report_progress(left[i], i, points.size(), left.size());
    measure(left[i], seconds_left / static_cast<double>(left.size() - i));
  }
}

// Points of larger sizes take longer, so a time that is left is what those so far would take.
void session::report_progress(const point& measured, std::size_t done, std::size_t count,
                              std::size_t left) const {
  if (job_.rank() != 0) return;
  const progress_place& place = plan_.place;
  const std::size_t measured_points = place.measured + done;
  const double spent = place.measured_seconds + seconds_since(begin_);
  const double budget =
      (place.points != 0 ? place.seconds_left : plan_.seconds) - seconds_since(begin_);
  const double estimate = spent / static_cast<double>(std::max(measured_points, std::size_t{1})) *
                          static_cast<double>(left - done + place.points_after);
  const bool is_known = measured_points != 0 && estimate < budget;
  std::fprintf(stderr, "[%zu of %zu, %s %.0f s left] pass %u, %u ranks: %s\n",
               place.points_before + count - left + done + 1,
               place.points != 0 ? place.points : count, is_known ? "about" : "at most",
               is_known ? estimate : std::max(budget, 0.0), plan_.pass + 1,
               static_cast<unsigned>(job_.size()), name_of(measured).c_str());
}

std::vector<session::candidate> session::candidates_of(const point& measured) {
  std::vector<candidate> candidates;
  for (const coll::choice& each : trials_.candidates(measured)) {
    const bool named =
        plan_.only.empty() || std::ranges::count(plan_.only, coll::name_of(each)) != 0;
    if (candidates.empty() || named) candidates.push_back({.tried = each});
  }
  if (plan_.all || !plan_.only.empty()) add_parameters(measured, candidates);
  return candidates;
}

// A candidate that was near the best in an earlier pass is measured to the end, and with its
// parameters, so that the passes have it in common. Rank 0 has read the records.
void session::keep_promising(const point& measured, std::vector<candidate>& candidates) {
  if (plan_.pass == 0 || plan_.all) return;
  std::set<std::string> names;
  for (const candidate& each : candidates) names.insert(coll::name_of(each.tried));
  std::vector<candidate> list = candidates;
  for (const candidate& base : candidates) {
    for (const coll::choice& each : trials_.variants(measured, base.tried)) {
      if (names.insert(coll::name_of(each)).second) list.push_back({.tried = each});
    }
  }
  const std::size_t count = candidates.size();
  std::vector<std::uint8_t> kept(list.size());
  if (job_.rank() == 0) {
    tools::tune_record head = head_of(measured);
    head.pass = 0;
    const std::set<std::string>& fast = promising_[key_of(head)];
    for (std::size_t i = 0; i < list.size(); ++i)
      kept[i] = fast.contains(coll::name_of(list[i].tried)) ? 1 : 0;
  }
  coll::broadcast(job_.world(), 0, kept.data(), kept.data(), kept.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    list[i].is_promising = kept[i] != 0;
    if (i < count) candidates[i].is_promising = list[i].is_promising;
    if (i >= count && list[i].is_promising) candidates.push_back(list[i]);
  }
}

// By the model, which has the same figures on all ranks. The first is the built-in choice.
void session::leave_out_slow_by_model(const point& measured, std::vector<candidate>& candidates) {
  if (plan_.all) return;
  std::vector<double> predicted;
  for (const candidate& each : candidates)
    predicted.push_back(model_.predict_ns(measured, each.tried));
  double best = 0;  // of those that the model covers
  for (const double each : predicted) {
    if (each > 0 && (best == 0 || each < best)) best = each;
  }
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    if (predicted[i] > predicted_factor_max * best && !candidates[i].is_promising)
      candidates[i].left_out = true;
  }
}

// By their times, which are the same on all ranks, relative to the first candidate in the same
// round: the machine may be twice as fast in one round as in the other.
void session::leave_out_far_behind(std::vector<candidate>& candidates) {
  if (plan_.all) return;
  const std::vector<double>& usual = candidates.front().times_ns;
  const auto least = [&](const candidate& each) {
    double ratio = each.times_ns.front() / usual.front();
    for (std::size_t i = 1; i < each.times_ns.size(); ++i)
      ratio = std::min(ratio, each.times_ns[i] / usual[i]);
    return ratio;
  };
  double best = 1;  // of the first candidate
  for (const candidate& each : candidates) {
    if (!each.left_out) best = std::min(best, least(each));
  }
  for (std::size_t i = 1; i < candidates.size(); ++i) {
    candidate& each = candidates[i];
    if (!each.left_out && !each.is_promising && least(each) > far_behind * best)
      each.left_out = true;
  }
}

// Leaves out the slowest where the rounds of a record would take longer than the time for a point;
// true: there is no time for more candidates either. The built-in choice stays, and so does what
// was near the best in an earlier pass: without a time in each pass it would lose its rule.
bool session::leave_out_by_time(std::vector<candidate>& candidates, std::uint64_t calls,
                                double seconds) {
  std::vector<std::size_t> running;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].left_out) running.push_back(i);
  }
  const auto least = [&](std::size_t i) { return std::ranges::min(candidates[i].times_ns); };
  std::ranges::sort(running, {}, least);
  std::vector<double> round_ns;
  for (const std::size_t i : running) round_ns.push_back(least(i) * static_cast<double>(calls));
  const std::size_t kept = candidates_within(round_ns, rounds_min, seconds, candidates_kept);
  for (std::size_t place = kept; place < running.size(); ++place) {
    candidate& slow = candidates[running[place]];
    if (running[place] != 0 && !slow.is_promising) slow.left_out = true;
  }
  // Their parameters are about as many again, each about as fast as the best.
  const std::vector<double> more(parameters_about, round_ns.front());
  round_ns.insert(round_ns.end(), more.begin(), more.end());
  return candidates_within(round_ns, rounds_min, seconds, 0) < round_ns.size();
}

// Adds them to the built-in choice and the two that were fastest so far; to all where none is left
// out, or where nothing was measured yet.
void session::add_parameters(const point& measured, std::vector<candidate>& candidates) {
  std::vector<std::size_t> bases;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (!candidates[i].left_out) bases.push_back(i);
  }
  if (!plan_.all && !candidates.front().times_ns.empty()) {
    std::ranges::sort(bases, {},
                      [&](std::size_t i) { return std::ranges::min(candidates[i].times_ns); });
    const std::size_t kept = std::min(bases.size(), parameter_bases_max);
    const bool has_built_in = std::ranges::count(std::span(bases).first(kept), 0u) != 0;
    bases.resize(kept);
    if (!has_built_in) bases.push_back(0);
  }
  std::set<std::string> names;
  for (const candidate& each : candidates) names.insert(coll::name_of(each.tried));
  const std::size_t bases_count = candidates.size();
  for (const std::size_t base : bases) {
    for (const coll::choice& each :
         trials_.variants(measured, coll::choice(candidates[base].tried))) {
      const bool named =
          plan_.only.empty() || std::ranges::count(plan_.only, coll::name_of(each)) != 0;
      if (named && names.insert(coll::name_of(each)).second) candidates.push_back({.tried = each});
    }
  }
  if (candidates.size() == bases_count) return;
  for (candidate& each : candidates) each.times_ns.clear();  // all begin together
}

// By algorithm with its radix: the parameters that may make a difference at this point.
std::map<std::string, std::vector<std::string>> session::parameters_that_count(
    const point& measured) const {
  std::map<std::string, std::vector<std::string>> names;
  for (const coll::choice& base : trials_.candidates(measured)) {
    const coll::choice usual{.use = base.use, .radix = base.radix};
    names.emplace(coll::name_of(usual), trials_.parameters_that_count(measured, usual));
  }
  return names;
}

// The first calls set up connections and buffers.
std::uint64_t session::calls_for(const point& measured, const coll::choice& usual) {
  double each = trials_.time_ns(measured, usual, 1);
  if (each < slow_call_ns) trials_.time_ns(measured, usual, 4);
  if (each < slow_call_ns) each = trials_.time_ns(measured, usual, 8);
  const std::uint64_t least = measured.blocking && each >= slow_call_ns ? 1 : calls_in_flight;
  return std::clamp(static_cast<std::uint64_t>(trial_ns / each), least, calls_max);
}

// A core computes as long as the call takes for which it would wait. Where ranks share cores, that
// call has its core for a part of the time only.
double session::compute_ns(const point& measured, const coll::choice& usual) {
  if (measured.blocking || plan_.work == 0) return 0;
  point waited = measured;
  waited.blocking = true;
  double least = trials_.time_ns(waited, usual, 1);
  for (int i = 0; i < 3 && !trials_.is_over(); ++i) {
    least = std::min(least, trials_.time_ns(waited, usual, least < slow_call_ns / 4 ? 4 : 1));
  }
  const double cores = trials_.agree(static_cast<double>(cores_available()));
  const double share = std::min(cores / static_cast<double>(layout_of(job_).host_ranks), 1.0);
  return plan_.work * least * (job_.is_oversubscribed() ? share : 1);
}

void session::run_round(const point& measured, std::vector<candidate>& candidates,
                        std::uint64_t calls, unsigned round) {
  for (const std::size_t i : order_of_round(candidates.size(), round)) {
    if (trials_.is_over()) return;
    candidate& each = candidates[i];
    if (!each.left_out) each.times_ns.push_back(trials_.time_ns(measured, each.tried, calls));
  }
}

// The first call of an algorithm makes connections and allocates memory.
void session::warm_up(const point& measured, const std::vector<candidate>& candidates,
                      std::uint64_t calls) {
  for (const candidate& each : candidates) {
    if (trials_.is_over()) return;
    if (!each.left_out) trials_.time_ns(measured, each.tried, std::min(calls, std::uint64_t{4}));
  }
}

void session::measure(const point& measured, double seconds) {
  const auto begin = clock::now();
  trials_.prepare(measured, 0);
  std::vector<candidate> candidates = candidates_of(measured);
  trials_.prepare(measured, compute_ns(measured, candidates.front().tried));
  const std::uint64_t calls = calls_for(measured, candidates.front().tried);
  keep_promising(measured, candidates);
  leave_out_slow_by_model(measured, candidates);
  warm_up(measured, candidates, calls);
  if (!plan_.all && plan_.only.empty()) {
    for (unsigned round = 0; round < scouting_rounds; ++round) {
      run_round(measured, candidates, calls, round);
    }
    if (trials_.is_over()) return;
    leave_out_far_behind(candidates);
    const double point_left = trials_.agree(seconds - seconds_since(begin));
    if (!leave_out_by_time(candidates, calls, point_left)) add_parameters(measured, candidates);
    leave_out_slow_by_model(measured, candidates);
    if (candidates.front().times_ns.empty()) warm_up(measured, candidates, calls);
  }
  for (auto round = static_cast<unsigned>(candidates.front().times_ns.size());
       round < plan_.rounds_max && !trials_.is_over(); ++round) {
    const bool is_late = round >= rounds_min && seconds_since(begin) > seconds;
    if (trials_.agree(is_late)) break;
    run_round(measured, candidates, calls, round);
    if (round + 1 == scouting_rounds && !trials_.is_over()) leave_out_far_behind(candidates);
  }
  cut_to_complete_rounds(candidates);
  const std::size_t rounds = candidates.front().times_ns.size();
  if (rounds < rounds_min) return;
  confirm(measured, candidates, calls);
  record(measured, candidates, rounds);
}

// The end may have come within a round.
void session::cut_to_complete_rounds(std::vector<candidate>& candidates) const {
  if (!trials_.is_over()) return;
  std::size_t complete = candidates.front().times_ns.size();
  for (const candidate& each : candidates) {
    if (!each.left_out) complete = std::min(complete, each.times_ns.size());
  }
  for (candidate& each : candidates) {
    if (!each.left_out) each.times_ns.resize(complete);
  }
}

// The best of many is often the luckiest. So it must win again, in as many rounds against the
// built-in choice alone. All ranks have the same times, and choose the same one.
void session::confirm(const point& measured, std::vector<candidate>& candidates,
                      std::uint64_t calls) {
  const auto usual_ns = [](const candidate& each) { return lower_quartile(each.times_ns); };
  candidate& built_in = candidates.front();
  candidate* best = &built_in;
  for (candidate& each : candidates) {
    if (!each.left_out && usual_ns(each) < usual_ns(*best)) best = &each;
  }
  if (best == &built_in) return;
  const std::size_t rounds = built_in.times_ns.size();
  for (std::size_t round = 0; round < rounds && !trials_.is_over(); ++round) {
    std::array<candidate*, 2> order{&built_in, best};
    if (round % 2 != 0) std::swap(order[0], order[1]);
    for (candidate* const each : order) {
      each->times_ns.push_back(trials_.time_ns(measured, each->tried, calls));
    }
  }
}

void session::record(const point& measured, const std::vector<candidate>& candidates,
                     std::size_t rounds) {
  if (!records_.is_open()) return;
  json line = header_of(measured);
  if (network_ns_ != 0) line["network_ns"] = network_ns_;
  line["message_ns"] = {{"overhead", model_.overhead_ns()},
                        {"latency", model_.latency_ns()},
                        {"byte", model_.byte_ns()}};
  line["rounds"] = rounds;
  line["built_in"] = coll::name_of(candidates.front().tried);
  line["effective"] = parameters_that_count(measured);
  for (const candidate& each : candidates) {
    if (!each.left_out) line["times_ns"][coll::name_of(each.tried)] = each.times_ns;
  }
  records_ << line.dump() << std::endl;
  if (!records_) throw error(plan_.records, "cannot be written", "is the disk full?");
}

}  // namespace atl::tune
