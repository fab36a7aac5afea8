// SPDX-License-Identifier: BSD-3-Clause
//
// The variables of OpenSHMEM in the environment. Each has a deprecated form with the prefix SMA_,
// which is used where the SHMEM_ form is not set.
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/base/settings.hpp>

#include <cstddef>
#include <string_view>

namespace atl::shmem {

struct environment {
  std::size_t symmetric_bytes = 0;  // 0: not given
  bool tells_version = false;
  bool tells_variables = false;
  bool debugs = false;
  bool moves_variables = true;  // SHMEM_STATIC_DATA, and whether static variables can move
};

/// Throws `atl::error` for an invalid value.
environment read_environment();

/// A size as the specification writes it: a decimal number, perhaps with a fraction, and one of k m
/// g t in any case; what follows is ignored. Throws `atl::error`.
std::size_t parse_symmetric_size(std::string_view name, std::string_view value);

/// The runtime's settings with those that the variables ask for.
settings settings_with(const environment& wanted);

/// Warns, once in this process, of names that resemble variables and are none, and of a symmetric
/// heap that the machine cannot hold.
void warn_of_mistakes(const environment& wanted, std::size_t pes_of_host);

/// A refusal of memory that names the variable which has asked for it.
error about_symmetric_size(const error& refused);

/// Prints what SHMEM_VERSION and SHMEM_INFO ask for.
void print_environment(const environment& wanted, const settings& configuration);

}  // namespace atl::shmem
