// SPDX-License-Identifier: BSD-3-Clause
//
// malloc() and calloc() of the program in shared memory, which the linker uses in place of those of
// the C library (--wrap) unless caf is told to use private memory. ALLOCATE calls them, so loads
// and stores reach the targets of pointers of components. Where shared memory is full, or not there
// yet, memory is private. A program that is linked with --private-allocate does not take this file
// from the library.
#include <front/coarray/memory/coarray.hpp>

#include <cstddef>
#include <cstring>

// NOLINTBEGIN(readability-identifier-naming): the names are not ours

extern "C" {

/// Tells statements.cpp that this file is linked into the program. Then the program's static
/// variables are moved into shared memory, too.
extern const bool atoll_program_shares_memory;
const bool atoll_program_shares_memory = true;

void* __real_malloc(std::size_t bytes);
void* __real_calloc(std::size_t count, std::size_t bytes);

void* __wrap_malloc(std::size_t bytes) {
  void* const data = atl::coarray::allocate_shared_data(bytes);
  return data != nullptr ? data : __real_malloc(bytes);
}

void* __wrap_calloc(std::size_t count, std::size_t bytes) {
  std::size_t all_bytes = 0;
  const bool is_too_large = __builtin_mul_overflow(count, bytes, &all_bytes);
  void* const data = is_too_large ? nullptr : atl::coarray::allocate_shared_data(all_bytes);
  return data != nullptr ? std::memset(data, 0, all_bytes) : __real_calloc(count, bytes);
}

}  // extern "C"

// NOLINTEND(readability-identifier-naming)
