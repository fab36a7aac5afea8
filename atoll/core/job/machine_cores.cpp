// SPDX-License-Identifier: BSD-3-Clause
//
// Adding up what ranks tell of their cores. Every sum is limited before it can overflow.
#include <atoll/core/job/machine_cores.hpp>

#include <atoll/base/cpu.hpp>
#include <atoll/base/hash.hpp>

#include <unistd.h>

#include <algorithm>
#include <bit>
#include <fstream>
#include <string_view>

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
  std::string boot;
  if (std::ifstream(root + "/proc/sys/kernel/random/boot_id") >> boot) own.machine = hash_of(boot);
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
  const auto [entry, is_new] = quotas_.try_emplace(host, claim.quota);
  if (!is_new) entry->second = std::min(entry->second, claim.quota);
}

unsigned machine_cores::cores() const noexcept {
  const std::uint64_t most = own_.online;
  std::uint64_t by_masks = 0, by_quotas = 0;
  for (const auto& [mask, allowed] : masks_) by_masks = std::min(by_masks + allowed, most);
  for (const auto& [host, quota] : quotas_) by_quotas = std::min(by_quotas + quota, most);
  return static_cast<unsigned>(std::max<std::uint64_t>(std::min(by_masks, by_quotas), 1));
}

}  // namespace atl
