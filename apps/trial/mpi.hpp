// SPDX-License-Identifier: BSD-3-Clause
//
// The main function of a program's twin for MPI, with the same options, rounds and report. Compiled
// once for each MPI library that a twin is built with.
#pragma once

#include <apps/trial/trial.hpp>

#include <mpi.h>

namespace trial {

/// Makes the variants of these names; collective.
using mpi_variants = std::function<variant_list(group& ranks, const std::vector<std::string>&)>;

/// After MPI_Init; returns the exit code as run_in_job() does.
int run_in_mpi(int argc, char** argv, program& program, const mpi_variants& make);

}  // namespace trial
