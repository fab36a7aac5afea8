// SPDX-License-Identifier: BSD-3-Clause
//
// Checks collectives. Every rank knows the contribution of every member, so each compares all that
// it has received. The target covers the contiguous regions of the ranks, and the source lies in
// the scratch region.
#include <tests/multi/device/collective_checks.hpp>

#include <atoll/coll/collectives.hpp>
#include <atoll/coll/device/device_collectives.hpp>
#include <atoll/core/rma/rma.hpp>

#include <array>
#include <string>

namespace {

using namespace atl;
using words = std::vector<std::uint32_t>;

/// The words that a member contributes.
words given(std::size_t count, rank_id member, unsigned seed) {
  words made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = static_cast<std::uint32_t>(i * 2654435761U + member * 40503U + seed);
  return made;
}

class checks {
 public:
  checks(runtime& job, memory_of_kind& memory)
      : job_(job),
        memory_(memory),
        collectives_(memory.shared),
        source_(memory.scratch(0)),
        target_(memory.base) {}

  void broadcast(std::size_t count) {
    const rank_id root = static_cast<rank_id>(count % job_.size());
    const words sent = given(count, root, 1);
    write(target_, job_.rank() == root ? sent : words(count));
    collectives_.broadcast(job_.world(), root, target_, count * 4);
    compare("broadcast", sent);
  }

  void allreduce(std::size_t count, bool in_place) {
    words wanted(count);
    for (rank_id member = 0; member < job_.size(); ++member) {
      const words part = given(count, member, 2);
      for (std::size_t i = 0; i < count; ++i) wanted[i] += part[i];
    }
    std::byte* const source = in_place ? target_ : source_;
    write(source, given(count, job_.rank(), 2));
    collectives_.allreduce(job_.world(), target_, source, count,
                           coll::built_in(coll::reduce_operation::add, data_type::u32));
    compare(in_place ? "all-reduce in place" : "all-reduce", wanted);
  }

  void allgather(std::size_t count) {
    words wanted;
    for (rank_id member = 0; member < job_.size(); ++member) {
      const words part = given(count, member, 3);
      wanted.insert(wanted.end(), part.begin(), part.end());
    }
    write(source_, given(count, job_.rank(), 3));
    collectives_.allgather(job_.world(), target_, source_, count * 4);
    compare("all-gather", wanted);
  }

  std::uint64_t direct_calls() const { return collectives_.direct_calls(); }

  void alltoall(std::size_t count) {
    words sent, wanted;
    for (rank_id member = 0; member < job_.size(); ++member) {
      const words part = given(count, job_.rank(), 4 + member);
      sent.insert(sent.end(), part.begin(), part.end());
      const words received = given(count, member, 4 + job_.rank());
      wanted.insert(wanted.end(), received.begin(), received.end());
    }
    write(source_, sent);
    collectives_.alltoall(job_.world(), target_, source_, count * 4);
    compare("all-to-all", wanted);
  }

 private:
  void write(std::byte* target, const words& data) {
    put(memory_.shared, job_.rank(), target, data.data(), data.size() * 4);
  }

  void compare(const char* name, const words& wanted) {
    words found(wanted.size());
    get(memory_.shared, found.data(), job_.rank(), target_, found.size() * 4);
    if (found == wanted) return;
    job_.fail("a collective with memory of devices",
              std::string(name) + " of " + std::to_string(wanted.size()) + " words: wrong", "");
  }

  runtime& job_;
  memory_of_kind& memory_;
  coll::device_collectives collectives_;
  std::byte* source_;
  std::byte* target_;
};

}  // namespace

void check_collectives(atl::runtime& job, memory_of_kind& memory, bool go_directly) {
  checks each(job, memory);
  constexpr std::array counts{1UL, 250UL, 16'384UL, 65'536UL, 200'003UL};
  for (const std::size_t count : counts) {
    each.broadcast(count);
    each.allreduce(count, false);
    each.allreduce(count, true);
    each.allgather(count);
    each.alltoall(count / job.size());
  }
  const std::uint64_t moving = 3 * counts.size() - (job.size() > 1 ? 1 : 0);  // one has no words
  if (go_directly && each.direct_calls() != moving) {
    job.fail("collectives with memory of devices",
             std::to_string(each.direct_calls()) + " went directly",
             "all " + std::to_string(moving) + " that only move data were to");
  }
  job.world().barrier();
}
