// SPDX-License-Identifier: BSD-3-Clause
//
// Connects the two ends: the target puts the address at which it listens to the other rank.
#include <bench/network/joined_link.hpp>

#include <atoll/bootstrap/settings.hpp>
#include <atoll/core/rma/rma.hpp>

namespace bench {

raw_link joined_link(const rank_pair& pair, const std::string& interface) {
  const std::string known(pair.job().configuration().text(atl::setting::interface));
  raw_link link(interface.empty() ? known : interface);
  auto* const peer_address = reinterpret_cast<raw_address*>(pair.area());
  const raw_address own_address = link.address();
  if (pair.is_target()) {
    const atl::route* const rows = pair.endpoint().bound().routes();
    const auto offset =
        reinterpret_cast<std::uintptr_t>(peer_address) - rows[pair.job().rank()].remote();
    atl::put(pair.endpoint(), 0, reinterpret_cast<std::byte*>(rows[0].remote() + offset),
             &own_address, sizeof own_address);
  }
  pair.job().world().barrier();
  if (pair.acts()) link.connect(*peer_address);
  if (pair.is_target()) link.accept();
  return link;
}

}  // namespace bench
