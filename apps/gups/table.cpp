// SPDX-License-Identifier: BSD-3-Clause
//
// The table. To verify it, every rank walks through the whole sequence and applies the updates of
// its own words. This is more arithmetic than sending the updates again, but it shares neither
// messages nor atomics with the variants that it verifies.
#include <apps/gups/table.hpp>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <shmem.h>

#include <algorithm>

namespace gups {
namespace {

// The first word of a rank: the smallest i with (i * ranks) >> m = rank.
word first_of(std::uint64_t rank, std::uint64_t ranks, unsigned log2_words) {
  return ((rank << log2_words) + ranks - 1) / ranks;
}

}  // namespace

table::table(unsigned log2_words, memory placement)
    : log2_words_(log2_words), placement_(placement) {
  const table_part own = allocate(placement);
  if (upcxx::reduce_all(own.at_owner != nullptr ? 1 : 0, upcxx::op_fast_min).wait() == 0) {
    release(own);
    throw atl::error(
        "gups: a table of " + atl::bytes_text(words() * sizeof(word)),
        atl::text("a rank has no ", atl::bytes_text(own.count * sizeof(word)), " of ",
                  placement == memory::at_owner ? "memory" : "shared memory", " left for its part"),
        "use a smaller --log2-size or raise ATOLL_SEGMENT_LIMIT");
  }
  const upcxx::dist_object<table_part> every(own);
  for (int rank = 0; rank < upcxx::rank_n(); ++rank) parts_.push_back(every.fetch(rank).wait());
  upcxx::barrier();  // no rank reads `every` any more
}

table_part table::allocate(memory placement) {
  const auto me = static_cast<std::uint64_t>(upcxx::rank_me());
  const auto ranks = static_cast<std::uint64_t>(upcxx::rank_n());
  table_part own{.first = first_of(me, ranks, log2_words_)};
  own.count = first_of(me + 1, ranks, log2_words_) - own.first;
  constexpr std::size_t page = 4096;
  const std::size_t room = std::max<std::size_t>(own.count, 1);
  if (placement == memory::of_all) {
    own.for_all = upcxx::allocate<word>(room, page);
    own.at_owner = own.for_all.local();
  } else if (placement == memory::symmetric) {
    const word most = (words() + ranks - 1) / ranks;  // the same on all ranks
    own.at_owner = static_cast<word*>(shmem_align(page, most * sizeof(word)));
  } else {
    private_ = private_words(room);
    own.at_owner = private_.first();
  }
  return own;
}

table::~table() {
  upcxx::barrier();
  release(local_part());
}

void table::release(const table_part& own) noexcept {
  upcxx::deallocate(own.for_all);
  if (placement_ == memory::symmetric) shmem_free(own.at_owner);
}

void table::fill() noexcept {
  word* const local_words = local_part().at_owner;
  for (word i = 0; i < local_part().count; ++i) local_words[i] = local_part().first + i;
}

std::uint64_t table::wrong_words(std::uint64_t count) noexcept {
  const table_part& own = local_part();
  word* const local_words = own.at_owner;
  word update = element(0);
  for (std::uint64_t n = 0; n < count; ++n) {
    update = next(update);
    const word index = target(update) - own.first;  // below `first` it wraps: no word of ours
    if (index < own.count) local_words[index] ^= update;
  }
  std::uint64_t wrong = 0;
  for (word i = 0; i < own.count; ++i) wrong += local_words[i] != own.first + i ? 1 : 0;
  return wrong;
}

}  // namespace gups
