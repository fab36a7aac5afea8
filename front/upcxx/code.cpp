// SPDX-License-Identifier: BSD-3-Clause
//
// A table of the program and its libraries, made from the dynamic linker's list, and made again
// when the linker's count of loads and unloads has changed. Looking up a function of a library
// takes one call of the linker and a search; the libraries' notes are read only when the table is
// made.
#include <link.h>
#include <atoll/base/assert.hpp>
#include <atoll/base/halves.hpp>
#include <atoll/base/hash.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/core/job/runtime.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <front/upcxx/process_state.hpp>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <upcxx/code.hpp>
#include <utility>
#include <vector>

namespace atl::upcxx_front {

constinit code_range program_code;

namespace {

constexpr code_token library_mark = code_token{1} << 63;
constexpr std::uint64_t offset_mask = 0xffffffff;
constexpr std::size_t hashed_code_bytes = 65536;

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

// --- fingerprints ------------------------------------------------------------------------------

/// The build id among these notes; empty when there is none.
std::string_view build_id_in(std::span<const char> notes, std::size_t alignment) noexcept {
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, notes.data(), sizeof head);
    const std::size_t content = round_up(sizeof head + std::size_t{head.n_namesz}, alignment);
    const std::size_t end = content + head.n_descsz;
    if (end > notes.size()) return {};
    const std::string_view name(notes.data() + sizeof head, head.n_namesz);
    if (head.n_type == NT_GNU_BUILD_ID && name == std::string_view("GNU", 4))
      return {notes.data() + content, head.n_descsz};
    notes = notes.subspan(std::min(round_up(end, alignment), notes.size()));
  }
  return {};
}

/// As many bits of a hash as a token has room for.
std::uint32_t bits31(const stable_hash& hash) noexcept {
  return static_cast<std::uint32_t>(hash.value() ^ hash.value() >> 31) & 0x7fffffff;
}

template <class T>
std::string_view bytes_of(const T& object) noexcept {
  return {reinterpret_cast<const char*>(&object), sizeof object};
}

/// A hash of the build id and of the file's name without its folder. A module without a build id is
/// identified by the sizes and places of its segments and by the beginning of its code.
std::uint32_t fingerprint_of(const dl_phdr_info& module) noexcept {
  stable_hash sum;
  const std::string_view path = module.dlpi_name;
  sum.add(path.substr(path.find_last_of('/') + 1));
  const std::span segments(module.dlpi_phdr, module.dlpi_phnum);
  const auto is_mapped = [&segments](const auto& part) {
    return std::ranges::any_of(segments, [&part](const auto& segment) {
      return segment.p_type == PT_LOAD && (segment.p_flags & PF_R) != 0 &&
             part.p_vaddr >= segment.p_vaddr &&
             part.p_vaddr + part.p_memsz <= segment.p_vaddr + segment.p_memsz;
    });
  };
  for (const auto& segment : segments) {
    if (segment.p_type != PT_NOTE || !is_mapped(segment)) continue;
    const auto* const notes = reinterpret_cast<const char*>(module.dlpi_addr + segment.p_vaddr);
    const std::string_view id = build_id_in({notes, segment.p_memsz}, segment.p_align == 8 ? 8 : 4);
    if (id.empty()) continue;
    sum.add(id);
    return bits31(sum);
  }
  for (const auto& segment : segments) {
    sum.add(bytes_of(segment.p_type));
    sum.add(bytes_of(segment.p_vaddr));
    sum.add(bytes_of(segment.p_memsz));
    if (segment.p_type != PT_LOAD || (segment.p_flags & (PF_R | PF_X)) != (PF_R | PF_X)) continue;
    const auto* const start = reinterpret_cast<const char*>(module.dlpi_addr + segment.p_vaddr);
    sum.add({start, std::min<std::size_t>(segment.p_filesz, hashed_code_bytes)});
  }
  return bits31(sum);
}

// --- the table ---------------------------------------------------------------------------------

using library_table = std::vector<loaded_library>;

