// SPDX-License-Identifier: BSD-3-Clause
//
// A segment of which some ranks give the file that their part maps, and others do not: neighbours
// reach the former by loads and stores, without a message or a copy of the kernel, in C++ and in C;
// all others as any memory. Sizes and offsets differ by rank, and one rank in five has no part.
// When the segment is closed, neither a mapping nor a descriptor is left. With the argument `lost`
// the last rank dies, and the others close the segment without it. With `refused` the kernel gives
// out no descriptors, and all memory is as any.
#include <tests/multi/core/given_files_inline.h>
#include <atoll/base/error.hpp>
#include <atoll/base/rounding.hpp>
#include <atoll/base/system/foreign_descriptor.hpp>
#include <atoll/core/am/am.hpp>
#include <atoll/core/atomic/atomic.hpp>
#include <atoll/core/job/shared_runtime.hpp>
#include <atoll/core/rma/rma.hpp>
#include <atoll/core/segment/segment.hpp>
#include <atoll/core/strided/strided.hpp>
#include <atoll/trace/counters.hpp>

#include <tests/support/refuse_call.hpp>

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace atl;

constexpr std::size_t index_of_endpoint = 7;  // is bound to the segment
constexpr std::size_t file_bytes = 1 << 20;
constexpr std::size_t block = 100'003;  // of a large put, with an odd end
constexpr const char* file_name = "given_by_the_test";

[[noreturn]] void fail(const runtime& job, const std::string& property) {
  std::fprintf(stderr, "rank %u: wrong: %s\n", job.rank(), property.c_str());
  std::_Exit(1);
}

void require(const runtime& job, bool condition, const std::string& property) {
  if (!condition) fail(job, property);
}

