// SPDX-License-Identifier: BSD-3-Clause
//
// Looks up hosts and neighbourhoods. Ranges are kept as their first ranks, sorted; finding one is a
// binary search, or nothing at all in the usual job of one host.
#include <atoll/core/job/job_hosts.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <algorithm>

namespace atl {

namespace {

std::vector<rank_id> firsts_of(slice<const std::uint32_t> host_of_rank) {
  std::vector<rank_id> firsts;
  // The last number tells how many there are. A list that grows would leave gaps in the heap.
  const std::size_t ranks = host_of_rank.size();
  firsts.reserve(ranks == 0 ? 1 : std::min(std::size_t{host_of_rank[ranks - 1]} + 1, ranks));
  firsts.push_back(0);
  for (rank_id rank = 1; rank < host_of_rank.size(); ++rank) {
    if (host_of_rank[rank] == host_of_rank[rank - 1]) continue;
    if (host_of_rank[rank] != firsts.size()) {  // hosts are numbered by their first ranks
      throw error(text("rank ", rank),
                  "it runs on a host that has ranks before those of another host: the ranks of a "
                  "host must follow each other",
                  "let the launcher fill one host after the other (mpirun --map-by slot, srun "
                  "--distribution=block)");
    }
    firsts.push_back(rank);
  }
  return firsts;
}

}  // namespace

job_hosts::job_hosts(rank_id ranks, slice<const std::uint32_t> host_of_rank, std::uint64_t width)
    : ranks_(ranks), hosts_(firsts_of(host_of_rank)) {
  const std::uint64_t parts_max = width == 0 ? count() : count() + ranks / width;
  neighbourhoods_.reserve(std::min<std::uint64_t>(parts_max, ranks));
  for (rank_id host = 0; host < count(); ++host) {
    const rank_range host_ranks = ranks_of(host);
    const std::uint64_t step = width == 0 ? host_ranks.count : width;
    for (std::uint64_t done = 0; done < host_ranks.count; done += step)
      neighbourhoods_.push_back(host_ranks.first + static_cast<rank_id>(done));
  }
}

rank_id job_hosts::find(const std::vector<rank_id>& firsts, rank_id rank) noexcept {
  if (firsts.size() == 1) return 0;
  const auto next = std::upper_bound(firsts.begin(), firsts.end(), rank);
  return static_cast<rank_id>(next - firsts.begin()) - 1;
}

rank_range job_hosts::range(const std::vector<rank_id>& firsts, rank_id number) const noexcept {
  const rank_id end = number + 1 < firsts.size() ? firsts[number + 1] : ranks_;
  return {firsts[number], end - firsts[number]};
}

}  // namespace atl
