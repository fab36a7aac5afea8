// SPDX-License-Identifier: BSD-3-Clause
//
// A rank for network_test.py, which disturbs the network or the ranks meanwhile. Prints "started
// PID" when all ranks have joined. It counts messages, to check that none is lost and none comes
// twice.
//
//     network_member steady SECONDS   puts, gets and messages to the right neighbour for that time
//     network_member until FILE       the same until that file is there
//     network_member messages SECONDS the same with messages alone, each of which is answered
//     network_member flood COUNT      ranks above 0 flood rank 0, which does not poll for a second
//     network_member idle SECONDS     ranks above 0 wait for that time and print how often they
//                                     slept
//     network_member deferred FILE    rank 0 starts a large put and makes the file; until then
//                                     rank 1 does not poll
//     network_member parted           ranks 0 and 1 lose each other on one network, and both still
//                                     reach rank 2 over another
//     network_member broken           the same, where no rank wants to go on after a loss
//     network_member registered       a put from memory that no transport has seen before, twice
//                                     the same address with other memory behind it
#include <atoll/base/error.hpp>
#include <atoll/base/settings.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>

#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string_view>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

constexpr std::size_t payload_bytes = 4096;
constexpr long growth_kib_max = 64 * 1024;

struct slots {
  std::uint64_t sent;   // the left neighbour's count of messages at its end
  std::uint64_t value;  // its last put
};

class member {
 public:
  explicit member(atl::runtime& job)
      : job_(job), slots_(static_cast<slots*>(job.heap().allocate(sizeof(slots)))) {
    std::memset(slots_, 0, sizeof *slots_);
    job.primordial().handlers().set(0, {.run = on_message, .context = this, .name = "count"});
    job.primordial().handlers().set(1, {.run = on_question, .context = this, .name = "ask"});
    job.primordial().handlers().set(2, {.run = on_answer, .context = this, .name = "answer"});
    job_.primordial().handlers().set(3, {.run = on_notice, .context = this, .name = "noticed"});
    job_.primordial().handlers().set(4, {.run = on_stop, .context = this, .name = "stop"});
    job.world().barrier();
    std::printf("started %d\n", ::getpid());
    std::fflush(stdout);
  }

  bool steady(double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    return talk_until([&] { return std::chrono::steady_clock::now() >= end; });
  }

  bool steady_until(const char* file) {
    return talk_until([&] { return ::access(file, F_OK) == 0; });
  }

  bool messages(double seconds) {
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    std::uint64_t sent = 0;
    while (std::chrono::steady_clock::now() < end) {
      job_.primordial().request({.target = right_neighbour(), .handler = 1});
      ++sent;
      job_.wait_until([&] { return answers_ == sent; });
    }
    return settle(sent);
  }

  /// Rank 0 does not poll; the others must not fill its memory or their own, and must not fail.
  bool flood(std::uint64_t count) {
    const long start_kib = resident_kib_max();
    if (job_.rank() == 0) {
      std::this_thread::sleep_for(1s);
      job_.wait_until([&] { return handled_ == count * (job_.size() - 1); });
    } else {
      for (std::uint64_t i = 0; i < count; ++i) send(0, payload_bytes);
    }
    job_.world().barrier();
    const long growth = resident_kib_max() - start_kib;
    if (growth > growth_kib_max) std::printf("rank %u grew by %ld KiB\n", job_.rank(), growth);
    return growth <= growth_kib_max;
  }

  /// Sends a message to each other rank, which makes a connection.
  bool everybody() {
    for (atl::rank_id step = 1; step < job_.size(); ++step)
      send((job_.rank() + step) % job_.size(), 8);
    return settle(job_.size() - 1);
  }

  bool registered() {
    constexpr std::size_t bytes = std::size_t{1} << 20;
    auto* const target = static_cast<std::byte*>(job_.heap().allocate(bytes));
    job_.world().barrier();
    bool right = true;
    for (int turn = 1; turn <= 4; ++turn) {
      auto* const fresh = static_cast<std::byte*>(
          ::mmap(place_, bytes, PROT_READ | PROT_WRITE,
                 MAP_PRIVATE | MAP_ANONYMOUS | (place_ != nullptr ? MAP_FIXED : 0), -1, 0));
      place_ = fresh;
      std::memset(fresh, turn, bytes);
      atl::put(job_.primordial(), right_neighbour(), at_neighbour(target), fresh, bytes);
      std::memset(fresh, 0, bytes);
      atl::get(job_.primordial(), fresh, right_neighbour(), at_neighbour(target), bytes);
      for (std::size_t i = 0; i < bytes; i += 511) right = right && fresh[i] == std::byte(turn);
      ::munmap(fresh, bytes);
      job_.world().barrier();
    }
    return right;
  }

