// SPDX-License-Identifier: BSD-3-Clause
//
// free() and realloc() of the program, which the linker uses in place of those of the C library
// (--wrap), because the compiler gives components back by them, also registered ones. A program
// that is linked without the option does not take this file from the library.
#include <front/coarray/memory/coarray.hpp>

#include <cstddef>

// NOLINTBEGIN(readability-identifier-naming): the names are not ours

extern "C" {

void __real_free(void* data);
void* __real_realloc(void* data, std::size_t bytes);

void __wrap_free(void* data) {
  if (!atl::coarray::free_component_data(data)) __real_free(data);
}

void* __wrap_realloc(void* data, std::size_t bytes) {
  return atl::coarray::resize_component_data(&data, bytes) ? data : __real_realloc(data, bytes);
}

}  // extern "C"

// NOLINTEND(readability-identifier-naming)
