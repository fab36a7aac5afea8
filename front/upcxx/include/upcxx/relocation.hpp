// SPDX-License-Identifier: BSD-3-Clause
//
// Functions of shared libraries in calls. A call of a function whose library the target does not
// have, or has in another build, ends the job where it arrives (code.hpp). A program that loads
// libraries while it runs can have them verified: a call of a function that has not been verified
// is then refused by an exception where it is sent. Libraries that were loaded before init() count
// as verified, as parts of one program.
//
// These functions are not part of the specification; other implementations have them by the same
// names. The holder of the master persona calls them.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <stdexcept>

namespace upcxx {

/// A function to be sent is in a library that is not known to be the same on all ranks.
class segment_verification_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace upcxx

namespace atl::upcxx_front {

void verify_library_of(std::uintptr_t function);
void write_libraries(std::ostream& to, std::uintptr_t function);
void write_libraries(int to, std::uintptr_t function);
template <class Result, class... Arguments>
std::uintptr_t code_address(Result (*function)(Arguments...)) noexcept {
  return reinterpret_cast<std::uintptr_t>(function);
}

}  // namespace atl::upcxx_front

namespace upcxx::experimental {

namespace relocation {

/// Compares the library of this function on all ranks; throws on all when it is not the same. The
/// function is the same on all ranks. Collective.
template <class Result, class... Arguments>
void verify_segment(Result (*function)(Arguments...)) {
  atl::upcxx_front::verify_library_of(atl::upcxx_front::code_address(function));
}
/// Compares all that rank 0 has loaded, and throws nothing. Collective; call it after dlopen().
void verify_all();

/// Sets whether rpc() and rpc_ff() refuse, by an exception, functions of libraries that have not
/// been verified. Off at first. Returns the previous choice.
bool enforce_verification(bool enforced);
bool verification_enforced();

/// Writes the libraries of this process, and which of them a function is in. Never in colours.
void debug_write_segment_table(std::ostream& to, bool color = false);
void debug_write_segment_table(int to = 2, int color = 2);
template <class Result, class... Arguments>
void debug_write_ptr(Result (*function)(Arguments...), std::ostream& to,
                     [[maybe_unused]] bool color = false) {
  atl::upcxx_front::write_libraries(to, atl::upcxx_front::code_address(function));
}
template <class Result, class... Arguments>
void debug_write_ptr(Result (*function)(Arguments...), int to = 2, [[maybe_unused]] int color = 2) {
  atl::upcxx_front::write_libraries(to, atl::upcxx_front::code_address(function));
}
/// There is no cache here, so this writes the same table.
void debug_write_cache(std::ostream& to);
void debug_write_cache(int to = 2);

}  // namespace relocation

namespace relo = relocation;

}  // namespace upcxx::experimental
