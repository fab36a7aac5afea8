// SPDX-License-Identifier: BSD-3-Clause
//
// Pairs of models in one program. The argument is the order in which they begin and end: S, G, C, P
// and X begin OpenSHMEM, GASNet-EX, coarrays, UPC and UPC++; s and x end OpenSHMEM and UPC++, which
// may begin again. The others end with the program, and OpenSHMEM too where it has not ended: in
// the order of their own exit functions. UPC++ must be ended, so it is at the end of main. After
// each step every pair of models that run checks that each reads what the other has written, in the
// memory of both; that barriers and collectives of both may be under way in different orders on
// different ranks; that atomics of both act on one word; and that implicit puts of both may be
// under way at once.
#include <bupc_extensions.h>
#include <gasnet_coll.h>
#include <gasnet_ratomic.h>
#include <shmem.h>
#include <tests/multi/gex/client.h>
#include <tests/multi/models/pair_part.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr int half = pair_words / 2;  // puts go to the second half of a block
constexpr std::size_t block_bytes = pair_words * sizeof(int);

int rank;  // the same in all models
int size;
int next() { return (rank + 1) % size; }
int previous() { return (rank + size - 1) % size; }

#define REQUIRE(CONDITION) require(CONDITION, #CONDITION, __LINE__)
void require(bool holds, const char* condition, int line) {
  if (holds) return;
  std::fprintf(stderr, "rank %d, line %d: not so: %s\n", rank, line, condition);
  std::_Exit(9);
}

/// Numbers that tell rank and turn.
std::vector<int> numbers(int turn, int of_rank, int count = half) {
  std::vector<int> made(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) made[static_cast<std::size_t>(i)] = 1000 * turn + of_rank + 7 * i;
  return made;
}

bool has(const int* found, const std::vector<int>& expected) {
  return std::equal(expected.begin(), expected.end(), found);
}

/// A model, and what it can do with the blocks of another one.
class model {
 public:
  virtual ~model() = default;
  virtual int own_rank() = 0;
  virtual int own_size() = 0;
  virtual int* own() = 0;
  virtual void start_put(int to, int at, const int* source, int count) = 0;
  virtual void get(int from, int at, int* target, int count) = 0;
  virtual void fence() = 0;
  virtual void sync() = 0;  // a barrier after which all puts are there
  virtual void notify() {}  // a barrier in two halves, where the model has one
  virtual void wait() { sync(); }
  virtual int sum(int value) = 0;
  virtual void increase() = 0;  // the counter of rank 0

  /// Whether it reaches blocks of other models on other ranks; then collectively chooses one.
  virtual bool adopt(int*) { return false; }
  virtual void put_adopted(int, int, const int*, int) {}
  virtual void get_adopted(int, int, int*, int) {}
  virtual void increase_adopted() {}
  /// Whether an access region that is open here has seen operations; ends it.
  virtual void begin_region() {}
  virtual bool end_region() { return false; }
};

class shmem_model final : public model {
 public:
  shmem_model() { shmem_init(), block_ = static_cast<int*>(shmem_calloc(pair_words, sizeof(int))); }
  ~shmem_model() override { shmem_free(block_), shmem_finalize(); }
  int own_rank() override { return shmem_my_pe(); }
  int own_size() override { return shmem_n_pes(); }
  int* own() override { return block_; }
  void start_put(int to, int at, const int* source, int count) override {
    shmem_int_put_nbi(block_ + at, source, static_cast<std::size_t>(count), to);
  }
  void get(int from, int at, int* target, int count) override {
    shmem_int_get(target, block_ + at, static_cast<std::size_t>(count), from);
  }
  void fence() override { shmem_quiet(); }
  void sync() override { shmem_barrier_all(); }
  int sum(int value) override {
    static int sent, total;
    sent = value;
    REQUIRE(shmem_int_sum_reduce(SHMEM_TEAM_WORLD, &total, &sent, 1) == 0);
    return total;
  }
  void increase() override { shmem_int_atomic_inc(block_, 0); }

 private:
  int* block_;
};

