// SPDX-License-Identifier: BSD-3-Clause
//
// One handle for several transfers of upc_nb.h. It is synchronized like any other, once, and is
// complete when all of them are.
#pragma once

#include <upc_nb.h>

#include <vector>

namespace atl::upc {

/// One handle for these, which are used up. None of them may be one for several transfers.
upc_handle_t join(std::vector<upc_handle_t> handles);

}  // namespace atl::upc