/// How often the linker has loaded and unloaded something.
std::uint64_t count_changes() noexcept {
  std::uint64_t changes = 0;
  const auto look = [](dl_phdr_info* module, std::size_t, void* state) {
    *static_cast<std::uint64_t*>(state) = module->dlpi_adds + module->dlpi_subs;
    return 1;  // all modules say the same
  };
  dl_iterate_phdr(look, &changes);
  return changes;
}

library_table read_table() {
  library_table table;
  const auto add = [](dl_phdr_info* module, std::size_t, void* state) {
    auto& found = *static_cast<library_table*>(state);
    found.push_back({found.size(), fingerprint_of(*module), module->dlpi_name, code_of(*module)});
    return 0;
  };
  dl_iterate_phdr(add, &table);
  if (!table.empty() && table.front().path.empty()) table.front().path = "the program";
  return table;
}

std::shared_ptr<const library_table> current_table() {
  struct known_table {
    std::mutex lock;
    std::uint64_t changes = 0;
    std::shared_ptr<const library_table> table;
  };
  static auto& known = *new known_table();  // calls may arrive while static objects end
  const std::uint64_t changes = count_changes();
  {
    const std::scoped_lock held(known.lock);
    if (known.table != nullptr && known.changes == changes) return known.table;
  }
  auto made = std::make_shared<const library_table>(read_table());  // unlocked: the linker locks
  const std::scoped_lock held(known.lock);
  known.changes = changes;
  known.table = made;
  return made;
}

const loaded_library* with_token(const library_table& table, code_token token) noexcept {
  if ((token & library_mark) == 0) return nullptr;
  const auto wanted = high_half(token & ~library_mark);
  for (const loaded_library& each : table)
    if (each.fingerprint == wanted && each.code.size_bytes != 0) return &each;
  return nullptr;
}

}  // namespace

void learn_code() noexcept {
  const auto look = [](dl_phdr_info* program, std::size_t, void*) {
    program_code = code_of(*program);
    return 1;  // the program itself is the first module
  };
  dl_iterate_phdr(look, nullptr);
}

// All ranks run the same program if each bit of its fingerprint is 1 on all ranks, or 0 on all.
void compare_programs(atl::team& all_ranks) {
  if (all_ranks.size() == 1) return;
  const std::uint64_t own = current_table()->front().fingerprint;
  std::array<std::uint64_t, 2> bits{own, ~own};
  coll::allreduce(all_ranks, bits.data(), bits.data(), bits.size(),
                  coll::built_in(coll::reduce_operation::and_, data_type::u64));
  if (bits[0] != own || bits[1] != ~own) program_code = {};
}

std::vector<loaded_library> loaded_libraries() { return *current_table(); }

const loaded_library* find_library(const std::vector<loaded_library>& libraries,
                                   std::uintptr_t address) noexcept {
  for (const loaded_library& each : libraries)
    if (address - each.code.start < each.code.size_bytes) return &each;
  return nullptr;
}

std::string library_of(code_token token) {
  const auto table = current_table();
  const loaded_library* const found = with_token(*table, token);
  return found != nullptr ? found->path : "a library that is no longer loaded here";
}

code_token token_in_library(std::uintptr_t address) {
  need_verified(address);
  const auto table = current_table();
  const loaded_library* const found = find_library(*table, address);
  ATOLL_ASSERT(found != nullptr,
               "a function that is sent is in no library of this process; pass a function of the "
               "program or of a library that it is linked with",
               address);
  const std::uintptr_t offset = address - found->code.start;
  const code_token token =
      library_mark | code_token{found->fingerprint} << 32 | (offset & offset_mask);
  const char* const path = found->path.c_str();
  ATOLL_ASSERT(with_token(*table, token) == found && offset <= offset_mask,
               "a function that is sent is in a library that is loaded twice, or has more than 4 "
               "GiB of code; load the library once",
               path, address);
  return token;
}

std::uintptr_t address_in_library(code_token token) {
  const auto table = current_table();
  const loaded_library* const found = with_token(*table, token);
  const std::uint64_t offset = token & offset_mask;
  if (found == nullptr || offset >= found->code.size_bytes) throw unknown_code{token};
  return found->code.start + offset;
}

}  // namespace atl::upcxx_front
