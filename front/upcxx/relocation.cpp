// SPDX-License-Identifier: BSD-3-Clause
//
// The verification of shared libraries. Two ranks have the same library when its file name and its
// build id are the same on both (code.hpp). A verified library is remembered by the place of its
// code, so that a library that is closed and loaded again elsewhere must be verified again.
#include <upcxx/relocation.hpp>

#include <unistd.h>
#include <atoll/base/text.hpp>
#include <front/upcxx/process_state.hpp>
#include <upcxx/broadcast.hpp>
#include <upcxx/code.hpp>
#include <upcxx/reduce.hpp>

#include <algorithm>
#include <cstddef>
#include <ostream>
#include <ranges>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::upcxx_front {
namespace {

bool is_verified(const loaded_library& loaded) noexcept {
  return std::ranges::find(the_process->verified_code, loaded.code.start) !=
         the_process->verified_code.end();
}

void write_line(std::ostream& to, const loaded_library& loaded, bool marked) {
  to << '[' << job.rank << "] " << (marked ? "-> " : "   ") << loaded.number << "  " << std::hex
     << loaded.fingerprint << "  0x" << loaded.code.start << "-0x"
     << loaded.code.start + loaded.code.size_bytes << std::dec
     << (is_verified(loaded) ? "  verified  " : "            ") << loaded.path << '\n';
}

}  // namespace

void verify_library_of(std::uintptr_t function) {
  need_collective("relocation::verify_segment");
  const std::vector<loaded_library> libraries = loaded_libraries();
  const loaded_library* const found = find_library(libraries, function);
  const std::uint64_t print = found == nullptr ? 0 : found->fingerprint;
  const std::uint64_t wanted = upcxx::broadcast(print, 0).wait();
  const int matches = print != 0 && print == wanted ? 1 : 0;
  if (upcxx::reduce_all(matches, upcxx::op_fast_bit_and).wait() == 0) {
    throw upcxx::segment_verification_error(text(
        "relocation::verify_segment: the library of the function is not the same on all ranks; "
        "here it is ",
        found == nullptr ? std::string("none") : found->path));
  }
  the_process->verified_code.push_back(found->code.start);
}

void trust_loaded_libraries() {
  for (const loaded_library& each : loaded_libraries())
    the_process->verified_code.push_back(each.code.start);
}

void need_verified(std::uintptr_t function) {
  if (the_process == nullptr || !the_process->verifies_code) return;
  const std::vector<loaded_library> libraries = loaded_libraries();
  const loaded_library* const found = find_library(libraries, function);
  if (found == nullptr || is_verified(*found)) return;
  throw upcxx::segment_verification_error(text(
      "rpc: the function is in ", found->path,
      ", which has not been verified: call upcxx::experimental::relocation::verify_all() on all "
      "ranks after it was loaded"));
}

void write_libraries(std::ostream& to, std::uintptr_t function) {
  need_job("relocation::debug_write_segment_table");
  const std::vector<loaded_library> libraries = loaded_libraries();
  const loaded_library* const marked = find_library(libraries, function);
  for (const loaded_library& each : libraries) write_line(to, each, &each == marked);
}

void write_libraries(int to, std::uintptr_t function) {
  std::ostringstream lines;
  write_libraries(lines, function);
  const std::string written = lines.str();
  static_cast<void>(!::write(to, written.data(), written.size()));
}

}  // namespace atl::upcxx_front

namespace upcxx::experimental::relocation {

using namespace atl::upcxx_front;

void verify_all() {
  need_collective("relocation::verify_all");
  const std::vector<loaded_library> libraries = loaded_libraries();
  const auto count = upcxx::broadcast(libraries.size(), 0).wait();
  std::vector<std::uint32_t> wanted(count);
  std::ranges::transform(libraries | std::views::take(count), wanted.begin(),
                         &loaded_library::fingerprint);
  upcxx::broadcast(wanted.data(), count, 0).wait();
  std::vector<std::uint32_t> matches(count);
  std::ranges::transform(wanted, matches.begin(), [&libraries](std::uint32_t print) {
    return std::ranges::count(libraries, print, &loaded_library::fingerprint) == 1 ? 1u : 0u;
  });
  upcxx::reduce_all(matches.data(), matches.data(), count, upcxx::op_fast_bit_and).wait();
  for (std::size_t i = 0; i < count; ++i) {
    if (matches[i] == 0) continue;
    const auto found = std::ranges::find(libraries, wanted[i], &loaded_library::fingerprint);
    if (!is_verified(*found)) the_process->verified_code.push_back(found->code.start);
  }
}

bool enforce_verification(bool enforced) {
  need_job("relocation::enforce_verification");
  return std::exchange(the_process->verifies_code, enforced);
}
bool verification_enforced() {
  need_job("relocation::verification_enforced");
  return the_process->verifies_code;
}

void debug_write_segment_table(std::ostream& to, bool) { write_libraries(to, 0); }
void debug_write_segment_table(int to, int) { write_libraries(to, 0); }
void debug_write_cache(std::ostream& to) { write_libraries(to, 0); }
void debug_write_cache(int to) { write_libraries(to, 0); }

}  // namespace upcxx::experimental::relocation
