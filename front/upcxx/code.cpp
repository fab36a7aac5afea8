// SPDX-License-Identifier: BSD-3-Clause
//
// What the dynamic linker says of the program and of the libraries: one walk at the start for the
// program, and one for each function of a library that is sent or received.
#include <link.h>
#include <atoll/base/assert.hpp>

#include <algorithm>
#include <cstddef>
#include <front/upcxx/process.hpp>
#include <upcxx/code.hpp>

namespace atl::upcxx_front {

constinit code_range program_code;

namespace {

constexpr int offset_bits = 48;

/// The addresses between the first and the last byte of a module that are code.
code_range code_of(const dl_phdr_info& module) noexcept {
  std::uintptr_t first = UINTPTR_MAX;
  std::uintptr_t last = 0;
  for (int i = 0; i < module.dlpi_phnum; ++i) {
    const auto& segment = module.dlpi_phdr[i];
    if (segment.p_type != PT_LOAD || (segment.p_flags & PF_X) == 0) continue;
    const std::uintptr_t start = module.dlpi_addr + segment.p_vaddr;
    first = std::min(first, start);
    last = std::max(last, start + segment.p_memsz);
  }
  return first < last ? code_range{first, last - first} : code_range{};
}

/// What a walk over the modules looks for, and what it finds.
struct search {
  std::uintptr_t address = 0;  // look for this one, or
  std::uint64_t wanted = 0;    // for this number
  std::uint64_t number = 0;    // of the module that is looked at
  code_range found;
};

int look_at(dl_phdr_info* module, std::size_t, void* state) noexcept {
  auto& looking = *static_cast<search*>(state);
  const code_range code = code_of(*module);
  const bool right = looking.address != 0 ? looking.address - code.start < code.size_bytes
                                          : looking.number == looking.wanted;
  if (right) {
    looking.found = code;
    return 1;
  }
  ++looking.number;
  return 0;
}

}  // namespace

void learn_code() noexcept {
  search program;  // the program itself is the first module
  dl_iterate_phdr(look_at, &program);
  program_code = program.found;
}

std::vector<library> loaded_libraries() {
  std::vector<library> all;
  const auto add = [](dl_phdr_info* module, std::size_t, void* state) {
    auto& found = *static_cast<std::vector<library>*>(state);
    found.push_back({found.size(), module->dlpi_name, code_of(*module)});
    return 0;
  };
  dl_iterate_phdr(add, &all);
  return all;
}

code_token token_in_library(std::uintptr_t address) {
  need_verified(address);
  search looking{.address = address};
  const int found = dl_iterate_phdr(look_at, &looking);
  ATOLL_ASSERT(found != 0,
               "a function that is sent is in no library of this process; pass a function of the "
               "program or of a library that it is linked with",
               address);
  return looking.number << offset_bits | (address - looking.found.start);
}

std::uintptr_t address_in_library(code_token token) noexcept {
  search looking{.wanted = token >> offset_bits};
  const std::uint64_t offset = token & ((std::uint64_t{1} << offset_bits) - 1);
  const int found = dl_iterate_phdr(look_at, &looking);
  ATOLL_ASSERT(found != 0 && offset < looking.found.size_bytes,
               "a function that arrived is in no library of this process; load the same libraries "
               "in every rank before a function of one is sent",
               token);
  return looking.found.start + offset;
}

}  // namespace atl::upcxx_front
