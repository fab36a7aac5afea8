// SPDX-License-Identifier: BSD-3-Clause
//
// PRIF: storage of coarrays and components, aliases, and queries of coarrays. A coarray is
// registered with its team, which deallocates it at END TEAM. The last upper cobound and images by
// cosubscripts are those of the current team, or of the team that is named.
#include <front/coarray/prif/outcome.hpp>
#include <front/coarray/prif/peer.hpp>
#include <front/coarray/statements/synchronization.hpp>
#include <front/coarray/statements/teams.hpp>

#include <atoll/base/text.hpp>

#include <vector>

namespace atl::coarray::prif {
namespace {

void end_with_team(coarray& object) noexcept {
  handle* const first = reinterpret_cast<established&>(object).first;
  deallocate(running(), {&first, 1});
}

void check(const char* call, const handle* coarray) noexcept {
  if (coarray != nullptr) return;
  refuse(call, "the handle is of no coarray", "give it a handle of prif_allocate_coarray");
}

void check_dimension(const char* call, const handle& coarray, int dimension) noexcept {
  if (dimension >= 1 && dimension <= coarray.corank) return;
  refuse(call, text("there is no codimension ", dimension), text("use 1 to ", coarray.corank));
}

rank_id current_images() noexcept { return running().image_count(); }

/// The index in the initial team of an image of some team, by its cosubscripts.
int initial_index(const handle& coarray, const c_descriptor& subscripts,
                  const std::vector<rank_id>& members) noexcept {
  const int image = coarray.image_at(subscripts, static_cast<rank_id>(members.size()));
  if (image == 0) {
    refuse("prif_initial_team_index", "the cosubscripts name no image of the team",
           "keep them to the cobounds, and the image to the team");
  }
  return static_cast<int>(members[static_cast<std::size_t>(image) - 1]) + 1;
}

}  // namespace

extern "C" {

// --- storage

void atoll_prif_allocate_coarray(const c_descriptor* lower, const c_descriptor* upper,
                                 const std::size_t* bytes, cleanup_function cleanup, handle** made,
                                 void** memory, int* stat, const c_descriptor* message,
                                 c_descriptor* allocated_message) {
  process_state& us = running();
  outcome status(stat, message, allocated_message);
  auto shape = handle{};
  set_cobounds(shape, *lower, *upper);
  std::byte* const data = allocate_data(us, *bytes, status.variables());
  if (data == nullptr) return;
  auto* const new_object = new established;
  new_object->object = {data, *bytes, nullptr, us.current, end_with_team};
  new_object->cleanup = cleanup;
  shape.whole = new_object;
  shape.data = data;
  new_object->first = new handle(shape);
  us.current->allocated.push_back(&new_object->object);
  *made = new_object->first;
  *memory = data;
}

void atoll_prif_deallocate_coarrays(const c_descriptor* handles, int* stat,
                                    const c_descriptor* message, c_descriptor* allocated_message) {
  static constexpr const char* call = "prif_deallocate_coarrays";
  process_state& us = running();
  outcome status(stat, message, allocated_message);
  std::vector<handle*> gone;
  for (std::size_t i = 0; i < handles->extent(0); ++i) {
    gone.push_back(element_at<handle*>(*handles, i));
    check(call, gone.back());
  }
  const sync_result synced = sync_members(us, *us.current, call, status.variables());
  if (synced == sync_result::missed) return;
  deallocate(us, gone);
  conclude(us, *us.current, call, synced, status.variables());
}

void atoll_prif_deallocate_coarray(handle* const* coarray, int* stat, const c_descriptor* message,
                                   c_descriptor* allocated_message) {
  static constexpr const char* call = "prif_deallocate_coarray";
  process_state& us = running();
  outcome status(stat, message, allocated_message);
  check(call, *coarray);
  const sync_result synced = sync_members(us, *us.current, call, status.variables());
  if (synced == sync_result::missed) return;
  deallocate(us, {coarray, 1});
  conclude(us, *us.current, call, synced, status.variables());
}

void atoll_prif_allocate(const std::size_t* bytes, void** memory, int* stat,
                         const c_descriptor* message, c_descriptor* allocated_message) {
  process_state& us = running();
  outcome status(stat, message, allocated_message);
  *memory = us.runtime.heap().allocate(*bytes != 0 ? *bytes : 1);
  if (*memory != nullptr) return status.variables().succeed();
  status.variables().fail(statement_error::no_memory, "prif_allocate",
                          text("there is no memory for ", *bytes, " bytes"),
                          "allocate less, or raise ATOLL_SEGMENT_LIMIT");
}

void atoll_prif_deallocate(void* const* memory, int* stat, const c_descriptor* message,
                           c_descriptor* allocated_message) {
  process_state& us = running();
  outcome status(stat, message, allocated_message);
  if (*memory != nullptr) us.runtime.heap().free(*memory);
  status.variables().succeed();
}

void atoll_prif_alias_create(handle* const* source, const c_descriptor* lower,
                             const c_descriptor* upper, const std::size_t* data_offset,
                             handle** alias) {
  check("prif_alias_create", *source);
  auto* const made = new handle(**source);
  set_cobounds(*made, *lower, *upper);
  made->data += *data_offset;
  *alias = made;
}

void atoll_prif_alias_destroy(handle* const* alias) {
  check("prif_alias_destroy", *alias);
  if (*alias == (*alias)->whole->first) {
    refuse("prif_alias_destroy", "the handle is no alias",
           "end a coarray by prif_deallocate_coarray");
  }
  delete *alias;
}

// --- questions

void atoll_prif_set_context_data(handle* coarray, void* context) {
  coarray->whole->context = context;
}

void atoll_prif_get_context_data(handle* coarray, void** context) {
  *context = coarray->whole->context;
}

void atoll_prif_size_bytes(handle* coarray, std::size_t* bytes) { *bytes = coarray->bytes(); }

void atoll_prif_local_data_pointer(handle* coarray, void** data) { *data = coarray->data; }

// Clean-up procedures that are written in C call these by their names in PRIF, which bind(C) gives
// them.
[[gnu::alias("atoll_prif_set_context_data")]] void prif_set_context_data(handle*, void*);
[[gnu::alias("atoll_prif_get_context_data")]] void prif_get_context_data(handle*, void**);
[[gnu::alias("atoll_prif_size_bytes")]] void prif_size_bytes(handle*, std::size_t*);
[[gnu::alias("atoll_prif_local_data_pointer")]] void prif_local_data_pointer(handle*, void**);

void atoll_prif_lcobound_with_dim(handle* const* coarray, const int* dimension,
                                  std::int64_t* bound) {
  check_dimension("prif_lcobound_with_dim", **coarray, *dimension);
  *bound = (*coarray)->lower[static_cast<std::size_t>(*dimension) - 1];
}

void atoll_prif_lcobound_no_dim(handle* const* coarray, const c_descriptor* bounds) {
  for (std::size_t d = 0; d < bounds->extent(0); ++d)
    element_at<std::int64_t>(*bounds, d) = (*coarray)->lower[d];
}

void atoll_prif_ucobound_with_dim(handle* const* coarray, const int* dimension,
                                  std::int64_t* bound) {
  check_dimension("prif_ucobound_with_dim", **coarray, *dimension);
  *bound = (*coarray)->upper(*dimension - 1, current_images());
}

void atoll_prif_ucobound_no_dim(handle* const* coarray, const c_descriptor* bounds) {
  for (int d = 0; d < (*coarray)->corank; ++d)
    element_at<std::int64_t>(*bounds, static_cast<std::size_t>(d)) =
        (*coarray)->upper(d, current_images());
}

void atoll_prif_coshape(handle* const* coarray, const c_descriptor* sizes) {
  const handle& object = **coarray;
  for (int d = 0; d < object.corank; ++d)
    element_at<std::int64_t>(*sizes, static_cast<std::size_t>(d)) =
        object.upper(d, current_images()) - object.lower[static_cast<std::size_t>(d)] + 1;
}

// --- images by cosubscripts

void atoll_prif_image_index(handle* const* coarray, const c_descriptor* subscripts, int* image) {
  *image = (*coarray)->image_at(*subscripts, current_images());
}

void atoll_prif_image_index_with_team(handle* const* coarray, const c_descriptor* subscripts,
                                      team_variable const* team, int* image) {
  *image = (*coarray)->image_at(*subscripts, team_or_current(team).core->size());
}

void atoll_prif_image_index_with_team_number(handle* const* coarray, const c_descriptor* subscripts,
                                             const std::int64_t* number, int* image) {
  *image =
      (*coarray)->image_at(*subscripts, static_cast<rank_id>(members_of_sibling(*number).size()));
}

void atoll_prif_initial_team_index(handle* const* coarray, const c_descriptor* subscripts,
                                   int* image, int* stat) {
  *image = initial_index(**coarray, *subscripts, members_of(*running().current));
  succeed(stat);
}

void atoll_prif_initial_team_index_with_team(handle* const* coarray, const c_descriptor* subscripts,
                                             team_variable const* team, int* image, int* stat) {
  *image = initial_index(**coarray, *subscripts, members_of(team_or_current(team)));
  succeed(stat);
}

void atoll_prif_initial_team_index_with_team_number(handle* const* coarray,
                                                    const c_descriptor* subscripts,
                                                    const std::int64_t* number, int* image,
                                                    int* stat) {
  *image = initial_index(**coarray, *subscripts, members_of_sibling(*number));
  succeed(stat);
}

void atoll_prif_this_image_with_coarray(handle* const* coarray, team_variable const* team,
                                        const c_descriptor* subscripts) {
  const int image = static_cast<int>(team_or_current(team).core->rank()) + 1;
  for (int d = 0; d < (*coarray)->corank; ++d)
    element_at<std::int64_t>(*subscripts, static_cast<std::size_t>(d)) =
        (*coarray)->subscript_of(image, d);
}

void atoll_prif_this_image_with_dim(handle* const* coarray, const int* dimension,
                                    team_variable const* team, std::int64_t* subscript) {
  check_dimension("prif_this_image_with_dim", **coarray, *dimension);
  const int image = static_cast<int>(team_or_current(team).core->rank()) + 1;
  *subscript = (*coarray)->subscript_of(image, *dimension - 1);
}

}  // extern "C"

}  // namespace atl::coarray::prif