bool gives(rank_id rank) { return rank % 3 != 2; }
bool has_part(rank_id rank) { return rank % 5 != 4; }
std::size_t offset_of(rank_id rank) { return 4096 * (rank % 4) + 8 * rank; }
std::size_t bytes_of(rank_id rank) { return has_part(rank) ? 510'001 + 1000 * rank : 0; }

std::vector<std::byte> pattern(std::size_t bytes, unsigned seed) {
  std::vector<std::byte> made(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    made[i] = static_cast<std::byte>(i * 31 + seed * 7 + i / 251);
  return made;
}

/// Mappings and descriptors of this process that are of the test's files.
std::size_t mappings_of_files() {
  std::ifstream list("/proc/self/maps");
  std::size_t count = 0;
  for (std::string line; std::getline(list, line);)
    if (line.find(file_name) != std::string::npos) ++count;
  return count;
}
std::size_t descriptors_of_files() {
  std::size_t count = 0;
  for (const auto& each : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code gone;
    const std::string name = std::filesystem::read_symlink(each.path(), gone).string();
    if (name.find(file_name) != std::string::npos) ++count;
  }
  return count;
}

/// This rank's memory: a mapping of a file, or allocated.
class own_memory {
 public:
  explicit own_memory(const runtime& job) : allocated_(file_bytes) {
    file_ = ::memfd_create(file_name, MFD_CLOEXEC);
    require(job, file_ >= 0 && ::ftruncate(file_, file_bytes) == 0, "a memfd is made");
    mapped_ = ::mmap(nullptr, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_, 0);
    require(job, mapped_ != MAP_FAILED, "and mapped");
    std::memset(mapped_, 0, file_bytes);
  }
  own_memory(const own_memory&) = delete;
  own_memory& operator=(const own_memory&) = delete;
  ~own_memory() {
    ::munmap(mapped_, file_bytes);
    close_file();
  }

  /// The descriptor may be closed when the part has been shared.
  void close_file() {
    if (file_ >= 0) ::close(file_);
    file_ = -1;
  }

  segment_part part(rank_id rank, bool with_file) {
    const std::size_t offset = offset_of(rank);
    if (!with_file) return {.base = allocated_.data() + offset, .bytes = bytes_of(rank)};
    return {.base = static_cast<std::byte*>(mapped_) + offset,
            .bytes = bytes_of(rank),
            .file = file_,
            .file_offset = offset};
  }

 private:
  std::vector<std::byte> allocated_;
  int file_;
  void* mapped_;
};

std::uint64_t sent_so_far() {
  const auto counts = trace::read();
  return counts[static_cast<std::size_t>(trace::counter::requests)] +
         counts[static_cast<std::size_t>(trace::counter::kernel_copies)];
}

/// Whether the kernel gives out descriptors.
bool are_given() {
  const int own = ::memfd_create("tried", MFD_CLOEXEC);
  const auto process = static_cast<std::uint32_t>(::getpid());
  const bool given = static_cast<bool>(duplicate_of_foreign(process, own, file_identity(own)));
  ::close(own);
  return given;
}

/// Every way to the part of `peer`; writes from byte `begin` of it on, which is this rank's alone.
void transfer(segment& shared, rank_id peer, std::size_t begin) {
  runtime& job = shared.owner();
  std::byte* const base = shared.part(peer).base + begin;
  const auto sent = pattern(block, job.rank() + 13 * peer);
  std::vector<std::byte> got(block);
  put(shared, peer, base, sent.data(), block);
  get(shared, got.data(), peer, base, block);
  require(job, got == sent, "a large put and get");
  // Eleven rows of 24 bytes at twice that distance.
  const std::ptrdiff_t dense = 24, apart = 48;
  const std::size_t rows[] = {11};
  endpoint& bound = job.endpoint_at(index_of_endpoint);
  put(bound, peer,
      strided_transfer{.to = base,
                       .to_strides = std::span(&apart, 1),
                       .from = sent.data() + 7,
                       .from_strides = std::span(&dense, 1),
                       .element_bytes = 24,
                       .counts = rows});
  got.assign(11 * 24, {});
  get(bound, peer,
      strided_transfer{.to = got.data(),
                       .to_strides = std::span(&dense, 1),
                       .from = base,
                       .from_strides = std::span(&apart, 1),
                       .element_bytes = 24,
                       .counts = rows});
  require(job, std::memcmp(got.data(), sent.data() + 7, got.size()) == 0, "rows");
  auto* const number = reinterpret_cast<std::uint64_t*>(base);
  require(job,
          transfer_inline(shared.handle(), peer, number, 100 + peer, ~std::uint64_t{peer}) == 1,
          "transfers of C");
  require(job,
          atomic(shared, peer, number, {.op = atomic_op::fetch_add, .operand = 1}) == 105u + peer,
          "an atomic");
}

/// All ranks transfer to one after the other, each in a place of its own there.
void transfer_to_all(segment& shared, bool with_files) {
  runtime& job = shared.owner();
  const std::size_t room = round_up(block, 8);
  for (rank_id peer = 0; peer < job.size(); ++peer) {
    if (!has_part(peer)) continue;
    const bool is_direct =
        job.is_neighbour(peer) && (peer == job.rank() || (with_files && gives(peer)));
    const std::byte* const base = shared.part(peer).base;
    require(job, (shared.routes()[peer].direct(base, bytes_of(peer)) != nullptr) == is_direct,
            "the whole part is mapped, or nothing");
    require(job, shared.routes()[peer].direct(base, bytes_of(peer) + 1) == nullptr, "no byte more");
    // Inline code takes the owner's address, so the file must be mapped at it; where that is not
    // free here, the library does the loads and stores.
    const bool is_at_owners_address = shared.routes()[peer].direct(base, 8) == base;
    require(job,
            (is_found_inline(shared.handle(), peer, base, 8) != 0) ==
                (is_direct && is_at_owners_address),
            "inline code finds it");
    job.world().barrier();
    const std::uint64_t before = sent_so_far();
    transfer(shared, peer, job.rank() * room);
    if (is_direct) require(job, sent_so_far() == before, "no message and no copy of the kernel");
    job.world().barrier();
  }
}

struct arrival {
  std::atomic<unsigned> count = 0;
  std::byte first{};
};

/// Long messages carry their payload to a part as well.
void send_long(segment& shared) {
  runtime& job = shared.owner();
  endpoint& mail = job.endpoint_at(index_of_endpoint);
  arrival seen;
  const auto note = [](void* context, am_token&, const std::uint32_t*, unsigned, void* payload,
                       std::size_t) {
    static_cast<arrival*>(context)->first = *static_cast<const std::byte*>(payload);
    ++static_cast<arrival*>(context)->count;
  };
  require(job, mail.handlers().set(9, {.run = note, .context = &seen}), "a handler");
  job.world().barrier();
  const rank_id right = (job.rank() + 1) % job.size();
  const rank_id left = (job.rank() + job.size() - 1) % job.size();
  const std::vector<std::byte> sent(70'000, static_cast<std::byte>(1 + job.rank()));
  if (has_part(right))
    mail.request({.target = right,
                  .kind = am_category::long_,
                  .handler = 9,
                  .payload = sent.data(),
                  .bytes = sent.size(),
                  .address = reinterpret_cast<std::uintptr_t>(shared.part(right).base + 400'000)});
  if (has_part(job.rank())) {
    job.wait_until([&] { return seen.count == 1; }, 1'000'000);
    require(job, seen.first == static_cast<std::byte>(1 + left), "a long message");
  }
  job.world().barrier();
}

/// One rank names a wrong offset: all ranks are told, and none waits for it.
void share_a_wrong_offset(runtime& job, own_memory& memory) {
  segment shared(job);
  segment_part own = memory.part(job.rank(), true);
  const rank_id wrong = job.size() / 2;
  if (!has_part(wrong)) return;
  if (job.rank() == wrong) own.file_offset += 4096;
  bool is_refused = false;
  try {
    shared.share(own);
  } catch (const error& refused) {
    is_refused = true;
    const std::string_view reason = job.rank() == wrong ? "shared mapping of that file" : "refused";
    require(job, std::string_view(refused.what()).find(reason) != std::string_view::npos,
            "the reason is told");
  }
  require(job, is_refused && shared.part(wrong).bytes == 0, "that rank has no part");
  require(job, shared.part(0).bytes == (wrong == 0 ? 0 : bytes_of(0)), "the others have theirs");
  job.world().barrier();
}

void run(runtime& job, bool maps_files) {
  own_memory memory(job);
  share_a_wrong_offset(job, memory);
  endpoint& bound = job.endpoint_at(index_of_endpoint);
  {
    segment shared(job);
    shared.share(memory.part(job.rank(), gives(job.rank())));
    bound.bind(shared);
    memory.close_file();
    require(job, descriptors_of_files() == (gives(job.rank()) && has_part(job.rank()) ? 1u : 0u),
            "the segment has a duplicate");
    transfer_to_all(shared, maps_files);
    send_long(shared);
    // Without files, the mappings of before are gone.
    shared.share(memory.part(job.rank(), false));
    require(job, mappings_of_files() == 1 && descriptors_of_files() == 0, "nothing is left");
    transfer_to_all(shared, false);
    job.world().barrier();
    bound.bind(job.heaps());
  }
  own_memory again(job);
  {
    segment shared(job);
    shared.share(again.part(job.rank(), gives(job.rank())));
    bound.bind(shared);
    transfer_to_all(shared, maps_files);
    bound.bind(job.heaps());
  }
  again.close_file();
  require(job, mappings_of_files() == 2, "a closed segment maps no file of a neighbour");
  require(job, descriptors_of_files() == 0, "and has no descriptor");
  job.world().barrier();
}

/// The last rank dies; its memory can no longer be reached, and the segment closes.
void run_without_the_last(runtime& job, const std::atomic<int>& losses) {
  own_memory memory(job);
  const rank_id last = job.size() - 1;
  {
    segment shared(job);
    segment_part own = memory.part(job.rank(), true);
    own.bytes = block;
    shared.share(own);
    memory.close_file();
    job.world().barrier();
    if (job.rank() == last) ::raise(SIGKILL);
    job.wait_until([&] { return losses != 0; }, 1'000'000);
    std::uint64_t number = 1;
    require(job,
            put(shared, last, shared.part(last).base, &number, 8) == operation_status::peer_lost,
            "a put to the lost rank");
    require(job, is_found_inline(shared.handle(), last, shared.part(last).base, 8) == 0,
            "inline code does not find its part");
    put(shared, 0, shared.part(0).base + 8 * job.rank(), &number, 8);
  }
  require(job, mappings_of_files() == 1 && descriptors_of_files() == 0, "nothing is left");
}

}  // namespace

int main(int count, char** arguments) {
  const std::string_view wish = count > 1 ? arguments[1] : "";
  const bool loses = wish == "lost";
  if (wish == "refused") support::refuse_call(SYS_pidfd_getfd, EPERM);
  std::atomic<int> losses = 0;
  runtime_options options;
  if (loses)
    options.on_peer_lost = {
        .run = [](void* context, rank_id,
                  std::string_view) noexcept { ++*static_cast<std::atomic<int>*>(context); },
        .context = &losses};
  const auto job = start_shared_runtime(std::move(options));  // inline code of C waits there
  if (loses) {
    run_without_the_last(*job, losses);
  } else if (const bool maps_files = are_given(); maps_files || wish == "refused") {
    run(*job, maps_files);
  } else {
    std::puts("skipped: this kernel gives out no descriptors of other processes");
    return 77;
  }
  return 0;
}
