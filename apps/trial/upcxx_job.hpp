// SPDX-License-Identifier: BSD-3-Clause
//
// The main function of a program in UPC++, with the same options, rounds and report as programs on
// the core.
#pragma once

#include <apps/trial/trial.hpp>

namespace trial {

/// Makes the variants of these names; collective. Everything they use must end before the job does.
/// A `upcxx::bad_shared_alloc` is thrown on all ranks or on none.
using upcxx_variants = std::function<variant_list(group& ranks, const std::vector<std::string>&)>;

/// Returns the exit code as run_in_job() does.
int run_in_upcxx(int argc, char** argv, program& program, const upcxx_variants& make,
                 const final_work& afterwards = {});

}  // namespace trial
