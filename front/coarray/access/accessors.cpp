// SPDX-License-Identifier: BSD-3-Clause
//
// Chooses where an accessor runs: here, on memory of this image or on mapped memory of another one
// that holds no pointers, or at the image that has the object.
#include <front/coarray/access/accessors.hpp>

#include <atoll/base/text.hpp>
#include <atoll/core/rma/rma.hpp>
#include <front/coarray/access/accessor_calls.hpp>
#include <front/coarray/access/accessor_runs.hpp>
#include <front/coarray/access/image_access.hpp>
#include <front/coarray/statements/teams.hpp>

#include <cstring>
#include <memory>
#include <vector>

namespace atl::coarray {
namespace {

constexpr const char* read_call = "a coindexed read";
constexpr const char* write_call = "a coindexed write";
constexpr const char* present_call = "ALLOCATED";

rank_id rank_in_sibling(const char* call, int number, int image) noexcept {
  const std::vector<rank_id> members = members_of_sibling(number);
  if (members.empty()) {
    refuse(call, text("there is no team of number ", number),
           "name a team that was formed together with the current one");
  }
  const auto member = static_cast<rank_id>(image - 1);
  if (image < 1 || member >= members.size())
    refuse_image(call, image, static_cast<rank_id>(members.size()));
  return members[member];
}

rank_id rank_at(const process_state& us, const char* call,
                const coindexed_object& object) noexcept {
  if (object.team != nullptr) return rank_of(us, *object.team, call, object.image);
  if (object.team_number != nullptr)
    return rank_in_sibling(call, *object.team_number, object.image);
  return rank_of(us, call, object.image);
}

/// The object, where an accessor may run on it here; else null.
std::byte* find_local(const process_state& us, rank_id rank, const coarray& token) noexcept {
  if (rank == us.runtime.rank()) return token.memory;
  if (token.may_hold_pointers) return nullptr;
  return us.heaps.routes()[rank].direct(us.remote_address(rank, token.memory), token.bytes);
}

object_argument argument_of(const coindexed_object& object, std::byte* memory) noexcept {
  if (object.described == nullptr) return {object_form::address, nullptr, memory};
  return {object_form::descriptor, object.described,
          memory + distance_in(*object.token, *object.described)};
}

/// Runs `access` with the object where it is here, else with null. STAT= gets a failure.
template <class Access>
bool with_object(process_state& us, rank_id rank, const char* call, const coindexed_object& object,
                 int* stat, Access access) {
  std::byte* const local_object = find_local(us, rank, *object.token);
  if (local_object != nullptr && stat == nullptr) [[likely]] {
    access(local_object);
    return true;
  }
  return access_image(us, rank, call, {.stat = stat}, [&] { access(local_object); });
}

bool overlaps(const coarray& token, const gfortran::array_descriptor& array) noexcept {
  return array.data < token.memory + token.bytes && token.memory < array.data + packed_bytes(array);
}

void set_local(const coindexed_object& to, const accessor_value& from, std::byte* memory) noexcept {
  object_argument object = argument_of(to, memory);
  accessor_frame frame;
  enter(frame, to.arguments, nullptr);
  const void* const source =
      from.described != nullptr ? static_cast<const void*>(from.described) : from.data;
  accessor_at(to.accessor)
      .set()(to.arguments, &to.image, object.get(), source, &frame.token, 0, to.length,
             from.length);
  leave(frame);
}

/// Writes here. An array of this image that is assigned to a part of the same coarray is copied
/// first.
void write_local(const coindexed_object& to, const accessor_value& from, std::byte* memory) {
  if (from.described == nullptr || memory != to.token->memory ||
      !overlaps(*to.token, *from.described))
    return set_local(to, from, memory);
  packer packed;
  put_value(packed, from);
  unpacker again(packed.bytes());
  const received_value copy = take_value(again);
  set_local(to, {copy.data.get(), from.bytes, from.length, &copy.described}, memory);
}

void write(process_state& us, rank_id rank, const coindexed_object& to, const accessor_value& from,
           std::byte* local_object) {
  if (local_object == nullptr) return write_remote(us, rank, to, from);
  write_local(to, from, local_object);
  fence_stores();
}

/// Returns whether the value, if it is a single one, lies in memory that is to be released.
bool read(process_state& us, rank_id rank, const accessor_target& to, const coindexed_object& from,
          std::byte* local_object) {
  if (local_object == nullptr) return read_remote(us, rank, to, from);
  object_argument object = argument_of(from, local_object);
  const bool is_new = read_local(to, from, object.get());
  fence_loads();
  return is_new;
}

object_form form_of(const coarray& token, object_form scalar_form) noexcept {
  if (token.rank != 0) return object_form::descriptor;
  return token.is_static_array ? object_form::address : scalar_form;
}

}  // namespace

std::ptrdiff_t distance_in(const coarray& token,
                           const gfortran::array_descriptor& described) noexcept {
  const std::ptrdiff_t distance = described.data - token.memory;
  const bool is_inside = distance >= 0 && distance < static_cast<std::ptrdiff_t>(token.bytes);
  return is_inside ? distance : 0;
}

void get_by_accessor(const accessor_target& to, const coindexed_object& from, int* stat) noexcept {
  // An accessor that asks for an argument may leave from there by a jump, so no object here may
  // need a destructor.
  accessor_frame* const frame = frame_of(from.token);
  if (frame != nullptr) return get_argument(*frame, to, from);
  process_state& us = running();
  const rank_id rank = rank_at(us, read_call, from);
  with_object(us, rank, read_call, from, stat,
              [&](std::byte* local_object) { read(us, rank, to, from, local_object); });
}

void send_by_accessor(const coindexed_object& to, const accessor_value& from, int* stat) noexcept {
  process_state& us = running();
  const rank_id rank = rank_at(us, write_call, to);
  with_object(us, rank, write_call, to, stat,
              [&](std::byte* local_object) { write(us, rank, to, from, local_object); });
}

void transfer_by_accessors(const coindexed_object& to, const coindexed_object& from,
                           std::size_t bytes, bool is_scalar, int* to_stat,
                           int* from_stat) noexcept {
  process_state& us = running();
  const rank_id source_rank = rank_at(us, read_call, from);
  const rank_id target_rank = rank_at(us, write_call, to);
  gfortran::array_descriptor array{};
  void* value = nullptr;
  std::size_t length = from.length != nullptr ? *from.length
                       : to.length != nullptr ? *to.length
                                              : 1;
  const bool has_length = from.length != nullptr || to.length != nullptr;
  std::size_t* const value_length = has_length ? &length : nullptr;
  gfortran::array_descriptor* const described = is_scalar ? nullptr : &array;
  bool is_new = false;
  const bool is_read =
      with_object(us, source_rank, read_call, from, from_stat, [&](std::byte* local_object) {
        is_new = read(us, source_rank, {&value, bytes, value_length, described, true}, from,
                      local_object);
      });
  if (!is_read) return;
  with_object(us, target_rank, write_call, to, to_stat, [&](std::byte* local_object) {
    write(us, target_rank, to, {value, bytes, value_length, described}, local_object);
  });
  if (is_new) release(value);
  if (!is_scalar) release(array.data);
}

bool is_present_by_accessor(const coindexed_object& object, object_form scalar_form) noexcept {
  if (object.token == nullptr) return false;
  process_state& us = running();
  const rank_id rank = rank_at(us, present_call, object);
  const object_form form = form_of(*object.token, scalar_form);
  bool is_found = false;
  with_object(us, rank, present_call, object, nullptr, [&](std::byte* local_object) {
    if (local_object == nullptr) {
      is_found = is_present_remote(us, rank, object, form);
      return;
    }
    object_argument argument(form, object.token->described_by, local_object);
    accessor_frame frame;
    std::int32_t result = 0;
    enter(frame, object.arguments, nullptr);
    accessor_at(object.accessor)
        .find()(object.arguments, &object.image, &result, argument.get(), &frame.token, 0);
    leave(frame);
    is_found = result != 0;
  });
  return is_found;
}

}  // namespace atl::coarray
