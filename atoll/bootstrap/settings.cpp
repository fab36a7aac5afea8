// SPDX-License-Identifier: BSD-3-Clause
//
// Registers the settings.
#include <atoll/bootstrap/settings.hpp>

namespace atl {

ATOLL_REGISTER_SETTINGS rows_of_bootstrap[] = {
    &setting::rank,   &setting::size,   &setting::job,
    &setting::member, &setting::images, &setting::interface,
};

}  // namespace atl
