// SPDX-License-Identifier: BSD-3-Clause
//
// UPC++, GASNet-EX and MPI for a program with UPC. All models are in one job: the first to begin
// starts the runtime, and the others find it.
#include <tests/multi/models/with_upc.h>

#include <tests/multi/gex/client.h>
#include <tests/multi/models/mpi_model.hpp>
#include <upcxx/upcxx.hpp>

namespace {

constexpr gex_AM_Index_t handler_of_note = 140;

long called = 0;
int noted = 0;
bool was_noted = false;

void run_note(gex_Token_t, gex_AM_Arg_t value) {
  noted = static_cast<int>(value);
  was_noted = true;
}

int next() { return (upcxx::rank_me() + 1) % upcxx::rank_n(); }

}  // namespace

void begin_upcxx() { upcxx::init(); }
void end_upcxx() { upcxx::finalize(); }

namespace {

bool has_upcxx = false, has_gex = false, has_mpi = false;

void begin_gex() {
  int count = 0;
  char** words = nullptr;
  CHECK(gex_Client_Init(&my_client, &my_endpoint, &my_team, "TEST", &count, &words, 0) ==
        GASNET_OK);
  gex_AM_Entry_t entry = {handler_of_note,
                          reinterpret_cast<gex_AM_Fn_t>(&run_note),
                          GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT,
                          1,
                          nullptr,
                          "note"};
  CHECK(gex_EP_RegisterHandlers(my_endpoint, &entry, 1) == GASNET_OK);
  gex_Event_Wait(gex_Coll_BarrierNB(my_team, 0));
  has_gex = true;
}

}  // namespace

void begin_models(const char* letters) {
  for (; *letters != '\0'; ++letters) {
    if (*letters == 'X') begin_upcxx();
    if (*letters == 'X') has_upcxx = true;
    if (*letters == 'G') begin_gex();
    if (*letters == 'M') has_mpi = models::begin_mpi();
  }
}

int check_models(int thread, int threads) {
  if (upcxx::initialized()) CHECK(upcxx::rank_me() == thread && upcxx::rank_n() == threads);
  if (has_mpi) CHECK(models::mpi_rank() == thread && models::mpi_size() == threads);
  CHECK(has_gex);
  CHECK(gex_TM_QueryRank(my_team) == static_cast<gex_Rank_t>(thread));
  CHECK(gex_TM_QuerySize(my_team) == static_cast<gex_Rank_t>(threads));
  return has_mpi ? 1 : 0;
}

void end_models() {
  if (has_upcxx) end_upcxx();
  if (has_mpi) models::end_mpi();
}

void put_by_upcxx(long* own, long value) {
  const upcxx::global_ptr<long> object = upcxx::try_global_ptr(own);
  CHECK(object && object.is_local());
  const upcxx::dist_object<upcxx::global_ptr<long>> objects(object);
  const upcxx::global_ptr<long> remote = objects.fetch(next()).wait();
  upcxx::rput(value, remote).wait();
  CHECK(upcxx::rget(remote).wait() == value);
  upcxx::barrier();
}

long call_by_upcxx(long value) {
  upcxx::rpc(next(), [](long more) { called += more; }, value).wait();
  upcxx::barrier();
  return called;
}

long send_by_gex(long value) {
  const gex_Rank_t to = (gex_TM_QueryRank(my_team) + 1) % gex_TM_QuerySize(my_team);
  CHECK(gex_AM_RequestShort1(my_team, to, handler_of_note, 0, static_cast<gex_AM_Arg_t>(value)) ==
        GASNET_OK);
  GASNET_BLOCKUNTIL(was_noted);
  was_noted = false;
  return noted;
}

void begin_gex_region() { gex_NBI_BeginAccessRegion(0); }

int end_gex_region() {
  const gex_Event_t under_way = gex_NBI_EndAccessRegion(0);
  gex_Event_Wait(under_way);
  return under_way == GEX_EVENT_INVALID ? 0 : 1;
}

long sum_by_mpi(long value) { return models::mpi_sum(value); }

void shift_by_mpi(const long* source, long* target) { models::mpi_shift(source, target); }
