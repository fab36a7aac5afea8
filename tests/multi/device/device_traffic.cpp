// SPDX-License-Identifier: BSD-3-Clause
//
// Puts and gets between memories of every pair of kinds: from host memory, from memory that is
// shared, and from memory of a device, to the shared heap and to devices of every rank, this one
// included; of sizes around those of chunks and messages; blocking, with events and implicit. All
// that was put is got back and compared. Then mistakes, one per run, by name.
//
// device_traffic [direct|staged]   checks which way transfers between ranks of this host went
// device_traffic MISTAKE           outside, local, freed, atomic
#include <atoll/base/error.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/device/device_transfers.hpp>
#include <atoll/core/job/runtime.hpp>
#include <atoll/core/rma/rma.hpp>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

using namespace atl;

constexpr std::size_t sizes[] = {1, 7, 4096, 70'001, 512 << 10, (1 << 20) + 3};
constexpr std::size_t region = (1 << 20) + 64;  // per source rank, and two of them for local use

std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    made[i] = static_cast<std::byte>(i * 31 + seed * 7 + i / 251);
  return made;
}

enum class form { blocking, explicit_event, implicit };

/// This rank's memory of one kind, shared with all.
struct memory_of_kind {
  memory_of_kind(runtime& job, memory::device* on)
      : device(on), bytes((job.size() + 2) * region), shared(job) {
    base = device != nullptr ? device->allocate(bytes)
                             : static_cast<std::byte*>(job.heap().allocate(bytes, 64));
    if (base == nullptr) throw error("test memory", "there is not enough", "");
    shared.share({base, bytes, device});
  }
  std::byte* at(rank_id owner, rank_id source) const {
    return shared.part(owner).base + source * region;
  }
  std::byte* scratch(std::size_t which) const { return base + (shared.ranks() + which) * region; }

  memory::device* device;
  std::size_t bytes;
  segment shared;
  std::byte* base = nullptr;
};

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
        for (memory_of_kind* remote : {&host_, &device_})
          for (const form how : {form::blocking, form::explicit_event, form::implicit})
            check_sizes(*local, *remote, peer, how);
      job_.world().barrier();
    }
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
      std::byte* const there = remote.at(peer, job_.rank());
      move(true, remote.shared, peer, there, from, bytes, how, options);
      move(false, remote.shared, peer, there, back, bytes, how, options);
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
void mistake(runtime& job, traffic& all, const std::string& which) {
  segment& shared = all.device().shared;
  const rank_id peer = (job.rank() + 1) % job.size();
  std::byte* const there = all.device().at(peer, job.rank());
  std::vector<std::byte> data(1000);
  if (which == "outside") put(shared, peer, there + all.device().bytes, data.data(), data.size());
  if (which == "local") {
    event done;
    put_nb(shared, peer, there, data.data(), data.size(), done, {.device = all.device().device});
  }
  if (which == "freed") {
    if (job.rank() == 1) {
      shared.place({});
      all.device().device->free(all.device().base);
    }
    job.world().barrier();
    if (job.rank() == 0) put(shared, 1, all.device().at(1, 0), data.data(), data.size());
    job.world().barrier();
  }
  if (which == "atomic") {
    atomic(shared, peer, reinterpret_cast<std::uint64_t*>(there),
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
  traffic all(job);
  if (wanted.empty() || wanted == "direct" || wanted == "staged") {
    all.run();
    if (!wanted.empty()) check_way(job, wanted);
  } else {
    mistake(job, all, wanted);
  }
  all.end();
  if (job.rank() == 0) std::puts("all bytes were right");
}

}  // namespace

int main(int count, char** words) {
  runtime job;
  try {
    run(job, count > 1 ? words[1] : "");
  } catch (const error& refused) {
    job.fail(refused.object(), refused.cause(), refused.remedy());
  }
  return 0;
}
