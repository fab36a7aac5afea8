// SPDX-License-Identifier: BSD-3-Clause
//
// UPC++ of a program of pairs of models, see pair_part.h. The block is an array in the shared
// segment, whose pointers all ranks have told each other.
#include <tests/multi/models/pair_part.h>

#include <cstddef>
#include <optional>
#include <upcxx/upcxx.hpp>
#include <vector>

namespace {

struct upcxx_part {
  upcxx::global_ptr<int> own;
  std::vector<upcxx::global_ptr<int>> blocks;  // by rank
  upcxx::atomic_domain<int> domain{{upcxx::atomic_op::inc}};
  upcxx::promise<> puts;
  upcxx::future<> barrier;
};

std::optional<upcxx_part> part;

std::size_t size_of(int count) { return static_cast<std::size_t>(count); }
upcxx::global_ptr<int> word(int rank, int at) { return part->blocks[size_of(rank)] + at; }

}  // namespace

void upcxx_part_begin() {
  upcxx::init();
  part.emplace();
  part->own = upcxx::new_array<int>(pair_words);
  for (int i = 0; i < pair_words; ++i) part->own.local()[i] = 0;
  for (int rank = 0; rank < upcxx::rank_n(); ++rank)
    part->blocks.push_back(upcxx::broadcast(part->own, rank).wait());
}

void upcxx_part_end() {
  upcxx::barrier();
  upcxx::delete_array(part->own);
  part->domain.destroy();
  part.reset();
  upcxx::finalize();
}

int upcxx_part_rank() { return upcxx::rank_me(); }
int upcxx_part_size() { return upcxx::rank_n(); }
int* upcxx_part_own() { return part->own.local(); }

void upcxx_part_start_put(int rank, int at, const int* source, int count) {
  upcxx::rput(source, word(rank, at), size_of(count), upcxx::operation_cx::as_promise(part->puts));
}

void upcxx_part_get(int rank, int at, int* target, int count) {
  upcxx::rget(word(rank, at), target, size_of(count)).wait();
}

void upcxx_part_fence() {
  part->puts.finalize().wait();
  part->puts = upcxx::promise<>();
}

void upcxx_part_sync() { upcxx::barrier(); }
void upcxx_part_notify() { part->barrier = upcxx::barrier_async(); }
void upcxx_part_wait() { part->barrier.wait(); }
int upcxx_part_sum(int value) { return upcxx::reduce_all(value, upcxx::op_fast_add).wait(); }
void upcxx_part_increase() { part->domain.inc(word(0, 0), std::memory_order_relaxed).wait(); }
