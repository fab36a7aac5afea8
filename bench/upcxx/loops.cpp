// SPDX-License-Identifier: BSD-3-Clause
//
// The small operations of two ranks in UPC++ 1.0, as a program would write them. They use globals,
// because functions called by other ranks reach nothing else; only the one thread touches them.
#include <bench/upcxx/loops.hpp>

#include <string>
#include <unordered_map>
#include <upcxx/upcxx.hpp>
#include <vector>

namespace loops {

namespace {

using upcxx::global_ptr;
using upcxx::operation_cx;

constexpr std::uint64_t places = 64;
constexpr std::uint64_t keys = 4096;  // of the hash table: it stays in the cache
constexpr unsigned under_way = 100;   // inserts that have been started and not waited for
constexpr unsigned bytes_max = 8192;

using number_map = std::unordered_map<std::uint64_t, std::uint64_t>;
using string_map = std::unordered_map<std::string, std::string>;

/// This process's part of the objects that all loops use.
struct state {
  global_ptr<std::uint64_t> remote;  // at the target
  std::uint64_t* mapped;             // the same memory here
  upcxx::atomic_domain<std::uint64_t> counters{
      {upcxx::atomic_op::add, upcxx::atomic_op::fetch_add}};
  upcxx::dist_object<number_map> numbers{number_map()};
  upcxx::dist_object<string_map> strings{string_map()};
  std::vector<char> bytes = std::vector<char>(bytes_max, 'x');
};

state* local_state = nullptr;
int target = 0;
std::uint64_t ran = 0;       // calls of the loops that ran here
std::uint64_t expected = 0;  // and how many should have
std::uint64_t sent = 0;      // to the target

void hold() { asm volatile("" ::: "memory"); }

bool acts() { return upcxx::rank_me() == 0; }
bool is_target() { return upcxx::rank_me() == target; }

// The target's part in every loop of calls: waits until `count` more have run.
void serve(std::uint64_t count) {
  if (!is_target()) return;
  expected += count;
  while (ran < expected) upcxx::progress();
}

void note() { ++ran; }

}  // namespace

void join() {
  upcxx::init();
  target = upcxx::rank_n() == 1 ? 0 : 1;
  upcxx::dist_object<global_ptr<std::uint64_t>> memory(upcxx::new_array<std::uint64_t>(places));
  for (std::uint64_t i = 0; i < places; ++i) memory->local()[i] = 0;
  local_state = new state;
  local_state->remote = memory.fetch(target).wait();
  local_state->mapped = local_state->remote.local();
  upcxx::barrier();
}

unsigned rank() { return static_cast<unsigned>(upcxx::rank_me()); }
unsigned ranks() { return static_cast<unsigned>(upcxx::rank_n()); }
void barrier() { upcxx::barrier(); }

void leave() {
  upcxx::barrier();
  local_state->counters.destroy();
  delete local_state;
  upcxx::finalize();
}

void store(std::uint64_t count) {
  if (!acts()) return;
  std::uint64_t* const to = local_state->mapped;
  for (std::uint64_t i = 0; i < count; ++i) {
    to[i % places] = i;
    hold();
  }
}

void load(std::uint64_t count) {
  if (!acts()) return;
  std::uint64_t sum = 0;
  const std::uint64_t* const from = local_state->mapped;
  for (std::uint64_t i = 0; i < count; ++i) {
    sum += from[i % places];
    hold();
  }
  asm volatile("" ::"r"(sum));
}

void atomic_add(std::uint64_t count) {
  if (!acts()) return;
  std::uint64_t* const to = local_state->mapped;
  for (std::uint64_t i = 0; i < count; ++i)
    __atomic_fetch_add(to + i % places, 1, __ATOMIC_RELAXED);
}

void rput(std::uint64_t count) {
  if (!acts()) return;
  const auto to = local_state->remote;
  for (std::uint64_t i = 0; i < count; ++i) {
    upcxx::rput(i, to + static_cast<std::ptrdiff_t>(i % places)).wait();
    hold();
  }
}

void rget(std::uint64_t count) {
  if (!acts()) return;
  std::uint64_t sum = 0;
  const auto from = local_state->remote;
  for (std::uint64_t i = 0; i < count; ++i) {
    sum += upcxx::rget(from + static_cast<std::ptrdiff_t>(i % places)).wait();
    hold();
  }
  asm volatile("" ::"r"(sum));
}

void fetch_add(std::uint64_t count) {
  if (!acts()) return;
  std::uint64_t sum = 0;
  const auto to = local_state->remote;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto place = to + static_cast<std::ptrdiff_t>(i % places);
    sum += local_state->counters.fetch_add(place, 1, std::memory_order_relaxed).wait();
  }
  asm volatile("" ::"r"(sum));
}

void add(std::uint64_t count) {
  if (!acts()) return;
  const auto to = local_state->remote;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto place = to + static_cast<std::ptrdiff_t>(i % places);
    local_state->counters.add(place, 1, std::memory_order_relaxed).wait();
  }
}

