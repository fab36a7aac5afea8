// SPDX-License-Identifier: BSD-3-Clause
//
// Atomic domains, and the operations that the header did not do inline. An opcode of the API is one
// bit, whose place is the core's name of the operation; the static assertions below hold that.
// Threads: as the core's atomics; a domain is constant after it was made, but for client data.
#include <gasnetex_event.h>
#include <gasnetex_objects.h>
#include <gasnetex_ratomic.h>
#include <atoll/base/assert.hpp>
#include <atoll/base/text.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/trace/settings.hpp>
#include <front/gex/context.hpp>
#include <front/gex/events.hpp>
#include <front/gex/message.hpp>
#include <front/gex/objects.hpp>

#include <array>
#include <bit>

using namespace atl::gex;

namespace {

using atl::atomic_op;
using atl::atomic_ops;

constexpr bool is_same(gex_OP_t opcode, atomic_op op) { return atomic_ops(op).bits() == opcode; }
static_assert(is_same(GEX_OP_AND, atomic_op::bit_and) && is_same(GEX_OP_OR, atomic_op::bit_or));
static_assert(is_same(GEX_OP_XOR, atomic_op::bit_xor) && is_same(GEX_OP_ADD, atomic_op::add));
static_assert(is_same(GEX_OP_SUB, atomic_op::sub) && is_same(GEX_OP_MULT, atomic_op::mult));
static_assert(is_same(GEX_OP_MIN, atomic_op::min) && is_same(GEX_OP_MAX, atomic_op::max));
static_assert(is_same(GEX_OP_INC, atomic_op::inc) && is_same(GEX_OP_DEC, atomic_op::dec));
static_assert(is_same(GEX_OP_SET, atomic_op::set) && is_same(GEX_OP_CAS, atomic_op::cas));
static_assert(is_same(GEX_OP_GET, atomic_op::get) && is_same(GEX_OP_FAND, atomic_op::fetch_and));
static_assert(is_same(GEX_OP_SWAP, atomic_op::swap) && is_same(GEX_OP_FCAS, atomic_op::fetch_cas));
static_assert((ATOLL_GEX_OPS_FETCHING & GEX_OP_GET) != 0);
static_assert((ATOLL_GEX_OPS_FETCHING & GEX_OP_CAS) == 0);

// The types by the place of their bit, as in atoll_gex_domain::ops.
struct atomic_type {
  gex_DT_t dt;
  atl::data_type core;
  const char* name;  // the last part of the functions' names
};
constexpr std::array<atomic_type, 6> known_types{{{GEX_DT_I32, atl::data_type::i32, "I32"},
                                                  {GEX_DT_U32, atl::data_type::u32, "U32"},
                                                  {GEX_DT_I64, atl::data_type::i64, "I64"},
                                                  {GEX_DT_U64, atl::data_type::u64, "U64"},
                                                  {GEX_DT_FLT, atl::data_type::f32, "FLT"},
                                                  {GEX_DT_DBL, atl::data_type::f64, "DBL"}}};

/// A domain: the part that headers read, and the rest.
struct domain : atoll_gex_domain {
  gex_DT_t dt = 0;
  gex_OP_t all_ops = 0;
  gex_Flags_t flags = 0;
  bool by_network = false;  // all operations, to any rank
  atoll_gex_client_data data;
};

domain& domain_of(gex_AD_t ad) noexcept { return *static_cast<domain*>(ad); }

const atomic_type& type_of(const char* call, gex_DT_t dt) noexcept {
  for (const atomic_type& each : known_types) {
    if (each.dt == dt) return each;
  }
  refuse(call, atl::text("there are no atomics on data type ", atl::hex(std::uint64_t{dt})),
         "use one of GEX_DT_I32, U32, I64, U64, FLT, DBL");
}

void check_ops(const char* call, const atomic_type& type, gex_OP_t ops) noexcept {
  const atomic_ops known = atl::ops_of(type.core);
  if (ops != 0 && (ops & ~known.bits()) == 0) return;
  refuse(call,
         ops == 0 ? std::string("no operation is named")
                  : atl::text("GEX_DT_", type.name, " has no operation ",
                              atl::hex(std::uint64_t{ops & ~known.bits()})),
         "bit-wise operations are for integers; GEX_OP_USER is for reductions");
}

// --- operations ----------------------------------------------------------------------------------

template <class T>
struct call_of_api {
  const char* name;
  unsigned place;  // of the type
  gex_AD_t ad;
  T* result;
  gex_Rank_t rank;
  void* address;
  gex_OP_t opcode;
  T operand1;
  T operand2;
  gex_Flags_t flags;

