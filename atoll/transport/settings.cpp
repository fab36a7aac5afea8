// SPDX-License-Identifier: BSD-3-Clause
//
// Registers the settings.
#include <atoll/transport/settings.hpp>

namespace atl {

ATOLL_REGISTER_SETTINGS rows_of_transport[] = {
    &setting::network,
    &setting::module_path,
    &setting::rma_path,
    &setting::ring_cells,
};

}  // namespace atl
