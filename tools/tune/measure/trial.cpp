// SPDX-License-Identifier: BSD-3-Clause
//
// Trials call the engine as the public functions do, and name the algorithm per call. All elements
// are zero, so sums stay zero however often they are formed.
#include <tools/tune/measure/trial.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/engine/recommended.hpp>
#include <atoll/coll/tuned/candidates.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>

namespace atl::tune {

namespace {

using coll::collective;

double now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(now).count();
}

/// Of a trial, as rank 0 sees it.
struct outcome {
  double each_ns = 0;
  bool is_over = false;
};

// A sum that is said not to commute is combined in the order of members.
coll::reduction sum_of(const point& measured) {
  const unsigned bytes = measured.element_bytes;
  const data_type type = bytes == 1 ? data_type::u8 : bytes == 4 ? data_type::f32 : data_type::f64;
  coll::reduction sum = coll::built_in(coll::reduce_operation::add, type);
  sum.commutative = measured.commutative;
  return sum;
}

// The choice as a call of the point takes it.
coll::choice options_for(const point& measured, coll::choice tried) {
  tried.begins_together = tried.ends_together = measured.strict;
  return tried;
}

// Whether a member of a rooted collective has data to send, and room for those that arrive; the
// root is rank 0. A broadcast has one buffer.
bool reads_source(collective kind, rank_id rank) {
  return kind == collective::scatter ? rank == 0 : kind != collective::broadcast;
}
bool has_target(collective kind, rank_id rank) {
  return rank == 0 || (kind != collective::reduce && kind != collective::gather);
}

// Each step needs the result of the one before it, and no memory.
double computed(double value, std::uint64_t steps) {
  for (std::uint64_t i = 0; i < steps; ++i) value = value * 0.999999 + 1e-6;
  return value;
}

}  // namespace

trials::trials(runtime& job, clock::time_point end)
    : job_(job), engine_(coll::open(job)), end_(end) {
  constexpr std::uint64_t steps = 20000;
  double least_ns = 1e9;
  for (int i = 0; i < 5; ++i) {
    const double begin = now_ns();
    computed_ = computed(computed_, steps);
    least_ns = std::min(least_ns, now_ns() - begin);
  }
  steps_per_ns_ = agree(static_cast<double>(steps) / std::max(least_ns, 1.0));
}

void trials::prepare(const point& measured, double compute_ns) {
  const std::size_t calls = measured.blocking ? 1 : calls_in_flight;
  const std::size_t from_bytes = calls * measured.bytes * source_blocks(measured.kind, job_.size());
  const std::size_t to_bytes = calls * measured.bytes * target_blocks(measured.kind, job_.size());
  from_.grow(from_bytes);
  to_.grow(to_bytes);
  if (reads_source(measured.kind, job_.rank())) from_.touch(from_bytes);
  if (has_target(measured.kind, job_.rank())) to_.touch(to_bytes);
  steps_ = static_cast<std::uint64_t>(compute_ns * steps_per_ns_);
}

void trials::compute() {
  if (steps_ == 0) return;
  computed_ = computed(computed_, steps_ / 2);
  job_.progress();
  computed_ = computed(computed_, steps_ - steps_ / 2);
}

coll::arguments trials::arguments_of(const point& measured, unsigned place) const {
  const std::size_t from_bytes = measured.bytes * source_blocks(measured.kind, job_.size());
  const std::size_t to_bytes = measured.bytes * target_blocks(measured.kind, job_.size());
  coll::arguments request{.kind = measured.kind,
                          .from = from_.data() + place * from_bytes,
                          .to = to_.data() + place * to_bytes,
                          .bytes = measured.bytes};
  if (measured.kind == collective::broadcast) request.from = request.to;
  if (is_reduction(measured.kind)) {
    request.count = measured.bytes / measured.element_bytes;
    request.combine = sum_of(measured);
  }
  return request;
}

coll::call trials::call_of(const point& measured) const {
  coll::call call;
  static_cast<coll::arguments&>(call) = arguments_of(measured, 0);
  call.whole_team = &job_.world();
  call.size = measured.kind == collective::barrier ? barrier_messengers(job_.world()) : job_.size();
  call.one_host = job_.world().hosts().one_host();
  return call;
}

