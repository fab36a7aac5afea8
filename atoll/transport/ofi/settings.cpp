// SPDX-License-Identifier: BSD-3-Clause
//
// Registers the settings.
#include <atoll/transport/ofi/settings.hpp>

namespace atl {

ATOLL_REGISTER_SETTINGS rows_of_ofi[] = {
    &setting::ofi_provider,      &setting::ofi_interface, &setting::ofi_transfers,
    &setting::ofi_atomics,       &setting::ofi_window,    &setting::ofi_inject,
    &setting::ofi_memory,        &setting::ofi_devices,   &setting::ofi_cache_bytes,
    &setting::ofi_cache_entries,
};

}  // namespace atl