void rput_flood(std::uint64_t count) {
  if (!acts()) return;
  const auto to = local_state->remote;
  upcxx::promise<> done;
  for (std::uint64_t i = 0; i < count; ++i) {
    upcxx::rput(i, to + static_cast<std::ptrdiff_t>(i % places), operation_cx::as_promise(done));
    hold();
  }
  done.finalize().wait();
}

void rget_flood(std::uint64_t count) {
  if (!acts()) return;
  std::uint64_t got[places];
  const auto from = local_state->remote;
  upcxx::promise<> done;
  for (std::uint64_t i = 0; i < count; ++i) {
    const auto index = static_cast<std::ptrdiff_t>(i % places);
    upcxx::rget(from + index, got + index, 1, operation_cx::as_promise(done));
    hold();
  }
  done.finalize().wait();
}

void add_flood(std::uint64_t count) {
  if (!acts()) return;
  const auto to = local_state->remote;
  upcxx::promise<> done;
  for (std::uint64_t i = 0; i < count; ++i) {
    local_state->counters.add(to + static_cast<std::ptrdiff_t>(i % places), 1,
                              std::memory_order_relaxed, operation_cx::as_promise(done));
  }
  done.finalize().wait();
}

void idle_progress(std::uint64_t count) {
  if (!acts()) return;
  for (std::uint64_t i = 0; i < count; ++i) upcxx::progress();
}

void rpc_round_trip(std::uint64_t count) {
  if (acts()) {
    sent += count;
    for (std::uint64_t i = 0; i < count; ++i) upcxx::rpc(target, note).wait();
  }
  serve(count);
}

void rpc_round_trip_8(std::uint64_t count) {
  if (acts()) {
    sent += count;
    std::uint64_t value = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
      value = upcxx::rpc(
                  target,
                  [](std::uint64_t given) {
                    ++ran;
                    return given + 1;
                  },
                  value)
                  .wait();
    }
  }
  serve(count);
}

void rpc_to_self(std::uint64_t count) {
  if (!acts()) return;
  expected += count;
  if (target == 0) sent += count;
  for (std::uint64_t i = 0; i < count; ++i) upcxx::rpc(upcxx::rank_me(), note).wait();
}

namespace {

// Waits until the target has run all of a flood, and asks it, since calls may overtake one another.
void drain(std::uint64_t count) {
  sent += count;
  while (upcxx::rpc(target, [] { return ran; }).wait() < sent) {
  }
}

}  // namespace

void rpc_ff_flood(std::uint64_t count) {
  if (acts()) {
    for (std::uint64_t i = 0; i < count; ++i) {
      upcxx::rpc_ff(target, [](std::uint64_t increment) { ran += increment; }, std::uint64_t{1});
    }
    drain(count);
  }
  serve(count);
}

void rpc_ff_flood_bytes(std::uint64_t count, unsigned bytes) {
  if (acts()) {
    const char* const first = local_state->bytes.data();
    for (std::uint64_t i = 0; i < count; ++i) {
      upcxx::rpc_ff(
          target, [](upcxx::view<char> payload) { ran += *payload.begin() == 'x' ? 1 : 0; },
          upcxx::make_view(first, first + bytes));
    }
    drain(count);
  }
  serve(count);
}

namespace {

// Keys are spread over all ranks, whichever rank inserts.
std::uint64_t key_of(std::uint64_t i) {
  return (i * 2 + std::uint64_t(upcxx::rank_me())) * 0x9e3779b97f4a7c15ULL % keys;
}
int owner_of(std::uint64_t key) { return static_cast<int>(key >> 3) % upcxx::rank_n(); }

struct insert_number {
  void operator()(upcxx::dist_object<number_map>& map, std::uint64_t key,
                  std::uint64_t value) const {
    (*map)[key] = value;
  }
};
struct insert_string {
  void operator()(upcxx::dist_object<string_map>& map, const std::string& key,
                  const std::string& value) const {
    (*map)[key] = value;
  }
};

}  // namespace

void map_insert(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t key = key_of(i);
    upcxx::rpc(owner_of(key), insert_number(), local_state->numbers, key, i).wait();
  }
  upcxx::barrier();
}

void map_insert_flood(std::uint64_t count) {
  std::uint64_t i = 0;
  while (i < count) {
    upcxx::promise<> some;
    for (unsigned k = 0; k < under_way && i < count; ++k, ++i) {
      const std::uint64_t key = key_of(i);
      upcxx::rpc(owner_of(key), operation_cx::as_promise(some), insert_number(),
                 local_state->numbers, key, i);
    }
    some.finalize().wait();
  }
  upcxx::barrier();
}

void map_insert_strings(std::uint64_t count) {
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t key = key_of(i);
    upcxx::rpc(owner_of(key), insert_string(), local_state->strings, "key " + std::to_string(key),
               "value " + std::to_string(i))
        .wait();
  }
  upcxx::barrier();
}

bool all_arrived() { return ran == expected; }

}  // namespace loops
