// SPDX-License-Identifier: BSD-3-Clause
//
// One program of OpenSHMEM, UPC++ and, where it is linked, MPI. The argument is the order in which
// the models begin and end: S, U and M begin OpenSHMEM, UPC++ and MPI, and s, u and m end them, as
// in "SUMmus". OpenSHMEM and UPC++ may begin again. After each step the running models transfer
// data, agree on ranks, and pass pointers to each other.
#include <shmemx.h>
#include <tests/multi/models/mpi_model.hpp>
#include <upcxx/upcxx.hpp>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <vector>

namespace {

using upcxx::global_ptr;

struct {
  bool shmem, upcxx, mpi;
} running;

long variable;  // symmetric, as all variables of the program
long counter;
long inbox[3];

int rank;  // the same in all models
int size;
int next() { return (rank + 1) % size; }
int previous() { return (rank + size - 1) % size; }

#define REQUIRE(CONDITION) require(CONDITION, #CONDITION, __LINE__)
void require(bool holds, const char* condition, int line) {
  if (holds) return;
  std::fprintf(stderr, "rank %d, line %d: not so: %s\n", rank, line, condition);
  std::_Exit(9);
}

// The running models must agree on ranks; when none runs, the program keeps the last values.
void check_ranks() {
  if (running.shmem) rank = shmem_my_pe();
  if (running.shmem) size = shmem_n_pes();
  if (running.upcxx) rank = upcxx::rank_me();
  if (running.upcxx) size = upcxx::rank_n();
  REQUIRE(!running.shmem || (shmem_my_pe() == rank && shmem_n_pes() == size));
  REQUIRE(!running.mpi || !(running.shmem || running.upcxx) ||
          (models::mpi_rank() == rank && models::mpi_size() == size));
}

void check_shmem() {
  auto* const block = static_cast<long*>(shmem_calloc(1, sizeof(long)));
  shmem_p(block, 10L + rank, next());
  shmem_p(&variable, 20L + rank, next());
  shmem_barrier_all();
  REQUIRE(*block == 10 + previous());
  REQUIRE(variable == 20 + previous());
  shmem_free(block);
}

void check_upcxx() {
  const global_ptr<long> block = upcxx::new_<long>(0);
  const upcxx::dist_object<global_ptr<long>> blocks(block);
  upcxx::rput(30L + rank, blocks.fetch(next()).wait()).wait();
  upcxx::barrier();
  REQUIRE(*block.local() == 30 + previous());
  upcxx::barrier();
  upcxx::delete_(block);
}

void check_mpi() {
  const int mpi_size = models::mpi_size();
  REQUIRE(models::mpi_sum(models::mpi_rank()) == long{mpi_size} * (mpi_size - 1) / 2);
}

// The global pointer to a symmetric object of a PE; the owner and a neighbour make the same one.
// Null where static variables are in private memory.
template <class T>
global_ptr<T> global_pointer(T* object, int pe) {
  void* const shared = shmemx_shared_ptr(object, rank);
  const upcxx::dist_object<global_ptr<T>> pointers(upcxx::try_global_ptr(static_cast<T*>(shared)));
  const global_ptr<T> pointer = pointers.fetch(pe).wait();
  upcxx::barrier();
  void* const seen = shmemx_shared_ptr(object, pe);
  if (pointer && seen != nullptr) {
    REQUIRE(upcxx::to_global_ptr(static_cast<T*>(seen)) == pointer);
    REQUIRE(pointer.local() == seen);  // and back
    REQUIRE(pe == rank || shmem_ptr(object, pe) == seen);
  }
  REQUIRE(!pointer || pointer.where() == pe);
  return pointer;
}

// UPC++ and OpenSHMEM access the same memory of OpenSHMEM: UPC++ writes the first word, OpenSHMEM
// the second.
void check_upcxx_on_symmetric(long* words) {
  const global_ptr<long> remote = global_pointer(words, next());
  if (!remote) return;
  shmem_barrier_all();
  shmem_p(words + 1, 50L + rank, next());
  upcxx::rput(40L + rank, remote).wait();
  shmem_long_wait_until(words, SHMEM_CMP_EQ, 40 + previous());
  shmem_barrier_all();
  REQUIRE(words[1] == 50 + previous());
  REQUIRE(upcxx::rget(remote + 1).wait() == 50 + rank);
  REQUIRE(shmem_g(words, next()) == 40 + rank);
  shmem_barrier_all();
  words[0] = words[1] = 0;
  shmem_barrier_all();
}

// Atomics of both models on one word of rank 0.
void check_atomics(long* word) {
  const global_ptr<long> first = global_pointer(word, 0);
  if (!first) return;
  constexpr int times = 100;
  upcxx::atomic_domain<long> additions({upcxx::atomic_op::inc, upcxx::atomic_op::load});
  for (int i = 0; i < times; ++i) {
    shmem_atomic_inc(word, 0);
    additions.inc(first, std::memory_order_relaxed).wait();
  }
  shmem_barrier_all();
  REQUIRE(shmem_atomic_fetch(word, 0) == 2L * times * size);
  REQUIRE(additions.load(first, std::memory_order_relaxed).wait() == 2L * times * size);
  upcxx::barrier();
  additions.destroy();
  if (rank == 0) *word = 0;
  shmem_barrier_all();
}

// OpenSHMEM puts from and gets to objects of UPC++, its own and a neighbour's. They cannot be the
// remote side, because they are not symmetric.
void check_shmem_on_upcxx() {
  auto* const block = static_cast<long*>(shmem_calloc(3, sizeof(long)));
  const global_ptr<long> own = upcxx::new_array<long>(3);
  for (int i = 0; i < 3; ++i) own.local()[i] = 100 * rank + i;
  const upcxx::dist_object<global_ptr<long>> objects(own);
  const global_ptr<long> remote = objects.fetch(next()).wait();
  upcxx::barrier();
  shmem_putmem(block, own.local(), 3 * sizeof(long), next());
  if (remote.is_local()) shmem_putmem(inbox, remote.local(), 3 * sizeof(long), rank);
  shmem_barrier_all();
  for (int i = 0; i < 3; ++i) REQUIRE(block[i] == 100 * previous() + i);
  for (int i = 0; i < 3; ++i) REQUIRE(!remote.is_local() || inbox[i] == 100 * next() + i);
  shmem_getmem(own.local(), block, 3 * sizeof(long), next());
  REQUIRE(own.local()[2] == 100 * rank + 2);
  REQUIRE(shmem_addr_accessible(own.local(), next()) == 0);
  REQUIRE(shmem_ptr(own.local(), next()) == nullptr);
  shmem_barrier_all();
  upcxx::delete_array(own);
  shmem_free(block);
}

// An rpc of UPC++ uses OpenSHMEM at its target.
void check_calls() {
  variable = -1;
  shmem_barrier_all();
  upcxx::rpc(
      next(), [](int sender) { shmem_p(&variable, sender + 60L, shmem_my_pe()); }, rank)
      .wait();
  upcxx::barrier();
  REQUIRE(variable == 60 + previous());
  shmem_barrier_all();
}

void check_shmem_and_upcxx() {
  std::vector<global_ptr<char>> uneven;  // the symmetric heap keeps its offsets
  for (int i = 0; i < 3 * rank; ++i) uneven.push_back(upcxx::new_array<char>(1000));
  auto* const words = static_cast<long*>(shmem_calloc(2, sizeof(long)));
  inbox[0] = inbox[1] = counter = 0;
  check_upcxx_on_symmetric(words);
  check_upcxx_on_symmetric(inbox);
  check_atomics(words);
  check_atomics(&counter);
  check_shmem_on_upcxx();
  check_calls();
  shmem_free(words);
  for (const auto& each : uneven) upcxx::delete_array(each);
}

// MPI sums values that the other two have written to the next rank, and sends between their
// memories.
void check_all() {
  auto* const block = static_cast<long*>(shmem_calloc(1, sizeof(long)));
  const global_ptr<long> own = upcxx::new_<long>(0);
  const upcxx::dist_object<global_ptr<long>> objects(own);
  upcxx::rput(70L + rank, objects.fetch(next()).wait()).wait();
  upcxx::barrier();  // answers the calls of fetch(), which waits of OpenSHMEM and MPI do not
  shmem_p(block, 80L + rank, next());
  shmem_p(&variable, 90L + rank, next());
  shmem_barrier_all();
  const long sum = models::mpi_sum(*block + *own.local() + variable);
  REQUIRE(sum == 240L * size + 3L * size * (size - 1) / 2);
  models::mpi_shift(own.local(), block);
  REQUIRE(*block == 70 + (previous() + size - 1) % size);
  models::mpi_shift(block, &variable);
  REQUIRE(variable == 70 + (previous() + 2 * size - 2) % size);
  shmem_barrier_all();
  REQUIRE(shmem_g(&variable, next()) == 70 + (rank + 2 * size - 2) % size);
  upcxx::barrier();
  upcxx::delete_(own);
  shmem_free(block);
}

void check() {
  check_ranks();
  if (running.shmem) check_shmem();
  if (running.upcxx) check_upcxx();
  if (running.mpi) check_mpi();
  if (running.shmem && running.upcxx) check_shmem_and_upcxx();
  if (running.shmem && running.upcxx && running.mpi) check_all();
}

void act(char step) {
  switch (step) {
    case 'S':
      REQUIRE(shmem_init_thread(SHMEM_THREAD_MULTIPLE, nullptr) == 0);
      break;
    case 's':
      shmem_finalize();
      break;
    case 'U':
      upcxx::init();
      break;
    case 'u':
      upcxx::finalize();
      break;
    case 'M':
      REQUIRE(models::begin_mpi());
      break;
    case 'm':
      models::end_mpi();
      break;
    default:
      REQUIRE(std::strchr("SsUuMm", step) != nullptr);
  }
  const bool begins = step < 'a';
  if (step == 'S' || step == 's') running.shmem = begins;
  if (step == 'U' || step == 'u') running.upcxx = begins;
  if (step == 'M' || step == 'm') running.mpi = begins;
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view steps = count > 1 ? arguments[1] : "SUsuUSusSUusUSsu";
  for (const char step : steps) {
    act(step);
    check();
  }
  std::printf("rank %d of %d: done\n", rank, size);
  return 0;
}
