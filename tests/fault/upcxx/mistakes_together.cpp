// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong uses of objects of several ranks or threads - personas, teams, collectives, atomic domains,
// distributed objects, copies, devices - one for each word on the command line. All ranks make the
// objects together; then the last one makes the mistake while the others wait in the barrier of
// finalize(). The program prints "not refused" if it gets past the mistake.
#include <upcxx/upcxx.hpp>

#include <cstdio>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace {

std::string_view mistake;

bool is_mistake(std::string_view name) { return mistake == name; }

using upcxx::atomic_op;
constexpr auto relaxed = std::memory_order_relaxed;

/// The objects that all ranks have made together.
struct shared_objects {
  upcxx::team team = upcxx::world().split(0, 0);
  upcxx::team alone = upcxx::world().split(upcxx::rank_me(), 0);
  upcxx::team ended = upcxx::world().split(0, 0);
  upcxx::team_id ended_id = ended.id();
  upcxx::atomic_domain<int> domain{{atomic_op::load, atomic_op::add}};
  std::optional<upcxx::dist_object<int>> object{upcxx::rank_me()};
  upcxx::global_ptr<int> number = upcxx::new_<int>(1);
  upcxx::global_ptr<int> number_of_first = upcxx::broadcast(number, 0).wait();

  upcxx::cuda_device device{0};
  upcxx::device_allocator<upcxx::cuda_device> on_device{device, 4096};
  upcxx::global_ptr<int, upcxx::memory_kind::cuda_device> block_of_first =
      upcxx::broadcast(on_device.allocate<int>(1), 0).wait();
  upcxx::global_ptr<int, upcxx::memory_kind::cuda_device> ended_block;

  shared_objects() {
    ended.destroy();
    auto gone = upcxx::make_gpu_allocator<upcxx::cuda_device>(4096);
    ended_block = gone.allocate<int>(1);
    gone.destroy();
  }
};

template <class F>
void in_callback(F f) {
  upcxx::current_persona().lpc_ff(f);
  upcxx::progress();
}
template <class F>
void in_thread(F f) {
  std::thread(f).join();
}

void personas() {
  if (is_mistake("persona-of-two-threads")) {
    upcxx::persona persona;
    const upcxx::persona_scope scope(persona);
    in_thread([&] { const upcxx::persona_scope wrong(persona); });
  }
  if (is_mistake("persona-with-work")) upcxx::persona().lpc_ff([] {});
  if (is_mistake("persona-in-use")) {
    auto* const persona = new upcxx::persona();
    const upcxx::persona_scope scope(*persona);
    delete persona;
  }
  if (is_mistake("scopes-out-of-order")) {
    upcxx::persona persona;
    std::optional<upcxx::persona_scope> first(std::in_place, persona);
    const upcxx::persona_scope second(persona);
    first.reset();
  }
  if (is_mistake("liberated-twice")) {
    upcxx::liberate_master_persona();
    upcxx::liberate_master_persona();
  }
  if (is_mistake("foreign-scope")) {
    upcxx::persona persona;
    const upcxx::persona_scope scope(persona);
    upcxx::persona_scope& top = upcxx::top_persona_scope();
    in_thread([&] { static_cast<void>(upcxx::progress_required(top)); });
  }
}

void collectives(shared_objects& shared) {
  if (is_mistake("barrier-of-thread")) in_thread([] { upcxx::barrier(); });
  if (is_mistake("reduce-of-thread")) {
    in_thread([] { static_cast<void>(upcxx::reduce_all(1, upcxx::op_fast_add)); });
  }
  if (is_mistake("barrier-in-callback")) in_callback([] { upcxx::barrier(); });
  if (is_mistake("reduce-in-callback")) {
    in_callback([] { static_cast<void>(upcxx::reduce_all(1, upcxx::op_fast_add)); });
  }
  if (is_mistake("broadcast-of-nobody")) static_cast<void>(upcxx::broadcast(1, 7));
  if (is_mistake("words-of-nobody")) {
    static_cast<void>(upcxx::broadcast_nontrivial(std::string("word"), -1));
  }
  if (is_mistake("barrier-of-ended-team")) upcxx::barrier(shared.ended);
}

void teams(shared_objects& shared) {
  if (is_mistake("world-destroyed")) upcxx::world().destroy();
  if (is_mistake("team-lost")) upcxx::team(std::move(shared.team));
  if (is_mistake("team-replaced")) shared.team = std::move(shared.alone);
  if (is_mistake("no-such-member")) static_cast<void>(shared.team[7]);
  if (is_mistake("not-a-member")) static_cast<void>(shared.alone.from_world(0));
  if (is_mistake("ended-team-here")) static_cast<void>(shared.ended_id.here());
  if (is_mistake("ended-team-when-here")) static_cast<void>(shared.ended_id.when_here());
  if (is_mistake("negative-colour")) static_cast<void>(shared.team.split(-7, 0));
  if (is_mistake("rpc-to-nobody")) upcxx::rpc_ff(5, [] {});
  if (is_mistake("rpc-to-no-member")) upcxx::rpc_ff(shared.team, 5, [] {});
}

