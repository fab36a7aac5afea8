// SPDX-License-Identifier: BSD-3-Clause
//
// Tests puts and gets between memories of every pair of kinds: from host memory, from shared
// memory, and from memory of a device, to the shared heap and to devices of every rank, this one
// included; of sizes around those of chunks and messages; blocking, with events and implicit. All
// data that were put are got back and compared. Also non-contiguous transfers
// (scattered_checks.hpp) and collectives (collective_checks.hpp); and mistakes, one per run, by
// name.
//
// device_traffic [direct|staged|registered|windowed|any] [KIND ...] [pinned] [unwindowed] [small]
//                      checks which way transfers between ranks of this host went; with several
//                      kinds, between all pairs of their memories; `small`: few sizes alone;
//                      `pinned`: all heaps must be pinned; `unwindowed`: a device has no window
// device_traffic crowded [KIND]
//                      all ranks get from one at once, more than its pinned memory holds: nothing
//                      is staged in memory that is not pinned
// device_traffic MISTAKE [KIND]
//                      outside, local, freed, held, atomic, broadcast
#include <atoll/base/error.hpp>
#include <atoll/coll/collectives.hpp>
#include <atoll/coll/engine/engine.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/layer_access.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/memory/device/host_registration.hpp>
#include <tests/multi/device/collective_checks.hpp>
#include <tests/multi/device/memory_of_kind.hpp>
#include <tests/multi/device/scattered_checks.hpp>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace atl;

constexpr std::size_t sizes[] = {1, 7, 4096, 70'001, 512 << 10, (1 << 20) + 3};
enum class form { blocking, explicit_event, implicit };

class traffic {
 public:
  traffic(runtime& job, const std::vector<memory::memory_kind>& kinds) : job_(job) {
    memories_.push_back(std::make_unique<memory_of_kind>(job, nullptr));
    for (const memory::memory_kind kind : kinds) {
      memories_.push_back(std::make_unique<memory_of_kind>(job, &device_of(job, kind)));
    }
  }

  /// Runs with the first `count` sizes. `go_directly`: collectives that only move data must do so.
  void run(std::size_t count, bool go_directly) {
    sizes_ = std::span(sizes).first(count);
    for (rank_id peer = 0; peer < job_.size(); ++peer) {
      for (const auto& local : memories_)
        for (const auto& remote : memories_) {
          const std::uint64_t staged = layer_access::devices(job_).staged_bytes();
          for (const form form_of_call : {form::blocking, form::explicit_event, form::implicit})
            check_sizes(*local, *remote, peer, form_of_call);
          staged_bytes_ += layer_access::devices(job_).staged_bytes() - staged;
          if (count == std::size(sizes) && (local->device != nullptr || remote->device != nullptr))
            check_scattered(job_, *local, *remote, peer);
        }
      job_.world().barrier();
    }
    if (count == std::size(sizes)) run_collectives(go_directly);
  }

  /// All ranks get from the first one, and that one from the second, from device to device, in
  /// pieces that are all under way at once.
  void run_crowded() {
    constexpr std::size_t piece = std::size_t{64} << 10;
    constexpr std::size_t bytes = 16 * piece;
    memory_of_kind& memory = device();
    for (rank_id asking = 0; asking < job_.size(); ++asking)
      write(memory, memory.region_of(job_.rank(), asking), pattern(bytes, asking));
    job_.world().barrier();
    const rank_id peer = job_.rank() == 0 ? 1 : 0;
    std::byte* const from = memory.region_of(peer, job_.rank());
    for (std::size_t offset = 0; offset < bytes; offset += piece)
      get_nbi(memory.shared, memory.scratch(0) + offset, peer, from + offset, piece,
              {.device = memory.device});
    job_.wait_implicit(true, true);
    if (read(memory, memory.scratch(0), bytes) != pattern(bytes, job_.rank()))
      job_.fail("gets from memory of devices", "wrong bytes", "");
    job_.world().barrier();
    if (layer_access::devices(job_).unpinned_bytes() != 0)
      job_.fail("gets from memory of devices",
                std::to_string(layer_access::devices(job_).unpinned_bytes()) +
                    " bytes were staged in memory that is not pinned",
                "");
  }

  memory_of_kind& device() { return *memories_[1]; }
  /// The bytes of contiguous transfers that were to be staged.
  std::uint64_t staged_bytes() const { return staged_bytes_; }
  void end() {
    job_.world().barrier();
    for (const auto& each : memories_) each->end();
  }

 private:
  // Runs collectives on one segment in which the part of rank 1 is host memory.
  void run_collectives(bool go_directly) {
    memory_of_kind mixed(job_, job_.rank() == 1 ? nullptr : memories_[1]->device);
    check_collectives(job_, mixed, go_directly);
    mixed.end();
  }

  static const char* name_of(const memory_of_kind& which) {
    return memory::name_of(which.device != nullptr ? which.device->description().kind
                                                   : memory::memory_kind::host);
  }

  void check_sizes(memory_of_kind& local, memory_of_kind& remote, rank_id peer, form form_of_call) {
    for (const std::size_t bytes : sizes_) {
      const auto sent = pattern(bytes, job_.rank() + 100 * ++round_);
      std::byte* const from = local.scratch(0);
      std::byte* const back = local.scratch(1);
      write(local, from, sent);
      transfer_options options{.keeps_source = form_of_call != form::blocking,
                               .device = local.device};
      std::byte* const target = remote.region_of(peer, job_.rank());
      move(true, remote.shared, peer, target, from, bytes, form_of_call, options);
      move(false, remote.shared, peer, target, back, bytes, form_of_call, options);
      if (read(local, back, bytes) == sent) continue;
      job_.fail("a transfer between memories of devices",
                std::string("wrong bytes: ") + name_of(local) + " to " + name_of(remote) +
                    " of rank " + std::to_string(peer) + ", " + std::to_string(bytes) +
                    " bytes, form " + std::to_string(static_cast<int>(form_of_call)),
                "");
    }
  }

  void move(bool puts, segment& shared, rank_id peer, std::byte* remote, std::byte* local,
            std::size_t bytes, form form_of_call, transfer_options options) {
    if (form_of_call == form::implicit) {
      puts ? put_nbi(shared, peer, remote, local, bytes, options)
           : get_nbi(shared, local, peer, remote, bytes, options);
      job_.wait_implicit(true, true);
      return;
    }
    event done;
    puts ? put_nb(shared, peer, remote, local, bytes, done, options)
         : get_nb(shared, local, peer, remote, bytes, done, options);
    if (form_of_call == form::blocking && puts && options.device == nullptr)
      put(shared, peer, remote, local, bytes);  // the form without options, once more
    job_.wait(done);
  }

  void write(memory_of_kind& into, std::byte* to, const std::vector<std::byte>& data) {
    put(into.shared, job_.rank(), to, data.data(), data.size());
  }
  std::vector<std::byte> read(memory_of_kind& from, std::byte* offset, std::size_t bytes) {
    std::vector<std::byte> data(bytes);
    get(from.shared, data.data(), job_.rank(), offset, bytes);
    return data;
  }

  runtime& job_;
  std::vector<std::unique_ptr<memory_of_kind>> memories_;  // the first: host memory
  std::span<const std::size_t> sizes_;
  unsigned round_ = 0;
  std::uint64_t staged_bytes_ = 0;
};

/// Makes a mistake, after which the job must end with a message.
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
  if (which == "held") {  // freed, while the peer has it open
    if (job.rank() == 0) put(shared, peer, target, data.data(), data.size());
    job.world().barrier();
    if (job.rank() == 1) job_traffic.device().device->free(job_traffic.device().base);
    job.world().barrier();
    if (job.rank() == 0) put(shared, peer, target, data.data(), data.size());
    job.world().barrier();
  }
  if (which == "broadcast")
    coll::broadcast(job.world(), 0, job_traffic.device().base, job_traffic.device().base, 1000);
  if (which == "atomic") {
    atomic(shared, peer, reinterpret_cast<std::uint64_t*>(target),
           {.op = atomic_op::add, .operand = 1});
  }
}

