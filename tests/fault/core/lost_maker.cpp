// SPDX-License-Identifier: BSD-3-Clause
//
// The rank that makes a block of a team for all ranks of its host dies after it has begun. Where
// the others go on without lost ranks (argument `asks`), one of them makes the block, and all that
// are left share it. Otherwise the job ends with the message about the lost rank.
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/team/team.hpp>
#include <atoll/core/team/team_block.hpp>

#include <csignal>
#include <cstdio>
#include <string_view>

namespace {

using namespace atl;

/// A number that no front has.
constexpr std::size_t number = memory::rank_page::team_blocks_max - 1;

void note_loss(void*, rank_id, std::string_view) noexcept {}

int wrong(const char* property) {
  std::fprintf(stderr, "wrong: %s\n", property);
  return 9;
}

}  // namespace

int main(int argc, char** argv) {
  const bool asks = argc > 1 && std::string_view(argv[1]) == "asks";
  runtime job({.on_peer_lost = {.run = asks ? note_loss : nullptr}});
  const rank_id maker = job.size() / 2;
  if (job.rank() == maker && !claim_team_block(job, number)) return wrong("the maker comes first");
  job.world().barrier();
  if (job.rank() == maker) std::raise(SIGKILL);
  team_block* const block = share_team_block(job, number);
  if (block == nullptr) return wrong("there is memory for a block");
  block->departed.fetch_add(1);
  job.wait_until([&] { return block->departed.load() == job.size() - 1; });
  if (job.rank() == 0) std::printf("the block is made without rank %u\n", maker);
  return 0;
}
