// SPDX-License-Identifier: BSD-3-Clause
//
// PRIF: contiguous and strided access. The remote place is given by a coarray and a distance, or by
// an address ("indirect"). A put "with notify" is followed by a post to a notify variable of the
// same image, which again is named in one of the two ways.
#include <front/coarray/access/access.hpp>
#include <front/coarray/access/image_access.hpp>
#include <front/coarray/prif/outcome.hpp>
#include <front/coarray/prif/peer.hpp>
#include <front/coarray/statements/events.hpp>

#include <atoll/base/text.hpp>

namespace atl::coarray::prif {
namespace {

constexpr const char* put_call = "prif_put";
constexpr const char* get_call = "prif_get";

/// Each returns false if the image has failed, and then tells the error.
bool put_bytes(const remote_place& to, const void* from, std::size_t bytes,
               const status_variables& status) noexcept {
  process_state& us = running();
  return access_image(us, to.rank, put_call, status,
                      [&] { write_bytes(us, to.rank, to.address, from, bytes); });
}

bool get_bytes(void* to, const remote_place& from, std::size_t bytes,
               const status_variables& status) noexcept {
  process_state& us = running();
  return access_image(us, from.rank, get_call, status,
                      [&] { read_bytes(us, from.rank, to, from.address, bytes); });
}

/// The elements and distances that both sides of a strided access have in common.
struct section_block {
  const c_descriptor& remote_stride;
  const c_descriptor& local_stride;
  std::size_t element_bytes;
  const c_descriptor& extent;

  section side(std::byte* base, const c_descriptor& strides) const noexcept {
    section made;
    made.base = base;
    made.item = {gfortran::type_code::derived, 0, element_bytes};
    made.rank = static_cast<int>(extent.extent(0));
    for (std::size_t d = 0; d < extent.extent(0); ++d)
      made.dim[d] = {
          element_at<std::size_t>(extent, d), element_at<std::ptrdiff_t>(strides, d), {}};
    return made;
  }
  section remote(std::byte* base) const noexcept { return side(base, remote_stride); }
  section local(void* base) const noexcept {
    return side(static_cast<std::byte*>(base), local_stride);
  }