// `staged`: bytes of contiguous transfers.
void check_way(runtime& job, const std::string& wanted, std::uint64_t staged) {
  const std::uint64_t direct = layer_access::devices(job).direct_bytes();
  const std::uint64_t registered = layer_access::devices(job).registered_bytes();
  const std::uint64_t windowed = layer_access::devices(job).windowed_bytes();
  if (wanted == "windowed" && windowed == 0)
    job.fail("the ways of transfers", "no bytes went through a window", "");
  if (wanted == "windowed") return;
  const bool is_so = wanted == "direct"   ? staged == 0 && registered == 0
                     : wanted == "staged" ? staged != 0 && registered == 0
                                          : registered != 0 && staged == 0;
  if (job.size() == 1 || is_so) return;
  job.fail("the ways of transfers",
           std::to_string(direct) + " bytes directly, " + std::to_string(staged) + " staged, " +
               std::to_string(registered) + " registered",
           "all were to be " + wanted);
}

void check_pinned(runtime& job, memory::device& device) {
  const auto* const pinned = dynamic_cast<memory::host_registration*>(&device);
  if (pinned == nullptr || pinned->registered() != job.size())
    job.fail("the heaps of all ranks", "they are not pinned", "");
}

std::vector<memory::memory_kind> kinds_of(const std::vector<std::string>& words) {
  std::vector<memory::memory_kind> found;
  for (const memory::memory_kind kind : memory::device_kinds)
    if (std::ranges::find(words, memory::name_of(kind)) != words.end()) found.push_back(kind);
  if (found.empty()) found.push_back(memory::memory_kind::cuda);
  return found;
}

void run(runtime& job, const std::vector<std::string>& words) {
  traffic job_traffic(job, kinds_of(words));
  const std::string wanted = words.empty() ? "" : words[0];
  if (wanted.empty() || wanted == "direct" || wanted == "staged" || wanted == "registered" ||
      wanted == "windowed" || wanted == "any") {
    job_traffic.run(!words.empty() && words.back() == "small" ? 3 : std::size(sizes),
                    wanted == "direct" || wanted == "registered");
    if (wanted != "any" && !wanted.empty()) check_way(job, wanted, job_traffic.staged_bytes());
    if (std::ranges::find(words, "unwindowed") != words.end() &&
        layer_access::devices(job).windowed_bytes() != 0)
      job.fail("the ways of transfers", "some bytes went through a window", "");
    if (std::ranges::find(words, "pinned") != words.end())
      check_pinned(job, *job_traffic.device().device);
  } else if (wanted == "crowded") {
    job_traffic.run_crowded();
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
    run(job, {words + 1, words + count});
  } catch (const error& refused) {
    job.fail(refused.object(), refused.cause(), refused.remedy());
  }
  return 0;
}
