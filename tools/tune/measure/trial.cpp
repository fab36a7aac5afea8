// SPDX-License-Identifier: BSD-3-Clause
//
// Calls go to the engine as the public functions make them, with the algorithm named per call. All
// elements are zero, so sums stay zero however often they are formed.
#include <tools/tune/measure/trial.hpp>

#include <atoll/base/text.hpp>
#include <atoll/coll/engine/recommended.hpp>

#include <algorithm>
#include <array>
#include <chrono>

namespace atl::tune {

namespace {

using coll::collective;

constexpr std::array<unsigned, 4> radixes{2, 3, 4, 8};

bool is_reduction(collective kind) {
  return kind == collective::reduce || kind == collective::allreduce || kind == collective::scan;
}

double now_ns() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::nano>(now).count();
}

// Radixes of the number of members and more make the same tree, or none.
std::vector<unsigned> radixes_of(const coll::algorithm& each, rank_id members) {
  if (each.radix == 0) return {0};
  std::vector<unsigned> list;
  for (const unsigned radix : radixes) {
    if (list.empty() || radix <= members) list.push_back(radix);
  }
  return list;
}

}  // namespace

std::string name_of(const point& measured) {
  return text(coll::name_of(measured.kind), " of ", bytes_text(measured.bytes),
              measured.blocking ? "" : ", several in flight");
}

std::string name_of(const coll::choice& tried) {
  if (tried.radix == 0) return std::string(tried.use->name);
  return text(tried.use->name, ":", tried.radix);
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

std::vector<coll::choice> trials::candidates(const point& measured) const {
  coll::call call;
  static_cast<coll::arguments&>(call) = arguments_of(measured, 0);
  call.whole_team = &job_.world();
  call.size = job_.size();
  call.one_host = job_.world().hosts().one_host();
  coll::choice built_in = coll::recommended(call);
  // Radixes above the number of members stand for that number.
  if (built_in.radix != 0) {
    const auto own = radixes_of(*built_in.use, call.size);
    built_in.radix = *std::prev(std::upper_bound(own.begin(), own.end(), built_in.radix));
  }
  std::vector<coll::choice> list{built_in};
  for (const coll::algorithm& each : coll::algorithms()) {
    if (each.kind != measured.kind || !coll::obstacle(each, call).empty()) continue;
    for (const unsigned radix : radixes_of(each, call.size)) {
      if (&each == built_in.use && radix == built_in.radix) continue;
      list.push_back({.use = &each, .radix = radix});
    }
  }
  return list;
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
