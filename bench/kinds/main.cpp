// SPDX-License-Identifier: BSD-3-Clause
//
// bench_kinds: puts and gets between memories of devices and hosts, in six directions, one at a
// time and in floods, each beside plain copies of the device in the same rounds. Run it under
// `atoll run -n 2`; one rank plays both parts. With ATOLL_DEVICE_PATH=staged it measures the staged
// way, and with ATOLL_RMA_PATH=am the one between hosts; then floods between host memories show the
// speed of the way between the ranks. One case is staged by hand without a pipeline: the device
// copies everything to pinned memory, which is then put. Without a device the program fails and
// says why.
#include <bench/harness/command_line.hpp>
#include <bench/harness/job_main.hpp>
#include <bench/harness/rank_pair.hpp>
#include <bench/harness/stopwatch.hpp>

#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/memory/device/device_list.hpp>

#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

namespace {

using atl::memory::copy_direction;

constexpr std::size_t largest_bytes = std::size_t{4} << 20;
constexpr std::size_t quick_bytes = std::size_t{64} << 10;
constexpr std::size_t flood_bytes = std::size_t{32} << 20;  // under way in one flood, at most
constexpr std::uint64_t flood_most = 32;

/// Memory of one kind at both ranks: this rank's, and the target's by its own addresses.
struct side {
  const char* name;
  atl::segment* memory;
  atl::memory::device* device;
  std::byte* local;
  std::byte* remote;
};

class kinds {
 public:
  kinds(bench::suite& to, const bench::rank_pair& pair, atl::memory::device& device,
        std::size_t most)
      : suite_(to), pair_(pair), device_(device), most_(most), shared_(pair.job()) {
    block_ = device_.allocate(2 * most);
    pinned_ = device_.pin(most);
    if (block_ == nullptr || pinned_ == nullptr) throw std::runtime_error(device_.problem());
    shared_.share({block_, 2 * most, &device_});
    std::byte* const at_target = shared_.part(pair.target()).base;
    host_ = {"host", &pair.endpoint().bound(), nullptr, pinned_, pair.at_target(pair.area())};
    on_device_ = {"device", &shared_, &device_, block_, at_target + most};
  }
  kinds(const kinds&) = delete;
  kinds& operator=(const kinds&) = delete;
  ~kinds() {
    pair_.job().world().barrier();
    shared_.place({});
    device_.unpin(pinned_);
    device_.free(block_);
  }

  void add(std::size_t bytes) {
    for (const auto& [from, to] : {std::pair(&host_, &on_device_), std::pair(&on_device_, &host_),
                                   std::pair(&on_device_, &on_device_)}) {
      const std::string plain = add_plain(*from, *to, bytes);
      add_direction(true, *from, *to, bytes, plain);
      add_direction(false, *from, *to, bytes, plain);
    }
    // The way between the ranks, without a device.
    add_transfers("put_host_to_host", true, host_, host_, bytes);
    add_transfers("get_host_to_host", false, host_, host_, bytes);
    add_unpipelined(bytes);
  }

 private:
  // A put has its source here, a get its destination.
  void add_direction(bool is_put, const side& from, const side& to, std::size_t bytes,
                     const std::string& plain) {
    const std::string name = std::string(is_put ? "put_" : "get_") + from.name + "_to_" + to.name;
    add_transfers(name, is_put, is_put ? from : to, is_put ? to : from, bytes);
    const std::string size = "_" + std::to_string(bytes);
    suite_.compare({.numerator = name + size, .denominator = plain + size});
    suite_.compare({.numerator = name + "_flood" + size, .denominator = plain + "_flood" + size});
  }

  void add_transfers(const std::string& name, bool is_put, const side& local, const side& remote,
                     std::size_t bytes) {
    const auto start = [this, is_put, local, remote, bytes](atl::event& done) {
      const atl::transfer_options options{.keeps_source = true, .device = local.device};
      if (is_put) {
        atl::put_nb(*remote.memory, pair_.target(), remote.remote, local.local, bytes, done,
                    options);
      } else {
        atl::get_nb(*remote.memory, local.local, pair_.target(), remote.remote, bytes, done,
                    options);
      }
    };
    add_case(name, bytes, [this, start](std::uint64_t count) {
      return bench::time_of(count, [&] {
        atl::event done;
        start(done);
        pair_.job().wait(done);
      });
    });
    add_case(name + "_flood", bytes, [this, start, bytes](std::uint64_t count) {
      std::vector<atl::event> window(window_of(bytes));
      return bench::time_of(count,
                            [&, next = std::size_t{0}]() mutable {
                              pair_.job().wait(window[next]);
                              start(window[next]);
                              next = (next + 1) % window.size();
                            }) +
             bench::time_of(1, [&] {
               for (atl::event& each : window) pair_.job().wait(each);
             });
    });
  }