class gex_model final : public model {
 public:
  gex_model() {
    int count = 0;
    char** words = nullptr;
    start_client(&count, &words, block_bytes);
    view_own_ = {my_team, open_domain(my_team)};
    ::barrier();
  }
  int own_rank() override { return static_cast<int>(gex_TM_QueryRank(my_team)); }
  int own_size() override { return static_cast<int>(gex_TM_QuerySize(my_team)); }
  int* own() override { return reinterpret_cast<int*>(my_memory); }
  void start_put(int to, int at, const int* source, int count) override {
    REQUIRE(gex_RMA_PutNBI(my_team, rank_of(to), word(my_team, to, at), source, bytes_of(count),
                           GEX_EVENT_DEFER, 0) == 0);
  }
  void get(int from, int at, int* target, int count) override {
    gex_RMA_GetBlocking(my_team, target, rank_of(from), word(my_team, from, at), bytes_of(count),
                        0);
  }
  void fence() override { gex_NBI_Wait(GEX_EC_ALL, 0); }
  void sync() override { fence(), ::barrier(); }
  void notify() override { under_way_ = gex_Coll_BarrierNB(my_team, 0); }
  void wait() override { gex_Event_Wait(under_way_); }
  int sum(int value) override {
    std::int32_t total = 0;
    gex_Event_Wait(gex_Coll_ReduceToAllNB(my_team, &total, &value, GEX_DT_I32, sizeof total, 1,
                                          GEX_OP_ADD, nullptr, nullptr, 0));
    return total;
  }
  void increase() override { increase(view_own_); }

  bool adopt(int* block) override {
    for (const view& each : views_) {
      if (each.block == block) adopted_ = each;
      if (each.block == block) return true;
    }
    gex_EP_t endpoint;
    gex_Segment_t segment;
    REQUIRE(gex_EP_Create(&endpoint, my_client, GEX_EP_CAPABILITY_ALL, 0) == GASNET_OK);
    REQUIRE(gex_Segment_Create(&segment, my_client, block, block_bytes, GEX_MK_HOST, 0) ==
            GASNET_OK);
    REQUIRE(gex_EP_BindSegment(endpoint, segment, 0) == GASNET_OK);
    REQUIRE(gex_EP_PublishBoundSegment(my_team, &endpoint, 1, 0) == GASNET_OK);
    std::vector<gex_EP_Location_t> all;
    for (int each = 0; each < size; ++each)
      all.push_back({rank_of(each), gex_EP_QueryIndex(endpoint)});
    gex_TM_t team;
    gex_TM_Create(&team, 1, my_team, all.data(), all.size(), nullptr, 0, GEX_FLAG_TM_NO_SCRATCH);
    adopted_ = {team, open_domain(team), block};
    views_.push_back(adopted_);
    return true;
  }
  void put_adopted(int to, int at, const int* source, int count) override {
    REQUIRE(gex_RMA_PutBlocking(adopted_.team, rank_of(to), word(adopted_.team, to, at), source,
                                bytes_of(count), 0) == 0);
  }
  void get_adopted(int from, int at, int* target, int count) override {
    gex_RMA_GetBlocking(adopted_.team, target, rank_of(from), word(adopted_.team, from, at),
                        bytes_of(count), 0);
  }
  void increase_adopted() override { increase(adopted_); }
  void begin_region() override { gex_NBI_BeginAccessRegion(0); }
  bool end_region() override {
    const gex_Event_t seen = gex_NBI_EndAccessRegion(0);
    gex_Event_Wait(seen);
    return seen != GEX_EVENT_INVALID;
  }

 private:
  struct view {
    gex_TM_t team = GEX_TM_INVALID;
    gex_AD_t domain = GEX_AD_INVALID;
    int* block = nullptr;
  };

  static gex_Rank_t rank_of(int number) { return static_cast<gex_Rank_t>(number); }
  static std::size_t bytes_of(int count) { return static_cast<std::size_t>(count) * sizeof(int); }
  static gex_AD_t open_domain(gex_TM_t team) {
    gex_AD_t made;
    gex_AD_Create(&made, team, GEX_DT_I32, GEX_OP_INC | GEX_OP_GET, 0);
    return made;
  }
  static int* word(gex_TM_t team, int of_rank, int at) {
    void* address = nullptr;
    gex_Event_Wait(
        gex_EP_QueryBoundSegmentNB(team, rank_of(of_rank), &address, nullptr, nullptr, 0));
    return static_cast<int*>(address) + at;
  }
  static void increase(const view& from) {
    gex_Event_Wait(
        gex_AD_OpNB_I32(from.domain, nullptr, 0, word(from.team, 0, 0), GEX_OP_INC, 0, 0, 0));
  }

  view view_own_, adopted_;
  std::vector<view> views_;
  gex_Event_t under_way_ = GEX_EVENT_INVALID;
};

