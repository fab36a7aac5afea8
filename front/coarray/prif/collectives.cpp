// SPDX-License-Identifier: BSD-3-Clause
//
// PRIF: collective subroutines of the current team. Arguments are arrays of any type and shape, or
// an address in the procedures with "cptr".
#include <front/coarray/prif/outcome.hpp>
#include <front/coarray/prif/peer.hpp>
#include <front/coarray/statements/collectives.hpp>
#include <front/coarray/statements/operations.hpp>

#include <memory>

namespace atl::coarray::prif {
namespace {

int image_or_all(const int* image) noexcept { return image != nullptr ? *image : 0; }

/// The program's operation, element by element: second = first op second.
using operation_wrapper = void (*)(const void* first, void* second, std::size_t count,
                                   void* context);
struct operation_with_context {
  operation_wrapper call;
  void* context;
};

void combine(const void* first, void* second, std::size_t count, const void* context) {
  const auto& operation = *static_cast<const operation_with_context*>(context);
  operation.call(first, second, count, operation.context);
}

void reduce(gfortran::array_descriptor& data, const operation_with_context& operation,
            const int* image, const status_variables& status) noexcept {
  auto kept = std::make_unique<operation_with_context>(operation);
  const coll::reduction combiner{.element_bytes = data.dtype.element_bytes,
                                 .combine = combine,
                                 .context = kept.get(),
                                 .commutative = false};
  if (!co_reduce_by(data, "prif_co_reduce", combiner, image_or_all(image), status))
    (void)kept.release();
}

void take_extreme(const c_descriptor& array, extreme which, const int* image,
                  const status_variables& status) noexcept {
  gfortran::array_descriptor data = described(array);
  const element_type type = type_of(array);
  const bool is_text = type.code == gfortran::type_code::character;
  const int letters =
      is_text ? static_cast<int>(array.element_bytes) / (type.kind != 0 ? type.kind : 1) : 0;
  co_extreme(data, which, image_or_all(image), {.kind = is_text ? 0 : type.kind, .length = letters},
             status);
}

}  // namespace

extern "C" {

void atoll_prif_co_broadcast(const c_descriptor* array, const int* source, int* stat,
                             const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  gfortran::array_descriptor data = described(*array);
  co_broadcast(data, *source, status.variables());
}

void atoll_prif_co_broadcast_cptr(void* const* data, const std::size_t* bytes, const int* source,
                                  int* stat, const c_descriptor* message,
                                  c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  gfortran::array_descriptor block = described(*data, 1, *bytes);
  co_broadcast(block, *source, status.variables());
}

void atoll_prif_co_sum(const c_descriptor* array, const int* image, int* stat,
                       const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  gfortran::array_descriptor data = described(*array);
  co_sum(data, image_or_all(image), type_of(*array).kind, status.variables());
}

void atoll_prif_co_min(const c_descriptor* array, const int* image, int* stat,
                       const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  take_extreme(*array, extreme::least, image, status.variables());
}

void atoll_prif_co_max(const c_descriptor* array, const int* image, int* stat,
                       const c_descriptor* message, c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  take_extreme(*array, extreme::greatest, image, status.variables());
}

void atoll_prif_co_min_character(const c_descriptor* array, const int* image, int* stat,
                                 const c_descriptor* message, c_descriptor* allocated_message) {
  atoll_prif_co_min(array, image, stat, message, allocated_message);
}

void atoll_prif_co_max_character(const c_descriptor* array, const int* image, int* stat,
                                 const c_descriptor* message, c_descriptor* allocated_message) {
  atoll_prif_co_max(array, image, stat, message, allocated_message);
}

void atoll_prif_co_reduce(const c_descriptor* array, operation_wrapper operation, void* context,
                          const int* image, int* stat, const c_descriptor* message,
                          c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  gfortran::array_descriptor data = described(*array);
  reduce(data, {operation, context}, image, status.variables());
}

void atoll_prif_co_reduce_cptr(void* const* data, const std::size_t* element_bytes,
                               const std::size_t* count, operation_wrapper operation, void* context,
                               const int* image, int* stat, const c_descriptor* message,
                               c_descriptor* allocated_message) {
  outcome status(stat, message, allocated_message);
  gfortran::array_descriptor block = described(*data, *element_bytes, *count);
  reduce(block, {operation, context}, image, status.variables());
}

}  // extern "C"

}  // namespace atl::coarray::prif