  void check(const char* call) const noexcept {
    const std::size_t rank = extent.extent(0);
    if (rank <= gfortran::max_rank && remote_stride.extent(0) == rank &&
        local_stride.extent(0) == rank)
      return;
    refuse(call,
           text("there are ", rank, " extents and strides for ", remote_stride.extent(0), " and ",
                local_stride.extent(0), " dimensions"),
           "give as many strides of each side as extents, at most 15");
  }
};

bool put_block(const remote_place& to, void* from, const section_block& shape,
               const status_variables& status) noexcept {
  process_state& us = running();
  shape.check(put_call);
  return access_image(us, to.rank, put_call, status, [&] {
    write_section(us, to.rank, shape.remote(to.address), shape.local(from));
  });
}

bool get_block(void* to, const remote_place& from, const section_block& shape,
               const status_variables& status) noexcept {
  process_state& us = running();
  shape.check(get_call);
  return access_image(us, from.rank, get_call, status, [&] {
    read_section(us, from.rank, shape.local(to), shape.remote(from.address));
  });
}

}  // namespace

extern "C" {

// --- contiguous

void atoll_prif_put(const int* image, handle* const* coarray, const std::size_t* offset,
                    void* const* buffer, const std::size_t* bytes, int* stat,
                    const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  put_bytes(place_in(put_call, *image, **coarray, *offset), *buffer, *bytes, status.variables());
}

void atoll_prif_put_indirect(const int* image, const std::intptr_t* address, void* const* buffer,
                             const std::size_t* bytes, int* stat, const c_descriptor* message,
                             c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  put_bytes(place_at(put_call, *image, *address), *buffer, *bytes, status.variables());
}

void atoll_prif_get(const int* image, handle* const* coarray, const std::size_t* offset,
                    void* const* buffer, const std::size_t* bytes, int* stat,
                    const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  get_bytes(*buffer, place_in(get_call, *image, **coarray, *offset), *bytes, status.variables());
}

void atoll_prif_get_indirect(const int* image, const std::intptr_t* address, void* const* buffer,
                             const std::size_t* bytes, int* stat, const c_descriptor* message,
                             c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  get_bytes(*buffer, place_at(get_call, *image, *address), *bytes, status.variables());
}

void atoll_prif_put_with_notify(const int* image, handle* const* coarray, const std::size_t* offset,
                                void* const* buffer, const std::size_t* bytes,
                                handle* const* notify, const std::size_t* notify_offset, int* stat,
                                const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  if (put_bytes(place_in(put_call, *image, **coarray, *offset), *buffer, *bytes,
                status.variables()))
    post_event(place_in(put_call, *image, **notify, *notify_offset), status.variables());
}

void atoll_prif_put_with_notify_indirect(const int* image, handle* const* coarray,
                                         const std::size_t* offset, void* const* buffer,
                                         const std::size_t* bytes,
                                         const std::intptr_t* notify_address, int* stat,
                                         const c_descriptor* message,
                                         c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  if (put_bytes(place_in(put_call, *image, **coarray, *offset), *buffer, *bytes,
                status.variables()))
    post_event(place_at(put_call, *image, *notify_address), status.variables());
}

void atoll_prif_put_indirect_with_notify(const int* image, const std::intptr_t* address,
                                         void* const* buffer, const std::size_t* bytes,
                                         handle* const* notify, const std::size_t* notify_offset,
                                         int* stat, const c_descriptor* message,
                                         c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  if (put_bytes(place_at(put_call, *image, *address), *buffer, *bytes, status.variables()))
    post_event(place_in(put_call, *image, **notify, *notify_offset), status.variables());
}

void atoll_prif_put_indirect_with_notify_indirect(const int* image, const std::intptr_t* address,
                                                  void* const* buffer, const std::size_t* bytes,
                                                  const std::intptr_t* notify_address, int* stat,
                                                  const c_descriptor* message,
                                                  c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  if (put_bytes(place_at(put_call, *image, *address), *buffer, *bytes, status.variables()))
    post_event(place_at(put_call, *image, *notify_address), status.variables());
}

// --- strided

void atoll_prif_put_strided(const int* image, handle* const* coarray, const std::size_t* offset,
                            const c_descriptor* remote_stride, void* const* buffer,
                            const c_descriptor* local_stride, const std::size_t* element_bytes,
                            const c_descriptor* extent, int* stat, const c_descriptor* message,
                            c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  put_block(place_in(put_call, *image, **coarray, *offset), *buffer,
            {*remote_stride, *local_stride, *element_bytes, *extent}, status.variables());
}

void atoll_prif_put_strided_indirect(const int* image, const std::intptr_t* address,
                                     const c_descriptor* remote_stride, void* const* buffer,
                                     const c_descriptor* local_stride,
                                     const std::size_t* element_bytes, const c_descriptor* extent,
                                     int* stat, const c_descriptor* message,
                                     c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  put_block(place_at(put_call, *image, *address), *buffer,
            {*remote_stride, *local_stride, *element_bytes, *extent}, status.variables());
}

void atoll_prif_get_strided(const int* image, handle* const* coarray, const std::size_t* offset,
                            const c_descriptor* remote_stride, void* const* buffer,
                            const c_descriptor* local_stride, const std::size_t* element_bytes,
                            const c_descriptor* extent, int* stat, const c_descriptor* message,
                            c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  get_block(*buffer, place_in(get_call, *image, **coarray, *offset),
            {*remote_stride, *local_stride, *element_bytes, *extent}, status.variables());
}

void atoll_prif_get_strided_indirect(const int* image, const std::intptr_t* address,
                                     const c_descriptor* remote_stride, void* const* buffer,
                                     const c_descriptor* local_stride,
                                     const std::size_t* element_bytes, const c_descriptor* extent,
                                     int* stat, const c_descriptor* message,
                                     c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  get_block(*buffer, place_at(get_call, *image, *address),
            {*remote_stride, *local_stride, *element_bytes, *extent}, status.variables());
}

void atoll_prif_put_strided_with_notify(
    const int* image, handle* const* coarray, const std::size_t* offset,
    const c_descriptor* remote_stride, void* const* buffer, const c_descriptor* local_stride,
    const std::size_t* element_bytes, const c_descriptor* extent, handle* const* notify,
    const std::size_t* notify_offset, int* stat, const c_descriptor* message,
    c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  if (put_block(place_in(put_call, *image, **coarray, *offset), *buffer,
                {*remote_stride, *local_stride, *element_bytes, *extent}, status.variables()))
    post_event(place_in(put_call, *image, **notify, *notify_offset), status.variables());
}

void atoll_prif_put_strided_with_notify_indirect(
    const int* image, handle* const* coarray, const std::size_t* offset,
    const c_descriptor* remote_stride, void* const* buffer, const c_descriptor* local_stride,
    const std::size_t* element_bytes, const c_descriptor* extent,
    const std::intptr_t* notify_address, int* stat, const c_descriptor* message,
    c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  if (put_block(place_in(put_call, *image, **coarray, *offset), *buffer,
                {*remote_stride, *local_stride, *element_bytes, *extent}, status.variables()))
    post_event(place_at(put_call, *image, *notify_address), status.variables());
}

void atoll_prif_put_strided_indirect_with_notify(
    const int* image, const std::intptr_t* address, const c_descriptor* remote_stride,
    void* const* buffer, const c_descriptor* local_stride, const std::size_t* element_bytes,
    const c_descriptor* extent, handle* const* notify, const std::size_t* notify_offset, int* stat,
    const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  if (put_block(place_at(put_call, *image, *address), *buffer,
                {*remote_stride, *local_stride, *element_bytes, *extent}, status.variables()))
    post_event(place_in(put_call, *image, **notify, *notify_offset), status.variables());
}

void atoll_prif_put_strided_indirect_with_notify_indirect(
    const int* image, const std::intptr_t* address, const c_descriptor* remote_stride,
    void* const* buffer, const c_descriptor* local_stride, const std::size_t* element_bytes,
    const c_descriptor* extent, const std::intptr_t* notify_address, int* stat,
    const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  if (put_block(place_at(put_call, *image, *address), *buffer,
                {*remote_stride, *local_stride, *element_bytes, *extent}, status.variables()))
    post_event(place_at(put_call, *image, *notify_address), status.variables());
}

}  // extern "C"

}  // namespace atl::coarray::prif
