// SPDX-License-Identifier: BSD-3-Clause
//
// How many ranks share how many processor cores, where several of the job's hosts are one machine:
// containers, network namespaces, virtual hosts by name. Each of them may see a core for each of
// its ranks and be wrong, and a rank that spins then keeps the rank that it waits for from running.
//
// Every rank tells which kernel it runs on and which cores it may use. Masks travel as a hash: a
// mask that several ranks have counts once, and the cores of different masks are added. That is
// exact where each rank is bound to a core of its own, and where all ranks may use all cores.
// Otherwise masks may overlap, so the sum is limited to the cores that are on line. All ranks of a
// machine come to the same numbers.
#pragma once

#include <atoll/base/rank.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace atl {

/// One rank's report of the processor cores that it may use.
struct core_claim {
  std::uint64_t machine = 0;  // its kernel; 0: not known
  std::uint64_t mask = 0;     // hash of its affinity mask
  std::uint32_t allowed = 0;  // cores of the mask
  std::uint32_t quota = 0;    // of its control group
  std::uint32_t online = 0;   // cores of the machine
  std::uint32_t spare = 0;    // fills the message, which has no gaps
};

/// The claim of this process; `root` as for cores_by_quota().
core_claim claim_cores(const std::string& root = "");

/// The cores and ranks of one machine.
class machine_cores {
 public:
  explicit machine_cores(const core_claim& own) noexcept : own_(own) {}

  const core_claim& own() const noexcept { return own_; }

  /// Adds the claim of one rank of the job and its host; host by host. Claims of other machines are
  /// ignored.
  void add(rank_id host, const core_claim& claim);

  rank_id hosts() const noexcept { return hosts_; }
  rank_id ranks() const noexcept { return ranks_; }
  unsigned cores() const noexcept;

 private:
  core_claim own_;
  rank_id ranks_ = 0;
  rank_id hosts_ = 0;
  rank_id last_host_ = no_rank;
  std::uint32_t quota_of_last_ = 0;               // the smallest of its ranks
  std::uint64_t quota_of_others_ = 0;             // the sum of those of the hosts before
  std::map<std::uint64_t, std::uint32_t> masks_;  // cores by mask
};

}  // namespace atl
