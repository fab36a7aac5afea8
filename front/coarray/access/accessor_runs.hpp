// SPDX-License-Identifier: BSD-3-Clause
//
// Calling an accessor in this process, for a statement of this image or of another one. An accessor
// asks back for arguments whose size the compiler does not know, such as a vector subscript: it
// reads them by a coindexed read of its own, from the arguments of the statement, for which it has
// a token. For a statement of this image these are here. For one of another image they came with
// the request; if one is missing, the call is given up with `lacks_argument`, and repeated when it
// has come.
//
// Threads: one at a time, as the front.
#pragma once

#include <front/coarray/access/accessors.hpp>
#include <front/coarray/access/packing.hpp>

#include <csetjmp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace atl::coarray {

struct accessor_function {
  int hash;
  accessor_address function;

  getter get() const noexcept { return reinterpret_cast<getter>(function); }
  setter set() const noexcept { return reinterpret_cast<setter>(function); }
  finder find() const noexcept { return reinterpret_cast<finder>(function); }
};

/// Ends the job where the program has no such accessor.
const accessor_function& accessor_at(int number) noexcept;

/// The object, as an accessor takes it.
class object_argument {
 public:
  object_argument(object_form form, const gfortran::array_descriptor* described,
                  std::byte* address) noexcept;
  void* get() noexcept;

 private:
  object_form form_;
  std::byte* address_;
  gfortran::array_descriptor descriptor_;
};

/// A value as it came from another image, in memory of its own.
struct received_value {
  bool is_array = false;
  std::size_t bytes = 0;
  std::size_t length = 1;
  gfortran::array_descriptor described;
  std::unique_ptr<std::byte[]> data;
};

/// Packs a value; the elements of an array follow each other then.
void put_value(packer& to, const accessor_value& value);
received_value take_value(unpacker& from);

/// Gives a received value to the statement, or to an accessor that asks for an argument.
void deliver(const received_value& value, const accessor_target& to) noexcept;

/// An argument that an accessor asks for.
struct wanted_argument {
  int hash = 0;  // of the accessor that reads it
  bool is_array = false;
  std::size_t bytes = 0;
};

/// The arguments that a call for another image has got from it.
struct lent_arguments {
  std::vector<received_value> values;
  std::size_t taken = 0;
  wanted_argument wanted;
  std::jmp_buf way_out;
};

/// A call of an accessor that is running. `lent` is null for a statement of this image.
struct accessor_frame {
  coarray token;  // stands for the arguments
  lent_arguments* lent;
  accessor_frame* outer;
};

void enter(accessor_frame& frame, void* arguments, lent_arguments* lent) noexcept;
void leave(const accessor_frame& frame) noexcept;

/// Runs `call`, which calls an accessor. False: the accessor lacks an argument.
template <class Call>
bool run_lent(lent_arguments& lent, Call& call) {
  if (setjmp(lent.way_out) != 0) return false;
  call();
  return true;
}

/// The call whose arguments a token stands for; null: the token is that of a coarray.
accessor_frame* frame_of(const coarray* token) noexcept;
/// Reads such an argument.
void get_argument(accessor_frame& frame, const accessor_target& to,
                  const coindexed_object& from) noexcept;

/// Frees memory that an accessor has allocated.
void release(void* data) noexcept;

/// The bytes of an array whose elements follow each other.
std::size_t packed_bytes(const gfortran::array_descriptor& array) noexcept;

/// Reads an object in this process. Returns whether a single value lies in memory to be released.
bool read_local(const accessor_target& to, const coindexed_object& from, void* object) noexcept;

}  // namespace atl::coarray
