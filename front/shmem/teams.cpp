// SPDX-License-Identifier: BSD-3-Clause
//
// Teams and contexts. A team of the interface is always an arithmetic progression of PEs, since a
// part of one by a stride is one again; its collectives are those of a team of the core. All
// members of the parent detect wrong arguments alike, so all get an invalid team without
// communication.
#include <front/shmem/process_state.hpp>

#include <atoll/coll/team_creation.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>

namespace atl::shmem {
namespace {

/// Some members of a parent team, by their numbers there.
struct triplet {
  int start;
  int stride;
  int size;
};

bool is_valid(const atoll_shmem_team& parent, const triplet& chosen) noexcept {
  if (chosen.size < 1 || chosen.start < 0 || chosen.start >= parent.size) return false;
  if (chosen.stride == 0 && chosen.size > 1) return false;
  const std::int64_t last =
      chosen.start + std::int64_t{chosen.stride} * (std::int64_t{chosen.size} - 1);
  return last >= 0 && last < parent.size;
}

/// Makes a team of these members of the parent. All members of the parent call; invalid for those
/// that are not chosen.
shmem_team_t split(process_state& us, pe_team& parent, const triplet& chosen,
                   const shmem_team_config_t& config) {
  const atoll_shmem_team& origin = *parent.handle;
  const int stride = chosen.size == 1 ? 1 : chosen.stride;
  const rank_set members = rank_set::progression(
      static_cast<rank_id>(origin.first + origin.stride * chosen.start),
      std::int64_t{origin.stride} * stride, static_cast<rank_id>(chosen.size));
  const bool joins = members.find(us.runtime.rank()) != no_rank;
  std::unique_ptr<atl::team> core = coll::create_team(*parent.core, joins ? members : rank_set());
  if (core == nullptr) return SHMEM_TEAM_INVALID;
  auto made = std::make_unique<pe_team>();
  made->core = core.get();
  made->own = std::move(core);
  made->config = config;
  const std::lock_guard hold(us.guard);
  const shmem_team_t handle =
      us.team_handles.make({.first = origin.first + origin.stride * chosen.start,
                            .stride = origin.stride * stride,
                            .size = chosen.size,
                            .state = made.get()});
  made->handle = handle;
  us.teams.push_back(std::move(made));
  return handle;
}

shmem_team_config_t config_of(const shmem_team_config_t* given, long mask) noexcept {
  shmem_team_config_t config = {};
  if (given != nullptr && (mask & SHMEM_TEAM_NUM_CONTEXTS) != 0)
    config.num_contexts = given->num_contexts;
  return config;
}

int split_strided(shmem_team_t parent, const triplet& chosen, const shmem_team_config_t& config,
                  shmem_team_t* made) noexcept {
  process_state& us = running("shmem_team_split_strided");
  *made = SHMEM_TEAM_INVALID;
  if (parent == SHMEM_TEAM_INVALID || !is_valid(*parent, chosen)) return -1;
  *made = split(us, team_of("shmem_team_split_strided", parent), chosen, config);
  return 0;
}

struct axis {
  shmem_team_config_t config;
  shmem_team_t* made;
};

// The members of the parent in rows of `width`; the last row may be shorter.
int split_2d(shmem_team_t parent, int width, const axis& x, const axis& y) noexcept {
  static constexpr const char* call = "shmem_team_split_2d";
  process_state& us = running(call);
  *x.made = *y.made = SHMEM_TEAM_INVALID;
  if (parent == SHMEM_TEAM_INVALID || width < 1) return -1;
  pe_team& from = team_of(call, parent);
  const int size = parent->size;
  width = std::min(width, size);
  const int self = static_cast<int>(from.core->rank());
  const int row = self / width * width;
  const int column = self % width;
  *x.made = split(us, from, {row, 1, std::min(width, size - row)}, x.config);
  *y.made = split(us, from, {column, width, (size - column + width - 1) / width}, y.config);
  return 0;
}

int get_config(shmem_team_t team, long mask, shmem_team_config_t* config) noexcept {
  static constexpr const char* call = "shmem_team_get_config";
  running(call);
  if (team == SHMEM_TEAM_INVALID) return -1;
  if ((mask & SHMEM_TEAM_NUM_CONTEXTS) != 0 && config != nullptr)
    config->num_contexts = team_of(call, team).config.num_contexts;
  return 0;
}

int own_number(shmem_team_t team) noexcept {
  if (team == SHMEM_TEAM_INVALID) return -1;
  return static_cast<int>(team_of("shmem_team_my_pe", team).core->rank());
}

int number_of_pes(shmem_team_t team) noexcept {
  if (team == SHMEM_TEAM_INVALID) return -1;
  team_of("shmem_team_n_pes", team);
  return team->size;
}

int translate(shmem_team_t from, int pe, shmem_team_t to) noexcept {
  static constexpr const char* call = "shmem_team_translate_pe";
  running(call);
  if (from == SHMEM_TEAM_INVALID || to == SHMEM_TEAM_INVALID) return -1;
  team_of(call, from);
  if (pe < 0 || pe >= from->size) return -1;
  const auto rank = static_cast<rank_id>(from->first + from->stride * pe);
  const rank_id member = team_of(call, to).core->member(rank);
  return member == no_rank ? -1 : static_cast<int>(member);
}

// --- contexts ----------------------------------------------------------------------------------

void remove_context(process_state& us, const context_state& gone) noexcept {
  const shmem_ctx_t handle = gone.handle;
  const std::lock_guard hold(us.guard);
  std::erase_if(us.contexts, [&](const auto& each) { return each.get() == &gone; });
  us.context_handles.destroy(handle);
}

int create_context(const char* call, shmem_team_t team, long options, shmem_ctx_t* made) noexcept {
  process_state& us = running(call);
  *made = SHMEM_CTX_INVALID;
  if (team == SHMEM_TEAM_INVALID) return -1;
  team_of(call, team);
  auto state = std::make_unique<context_state>(us.runtime);
  state->team = team;
  state->options = options;
  const std::lock_guard hold(us.guard);
  state->handle = us.context_handles.make(
      {.first = team->first, .stride = team->stride, .size = team->size, .state = state.get()});
  *made = state->handle;
  us.contexts.push_back(std::move(state));
  return 0;
}

void destroy_context(shmem_ctx_t ctx) noexcept {
  static constexpr const char* call = "shmem_ctx_destroy";
  process_state& us = running(call);
  if (ctx == SHMEM_CTX_INVALID) return;
  if (ctx == SHMEM_CTX_DEFAULT)
    refuse(call, "the default context cannot be destroyed", "destroy contexts of the program");
  context_state& gone = context_of(call, ctx);
  quiet(gone);
  remove_context(us, gone);
}

int team_of_context(shmem_ctx_t ctx, shmem_team_t* team) noexcept {
  static constexpr const char* call = "shmem_ctx_get_team";
  running(call);
  *team = SHMEM_TEAM_INVALID;
  if (ctx == SHMEM_CTX_INVALID) return -1;
  *team = context_of(call, ctx).team;
  return 0;
}

// The hints of a session would help a network; loads and stores need none.
void start_session(shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t* config,
                   long mask) noexcept {
  static constexpr const char* call = "shmem_ctx_session_start";
  running(call);
  if (ctx == SHMEM_CTX_INVALID) return;
  context_state& context = context_of(call, ctx);
  if (context.session_options == 0)
    context.session.total_ops = std::numeric_limits<std::size_t>::max();
  context.session_options |= options;
  if (config != nullptr && (mask & SHMEM_CTX_SESSION_TOTAL_OPS) != 0) context.session = *config;
}

void stop_session(shmem_ctx_t ctx) noexcept {
  static constexpr const char* call = "shmem_ctx_session_stop";
  running(call);
  if (ctx != SHMEM_CTX_INVALID) context_of(call, ctx).session_options = 0;
}

// --- the end of a team -------------------------------------------------------------------------

std::vector<shmem_ctx_t> shareable_contexts(process_state& us, shmem_team_t team) {
  std::vector<shmem_ctx_t> found;
  const std::lock_guard hold(us.guard);
  for (const auto& each : us.contexts) {
    if (each->team == team && (each->options & SHMEM_CTX_PRIVATE) == 0)
      found.push_back(each->handle);
  }
  return found;
}

void destroy(shmem_team_t team) noexcept {
  static constexpr const char* call = "shmem_team_destroy";
  process_state& us = running(call);
  if (team == SHMEM_TEAM_INVALID) return;
  pe_team& gone = team_of(call, team);
  if (!gone.in_program)
    refuse(call, "a predefined team cannot be destroyed",
           "destroy teams that the program has made");
  for (const shmem_ctx_t ctx : shareable_contexts(us, team)) destroy_context(ctx);
  coll::destroy_team(std::move(gone.own));
  const std::lock_guard hold(us.guard);
  std::erase_if(us.teams, [&](const auto& each) { return each.get() == &gone; });
  us.team_handles.destroy(team);
}

}  // namespace
}  // namespace atl::shmem