  /// Ranks 0 and 1 have a separate connection, which rank 0 breaks repeatedly until one of them has
  /// noticed: data that have arrived are still read, so one break may lose nothing. Messages to
  /// rank 2 use another network, so rank 2 is told of the loss and tells both to stop.
  bool parted(bool goes_on) {
    if (goes_on) job_.on_peer_lost({.run = on_loss, .context = this});
    job_.world().barrier();
    if (job_.rank() == 2) return serve_the_parted();
    lose_each_other();
    const std::uint64_t start_count = answers_;
    for (std::uint64_t i = 0; i < parted_questions; ++i)
      job_.primordial().request({.target = 2, .handler = 1});
    job_.wait_until([&] { return answers_ >= start_count + parted_questions; });
    return !job_.failed(2);
  }

  /// Counts sleeps that end by themselves; one that goes on does not count.
  bool idle(double seconds) {
    job_.world().barrier();
    const long start_count = used().ru_nvcsw;
    const auto start = std::chrono::steady_clock::now();
    if (job_.rank() == 0) std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
    job_.world().barrier();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const long count = used().ru_nvcsw - start_count;
    if (job_.rank() != 0) std::printf("slept %ld times in %g s\n", count, took.count());
    return true;
  }

  /// Whether a put that keeps its source is started without a wait. (With a wait, rank 1 would wait
  /// for the file for ever.) Rank 1 polls until it hears that rank 0 has passed the barrier,
  /// because its own message of the barrier may stay in the provider until a connection is made.
  bool deferred(const char* file) {
    constexpr std::size_t bytes = std::size_t{1} << 20;
    auto* const target = static_cast<std::byte*>(job_.heap().allocate(bytes));
    std::memset(target, 0, bytes);
    const std::vector<std::byte> source(bytes, std::byte{7});
    job_.world().barrier();
    if (job_.rank() == 0) {
      send(1, 8);
      atl::event done;
      atl::put_nb(job_.primordial(), 1, at_neighbour(target), source.data(), bytes, done,
                  {.keeps_source = true});
      std::ofstream{file}.flush();
      job_.wait(done);
    } else {
      job_.wait_until([&] { return handled_ == 1; });
      while (::access(file, F_OK) != 0) std::this_thread::sleep_for(1ms);
    }
    job_.world().barrier();
    return job_.rank() == 0 || std::memcmp(target, source.data(), bytes) == 0;
  }

 private:
  static constexpr std::uint64_t parted_questions = 100;

  template <class Ready>
  bool talk_until(Ready ready) {
    std::uint64_t sent = 0;
    bool right = true;
    while (!ready()) {
      for (int i = 0; i < 16; ++i) send(right_neighbour(), 8 + sent++ % 2048);
      atl::put_value(job_.primordial(), right_neighbour(), &neighbour_slots()->value, sent);
      std::uint64_t seen = 0;
      atl::get(job_.primordial(), &seen, right_neighbour(), &neighbour_slots()->value, sizeof seen);
      right = right && seen == sent;
    }
    return settle(sent) && right;
  }

  void lose_each_other() {
    bool has_told = false;
    std::uint64_t sent = 0;
    while (!stops_) {
      // While answers are missing nothing more is broken, so that the ranks can notice.
      if (job_.rank() == 0 && sent - answers_ < 8) {
        job_.primordial().request({.target = 1, .handler = 1});
        if (++sent % 64 == 0) shut_streams_down();
      }
      job_.progress();
      if (losses_ == 0 || has_told) continue;
      job_.primordial().request({.target = 2, .handler = 3});
      has_told = true;
    }
  }

  bool serve_the_parted() {
    job_.wait_until([&] { return noticed_ != 0; });
    for (const atl::rank_id each : {0u, 1u})
      job_.primordial().request({.target = each, .handler = 4});
    job_.wait_until([&] { return handled_ == 2 * parted_questions; });
    return !job_.failed(0) && !job_.failed(1);
  }

  static void on_message(void* self, atl::am_token&, const std::uint32_t*, unsigned, void*,
                         std::size_t) {
    ++static_cast<member*>(self)->handled_;
  }

