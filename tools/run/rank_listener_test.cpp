// SPDX-License-Identifier: BSD-3-Clause
//
// Tests processes that connect to the launcher and are no ranks: how much of its time they take,
// and how long they stay. The test passes the time itself; processes of another user need root.
// Also the cost of an exchange in jobs of several sizes: the bytes that are sent to each rank, and
// those of a host.
#include <atoll/bootstrap/blob_table.hpp>
#include <atoll/bootstrap/job_address.hpp>
#include <tools/run/rank_listener.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <vector>

namespace atl::tools {
namespace {

using namespace std::chrono_literals;

constexpr rank_id ranks = 1000;
constexpr int crowd_size = 300;

launch job_of_this_test() {
  launch job;
  job.job = bootstrap::job_address::random();
  job.options.size = job.place.job_size = ranks;
  return job;
}

descriptor connect_to(const launch& job) {
  descriptor made(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const auto socket_end = bootstrap::socket_address_of(job.job);
  EXPECT_EQ(::connect(made.get(), reinterpret_cast<const sockaddr*>(&socket_end.address),
                      socket_end.length),
            0);
  return made;
}

void say_hello(const descriptor& socket_end, const launch& job, rank_id rank) {
  namespace wire = bootstrap::wire;
  const auto hello = wire::encode(wire::hello{
      .rank = rank, .size = job.place.job_size, .key = job.job.key, .version = "of this test"});
  ASSERT_EQ(send(socket_end.get(), hello.data(), hello.size(), 0),
            static_cast<ssize_t>(hello.size()));
}

bool is_closed(const descriptor& socket_end) {
  char byte = 0;
  return recv(socket_end.get(), &byte, 1, MSG_DONTWAIT) == 0;
}

class a_rank_listener : public testing::Test {
 protected:
  descriptor connect() const { return connect_to(job_); }

  void turn() {
    loop_.wait(0);
    loop_.dispatch();
  }

  /// Runs the loop until nothing is left to do.
  void run() {
    for (int turns = 0; turns < 20; ++turns) turn();
  }

  int joined_ = 0;
  std::vector<rank_id> outliving_;
  launch job_ = job_of_this_test();
  event_loop loop_;
  rendezvous ranks_{ranks};
  rank_listener listener_{loop_,
                          ranks_,
                          job_,
                          {.joined = [this](rank_id) { ++joined_; },
                           .entered = {},
                           .left = {},
                           .stopped = {},
                           .outlives = [this](rank_id rank) { outliving_.push_back(rank); },
                           .depends = {},
                           .end_job = {},
                           .lost = [](rank_id) {},
                           .wrong = [](rank_id, const std::string&) {},
                           .process_of = [](rank_id) { return getpid(); }}};
};

/// Another user's process: connects often, and counts on request the connections that are closed.
class other_user {
 public:
  template <class Connect>
  explicit other_user(Connect connect) {
    int ends[2];
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    child_ = fork();
    if (child_ == 0) serve(ends[1], connect);
    close(ends[1]);
    talk_ = descriptor(ends[0]);
    EXPECT_EQ(closed(), 0);
  }
  ~other_user() {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  int closed() {
    int count = -1;
    EXPECT_EQ(send(talk_.get(), &count, sizeof count, 0), static_cast<ssize_t>(sizeof count));
    EXPECT_EQ(recv(talk_.get(), &count, sizeof count, 0), static_cast<ssize_t>(sizeof count));
    return count;
  }

 private:
  template <class Connect>
  [[noreturn]] static void serve(int talk, Connect connect) {
    if (setuid(65534) != 0) _exit(1);
    std::vector<descriptor> crowd;
    for (int i = 0; i < crowd_size; ++i) crowd.push_back(connect());
    int count = 0;
    while (recv(talk, &count, sizeof count, 0) == sizeof count) {
      count = static_cast<int>(std::ranges::count_if(crowd, is_closed));
      send(talk, &count, sizeof count, 0);
    }
    _exit(0);
  }

  pid_t child_;
  descriptor talk_;
};

TEST_F(a_rank_listener, reads_what_all_have_said_before_a_failure_is_judged) {
  std::vector<descriptor> members;
  for (rank_id rank = 0; rank < 3; ++rank) {
    members.push_back(connect());
    say_hello(members.back(), job_, rank);
  }
  run();
  ASSERT_EQ(joined_, 3);
  const auto message = bootstrap::wire::encode(bootstrap::wire::kind::outlive);
  for (const rank_id rank : {0, 2})
    ASSERT_EQ(send(members[rank].get(), message.data(), message.size(), 0),
              static_cast<ssize_t>(message.size()));
  EXPECT_TRUE(outliving_.empty());
  listener_.drain_all();
  EXPECT_EQ(outliving_, (std::vector<rank_id>{0, 2}));
}

TEST_F(a_rank_listener, gives_strangers_of_another_user_a_part_of_a_turn) {
  if (geteuid() != 0) GTEST_SKIP() << "to become another user needs root";
  other_user crowd([this] { return connect(); });
  turn();
  EXPECT_GT(crowd.closed(), 0);
  EXPECT_LT(crowd.closed(), crowd_size) << "other work must have its turn";
  run();
  EXPECT_EQ(crowd.closed(), crowd_size);
}

TEST_F(a_rank_listener, drops_a_silent_stranger_after_a_time_and_a_rank_never) {
  const auto before = rank_listener::clock::now();
  const auto silent = connect();
  const auto rank = connect();
  say_hello(rank, job_, 0);
  run();
  EXPECT_EQ(joined_, 1);
  const auto after = rank_listener::clock::now();
  EXPECT_LE(listener_.next_tick(), after + 10s) << "the loop must wake up for it";
  listener_.tick(before + 9s);
  EXPECT_FALSE(is_closed(silent));
  listener_.tick(after + 11s);
  EXPECT_TRUE(is_closed(silent));
  EXPECT_EQ(listener_.next_tick(), rank_listener::clock::time_point::max());
  char answer[64];
  EXPECT_GT(recv(rank.get(), answer, sizeof answer, MSG_DONTWAIT), 0) << "it was welcomed";
}

TEST_F(a_rank_listener, gives_strangers_their_time_again_after_a_stop) {
  const auto silent = connect();
  run();
  const auto now = rank_listener::clock::now();
  listener_.renew_time(now + 1h);
  listener_.tick(now + 1h + 9s);
  EXPECT_FALSE(is_closed(silent));
}

TEST_F(a_rank_listener, rests_while_there_are_no_descriptors) {
  const auto caller = connect();
  rlimit previous{};
  getrlimit(RLIMIT_NOFILE, &previous);
  rlimit exhausted = previous;
  exhausted.rlim_cur = static_cast<rlim_t>(caller.get()) + 1;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &exhausted), 0);
  turn();
  const auto began = rank_listener::clock::now();
  loop_.wait(50);
  const auto waited = rank_listener::clock::now() - began;
  setrlimit(RLIMIT_NOFILE, &previous);
  EXPECT_GE(waited, 40ms) << "the same connection was reported again";
  EXPECT_LT(listener_.next_tick(), rank_listener::clock::now() + 1s);
  listener_.tick(rank_listener::clock::now() + 1s);
  turn();
  EXPECT_EQ(send(caller.get(), "12345678", 8, 0), 8);
  run();
  EXPECT_TRUE(is_closed(caller)) << "it was heard";
}

// --- an exchange --------------------------------------------------------------------------------

constexpr std::size_t blob_bytes = 200;  // of a rank: its part of the agreement at the start
constexpr rank_id members = 3;           // ranks that have joined; all get the same

/// The content of a socket: the number of bytes, and the descriptor that came last.
struct received {
  std::size_t bytes = 0;
  descriptor file;
};

received receive_all(const descriptor& socket_end) {
  received got;
  for (;;) {
    std::array<std::byte, 4096> room;
    iovec part{room.data(), room.size()};
    alignas(cmsghdr) char control[CMSG_SPACE(2 * sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t bytes = recvmsg(socket_end.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (bytes <= 0) return got;
    got.bytes += static_cast<std::size_t>(bytes);
    const cmsghdr* const head = CMSG_FIRSTHDR(&message);
    for (std::size_t at = 0; head != nullptr && CMSG_LEN(at) < head->cmsg_len; at += sizeof(int)) {
      int number = -1;
      std::memcpy(&number, CMSG_DATA(head) + at, sizeof number);
      got.file = descriptor(number);
    }
  }
}

struct exchange_cost {
  std::size_t bytes_to_a_rank = 0;
  std::size_t bytes_on_the_host = 0;  // in memory that all its ranks share
};

/// Three ranks of a job of so many wait for the answer to an exchange.
exchange_cost cost_of_an_exchange(rank_id job_size) {
  launch job = job_of_this_test();
  job.options.size = job.place.job_size = job_size;
  event_loop loop;
  rendezvous exchanges{job_size};
  rank_listener listener{loop,
                         exchanges,
                         job,
                         {.joined = [](rank_id) {},
                          .entered = {},
                          .left = {},
                          .stopped = {},
                          .end_job = {},
                          .lost = [](rank_id) {},
                          .wrong = [](rank_id, const std::string&) {},
                          .process_of = [](rank_id) { return getpid(); }}};
  const auto run = [&loop] {
    for (int turns = 0; turns < 20; ++turns) {
      loop.wait(0);
      loop.dispatch();
    }
  };
  std::vector<descriptor> sockets;
  for (rank_id rank = 0; rank < members; ++rank) {
    sockets.push_back(connect_to(job));
    say_hello(sockets.back(), job, rank);
  }
  run();
  for (const descriptor& socket_end : sockets) receive_all(socket_end);  // the welcome
  std::vector<bootstrap::wire::bytes> blobs;
  for (rank_id rank = 0; rank < job_size; ++rank)
    blobs.emplace_back(blob_bytes, static_cast<std::byte>(rank));
  listener.pass(bootstrap::wire::encode_blobs(blobs));
  run();
  exchange_cost cost;
  ino_t file_of_all = 0;
  for (const descriptor& socket_end : sockets) {
    const received got = receive_all(socket_end);
    struct stat status{};
    EXPECT_EQ(fstat(got.file.get(), &status), 0);
    if (file_of_all == 0) file_of_all = status.st_ino;
    EXPECT_EQ(status.st_ino, file_of_all) << "the ranks of a host share one file";
    const auto table = bootstrap::blob_table::of_file(got.file, job_size);
    EXPECT_TRUE(table && std::ranges::equal(table->at(job_size - 1), blobs.back()));
    cost = {.bytes_to_a_rank = got.bytes,
            .bytes_on_the_host = static_cast<std::size_t>(status.st_size)};
  }
  return cost;
}

TEST(an_exchange, sends_a_rank_the_same_few_bytes_in_jobs_of_every_size) {
  const exchange_cost few = cost_of_an_exchange(10), many = cost_of_an_exchange(10'000);
  EXPECT_EQ(few.bytes_to_a_rank, many.bytes_to_a_rank);
  EXPECT_LE(many.bytes_to_a_rank, 64u);
}

TEST(an_exchange, of_100000_ranks_takes_22_megabytes_of_a_host) {
  const exchange_cost few = cost_of_an_exchange(100), many = cost_of_an_exchange(10'000);
  const double per_rank =
      static_cast<double>(many.bytes_on_the_host - few.bytes_on_the_host) / (10'000 - 100);
  std::printf("%.0f bytes of a host per rank of the job, %zu to each rank\n", per_rank,
              many.bytes_to_a_rank);
  EXPECT_LE(per_rank, blob_bytes + 8);
  EXPECT_LE(per_rank * 100'000, 22e6);
}

}  // namespace
}  // namespace atl::tools