class coarray_model final : public model {
 public:
  coarray_model() { coarray_begin(); }
  int own_rank() override { return coarray_rank(); }
  int own_size() override { return coarray_size(); }
  int* own() override { return coarray_own(); }
  void start_put(int to, int at, const int* source, int count) override {
    coarray_put(to, at, source, count);
  }
  void get(int from, int at, int* target, int count) override {
    coarray_get(from, at, target, count);
  }
  void fence() override { coarray_fence(); }
  void sync() override { coarray_sync(); }
  int sum(int value) override { return coarray_sum(value); }
  void increase() override { coarray_increase(); }
};

class upc_model final : public model {
 public:
  upc_model() {
    static int count = 1;
    static char name[] = "pairs";
    static char* words[] = {name, nullptr};
    static char** list = words;
    bupc_init(&count, &list);
    upc_part_begin();
  }
  int own_rank() override { return upc_part_rank(); }
  int own_size() override { return upc_part_size(); }
  int* own() override { return upc_part_own(); }
  void start_put(int to, int at, const int* source, int count) override {
    upc_part_start_put(to, at, source, count);
  }
  void get(int from, int at, int* target, int count) override {
    upc_part_fence();
    upc_part_get(from, at, target, count);
  }
  void fence() override { upc_part_fence(); }
  void sync() override { upc_part_sync(); }
  void notify() override { upc_part_notify(); }
  void wait() override { upc_part_wait(); }
  int sum(int value) override { return upc_part_sum(value); }
  void increase() override { upc_part_increase(); }
  bool adopt(int* block) override {
    upc_part_adopt(block);
    return true;
  }
  void put_adopted(int to, int at, const int* source, int count) override {
    upc_part_put_adopted(to, at, source, count);
  }
  void get_adopted(int from, int at, int* target, int count) override {
    upc_part_get_adopted(from, at, target, count);
  }
  void increase_adopted() override { upc_part_increase_adopted(); }
};

class upcxx_model final : public model {
 public:
  upcxx_model() { upcxx_part_begin(); }
  ~upcxx_model() override { upcxx_part_end(); }
  int own_rank() override { return upcxx_part_rank(); }
  int own_size() override { return upcxx_part_size(); }
  int* own() override { return upcxx_part_own(); }
  void start_put(int to, int at, const int* source, int count) override {
    upcxx_part_start_put(to, at, source, count);
  }
  void get(int from, int at, int* target, int count) override {
    upcxx_part_get(from, at, target, count);
  }
  void fence() override { upcxx_part_fence(); }
  void sync() override { upcxx_part_sync(); }
  void notify() override { upcxx_part_notify(); }
  void wait() override { upcxx_part_wait(); }
  int sum(int value) override { return upcxx_part_sum(value); }
  void increase() override { upcxx_part_increase(); }
};

int turn = 0;  // of checks, alike on all ranks

/// A model alone.
void check_puts(model& a) {
  const std::vector<int> sent = numbers(++turn, rank);
  a.start_put(next(), half, sent.data(), half);
  a.fence();
  a.sync();
  REQUIRE(has(a.own() + half, numbers(turn, previous())));
  std::vector<int> read(half);
  a.get(next(), half, read.data(), half);
  REQUIRE(read == sent);
  a.sync();
}

/// The source or the target here of a transfer of `a` is memory of `b`.
void check_local_side(model& a, model& b) {
  const std::vector<int> sent = numbers(++turn, rank);
  std::copy(sent.begin(), sent.end(), b.own());
  a.start_put(next(), half, b.own(), half);
  a.fence();
  a.sync();
  REQUIRE(has(a.own() + half, numbers(turn, previous())));
  std::fill_n(b.own(), pair_words, 0);
  a.get(next(), half, b.own() + half, half);
  REQUIRE(has(b.own() + half, sent));
  a.sync();
  std::fill_n(a.own(), pair_words, 0);
  std::fill_n(b.own(), pair_words, 0);
  a.sync();
  b.sync();
}

