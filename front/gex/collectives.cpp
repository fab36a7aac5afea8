// SPDX-License-Identifier: BSD-3-Clause
//
// Collectives of the API over those of the runtime: types and operations translated, arguments
// checked, events handed over. A user's function has the runtime's own shape.
#include <gasnetex_coll.h>
#include <atoll/base/text.hpp>
#include <atoll/coll/collectives.hpp>
#include <front/gex/context.hpp>
#include <front/gex/events.hpp>
#include <front/gex/objects.hpp>

#include <algorithm>
#include <array>

using namespace atl::gex;

namespace {

using atl::data_type;
using atl::coll::reduce_operation;

struct reduction_type {
  gex_DT_t dt;
  data_type type;
};
constexpr std::array<reduction_type, 6> types{{{GEX_DT_I32, data_type::i32},
                                               {GEX_DT_U32, data_type::u32},
                                               {GEX_DT_I64, data_type::i64},
                                               {GEX_DT_U64, data_type::u64},
                                               {GEX_DT_FLT, data_type::f32},
                                               {GEX_DT_DBL, data_type::f64}}};

struct known_operation {
  gex_OP_t op;
  reduce_operation operation;
};
constexpr std::array<known_operation, 7> operations{{{GEX_OP_ADD, reduce_operation::add},
                                                     {GEX_OP_MULT, reduce_operation::mult},
                                                     {GEX_OP_MIN, reduce_operation::min},
                                                     {GEX_OP_MAX, reduce_operation::max},
                                                     {GEX_OP_AND, reduce_operation::and_},
                                                     {GEX_OP_OR, reduce_operation::or_},
                                                     {GEX_OP_XOR, reduce_operation::xor_}}};

// The caller's description of the elements and of how they are combined.
struct elements {
  gex_DT_t dt;
  std::size_t bytes;
  gex_OP_t op;
  gex_Coll_ReduceFn_t user_op;
  const void* user_cdata;
};

atl::coll::reduction by_user(const char* call, const elements& given) noexcept {
  if (given.user_op == nullptr) refuse(call, "user_op is null", "give the function to apply");
  return {.element_bytes = given.bytes,
          .combine = given.user_op,
          .context = given.user_cdata,
          .commutative = given.op == GEX_OP_USER};
}

atl::coll::reduction reduction_of(const char* call, const elements& given) noexcept {
  if (given.bytes == 0) refuse(call, "dt_sz is 0", "give the size of an element in bytes");
  if (given.op == GEX_OP_USER || given.op == GEX_OP_USER_NC) return by_user(call, given);
  const auto* const type =
      std::find_if(types.begin(), types.end(), [&](auto& each) { return each.dt == given.dt; });
  const auto* const operation = std::find_if(operations.begin(), operations.end(),
                                             [&](auto& each) { return each.op == given.op; });
  if (type == types.end() || operation == operations.end() ||
      !atl::coll::is_defined(operation->operation, type->type)) {
    refuse(call,
           atl::text("no built-in operation ", atl::hex(std::uint64_t{given.op}), " on data type ",
                     atl::hex(std::uint64_t{given.dt})),
           "use GEX_OP_ADD, MULT, MIN, MAX (AND, OR, XOR for integers), or GEX_OP_USER");
  }
  if (given.bytes != size_bytes(type->type)) {
    refuse(call, atl::text("dt_sz is ", given.bytes, " for a type of ", size_bytes(type->type)),
           "give the size of the type");
  }
  return atl::coll::built_in(operation->operation, type->type);
}

}  // namespace

gex_Event_t gex_Coll_BroadcastNB(gex_TM_t tm, gex_Rank_t root, void* dst, const void* src,
                                 size_t nbytes, gex_Flags_t) {
  static constexpr const char* call = "gex_Coll_BroadcastNB";
  may_communicate(call);
  atl::team& team = team_of(tm, call);
  check_rank(call, tm, root);
  atl::event done = atl::coll::start_broadcast(team, root, dst, src, nbytes);
  return handle_of(done);
}

gex_Event_t gex_Coll_ReduceToOneNB(gex_TM_t tm, gex_Rank_t root, void* dst, const void* src,
                                   gex_DT_t dt, size_t dt_sz, size_t dt_cnt, gex_OP_t op,
                                   gex_Coll_ReduceFn_t user_op, void* user_cdata, gex_Flags_t) {
  static constexpr const char* call = "gex_Coll_ReduceToOneNB";
  may_communicate(call);
  atl::team& team = team_of(tm, call);
  check_rank(call, tm, root);
  const atl::coll::reduction reduction = reduction_of(call, {dt, dt_sz, op, user_op, user_cdata});
  atl::event done = atl::coll::start_reduce(team, root, dst, src, dt_cnt, reduction);
  return handle_of(done);
}

gex_Event_t gex_Coll_ReduceToAllNB(gex_TM_t tm, void* dst, const void* src, gex_DT_t dt,
                                   size_t dt_sz, size_t dt_cnt, gex_OP_t op,
                                   gex_Coll_ReduceFn_t user_op, void* user_cdata, gex_Flags_t) {
  static constexpr const char* call = "gex_Coll_ReduceToAllNB";
  may_communicate(call);
  atl::team& team = team_of(tm, call);
  const atl::coll::reduction reduction = reduction_of(call, {dt, dt_sz, op, user_op, user_cdata});
  atl::event done = atl::coll::start_allreduce(team, dst, src, dt_cnt, reduction);
  return handle_of(done);
}