  gex_TM_t team() const noexcept {
    return (flags & GEX_FLAG_RANK_IS_JOBRANK) != 0 ? ad->by_jobrank : ad->tm;
  }
  T* number() const noexcept { return static_cast<T*>(address); }
  atl::atomic_request<T> request() const noexcept {
    return {.op = static_cast<atomic_op>(std::countr_zero(opcode)),
            .operand = operand1,
            .operand2 = operand2};
  }
  atl::atomic_options options() const noexcept {
    return {.immediate = is_immediate(flags),
            .acquire = (flags & GEX_FLAG_AD_ACQ) != 0,
            .release = (flags & GEX_FLAG_AD_REL) != 0};
  }
};

[[gnu::cold, noreturn]] void refuse_opcode(const char* call, const domain& atomics,
                                           gex_OP_t opcode) noexcept {
  const char* const type = type_of(call, atomics.dt).name;
  if (!std::has_single_bit(opcode)) {
    refuse(call, atl::text("opcode ", atl::hex(std::uint64_t{opcode}), " is not one operation"),
           "pass a single GEX_OP_*");
  }
  if ((atomics.all_ops & opcode) == 0) {
    refuse(call,
           atl::text("operation '", atl::name_of(static_cast<atomic_op>(std::countr_zero(opcode))),
                     "' is not one of the domain's: ",
                     atl::names_of(atomic_ops::of_bits(atomics.all_ops))),
           "name it when the domain is made (gex_AD_Create)");
  }
  refuse(call, atl::text("the domain is of type GEX_DT_", type), "use the functions of that type");
}

[[gnu::cold]] void refuse_promise(const char* call, const char* flag, gex_Rank_t rank) noexcept {
  refuse_unless_tolerated(call,
                          atl::text(flag, " was given, but that is not where rank ", rank, " is"),
                          "pass the flag only when it holds");
}

template <class T>
void check_promises(const call_of_api<T>& api_call, const peer_endpoint& to) noexcept {
  const atl::runtime& job = runtime();
  if ((api_call.flags & GEX_FLAG_AD_MY_RANK) != 0 && to.rank != job.rank()) {
    refuse_promise(api_call.name, "GEX_FLAG_AD_MY_RANK", api_call.rank);
  }
  if ((api_call.flags & GEX_FLAG_AD_MY_NBRHD) != 0 && !job.is_neighbour(to.rank)) {
    refuse_promise(api_call.name, "GEX_FLAG_AD_MY_NBRHD", api_call.rank);
  }
}

template <class T>
peer_endpoint checked(const call_of_api<T>& api_call) noexcept {
  may_communicate(api_call.name);
  const domain& atomics = domain_of(api_call.ad);
  // By hand: std::has_single_bit calls into libgcc where the processor has no instruction for it.
  const bool several = (api_call.opcode & (api_call.opcode - 1)) != 0;
  if (atomics.dt != known_types[api_call.place].dt || (atomics.all_ops & api_call.opcode) == 0 ||
      several) [[unlikely]] {
    refuse_opcode(api_call.name, atomics, api_call.opcode);
  }
  check_rank(api_call.name, api_call.team(), api_call.rank);
  const peer_endpoint to = peer_of(api_call.team(), api_call.rank);
  if (atl::checks_enabled(atl::check_level::normal)) [[unlikely]]
    check_promises(api_call, to);
  return to;
}

template <class T>
atl::atomic_call network_call(const call_of_api<T>& api_call) noexcept {
  atl::atomic_call call = atl::call_of(api_call.number(), api_call.request(), api_call.result);
  call.by_network = domain_of(api_call.ad).by_network;
  return call;
}

template <class T>
gex_Event_t start_explicit(const call_of_api<T>& api_call) noexcept {
  const peer_endpoint to = checked(api_call);
  atl::event done;
  if (domain_of(api_call.ad).by_network) [[unlikely]] {
    return atl::atomic_nb_out_of_line(to.endpoint, to.rank, network_call(api_call),
                                      api_call.options(), done)
               ? handle_of(done)
               : GEX_EVENT_NO_OP;
  }
  if (!atl::atomic_nb(to.endpoint, to.rank, api_call.number(), api_call.request(), api_call.result,
                      done, api_call.options())) {
    return GEX_EVENT_NO_OP;
  }
  return handle_of(done);
}

template <class T>
int start_implicit(const call_of_api<T>& api_call) noexcept {
  const peer_endpoint to = checked(api_call);
  if (!domain_of(api_call.ad).by_network &&
      atl::atomic_direct(to.endpoint, to.rank, api_call.number(), api_call.request(),
                         api_call.result, api_call.options())) [[likely]] {
    return 0;
  }
  // From here on waits have to look for implicit operations; see gasnetex_event.h. Relaxed: a
  // thread waits only for what it started itself.
  __atomic_store_n(&atoll_gex_implicit_used, 1, __ATOMIC_RELAXED);
  return atl::atomic_nbi_out_of_line(to.endpoint, to.rank, network_call(api_call),
                                     api_call.options())
             ? 0
             : 1;
}

}  // namespace

// --- domains -------------------------------------------------------------------------------------

