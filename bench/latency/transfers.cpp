// SPDX-License-Identifier: BSD-3-Clause
//
// The cases of puts and gets. Each loop walks over 64 places of 8 bytes at the target, so that no
// store waits for an earlier one to the same place, and the value changes, so that no two stores
// are the same. Only the acting rank works; the target waits in the next barrier, as in a real
// one-sided program.
#include <bench/latency/transfers.hpp>

#include <bench/harness/stopwatch.hpp>

#include <atoll/core/rma/rma.hpp>

#include <cstdint>
#include <utility>

namespace bench {

namespace {

constexpr std::uint64_t operations = 200'000;
constexpr std::uint64_t places = 64;

/// Runs `each(place, i)` on the acting rank; times it.
template <class Each>
double acting(const rank_pair& pair, std::uint64_t count, Each each) {
  if (!pair.acts()) return 0;
  const stopwatch watch;
  for (std::uint64_t i = 0; i < count; ++i) {
    each(i % places, i);
    touch_memory();
  }
  return watch.elapsed_ns();
}

class transfers {
 public:
  transfers(suite& to, const rank_pair& pair) : suite_(to), pair_(pair) {}

  template <class Each>
  void add(std::string name, Each each) {
    // The suite outlives this object, so the case must not refer to it.
    suite_.add({.name = std::move(name),
                .operations = operations,
                .run = [&pair = pair_, each](auto count) { return acting(pair, count, each); }});
  }

 private:
  suite& suite_;
  const rank_pair& pair_;
};

void add_machine(transfers& to, const rank_pair& pair) {
  auto* const mapped = reinterpret_cast<std::uint64_t*>(pair.view(pair.target(), pair.area()));
  to.add("raw_store_8", [=](auto place, auto i) { mapped[place] = i; });
  to.add("raw_load_8", [=](auto place, auto) { keep(mapped[place]); });
}

void add_puts(transfers& to, const rank_pair& pair) {
  atl::endpoint& endpoint = pair.endpoint();
  const atl::rank_id target = pair.target();
  auto* const remote = reinterpret_cast<std::uint64_t*>(pair.at_target(pair.area()));
  to.add("put_8_blocking",
         [=, &endpoint](auto place, auto i) { atl::put(endpoint, target, remote + place, &i, 8); });
  to.add("put_8_nb", [=, &endpoint](auto place, auto i) {
    atl::event done;
    atl::put_nb(endpoint, target, remote + place, &i, 8, done);
    endpoint.owner().wait(done);
  });
  to.add("put_8_nbi_flood", [=, &endpoint](auto place, auto i) {
    atl::put_nbi(endpoint, target, remote + place, &i, 8);
  });
}

void add_gets(transfers& to, const rank_pair& pair) {
  atl::endpoint& endpoint = pair.endpoint();
  const atl::rank_id target = pair.target();
  auto* const remote = reinterpret_cast<std::uint64_t*>(pair.at_target(pair.area()));
  const auto got = [](std::uint64_t value) { keep(value); };
  to.add("get_8_blocking", [=, &endpoint](auto place, auto) {
    std::uint64_t value;
    atl::get(endpoint, &value, target, remote + place, 8);
    got(value);
  });
  to.add("get_8_nb", [=, &endpoint](auto place, auto) {
    std::uint64_t value;
    atl::event done;
    atl::get_nb(endpoint, &value, target, remote + place, 8, done);
    endpoint.owner().wait(done);
    got(value);
  });
  to.add("get_8_nbi_flood", [=, &endpoint](auto place, auto) {
    std::uint64_t value;
    atl::get_nbi(endpoint, &value, target, remote + place, 8);
    got(value);
  });
}

}  // namespace

void add_transfer_cases(suite& to, const rank_pair& pair) {
  transfers cases(to, pair);
  add_machine(cases, pair);
  add_puts(cases, pair);
  add_gets(cases, pair);
  to.compare({.numerator = "put_8_blocking", .denominator = "raw_store_8"});
  to.compare({.numerator = "get_8_blocking", .denominator = "raw_load_8"});
}

}  // namespace bench