using namespace atl::shmem;

ATOLL_SHMEM_ENTRY(int, team_my_pe, (shmem_team_t team), return own_number(team))
ATOLL_SHMEM_ENTRY(int, team_n_pes, (shmem_team_t team), return number_of_pes(team))
ATOLL_SHMEM_ENTRY(int, team_get_config,
                  (shmem_team_t team, long config_mask, shmem_team_config_t* config),
                  return get_config(team, config_mask, config))
ATOLL_SHMEM_ENTRY(int, team_translate_pe,
                  (shmem_team_t src_team, int src_pe, shmem_team_t dest_team),
                  return translate(src_team, src_pe, dest_team))
ATOLL_SHMEM_ENTRY(int, team_split_strided,
                  (shmem_team_t parent_team, int start, int stride, int size,
                   const shmem_team_config_t* config, long config_mask, shmem_team_t* new_team),
                  return split_strided(parent_team, {start, stride, size},
                                       config_of(config, config_mask), new_team))
ATOLL_SHMEM_ENTRY(int, team_split_2d,
                  (shmem_team_t parent_team, int xrange, const shmem_team_config_t* xaxis_config,
                   long xaxis_mask, shmem_team_t* xaxis_team,
                   const shmem_team_config_t* yaxis_config, long yaxis_mask,
                   shmem_team_t* yaxis_team),
                  return split_2d(parent_team, xrange,
                                  {config_of(xaxis_config, xaxis_mask), xaxis_team},
                                  {config_of(yaxis_config, yaxis_mask), yaxis_team}))
ATOLL_SHMEM_ENTRY(void, team_destroy, (shmem_team_t team), destroy(team))

ATOLL_SHMEM_ENTRY(int, ctx_create, (long options, shmem_ctx_t* ctx),
                  return create_context("shmem_ctx_create", SHMEM_TEAM_WORLD, options, ctx))
ATOLL_SHMEM_ENTRY(int, team_create_ctx, (shmem_team_t team, long options, shmem_ctx_t* ctx),
                  return create_context("shmem_team_create_ctx", team, options, ctx))
ATOLL_SHMEM_ENTRY(void, ctx_destroy, (shmem_ctx_t ctx), destroy_context(ctx))
ATOLL_SHMEM_ENTRY(int, ctx_get_team, (shmem_ctx_t ctx, shmem_team_t* team),
                  return team_of_context(ctx, team))
ATOLL_SHMEM_ENTRY(void, ctx_session_start,
                  (shmem_ctx_t ctx, long options, const shmem_ctx_session_config_t* config,
                   long config_mask),
                  start_session(ctx, options, config, config_mask))
ATOLL_SHMEM_ENTRY(void, ctx_session_stop, (shmem_ctx_t ctx), stop_session(ctx))
