// SPDX-License-Identifier: BSD-3-Clause
//
// Wrong uses of what ranks and threads do together - personas, teams, collectives, atomic domains,
// distributed objects, copies - one for each word on the command line. All ranks make what they
// make together; then the last one makes the mistake while the others wait in the barrier of
// finalize(). The program says "not refused" if it gets past the mistake.
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

bool is(std::string_view name) { return mistake == name; }

using upcxx::atomic_op;
constexpr auto relaxed = std::memory_order_relaxed;

/// The objects that all ranks have made together.
struct shared_things {
  upcxx::team team = upcxx::world().split(0, 0);
  upcxx::team alone = upcxx::world().split(upcxx::rank_me(), 0);
  upcxx::team ended = upcxx::world().split(0, 0);
  upcxx::team_id ended_id = ended.id();
  upcxx::atomic_domain<int> domain{{atomic_op::load, atomic_op::add}};
  std::optional<upcxx::dist_object<int>> object{upcxx::rank_me()};
  upcxx::global_ptr<int> number = upcxx::new_<int>(1);
  upcxx::global_ptr<int> number_of_first = upcxx::broadcast(number, 0).wait();

  shared_things() { ended.destroy(); }
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
  if (is("persona-of-two-threads")) {
    upcxx::persona one;
    const upcxx::persona_scope scope(one);
    in_thread([&] { const upcxx::persona_scope wrong(one); });
  }
  if (is("persona-with-work")) upcxx::persona().lpc_ff([] {});
  if (is("persona-in-use")) {
    auto* const one = new upcxx::persona();
    const upcxx::persona_scope scope(*one);
    delete one;
  }
  if (is("scopes-out-of-order")) {
    upcxx::persona one;
    std::optional<upcxx::persona_scope> first(std::in_place, one);
    const upcxx::persona_scope second(one);
    first.reset();
  }
  if (is("liberated-twice")) {
    upcxx::liberate_master_persona();
    upcxx::liberate_master_persona();
  }
  if (is("foreign-scope")) {
    upcxx::persona one;
    const upcxx::persona_scope scope(one);
    upcxx::persona_scope& mine = upcxx::top_persona_scope();
    in_thread([&] { static_cast<void>(upcxx::progress_required(mine)); });
  }
}

void collectives(shared_things& all) {
  if (is("barrier-of-thread")) in_thread([] { upcxx::barrier(); });
  if (is("reduce-of-thread")) {
    in_thread([] { static_cast<void>(upcxx::reduce_all(1, upcxx::op_fast_add)); });
  }
  if (is("barrier-in-callback")) in_callback([] { upcxx::barrier(); });
  if (is("reduce-in-callback")) {
    in_callback([] { static_cast<void>(upcxx::reduce_all(1, upcxx::op_fast_add)); });
  }
  if (is("broadcast-of-nobody")) static_cast<void>(upcxx::broadcast(1, 7));
  if (is("words-of-nobody")) {
    static_cast<void>(upcxx::broadcast_nontrivial(std::string("word"), -1));
  }
  if (is("barrier-of-ended-team")) upcxx::barrier(all.ended);
}

void teams(shared_things& all) {
  if (is("world-destroyed")) upcxx::world().destroy();
  if (is("team-lost")) upcxx::team(std::move(all.team));
  if (is("team-replaced")) all.team = std::move(all.alone);
  if (is("no-such-member")) static_cast<void>(all.team[7]);
  if (is("not-a-member")) static_cast<void>(all.alone.from_world(0));
  if (is("ended-team-here")) static_cast<void>(all.ended_id.here());
  if (is("ended-team-when-here")) static_cast<void>(all.ended_id.when_here());
  if (is("negative-colour")) static_cast<void>(all.team.split(-7, 0));
  if (is("rpc-to-nobody")) upcxx::rpc_ff(5, [] {});
  if (is("rpc-to-no-member")) upcxx::rpc_ff(all.team, 5, [] {});
}

void domains(shared_things& all) {
  if (is("domain-lost")) upcxx::atomic_domain<int>(std::move(all.domain));
  if (is("domain-ended-twice")) {
    all.domain.destroy(upcxx::entry_barrier::none);
    all.domain.destroy(upcxx::entry_barrier::none);
  }
  if (is("domain-ended-in-use")) {
    all.domain.destroy(upcxx::entry_barrier::none);
    all.domain.add(all.number, 1, relaxed).wait();
  }
  if (is("domain-of-nothing")) upcxx::atomic_domain<int>(std::vector<atomic_op>()).destroy();
  if (is("operation-not-named")) static_cast<void>(all.domain.fetch_add(all.number, 1, relaxed));
  if (is("order-of-a-store")) {
    static_cast<void>(all.domain.load(all.number, std::memory_order_release));
  }
  if (is("atomic-outside-the-team")) {
    const upcxx::atomic_domain<int> own({atomic_op::add}, all.alone);
    own.add(all.number_of_first, 1, relaxed).wait();
  }
  if (is("atomic-to-null")) static_cast<void>(all.domain.load(nullptr, relaxed));
}

void objects(shared_things& all) {
  upcxx::dist_object<int> inactive;
  if (is("inactive-object-fetched")) static_cast<void>(inactive.fetch(0));
  if (is("inactive-object-sent")) upcxx::rpc_ff(0, [](upcxx::dist_object<int>&) {}, inactive);
  if (is("object-without-value")) inactive.activate(upcxx::world());
  if (is("object-activated-twice")) all.object->activate(upcxx::world());
  if (is("object-gone")) all.object->fetch(0).wait();
  if (is("object-gone-here")) {
    const auto id = all.object->id();
    all.object.reset();
    static_cast<void>(id.when_here());
  }
}

void memory(shared_things& all) {
  int here = 0;
  const auto number = all.number;
  if (is("copy-from-null")) upcxx::copy(upcxx::global_ptr<int>(), number, 1).wait();
  if (is("copy-to-nothing")) upcxx::copy(number, static_cast<int*>(nullptr), 1).wait();
  if (is("copy-too-much")) upcxx::copy(number, &here, std::size_t{1} << 55).wait();
  if (is("open-device")) upcxx::cuda_device(0).destroy();
  if (is("device-memory")) {
    upcxx::device_allocator<upcxx::hip_device> none;
    static_cast<void>(none.allocate<int>(1));
  }
  if (is("address-of-no-device")) static_cast<void>(upcxx::make_gpu_allocator(64, -2, &here));
  const std::vector<std::pair<upcxx::global_ptr<int>, std::size_t>> there{{number, 1}, {number, 1}};
  const std::vector<std::pair<const int*, std::size_t>> from{{&here, 1}};
  if (is("uneven-runs")) {
    upcxx::rput_irregular(from.begin(), from.end(), there.begin(), there.end()).wait();
  }
}

}  // namespace

int main(int argc, char** argv) {
  mistake = argc > 1 ? argv[1] : "";
  upcxx::init();
  auto* const all = new shared_things();
  const bool wrong = upcxx::rank_me() == upcxx::rank_n() - 1;
  if (is("object-gone") && !wrong) all->object.reset();
  upcxx::barrier();
  if (wrong) {
    personas();
    collectives(*all);
    teams(*all);
    domains(*all);
    objects(*all);
    memory(*all);
    std::puts("not refused");
    std::fflush(stdout);
  }
  upcxx::finalize();
  return 0;
}
