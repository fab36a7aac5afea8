// SPDX-License-Identifier: BSD-3-Clause
//
// The table of accessors, and what calling them needs. Accessors of all parts of a program are
// added before it starts, in the order of its constructors. A library that is opened later adds its
// own after them, so numbers that the program keeps stay valid.
#include <front/coarray/access/accessor_runs.hpp>

#include <atoll/base/text.hpp>
#include <front/coarray/data/section.hpp>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <unordered_map>
#include <utility>

namespace atl::coarray {
namespace {

struct accessor_table {
  std::vector<accessor_function> functions;
  std::unordered_map<int, int> numbers;  // by hash
};

accessor_table& table() {
  static accessor_table found;
  return found;
}

accessor_frame* innermost = nullptr;

section bytes_of(const gfortran::array_descriptor& array) noexcept {
  section made = section_of(array, 0);
  made.item.type = gfortran::type_code::derived;  // is copied as it is
  if (made.item.bytes == 0) made.item.bytes = static_cast<std::size_t>(array.span);
  return made;
}

/// The same array with its elements one behind the other.
gfortran::array_descriptor packed(const gfortran::array_descriptor& array) noexcept {
  gfortran::array_descriptor made;
  std::memcpy(&made, &array, gfortran::array_descriptor::bytes_for(array.dtype.rank));
  made.span = static_cast<std::ptrdiff_t>(bytes_of(array).item.bytes);
  std::ptrdiff_t stride = 1;
  std::ptrdiff_t offset = 0;
  for (int d = 0; d < made.dtype.rank; ++d) {
    gfortran::dimension& each = made.dim[d];
    each.stride = stride;
    offset -= each.lower * stride;
    stride *= each.extent();
  }
  made.offset = static_cast<std::size_t>(offset);
  return made;
}

std::unique_ptr<std::byte[]> copy_of(const std::byte* data, std::size_t bytes) {
  std::unique_ptr<std::byte[]> made(new std::byte[bytes]);
  std::memcpy(made.get(), data, bytes);
  return made;
}

/// Memory that the program frees, or null where there is none left.
void* take_memory(void* old, std::size_t bytes) noexcept {
  void* data = old;
  if (resize_component_data(&data, bytes)) return data;
  return std::realloc(old, std::max<std::size_t>(bytes, 1));
}

[[noreturn]] void refuse_bytes(std::size_t bytes) noexcept {
  refuse("a coindexed read", text("there is no memory for ", bytes, " bytes"), "read less");
}

}  // namespace

void add_accessor(int hash, accessor_address function) {
  accessor_table& found = table();
  const bool is_new = found.numbers.emplace(hash, static_cast<int>(found.functions.size())).second;
  if (is_new) found.functions.push_back({hash, function});
}

int number_of_accessor(int hash) noexcept {
  const auto found = table().numbers.find(hash);
  return found != table().numbers.end() ? found->second : -1;
}

bool has_accessors() noexcept { return !table().functions.empty(); }

const accessor_function& accessor_at(int number) noexcept {
  const std::vector<accessor_function>& found = table().functions;
  if (number < 0 || static_cast<std::size_t>(number) >= found.size()) {
    refuse("a coindexed object", text("the program has no accessor of number ", number),
           "compile all of the program with one version of gfortran, and let all images run it");
  }
  return found[static_cast<std::size_t>(number)];
}

// --- objects

object_argument::object_argument(object_form form, const gfortran::array_descriptor* described,
                                 std::byte* address) noexcept
    : form_(form), address_(address) {
  if (form != object_form::descriptor) return;
  std::memcpy(&descriptor_, described,
              gfortran::array_descriptor::bytes_for(described->dtype.rank));
  descriptor_.data = address;
}

void* object_argument::get() noexcept {
  if (form_ == object_form::descriptor) return &descriptor_;
  return form_ == object_form::pointer ? static_cast<void*>(&address_) : address_;
}

// --- values

std::size_t packed_bytes(const gfortran::array_descriptor& array) noexcept {
  const section found = bytes_of(array);
  return found.count() * found.item.bytes;
}

void put_value(packer& to, const accessor_value& value) {
  const bool is_array = value.described != nullptr;
  to.put(is_array);
  to.put(value.length != nullptr ? *value.length : std::size_t{1});
  if (!is_array) {
    to.put(value.scalar_bytes());
    return to.put(value.data, value.scalar_bytes());
  }
  const gfortran::array_descriptor array = packed(*value.described);
  const section from = bytes_of(*value.described);
  const std::size_t bytes = from.count() * from.item.bytes;
  to.put(bytes);
  to.put(std::size_t{static_cast<unsigned char>(array.dtype.rank)});
  to.put(&array, gfortran::array_descriptor::bytes_for(array.dtype.rank));
  assign(packed_like(from, to.make_room(bytes), from.item), from);
}

received_value take_value(unpacker& from) {
  received_value made;
  made.is_array = from.get<bool>();
  made.length = from.get<std::size_t>();
  made.bytes = from.get<std::size_t>();
  if (made.is_array) {
    const std::size_t bytes =
        gfortran::array_descriptor::bytes_for(static_cast<int>(from.get<std::size_t>()));
    std::memcpy(&made.described, from.take(bytes), bytes);
  }
  made.data = copy_of(from.take(made.bytes), made.bytes);
  if (made.is_array) made.described.data = made.data.get();
  return made;
}

void deliver(const received_value& value, const accessor_target& to) noexcept {
  if (to.length != nullptr) *to.length = value.length;
  if (!value.is_array) {
    if (*to.data == nullptr) *to.data = std::malloc(std::max<std::size_t>(value.bytes, 1));
    if (*to.data == nullptr) refuse_bytes(value.bytes);
    std::memcpy(*to.data, value.data.get(), value.bytes);
    return;
  }
  std::byte* data = to.described->data;
  if (to.may_allocate || data == nullptr)
    data = static_cast<std::byte*>(take_memory(data, value.bytes));
  if (data == nullptr) refuse_bytes(value.bytes);
  std::memcpy(data, value.data.get(), value.bytes);
  std::memcpy(to.described, &value.described,
              gfortran::array_descriptor::bytes_for(value.described.dtype.rank));
  to.described->data = data;
}

void release(void* data) noexcept {
  if (!free_component_data(data)) std::free(data);
}

// --- calls

void enter(accessor_frame& frame, void* arguments, lent_arguments* lent) noexcept {
  frame.token.memory = static_cast<std::byte*>(arguments);
  frame.lent = lent;
  frame.outer = std::exchange(innermost, &frame);
}

void leave(const accessor_frame& frame) noexcept { innermost = frame.outer; }

accessor_frame* frame_of(const coarray* token) noexcept {
  accessor_frame* found = innermost;
  while (found != nullptr && &found->token != token) found = found->outer;
  return found;
}

void get_argument(accessor_frame& frame, const accessor_target& to,
                  const coindexed_object& from) noexcept {
  if (frame.lent == nullptr) {
    read_local(to, from, frame.token.memory);
    return;
  }
  lent_arguments& lent = *frame.lent;
  if (lent.taken < lent.values.size()) return deliver(lent.values[lent.taken++], to);
  lent.wanted = {accessor_at(from.accessor).hash, to.described != nullptr, to.bytes};
  std::longjmp(lent.way_out, 1);
}

bool read_local(const accessor_target& to, const coindexed_object& from, void* object) noexcept {
  const getter get = accessor_at(from.accessor).get();
  accessor_frame frame;
  std::int32_t is_new = 0;
  enter(frame, from.arguments, nullptr);
  if (to.described != nullptr) {
    std::byte* const kept = to.may_allocate ? nullptr : std::exchange(to.described->data, nullptr);
    get(from.arguments, &from.image, to.described, &is_new, object, &frame.token, 0, to.length,
        from.length);
    leave(frame);
    if (kept == nullptr) return false;
    std::memcpy(kept, to.described->data, packed_bytes(*to.described));
    release(std::exchange(to.described->data, kept));
    return false;
  }
  void* const kept = *to.data;
  get(from.arguments, &from.image, static_cast<void*>(to.data), &is_new, object, &frame.token, 0,
      to.length, from.length);
  leave(frame);
  if (kept == nullptr || *to.data == kept) return is_new != 0;
  const std::size_t bytes = accessor_value{nullptr, to.bytes, to.length, nullptr}.scalar_bytes();
  std::memcpy(kept, *to.data, bytes);
  if (is_new != 0) release(*to.data);
  *to.data = kept;
  return false;
}

}  // namespace atl::coarray