  static void on_question(void* self, atl::am_token& token, const std::uint32_t*, unsigned, void*,
                          std::size_t) {
    ++static_cast<member*>(self)->handled_;
    token.reply({.handler = 2});
  }
  static void on_answer(void* self, atl::am_token&, const std::uint32_t*, unsigned, void*,
                        std::size_t) {
    ++static_cast<member*>(self)->answers_;
  }

  static void on_loss(void* self, atl::rank_id, std::string_view) noexcept {
    ++static_cast<member*>(self)->losses_;
  }
  static void on_notice(void* self, atl::am_token&, const std::uint32_t*, unsigned, void*,
                        std::size_t) {
    ++static_cast<member*>(self)->noticed_;
  }
  static void on_stop(void* self, atl::am_token&, const std::uint32_t*, unsigned, void*,
                      std::size_t) {
    static_cast<member*>(self)->stops_ = true;
  }

  /// Ends all IP connections of this process.
  static void shut_streams_down() {
    for (int each = 0; each < 1024; ++each) {
      sockaddr_storage remote{};
      socklen_t bytes = sizeof remote;
      if (::getpeername(each, reinterpret_cast<sockaddr*>(&remote), &bytes) != 0) continue;
      if (remote.ss_family == AF_INET || remote.ss_family == AF_INET6) ::shutdown(each, SHUT_RDWR);
    }
  }

  static rusage used() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage;
  }
  static long resident_kib_max() { return used().ru_maxrss; }

  atl::rank_id right_neighbour() const { return (job_.rank() + 1) % job_.size(); }

  template <class T>
  T* at_neighbour(T* local) const {
    const atl::route* const rows = job_.heaps().routes();
    const auto offset = reinterpret_cast<std::uintptr_t>(local) - rows[job_.rank()].remote();
    return reinterpret_cast<T*>(rows[right_neighbour()].remote() + offset);
  }
  slots* neighbour_slots() const { return at_neighbour(slots_); }

  void send(atl::rank_id to, std::size_t bytes) {
    job_.primordial().request({.target = to,
                               .kind = atl::am_category::medium,
                               .handler = 0,
                               .payload = payload_.data(),
                               .bytes = bytes});
  }

  /// Whether every message that the left neighbour has sent was handled exactly once.
  bool settle(std::uint64_t sent) {
    atl::put_value(job_.primordial(), right_neighbour(), &neighbour_slots()->sent, sent);
    job_.world().barrier();
    job_.wait_until([&] { return handled_ >= slots_->sent; });
    job_.world().barrier();
    return handled_ == slots_->sent;
  }

  atl::runtime& job_;
  slots* slots_;
  std::vector<std::byte> payload_ = std::vector<std::byte>(payload_bytes);
  std::uint64_t handled_ = 0;
  std::uint64_t answers_ = 0;
  std::uint64_t losses_ = 0;
  std::uint64_t noticed_ = 0;  // ranks that have reported a loss
  bool stops_ = false;
  void* place_ = nullptr;
};

/// Ranks 0 and 1 use streams between them, and datagrams to later ranks.
void choose_networks() {
  const std::string_view rank = atl::foreign_variable("ATOLL_RANK");
  const bool has_both = rank == "0" || rank == "1";
  ::setenv("ATOLL_OFI_PROVIDER", has_both ? "net,udp" : "udp", 1);
}

bool run(std::string_view scenario, const char* amount) {
  const bool is_parted = scenario == "parted" || scenario == "broken";
  if (is_parted) choose_networks();
  atl::runtime job({.threads = atl::thread_mode::single});
  member me(job);
  if (scenario == "steady") return me.steady(std::atof(amount));
  if (scenario == "until") return me.steady_until(amount);
  if (scenario == "messages") return me.messages(std::atof(amount));
  if (scenario == "idle") return me.idle(std::atof(amount));
  if (scenario == "deferred") return me.deferred(amount);
  if (scenario == "everybody") return me.everybody();
  if (is_parted) return me.parted(scenario == "parted");
  if (scenario == "flood") return me.flood(std::strtoull(amount, nullptr, 10));
  return me.registered();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  try {
    if (run(argv[1], argc > 2 ? argv[2] : "1")) return 0;
    std::fprintf(stderr, "network_member: something was lost, or came twice\n");
  } catch (const atl::error& refused) {
    std::fprintf(stderr, "network_member: %s\n", refused.what());
  }
  return 1;
}
