// SPDX-License-Identifier: BSD-3-Clause
//
// Functions as numbers that mean the same in every process of the job. Each process maps the
// program somewhere else, so an address is sent as an offset from the start of the program, which
// takes a subtraction. A function of a shared library is sent as the offset in that library's code
// and a fingerprint of its file name and build id. So it does not matter in which order libraries
// were loaded, or what else a process has loaded; and a library that the receiver does not have, or
// has in another build, is found out there.
//
//   function of      63   62 .. 32       31 .. 0
//   the program       0   offset
//   a library         1   fingerprint    offset
//
// Ranks that run different programs agree at init() that they do, and then send functions of the
// program as those of a library. learn_code() is called by init, before any other thread
// communicates; the rest may be called by all.
#pragma once

#include <atoll/base/language.hpp>
#include <cstdint>

namespace atl::upcxx_front {

using code_token = std::uint64_t;

/// Where the code of the program lies in this process; empty before learn_code(), and where ranks
/// run different programs.
struct code_range {
  std::uintptr_t start = 0;
  std::uintptr_t size_bytes = 0;
};

extern ATOLL_CONSTINIT code_range program_code;

void learn_code() noexcept;

/// A function that arrived is in no library of this process.
struct unknown_code {
  code_token token;
};

/// For functions of shared libraries; ends the job when the address belongs to no library. Throws
/// when those are verified and this one has not been (relocation.hpp).
[[gnu::cold]] code_token token_in_library(std::uintptr_t address);
/// Throws unknown_code.
[[gnu::cold]] std::uintptr_t address_in_library(code_token token);

inline code_token token_of(std::uintptr_t address) {
  const std::uintptr_t offset = address - program_code.start;
  return offset < program_code.size_bytes ? offset : token_in_library(address);
}

inline std::uintptr_t address_of(code_token token) {
  return token < program_code.size_bytes ? program_code.start + token : address_in_library(token);
}

template <class Result, class... Arguments>
code_token token_of(Result (*function)(Arguments...)) {
  return token_of(reinterpret_cast<std::uintptr_t>(function));
}

}  // namespace atl::upcxx_front
