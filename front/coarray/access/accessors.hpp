// SPDX-License-Identifier: BSD-3-Clause
//
// Coindexed objects by accessors, as gfortran 15 and later compile them: for each coindexed
// expression the compiler makes a function that reads or writes the object where it lies, and names
// it by a hash. The function is called with the address of the object, so it follows the pointers
// in it.
//
// An object without pointers that is mapped here is accessed here. Otherwise the image that has the
// object calls the function, within its progress (accessor_calls.hpp), because only there the
// object's pointers are valid.
#pragma once

#include <front/coarray/data/gfortran.hpp>
#include <front/coarray/memory/coarray.hpp>
#include <front/coarray/process_state.hpp>

#include <cstddef>
#include <cstdint>

namespace atl::coarray {

/// Sets the pointer at `target` to one value, or fills the descriptor there, for which it takes
/// memory where the data is null. `is_new` is set to whether the data must be freed. `object` is
/// the address of the coarray, or of a descriptor of it. Lengths are those of characters, or null.
using getter = void (*)(void* arguments, const int* image, void* target, std::int32_t* is_new,
                        void* object, coarray* token, std::size_t offset,
                        std::size_t* target_length, const std::size_t* object_length);
/// Assigns the value at `source`, or of the descriptor there.
using setter = void (*)(void* arguments, const int* image, void* object, const void* source,
                        coarray* token, std::size_t offset, const std::size_t* object_length,
                        const std::size_t* source_length);
/// ALLOCATED() of a part of the object.
using finder = void (*)(void* arguments, const int* image, std::int32_t* result, void* object,
                        coarray* token, std::size_t offset);

/// Any of these functions.
using accessor_address = void (*)();

/// Called before the start, by constructors of the program.
void add_accessor(int hash, accessor_address function);
/// Numbers accessors from 0 and never changes a number; -1: there is none of that hash.
int number_of_accessor(int hash) noexcept;
bool has_accessors() noexcept;

/// The remote side.
struct coindexed_object {
  coarray* token;
  const gfortran::array_descriptor* described;  // null: the accessor takes the address
  const std::size_t* length;
  int image;
  int accessor;
  void* arguments;  // the values of the statement that the accessor needs, or null
  std::size_t argument_bytes;
  const image_team* team = nullptr;  // null: the current one, or one by its number
  const int* team_number = nullptr;
};

/// The distance from the coarray's begin at which a descriptor's data begins; 0 for other data.
std::ptrdiff_t distance_in(const coarray& token,
                           const gfortran::array_descriptor& described) noexcept;

/// The place for a value that is read: the descriptor, or one value at `*data`, which has `bytes`,
/// or that many bytes for each character where there is a length.
struct accessor_target {
  void** data;
  std::size_t bytes;
  std::size_t* length;
  gfortran::array_descriptor* described;
  bool may_allocate;
};

/// A value that is written, in the same way.
struct accessor_value {
  const void* data;
  std::size_t bytes;
  const std::size_t* length;
  const gfortran::array_descriptor* described;

  std::size_t scalar_bytes() const noexcept { return bytes * (length != nullptr ? *length : 1); }
};

/// How a finder takes an object that is no array: by its address, or by a pointer to that.
enum class object_form : std::uint8_t { address, pointer, descriptor };

/// Null `stat`: the statement has no STAT=.
void get_by_accessor(const accessor_target& to, const coindexed_object& from, int* stat) noexcept;
void send_by_accessor(const coindexed_object& to, const accessor_value& from, int* stat) noexcept;
/// `bytes`: the size of the value, if it is a single one.
void transfer_by_accessors(const coindexed_object& to, const coindexed_object& from,
                           std::size_t bytes, bool is_scalar, int* to_stat,
                           int* from_stat) noexcept;
bool is_present_by_accessor(const coindexed_object& object, object_form scalar_form) noexcept;

}  // namespace atl::coarray
