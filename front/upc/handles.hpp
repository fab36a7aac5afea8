// SPDX-License-Identifier: BSD-3-Clause
//
// One handle for several transfers of upc_nb.h. It is synchronized like any other, once, and is
// complete when all of them are.
#pragma once

#include <upc_nb.h>

#include <vector>

namespace atl::upc {

/// The handles are used up. None of them is of several transfers itself.
upc_handle_t join(std::vector<upc_handle_t> handles);

}  // namespace atl::upc
