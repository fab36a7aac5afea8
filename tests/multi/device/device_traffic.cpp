// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets between memories of every pair of kinds: from host memory, from memory that is
// shared, and from memory of a device, to the shared heap and to devices of every rank, this one
// included; of sizes around those of chunks and messages; blocking, with events and implicit. All
// that was put is got back and compared. Non-contiguous transfers (scattered_checks.hpp) and
// collectives (collective_checks.hpp). Then mistakes, one per run, by name.
//
// device_traffic [direct|staged]   checks which way transfers between ranks of this host went
// device_traffic MISTAKE           outside, local, freed, atomic
#include <atoll/base/error.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>
#include <tests/multi/device/collective_checks.hpp>
#include <tests/multi/device/memory_of_kind.hpp>
#include <tests/multi/device/scattered_checks.hpp>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace atl;

constexpr std::size_t sizes[] = {1, 7, 4096, 70'001, 512 << 10, (1 << 20) + 3};
enum class form { blocking, explicit_event, implicit };

class traffic {
 public:
  explicit traffic(runtime& job)
      : job_(job),
        host_(job, nullptr),
        device_(job,
                &job.devices().open(memory::memory_kind::cuda, static_cast<int>(job.rank() % 2))) {}

  void run() {
    for (rank_id peer = 0; peer < job_.size(); ++peer) {
      for (memory_of_kind* local : {&host_, &device_})
        for (memory_of_kind* remote : {&host_, &device_}) {
          for (const form how : {form::blocking, form::explicit_event, form::implicit})
            check_sizes(*local, *remote, peer, how);
          if (local->device != nullptr || remote->device != nullptr)
            check_scattered(job_, *local, *remote, peer);
        }
      job_.world().barrier();
    }
    check_collectives(job_, job_.rank() == 1 ? host_ : device_);
  }

  memory_of_kind& device() { return device_; }
  void end() {
    job_.world().barrier();
    device_.shared.place({});
    device_.device->free(device_.base);
  }

 private:
  void check_sizes(memory_of_kind& local, memory_of_kind& remote, rank_id peer, form how) {
    for (const std::size_t bytes : sizes) {
      const auto sent = pattern(bytes, job_.rank() + 100 * ++round_);
      std::byte* const from = local.scratch(0);
      std::byte* const back = local.scratch(1);
      write(local, from, sent);
      transfer_options options{.keeps_source = how != form::blocking, .device = local.device};
      std::byte* const target = remote.region_of(peer, job_.rank());
      move(true, remote.shared, peer, target, from, bytes, how, options);
      move(false, remote.shared, peer, target, back, bytes, how, options);
      if (read(local, back, bytes) == sent) continue;
      job_.fail("a transfer between memories of devices",
                std::string("wrong bytes: ") + (local.device ? "device" : "host") + " to " +
                    (remote.device ? "device" : "host") + " of rank " + std::to_string(peer) +
                    ", " + std::to_string(bytes) + " bytes, form " +
                    std::to_string(static_cast<int>(how)),
                "");
    }
  }

  void move(bool puts, segment& shared, rank_id peer, std::byte* remote, std::byte* local,
            std::size_t bytes, form how, transfer_options options) {
    if (how == form::implicit) {
      puts ? put_nbi(shared, peer, remote, local, bytes, options)
           : get_nbi(shared, local, peer, remote, bytes, options);
      job_.wait_implicit(true, true);
      return;
    }
    event done;
    puts ? put_nb(shared, peer, remote, local, bytes, done, options)
         : get_nb(shared, local, peer, remote, bytes, done, options);
    if (how == form::blocking && puts && options.device == nullptr)
      put(shared, peer, remote, local, bytes);  // the form without options, once more
    job_.wait(done);
  }

  void write(memory_of_kind& into, std::byte* to, const std::vector<std::byte>& data) {
    put(into.shared, job_.rank(), to, data.data(), data.size());
  }
  std::vector<std::byte> read(memory_of_kind& from, std::byte* at, std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    get(from.shared, data.data(), job_.rank(), at, bytes);
    return data;
  }

  runtime& job_;
  memory_of_kind host_;
  memory_of_kind device_;
  unsigned round_ = 0;
};

/// Does something wrong; the job is to end with a message.
void mistake(runtime& job, traffic& job_traffic, const std::string& which) {
  segment& shared = job_traffic.device().shared;
  const rank_id peer = (job.rank() + 1) % job.size();
  std::byte* const target = job_traffic.device().region_of(peer, job.rank());
  std::vector<std::byte> data(1000);
  if (which == "outside")
    put(shared, peer, target + job_traffic.device().bytes, data.data(), data.size());
  if (which == "local") {
    event done;
    put_nb(shared, peer, target, data.data(), data.size(), done,
           {.device = job_traffic.device().device});
  }
  if (which == "freed") {
    if (job.rank() == 1) {
      shared.place({});
      job_traffic.device().device->free(job_traffic.device().base);
    }
    job.world().barrier();
    if (job.rank() == 0)
      put(shared, 1, job_traffic.device().region_of(1, 0), data.data(), data.size());
    job.world().barrier();
  }
  if (which == "atomic") {
    atomic(shared, peer, reinterpret_cast<std::uint64_t*>(target),
           {.op = atomic_op::add, .operand = 1});
  }
}

void check_way(runtime& job, const std::string& wanted) {
  const std::uint64_t direct = job.devices().direct_bytes();
  const std::uint64_t staged = job.devices().staged_bytes();
  const bool is_so = wanted == "direct" ? staged == 0 : staged != 0;
  if (job.size() == 1 || is_so) return;
  job.fail("the ways of transfers",
           std::to_string(direct) + " bytes directly, " + std::to_string(staged) + " staged",
           "all were to be " + wanted);
}

void run(runtime& job, const std::string& wanted) {
  traffic job_traffic(job);
  if (wanted.empty() || wanted == "direct" || wanted == "staged") {
    job_traffic.run();
    if (!wanted.empty()) check_way(job, wanted);
  } else {
    mistake(job, job_traffic, wanted);
  }
  job_traffic.end();
  if (job.rank() == 0) std::puts("all bytes were right");
}

}  // namespace

int main(int count, char** words) {
  runtime job;
  coll::open(job);
  try {
    run(job, count > 1 ? words[1] : "");
  } catch (const error& refused) {
    job.fail(refused.object(), refused.cause(), refused.remedy());
  }
  return 0;
}