void gex_AD_Create(gex_AD_t* ad_p, gex_TM_t tm, gex_DT_t dt, gex_OP_t ops, gex_Flags_t flags) {
  static constexpr const char* call = "gex_AD_Create";
  may_communicate(call);
  process_state& process = started(call);
  const atl::team& members = team_of(tm, call);
  const atomic_type& type = type_of(call, dt);
  check_ops(call, type, ops);
  // Operations in headers are not counted, so headers do none while counters are asked for.
  const bool counting = process.runtime->configuration().flag(atl::setting::counters);
  auto* const atomics = new domain;
  atomics->tm = tm;
  atomics->by_network = atl::atomics_by_network(members, type.core, atomic_ops::of_bits(ops));
  // All members are reached at the same endpoint index, which a pair names by job rank.
  const auto index = the_process->index_of(*member(tm).remote);
  atomics->by_jobrank = gex_TM_Pair(member(tm).endpoint, index);
  for (std::size_t i = 0; i < known_types.size(); ++i) {
    atomics->ops[i] = known_types[i].dt == dt && !counting && !atomics->by_network ? ops : 0;
  }
  atomics->dt = dt;
  atomics->all_ops = ops;
  atomics->flags = flags;
  *ad_p = atomics;
}

void gex_AD_Destroy(gex_AD_t ad) {
  may_communicate("gex_AD_Destroy");
  delete &domain_of(ad);
}

gex_Flags_t gex_AD_QueryFlags(gex_AD_t ad) { return domain_of(ad).flags; }
gex_TM_t gex_AD_QueryTM(gex_AD_t ad) { return ad->tm; }
gex_DT_t gex_AD_QueryDT(gex_AD_t ad) { return domain_of(ad).dt; }
gex_OP_t gex_AD_QueryOps(gex_AD_t ad) { return domain_of(ad).all_ops; }
void gex_AD_SetCData(gex_AD_t ad, const void* value) { domain_of(ad).data.set(value); }
void* gex_AD_QueryCData(gex_AD_t ad) { return domain_of(ad).data.get(); }

// --- performers ----------------------------------------------------------------------------------

namespace {

template <class T, atomic_op op>
T perform_one(T* number, T operand1, T operand2) noexcept {
  return atl::perform(number, {.op = op, .operand = operand1, .operand2 = operand2});
}

// The function of the operation in this place; null where the type has none.
template <class T, unsigned place>
constexpr auto performer() noexcept -> T (*)(T*, T, T) {
  constexpr auto op = static_cast<atomic_op>(place);
  if constexpr (atl::ops_of(atl::data_type_of<T>()).contains(op)) {
    return perform_one<T, op>;
  } else {
    return nullptr;
  }
}

}  // namespace

#define ATOLL_GEX_PERFORMERS(type, first)                                                         \
  performer<type, first>(), performer<type, first + 1>(), performer<type, first + 2>(),           \
      performer<type, first + 3>(), performer<type, first + 4>(), performer<type, first + 5>(),   \
      performer<type, first + 6>(), performer<type, first + 7>(), performer<type, first + 8>(),   \
      performer<type, first + 9>(), performer<type, first + 10>(), performer<type, first + 11>(), \
      performer<type, first + 12>()

#define ATOLL_GEX_DEFINE(dt, type, place)                                                         \
  type (*const atoll_gex_performers_##dt[26])(type * number, type op1, type op2) = {              \
      ATOLL_GEX_PERFORMERS(type, 0), ATOLL_GEX_PERFORMERS(type, 13)};                             \
                                                                                                  \
  gex_Event_t atoll_gex_ad_nb_##dt(gex_AD_t ad, type* result_p, gex_Rank_t tgt_rank,              \
                                   void* tgt_addr, gex_OP_t opcode, type operand1, type operand2, \
                                   gex_Flags_t flags) {                                           \
    return start_explicit<type>({"gex_AD_OpNB_" #dt, place, ad, result_p, tgt_rank, tgt_addr,     \
                                 opcode, operand1, operand2, flags});                             \
  }                                                                                               \
  int atoll_gex_ad_nbi_##dt(gex_AD_t ad, type* result_p, gex_Rank_t tgt_rank, void* tgt_addr,     \
                            gex_OP_t opcode, type operand1, type operand2, gex_Flags_t flags) {   \
    return start_implicit<type>({"gex_AD_OpNBI_" #dt, place, ad, result_p, tgt_rank, tgt_addr,    \
                                 opcode, operand1, operand2, flags});                             \
  }

ATOLL_GEX_DEFINE(I32, std::int32_t, 0)
ATOLL_GEX_DEFINE(U32, std::uint32_t, 1)
ATOLL_GEX_DEFINE(I64, std::int64_t, 2)
ATOLL_GEX_DEFINE(U64, std::uint64_t, 3)
ATOLL_GEX_DEFINE(FLT, float, 4)
ATOLL_GEX_DEFINE(DBL, double, 5)
