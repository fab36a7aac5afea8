// SPDX-License-Identifier: BSD-3-Clause
//
// Functions as numbers that mean the same in every process of the job. Each process maps the
// program somewhere else, so an address is sent as an offset: from the start of the program itself,
// which is a subtraction, or else from a shared library, which the upper bits number in the order
// in which they were loaded. All processes must have loaded the same libraries until a function of
// one is sent. learn_code() is called by init, before any other thread communicates; the rest may
// be called by all.
#pragma once

#include <cstdint>

namespace atl::upcxx_front {

using code_token = std::uint64_t;

/// Where the code of the program lies in this process; empty before learn_code().
struct code_range {
  std::uintptr_t start = 0;
  std::uintptr_t size_bytes = 0;
};

extern constinit code_range program_code;

void learn_code() noexcept;

/// For functions of shared libraries; ends the job when the address belongs to no library. Throws
/// when those are verified and this one has not been (relocation.hpp).
[[gnu::cold]] code_token token_in_library(std::uintptr_t address);
[[gnu::cold]] std::uintptr_t address_in_library(code_token token) noexcept;

inline code_token token_of(std::uintptr_t address) {
  const std::uintptr_t offset = address - program_code.start;
  return offset < program_code.size_bytes ? offset : token_in_library(address);
}

inline std::uintptr_t address_of(code_token token) noexcept {
  return token < program_code.size_bytes ? program_code.start + token : address_in_library(token);
}

template <class Result, class... Arguments>
code_token token_of(Result (*function)(Arguments...)) {
  return token_of(reinterpret_cast<std::uintptr_t>(function));
}

}  // namespace atl::upcxx_front