void domains(shared_objects& shared) {
  if (is_mistake("domain-lost")) upcxx::atomic_domain<int>(std::move(shared.domain));
  if (is_mistake("domain-ended-twice")) {
    shared.domain.destroy(upcxx::entry_barrier::none);
    shared.domain.destroy(upcxx::entry_barrier::none);
  }
  if (is_mistake("domain-ended-in-use")) {
    shared.domain.destroy(upcxx::entry_barrier::none);
    shared.domain.add(shared.number, 1, relaxed).wait();
  }
  if (is_mistake("domain-of-nothing"))
    upcxx::atomic_domain<int>(std::vector<atomic_op>()).destroy();
  if (is_mistake("operation-not-named"))
    static_cast<void>(shared.domain.fetch_add(shared.number, 1, relaxed));
  if (is_mistake("load-that-releases"))
    static_cast<void>(shared.domain.load(shared.number, std::memory_order_release));
  if (is_mistake("load-that-releases-to-memory")) {
    int found = 0;
    static_cast<void>(shared.domain.load(shared.number, &found, std::memory_order_release));
  }
  if (is_mistake("atomic-outside-the-team")) {
    const upcxx::atomic_domain<int> own({atomic_op::add}, shared.alone);
    own.add(shared.number_of_first, 1, relaxed).wait();
  }
  if (is_mistake("atomic-to-null")) static_cast<void>(shared.domain.load(nullptr, relaxed));
}

void objects(shared_objects& shared) {
  upcxx::dist_object<int> inactive;
  if (is_mistake("inactive-object-fetched")) static_cast<void>(inactive.fetch(0));
  if (is_mistake("inactive-object-sent"))
    upcxx::rpc_ff(0, [](upcxx::dist_object<int>&) {}, inactive);
  if (is_mistake("object-without-value")) inactive.activate(upcxx::world());
  if (is_mistake("object-activated-twice")) shared.object->activate(upcxx::world());
  if (is_mistake("object-gone")) shared.object->fetch(0).wait();
  if (is_mistake("object-gone-here")) {
    const auto id = shared.object->id();
    shared.object.reset();
    static_cast<void>(id.when_here());
  }
}

/// With the simulated driver, which has two devices.
void devices(shared_objects& shared) {
  using upcxx::cuda_device;
  int local = 0;
  if (is_mistake("open-device")) cuda_device(2).destroy();
  if (is_mistake("open-absent-kind")) upcxx::hip_device(0).destroy();
  if (is_mistake("device-memory")) {
    upcxx::device_allocator<upcxx::hip_device> allocator;
    static_cast<void>(allocator.allocate<int>(1));
  }
  if (is_mistake("address-of-no-device"))
    static_cast<void>(upcxx::make_gpu_allocator(64, -2, &local));
  if (is_mistake("address-of-host")) static_cast<void>(upcxx::make_gpu_allocator(64, 0, &local));
  auto& allocator = shared.on_device;
  const auto block = shared.on_device.allocate<int>(4);
  if (is_mistake("odd-device-alignment")) static_cast<void>(allocator.allocate<int>(1, 24));
  if (is_mistake("device-block-inside")) allocator.deallocate(block + 1);
  if (is_mistake("device-block-foreign")) allocator.deallocate(shared.block_of_first);
  if (is_mistake("device-block-twice")) {
    allocator.deallocate(block);
    allocator.deallocate(block);
  }
  if (is_mistake("device-local-foreign"))
    static_cast<void>(decltype(shared.on_device)::local(shared.block_of_first));
  if (is_mistake("device-address-outside")) static_cast<void>(allocator.to_global_ptr(&local));
  if (is_mistake("second-allocator")) upcxx::device_allocator<cuda_device>(shared.device, 64);
  if (is_mistake("broadcast-on-device"))
    upcxx::broadcast(decltype(shared.on_device)::local(block), 4, 1).wait();
  if (is_mistake("reduce-on-device")) {
    int* const words = decltype(shared.on_device)::local(block);
    upcxx::reduce_all(words, words, 4, upcxx::op_fast_add).wait();
  }
  if (is_mistake("copy-past-device")) upcxx::copy(block, &local, std::size_t{1} << 20).wait();
  if (is_mistake("copy-from-ended-device")) upcxx::copy(shared.ended_block, &local, 1).wait();
}

void memory(shared_objects& shared) {
  int local = 0;
  const auto number = shared.number;
  if (is_mistake("copy-from-null")) upcxx::copy(upcxx::global_ptr<int>(), number, 1).wait();
  if (is_mistake("copy-to-nothing")) upcxx::copy(number, static_cast<int*>(nullptr), 1).wait();
  if (is_mistake("copy-too-much")) upcxx::copy(number, &local, std::size_t{1} << 55).wait();
  const std::vector<std::pair<upcxx::global_ptr<int>, std::size_t>> targets{{number, 1},
                                                                            {number, 1}};
  const std::vector<std::pair<const int*, std::size_t>> from{{&local, 1}};
  if (is_mistake("uneven-runs")) {
    upcxx::rput_irregular(from.begin(), from.end(), targets.begin(), targets.end()).wait();
  }
}

}  // namespace

int main(int argc, char** argv) {
  mistake = argc > 1 ? argv[1] : "";
  upcxx::init();
  auto* const shared = new shared_objects();
  const bool wrong = upcxx::rank_me() == upcxx::rank_n() - 1;
  if (is_mistake("object-gone") && !wrong) shared->object.reset();
  upcxx::barrier();
  if (wrong) {
    personas();
    collectives(*shared);
    teams(*shared);
    domains(*shared);
    objects(*shared);
    memory(*shared);
    devices(*shared);
    std::puts("not refused");
    std::fflush(stdout);
  }
  upcxx::finalize();
  return 0;
}
