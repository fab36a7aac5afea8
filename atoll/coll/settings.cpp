// SPDX-License-Identifier: BSD-3-Clause
//
// Registers the settings.
#include <atoll/coll/settings.hpp>

namespace atl {

ATOLL_REGISTER_SETTINGS rows_of_coll[] = {
    &setting::coll_broadcast, &setting::coll_reduce, &setting::coll_allreduce,
    &setting::coll_scatter,   &setting::coll_gather, &setting::coll_allgather,
    &setting::coll_alltoall,  &setting::coll_scan,   &setting::coll_explain,
    &setting::coll_table,     &setting::tune,        &setting::tune_save,
};

}  // namespace atl