std::vector<coll::choice> trials::candidates(const point& measured) const {
  const coll::call call = call_of(measured);
  std::vector<coll::choice> list = coll::candidates_of(call, coll::recommended(call));
  const std::vector<coll::choice> usual = list;
  for (const coll::choice& each : usual) {
    for (const coll::choice& other : coll::other_protocols_of(each, call)) list.push_back(other);
  }
  return list;
}

std::vector<coll::choice> trials::variants(const point& measured, const coll::choice& base) const {
  return coll::variants_of(base, call_of(measured));
}

std::vector<std::string> trials::parameters_that_count(const point& measured,
                                                       const coll::choice& base) const {
  return coll::parameters_that_count(base, call_of(measured));
}

trials::message_sizes trials::sizes_of(const point& measured, const coll::choice& tried) const {
  const coll::call call = call_of(measured);
  const std::size_t usual_piece = coll::usual_piece_bytes(*tried.use, call);
  return {.message = coll::message_bytes(*tried.use, call),
          .eager = tried.eager_bytes != 0 ? tried.eager_bytes : coll::usual_eager_bytes(call),
          .piece = tried.piece_bytes != 0 ? tried.piece_bytes : usual_piece};
}

void trials::call_blocking(const point& measured, const coll::choice& tried, std::uint64_t calls) {
  const coll::arguments request = arguments_of(measured, 0);
  const coll::choice options = options_for(measured, tried);
  for (std::uint64_t i = 0; i < calls; ++i) engine_.run(job_.world(), request, options);
}

void trials::call_overlapped(const point& measured, const coll::choice& tried,
                             std::uint64_t calls) {
  const coll::choice options = options_for(measured, tried);
  std::array<event, calls_in_flight> under_way;
  for (std::uint64_t i = 0; i < calls; ++i) {
    const auto place = static_cast<unsigned>(i % calls_in_flight);
    if (i >= calls_in_flight) job_.wait(under_way[place]);
    under_way[place] = engine_.start(job_.world(), arguments_of(measured, place), options);
    compute();
  }
  for (event& each : under_way) job_.wait(each);
}

// The radix holds for the barriers of the trial alone.
void trials::pass_barriers(const point& measured, std::uint64_t calls) {
  std::array<event, calls_in_flight> under_way;
  for (std::uint64_t i = 0; i < calls; ++i) {
    if (measured.blocking) {
      job_.world().barrier();
      continue;
    }
    const auto place = static_cast<unsigned>(i % calls_in_flight);
    if (i >= calls_in_flight) job_.wait(under_way[place]);
    under_way[place] = job_.world().start_barrier();
    compute();
  }
  for (event& each : under_way) job_.wait(each);
}

double trials::time_ns(const point& measured, const coll::choice& tried, std::uint64_t calls) {
  constexpr std::uint64_t calls_few = 64;
  const bool is_barrier = measured.kind == collective::barrier;
  job_.world().barrier();
  // Of few large calls the first would pay for the caches as the trial before has left them.
  if (!is_barrier && calls < calls_few && job_.world().hosts().one_host()) {
    call_blocking(measured, tried, 1);
    job_.world().barrier();
  }
  if (is_barrier) {
    job_.world().use_barrier_radix(tried.radix);
    job_.world().barrier();  // those behind it have this radix
  }
  const double begin = now_ns();
  if (is_barrier) {
    pass_barriers(measured, calls);
    job_.world().use_barrier_radix(barrier_radix_usual);
  } else if (measured.blocking) {
    call_blocking(measured, tried, calls);
  } else {
    call_overlapped(measured, tried, calls);
  }
  job_.world().barrier();
  const double each_ns = (now_ns() - begin) / static_cast<double>(calls);
  const outcome agreed = agree(outcome{each_ns, clock::now() >= end_});
  is_over_ = agreed.is_over;
  return agreed.each_ns;
}

}  // namespace atl::tune