/// `a` writes and reads the blocks of `b` on other ranks.
void check_remote_side(model& a, model& b) {
  if (!a.adopt(b.own())) return;
  const std::vector<int> sent = numbers(++turn, rank);
  std::vector<int> read(half);
  a.put_adopted(next(), half, sent.data(), half);
  a.sync();
  REQUIRE(has(b.own() + half, numbers(turn, previous())));
  b.get(next(), half, read.data(), half);
  REQUIRE(read == sent);
  b.sync();
  const std::vector<int> more = numbers(++turn, rank);
  b.start_put(next(), half, more.data(), half);
  b.fence();
  b.sync();
  a.get_adopted(next(), half, read.data(), half);
  REQUIRE(read == more);
  a.sync();
  b.own()[0] = 0;
  a.sync();
  constexpr int times = 50;
  for (int i = 0; i < times; ++i) {
    a.increase_adopted();
    b.increase();
  }
  a.sync();
  b.sync();
  int count = 0;
  a.get_adopted(0, 0, &count, 1);
  REQUIRE(count == 2 * times * size);
  b.get(0, 0, &count, 1);
  REQUIRE(count == 2 * times * size);
  b.sync();
}

/// A barrier of `a` is under way while `b` sums and meets, at different points on different ranks.
void check_collectives(model& a, model& b) {
  for (int i = 0; i < 8; ++i) {
    const bool early = (rank + i) % 2 == 0;
    if (early) a.notify();
    REQUIRE(b.sum(rank + i) == size * (size - 1) / 2 + size * i);
    b.sync();
    if (!early) a.notify();
    a.wait();
    REQUIRE(a.sum(3 * i) == 3 * i * size);
    REQUIRE(b.sum(1) == size);
  }
}

/// Large puts of both are under way at once, and each is complete after its own model's fence.
void check_implicit(model& a, model& b) {
  const std::vector<int> first = numbers(++turn, rank);
  const std::vector<int> second = numbers(++turn, rank);
  a.start_put(next(), half, first.data(), half);
  b.start_put(next(), half, second.data(), half);
  b.fence();
  b.sync();
  REQUIRE(has(b.own() + half, numbers(turn, previous())));
  a.fence();
  a.sync();
  REQUIRE(has(a.own() + half, numbers(turn - 1, previous())));
  // A region of `a` has none of what `b` starts, and `b` need not wait for its end.
  a.begin_region();
  b.start_put(next(), half, first.data(), half);
  b.fence();
  REQUIRE(!a.end_region());
  b.sync();
  REQUIRE(has(b.own() + half, numbers(turn - 1, previous())));
  b.sync();
  a.begin_region();
  a.start_put(next(), half, second.data(), half);
  b.start_put(next(), half, second.data(), half);
  b.fence();
  a.end_region();
  a.fence();
  a.sync();
  b.sync();
  REQUIRE(has(a.own() + half, numbers(turn, previous())));
  REQUIRE(has(b.own() + half, numbers(turn, previous())));
  b.sync();
}

void check_pair(model& a, model& b) {
  check_local_side(a, b);
  check_remote_side(a, b);
  check_collectives(a, b);
  check_implicit(a, b);
}

struct {
  model* shmem = nullptr;
  model* gex = nullptr;
  model* coarray = nullptr;
  model* upc = nullptr;
  model* upcxx = nullptr;

  std::vector<model*> running() const {
    std::vector<model*> found;
    for (model* each : {shmem, gex, coarray, upc, upcxx}) {
      if (each != nullptr) found.push_back(each);
    }
    return found;
  }
} models;

void act(char step) {
  switch (step) {
    case 'S':
      models.shmem = new shmem_model;
      break;
    case 's':
      delete std::exchange(models.shmem, nullptr);
      break;
    case 'G':
      models.gex = new gex_model;
      break;
    case 'C':
      models.coarray = new coarray_model;
      break;
    case 'P':
      models.upc = new upc_model;
      break;
    case 'X':
      models.upcxx = new upcxx_model;
      break;
    case 'x':
      delete std::exchange(models.upcxx, nullptr);
      break;
    default:
      REQUIRE(!"a letter of a model");
  }
}

void check() {
  const std::vector<model*> running = models.running();
  for (model* each : running) {
    rank = each->own_rank();
    size = each->own_size();
  }
  for (model* each : running) REQUIRE(each->own_rank() == rank && each->own_size() == size);
  for (model* each : running) check_puts(*each);
  for (model* a : running) {
    for (model* b : running) {
      if (a != b) check_pair(*a, *b);
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  for (const char step : std::string_view(count > 1 ? arguments[1] : "SGsS")) {
    act(step);
    check();
  }
  delete models.upcxx;
  std::printf("rank %d of %d: done\n", rank, size);
  return 0;
}
