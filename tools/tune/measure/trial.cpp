// SPDX-License-Identifier: BSD-3-Clause
//
// Trials call the engine as the public functions do, and name the algorithm per call. All elements
// are zero, so sums stay zero however often they are formed.
#include <tools/tune/measure/trial.hpp>

#include <atoll/base/text.hpp>
#include <atoll/coll/engine/recommended.hpp>
#include <atoll/coll/tuned/candidates.hpp>

#include <array>
#include <chrono>

namespace atl::tune {

namespace {

using coll::collective;

bool is_reduction(collective kind) {
  return kind == collective::reduce || kind == collective::allreduce || kind == collective::scan;
}

double now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(now).count();
}

}  // namespace

std::string name_of(const point& measured) {
  return text(coll::name_of(measured.kind), " of ", bytes_text(measured.bytes),
              measured.blocking ? "" : ", several in flight");
}

trials::trials(runtime& job, std::size_t bytes_max, bool several)
    : job_(job),
      engine_(coll::open(job)),
      buffer_bytes_(bytes_max * job.size()),
      from_(buffer_bytes_ * (several ? in_flight : 1)),
      to_(from_.size()),
      sum_(coll::built_in(coll::reduce_operation::add, data_type::f64)) {}

coll::arguments trials::arguments_of(const point& measured, unsigned buffer) const {
  coll::arguments request{.kind = measured.kind,
                          .from = from_.data() + buffer * buffer_bytes_,
                          .to = const_cast<std::byte*>(to_.data()) + buffer * buffer_bytes_,
                          .bytes = measured.bytes};
  if (measured.kind == collective::broadcast) request.from = request.to;
  if (is_reduction(measured.kind)) {
    request.count = measured.bytes / sum_.element_bytes;
    request.combine = sum_;
  }
  return request;
}

coll::call trials::call_of(const point& measured) const {
  coll::call call;
  static_cast<coll::arguments&>(call) = arguments_of(measured, 0);
  call.whole_team = &job_.world();
  call.size = job_.size();
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
  for (std::uint64_t i = 0; i < calls; ++i) engine_.run(job_.world(), request, tried);
}

void trials::call_in_flight(const point& measured, const coll::choice& tried, std::uint64_t calls) {
  std::array<event, in_flight> under_way;
  for (std::uint64_t i = 0; i < calls; i += in_flight) {
    for (unsigned k = 0; k < in_flight; ++k) {
      under_way[k] = engine_.start(job_.world(), arguments_of(measured, k), tried);
    }
    for (event& each : under_way) job_.wait(each);
  }
}

double trials::time_ns(const point& measured, const coll::choice& tried, std::uint64_t calls) {
  calls = (calls + in_flight - 1) / in_flight * in_flight;
  job_.world().barrier();
  const double begin = now_ns();
  if (measured.blocking) {
    call_blocking(measured, tried, calls);
  } else {
    call_in_flight(measured, tried, calls);
  }
  job_.world().barrier();
  return agree((now_ns() - begin) / static_cast<double>(calls));
}

}  // namespace atl::tune