  std::string add_plain(const side& from, const side& to, std::size_t bytes) {
    const std::string name = std::string("copy_") + from.name + "_to_" + to.name;
    const copy_direction direction = from.device == nullptr ? copy_direction::to_device
                                     : to.device == nullptr ? copy_direction::from_device
                                                            : copy_direction::between;
    std::byte* const target = to.device != nullptr ? block_ + most_ : pinned_;
    const auto start = [this, direction, target, source = from.local, bytes] {
      return device_.start_copy(direction, target, source, bytes);
    };
    const auto wait = [this, direction](std::uint64_t number) {
      while (device_.copies_done(direction).value_or(number) < number) continue;
    };
    add_case(name, bytes, [start, wait](std::uint64_t count) {
      return bench::time_of(count, [&] { wait(start()); });
    });
    add_case(name + "_flood", bytes, [start, wait, bytes](std::uint64_t count) {
      std::uint64_t last = 0;
      const std::uint64_t window = window_of(bytes);
      return bench::time_of(count,
                            [&] {
                              last = start();
                              if (last > window) wait(last - window);
                            }) +
             bench::time_of(1, [&] { wait(last); });
    });
    return name;
  }

  void add_unpipelined(std::size_t bytes) {
    add_case("put_device_to_host_unpipelined", bytes, [this, bytes](std::uint64_t count) {
      return bench::time_of(count, [&] {
        constexpr copy_direction direction = copy_direction::from_device;
        const std::uint64_t number =
            device_.start_copy(direction, pinned_, on_device_.local, bytes);
        while (device_.copies_done(direction).value_or(number) < number) continue;
        atl::event done;
        atl::put_nb(*host_.memory, pair_.target(), host_.remote, pinned_, bytes, done,
                    {.keeps_source = true});
        pair_.job().wait(done);
      });
    });
  }

  static std::size_t window_of(std::size_t bytes) {
    return std::clamp<std::size_t>(flood_bytes / bytes, 1, flood_most);
  }

  template <class Run>
  void add_case(const std::string& name, std::size_t bytes, Run run) {
    suite_.add(
        {.name = name + "_" + std::to_string(bytes),
         .operations = std::clamp<std::uint64_t>(flood_bytes / bytes, 4, 200),
         .bytes = bytes,
         .operations_least = 4,
         .operation = name,
         .run = [this, run](std::uint64_t count) { return pair_.acts() ? run(count) : 0.0; }});
  }

  bench::suite& suite_;
  const bench::rank_pair& pair_;
  atl::memory::device& device_;
  std::size_t most_;
  atl::segment shared_;
  std::byte* block_ = nullptr;   // two halves: the first is used here, the second by the other rank
  std::byte* pinned_ = nullptr;  // host memory of this rank
  side host_;
  side on_device_;
};

bool measure(atl::runtime& job, const bench::options& chosen, std::size_t most,
             std::size_t factor) {
  const auto driver = atl::memory::describe_driver(atl::memory::memory_kind::cuda);
  if (driver.devices.empty()) {
    if (job.rank() == 0)
      std::fprintf(stderr, "bench_kinds: there is no device: %s\n", driver.reason.c_str());
    return false;
  }
  if (chosen.quick) most = std::min(most, quick_bytes);
  const auto index = static_cast<int>(job.rank() % driver.devices.size());
  atl::memory::device& device = job.open_device(atl::memory::memory_kind::cuda, index);
  const bench::rank_pair pair(job, most);
  bench::suite suite(bench::title_of("kinds", job), chosen, [&] { job.world().barrier(); });
  bench::fit_to_job(suite, job);
  kinds cases(suite, pair, device, most);
  for (std::size_t bytes = 8; bytes <= most; bytes *= bytes < 4096 ? 512 : factor) cases.add(bytes);
  suite.run();
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  bench::options chosen;
  std::size_t most = largest_bytes;
  std::size_t factor = 4;
  bench::command_line line(
      "Puts and gets between memories of devices and hosts, beside plain copies", chosen);
  line.add_number("--most", most, "Largest transfer, in bytes", std::size_t{8},
                  std::size_t{1} << 30);
  line.add_number("--factor", factor, "Between one size and the next", std::size_t{2},
                  std::size_t{64});
  line.parse(argc, argv);
  return bench::job_main("bench_kinds", chosen,
                         [&](atl::runtime& job, const bench::options& options) {
                           return measure(job, options, most, factor);
                         });
}
