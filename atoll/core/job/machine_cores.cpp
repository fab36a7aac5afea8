// SPDX-License-Identifier: BSD-3-Clause
//
// Adding up what ranks tell of their cores. No sum can overflow: that of masks is limited, and that
// of quotas is of 32-bit numbers, at most one for each rank.
#include <atoll/core/job/machine_cores.hpp>

#include <atoll/base/hash.hpp>
#include <atoll/base/system/cpu.hpp>
#include <atoll/base/system/machine_id.hpp>

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <string_view>
#include <utility>

namespace atl {

namespace {

std::uint64_t hash_of(std::string_view bytes) noexcept {
  stable_hash hash;
  hash.add(bytes);
  return hash.value();
}

}  // namespace

core_claim claim_cores(const std::string& root) {
  core_claim own;
  own.machine = machine_id(root);
  const core_mask mask = cores_allowed();
  own.mask = hash_of({reinterpret_cast<const char*>(mask.data()), sizeof mask});
  for (const std::uint64_t word : mask) {
    own.allowed += static_cast<std::uint32_t>(std::popcount(word));
  }
  own.quota = cores_by_quota(root);
  own.online = static_cast<std::uint32_t>(std::max(::sysconf(_SC_NPROCESSORS_ONLN), 1L));
  return own;
}

void machine_cores::add(rank_id host, const core_claim& claim) {
  if (claim.machine != own_.machine || claim.machine == 0) return;
  ++ranks_;
  masks_.try_emplace(claim.mask, claim.allowed);
  if (host == last_host_) {
    quota_of_last_ = std::min(quota_of_last_, claim.quota);
    return;
  }
  ++hosts_;
  last_host_ = host;
  quota_of_others_ += std::exchange(quota_of_last_, claim.quota);
}

unsigned machine_cores::cores() const noexcept {
  const std::uint64_t most = own_.online;
  const std::uint64_t by_quotas = quota_of_others_ + quota_of_last_;
  std::uint64_t by_masks = 0;
  for (const auto& [mask, allowed] : masks_) by_masks = std::min(by_masks + allowed, most);
  return static_cast<unsigned>(std::max<std::uint64_t>(std::min({by_masks, by_quotas, most}), 1));
}

}  // namespace atl
