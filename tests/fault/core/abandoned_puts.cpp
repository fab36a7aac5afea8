// SPDX-License-Identifier: BSD-3-Clause
//
// A rank dies in the middle of a large collective between hosts, which is many puts, or gets with
// the argument "get", and the others have begun only then to watch for losses. For them the call
// ends with peer_lost, and no further transfer of the call may be made while they go on with
// collectives of their own, though the ranks that are left would serve it, and no get of their own
// may still write. Transfers that are under way may go on, so the program keeps the memory. Loans
// between the ranks that are left end too, by messages, and without breaking the connection between
// them. Where the network lends no memory, there is nothing to check. A wrong answer is told and
// becomes code 9.
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/coll/team_creation.hpp>
#include <atoll/core/job/core_access.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/transport/message.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

namespace {

using namespace atl;
using namespace std::chrono_literals;

constexpr int wrong_code = 9;
constexpr int skipped_code = 77;
constexpr std::size_t block_bytes = std::size_t{32} << 20;
constexpr rank_id victim = 2;
constexpr int small_calls = 1000;

void require(runtime& job, bool condition, const char* property) {
  if (condition) return;
  std::fprintf(stderr, "rank %u: wrong: %s\n", job.rank(), property);
  job.exit(wrong_code);
}

template <class Ready>
void progress_until(runtime& job, std::chrono::milliseconds limit, Ready ready) {
  const auto end = std::chrono::steady_clock::now() + limit;
  while (!ready() && std::chrono::steady_clock::now() < end) job.progress();
}

}  // namespace

int main(int argc, char** argv) {
  const bool gets = argc > 1 && std::string_view(argv[1]) == "get";
  runtime job;
  const transport::transport* const network = core_access::first_network(job);
  if (network == nullptr || !network->describe().lends) {
    std::puts("skipped: no network that lends memory joins these ranks");
    return skipped_code;
  }
  const transport::network_counts& counts = *network->describe().counts;
  coll::engine& engine = coll::open(job);
  job.world().barrier();
  const std::uint64_t before = counts.transfers;
  std::vector<std::byte> own(block_bytes), all(job.size() * block_bytes);
  event call = coll::start_allgather(job.world(), all.data(), own.data(), block_bytes);
  progress_until(job, 20s, [&] { return counts.transfers != before; });
  require(job, counts.transfers != before, "a call is under way by transfers");
  job.on_peer_lost({.run = [](void*, rank_id, std::string_view) noexcept {}});
  layer_access::boot(job).fence();
  if (job.rank() == victim) ::raise(SIGKILL);
  // The rank that is left beside rank 0 polls only when rank 0 knows of the loss, so that a put to
  // it is under way until then. A call with gets ends when these have ended, so both poll.
  if (!gets && job.rank() != 0) layer_access::boot(job).fence();
  require(job, job.wait(call) == operation_status::peer_lost, "a call under way ends");
  if (!gets && job.rank() == 0) layer_access::boot(job).fence();
  const std::uint64_t made = counts.transfers;
  const std::uint64_t transfers_of_call = 2 * block_bytes / transport::loan::put_bytes;
  require(job, made - before < transfers_of_call, "the call ended in the middle");
  if (gets) std::ranges::fill(all, std::byte{0xa5});  // as if the memory had another use
  const std::vector<rank_id> left{0, 1};
  std::unique_ptr<team> others = coll::create_team_alone(job, rank_set(left));
  for (int i = 0; i < small_calls; ++i) {
    std::uint64_t number = job.rank();
    coll::broadcast(*others, 0, &number, &number, sizeof number);
    require(job, number == 0, "the others' collectives work");
  }
  progress_until(job, 20s, [&] { return engine.mail().loans() == 0; });
  require(job, engine.mail().loans() == 0, "the loans of an abandoned call end");
  coll::destroy_team(std::move(others));
  require(job, counts.transfers == made, "no transfer is made for an abandoned call");
  if (!gets) return 0;
  const auto is_kept = [](std::byte each) { return each == std::byte{0xa5}; };
  require(job, std::ranges::all_of(all, is_kept), "no get writes to memory of a call that ended");
}
