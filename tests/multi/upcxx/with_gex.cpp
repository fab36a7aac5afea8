// SPDX-License-Identifier: BSD-3-Clause
//
// A program that uses UPC++ and GASNet-EX, in one process and one job: pointers of either are valid
// in the other, messages of both run, and either may start first. The first argument names that
// one. UPC++ ends and begins again while the GASNet client goes on.
#include <tests/multi/gex/client.h>

#include <upcxx/upcxx.hpp>

#include <cstdint>
#include <string_view>

namespace {

using upcxx::global_ptr;

constexpr gex_AM_Index_t hidx_note = 140;
constexpr std::uintptr_t segment_bytes = 1 << 20;

unsigned noted = 0;   // messages of GASNet
unsigned called = 0;  // calls of UPC++

void run_note(gex_Token_t, gex_AM_Arg_t amount) { noted += static_cast<unsigned>(amount); }

int next() { return (upcxx::rank_me() + 1) % upcxx::rank_n(); }
int previous() { return (upcxx::rank_me() + upcxx::rank_n() - 1) % upcxx::rank_n(); }

// Attaches the largest possible segment after UPC++ has taken a part of the heap on the last rank:
// all ranks are told the same size, and get it.
void attach_remaining() {
  const std::uintptr_t local_bytes = gasnet_getMaxLocalSegmentSize();
  const std::uintptr_t everywhere = gasnet_getMaxGlobalSegmentSize();
  CHECK(everywhere <= local_bytes && everywhere % GASNET_PAGESIZE == 0 &&
        everywhere > segment_bytes);
  if (upcxx::rank_n() > 1)
    CHECK((upcxx::rank_me() == upcxx::rank_n() - 1) == (local_bytes == everywhere));
  CHECK(upcxx::reduce_all(everywhere, upcxx::op_fast_max).wait() == everywhere);
  CHECK(gex_Segment_Attach(&my_segment, my_team, everywhere) == GASNET_OK);
}

void start_gex(int& argc, char**& argv, bool first) {
  CHECK(gex_Client_Init(&my_client, &my_endpoint, &my_team, "TEST", &argc, &argv, 0) == GASNET_OK);
  if (first) {
    CHECK(gex_Segment_Attach(&my_segment, my_team, segment_bytes) == GASNET_OK);
  } else {
    attach_remaining();
  }
  my_rank = gex_TM_QueryRank(my_team);
  team_size = gex_TM_QuerySize(my_team);
  my_memory = static_cast<char*>(gex_Segment_QueryAddr(my_segment));
  gex_AM_Entry_t entry = {hidx_note,
                          reinterpret_cast<gex_AM_Fn_t>(&run_note),
                          GEX_FLAG_AM_REQUEST | GEX_FLAG_AM_SHORT,
                          1,
                          nullptr,
                          "note"};
  CHECK(gex_EP_RegisterHandlers(my_endpoint, &entry, 1) == GASNET_OK);
  barrier();
}

// UPC++ writes memory of the client's segment.
void upcxx_writes_what_gasnet_has() {
  auto* const words = reinterpret_cast<std::uint64_t*>(my_memory);
  words[0] = words[1] = 0;
  const upcxx::dist_object<global_ptr<std::uint64_t>> places(upcxx::to_global_ptr(words));
  const global_ptr<std::uint64_t> remote = places.fetch(next()).wait();
  upcxx::barrier();
  const auto me = static_cast<std::uint64_t>(upcxx::rank_me());
  upcxx::rput(me + 100, remote).wait();
  upcxx::atomic_domain<std::uint64_t> sums({upcxx::atomic_op::add});
  sums.add(remote + 1, me + 1, std::memory_order_relaxed).wait();
  upcxx::barrier();
  const auto left = static_cast<std::uint64_t>(previous());
  CHECK(words[0] == left + 100);
  CHECK(words[1] == left + 1);
  CHECK(upcxx::rget(remote).wait() == me + 100);
  sums.destroy();
  upcxx::barrier();
}

// The client binds memory of UPC++ to an endpoint and writes it.
void gasnet_writes_what_upcxx_has() {
  constexpr std::size_t bytes = 8192;
  const global_ptr<char> buffer = upcxx::allocate<char>(bytes, GASNET_PAGESIZE);
  gex_Segment_t segment = GEX_SEGMENT_INVALID;
  gex_EP_t endpoint = GEX_EP_INVALID;
  CHECK(gex_Segment_Create(&segment, my_client, buffer.local(), bytes, GEX_MK_HOST, 0) ==
        GASNET_OK);
  CHECK(gex_EP_Create(&endpoint, my_client, GEX_EP_CAPABILITY_RMA, 0) == GASNET_OK);
  CHECK(gex_EP_BindSegment(endpoint, segment, 0) == GASNET_OK);
  CHECK(gex_EP_PublishBoundSegment(my_team, &endpoint, 1, 0) == GASNET_OK);
  const gex_TM_t pair = gex_TM_Pair(endpoint, gex_EP_QueryIndex(endpoint));
  const auto to = static_cast<gex_Rank_t>(next());
  void* address = nullptr;
  gex_Event_Wait(gex_EP_QueryBoundSegmentNB(pair, to, &address, nullptr, nullptr, 0));
  const std::uint64_t word = 7 + my_rank;
  CHECK(gex_RMA_PutBlocking(pair, to, static_cast<char*>(address) + 64, &word, sizeof word, 0) ==
        0);
  barrier();
  CHECK(*reinterpret_cast<std::uint64_t*>(buffer.local() + 64) == 7u + unsigned(previous()));
  barrier();
  gex_Segment_Destroy(segment, 0);
  upcxx::deallocate(buffer);
}

// Calls and messages under way at once, waited for by the progress of either.
void both_send() {
  noted = called = 0;
  upcxx::barrier();
  constexpr unsigned times = 500;
  for (unsigned i = 0; i < times; ++i) {
    upcxx::rpc_ff(next(), [] { ++called; });
    CHECK(gex_AM_RequestShort1(my_team, static_cast<gex_Rank_t>(next()), hidx_note, 0, 1) ==
          GASNET_OK);
  }
  while (noted != times) gasnet_AMPoll();
  while (called != times) upcxx::progress();
  barrier();
}

void together() {
  CHECK(upcxx::rank_me() == static_cast<int>(my_rank));
  CHECK(upcxx::rank_n() == static_cast<int>(team_size));
  upcxx_writes_what_gasnet_has();
  gasnet_writes_what_upcxx_has();
  both_send();
}

}  // namespace

int main(int argc, char** argv) {
  const bool gex_first = argc > 1 && std::string_view(argv[1]) == "gex";
  if (gex_first) start_gex(argc, argv, true);
  upcxx::init();
  if (!gex_first) {
    const bool takes = upcxx::rank_me() == upcxx::rank_n() - 1;
    const auto taken = upcxx::allocate<char>(takes ? std::size_t{24} << 20 : 1);
    start_gex(argc, argv, false);
    upcxx::deallocate(taken);
  }
  together();
  upcxx::finalize();
  barrier();  // the job goes on
  upcxx::init();
  both_send();
  upcxx::finalize();
  finish_client();
}
