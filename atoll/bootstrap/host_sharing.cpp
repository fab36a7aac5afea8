// SPDX-License-Identifier: BSD-3-Clause
//
// The exchange that shows which ranks share a host. Each rank sends a fixed record: version, host,
// process and descriptor. A host is a boot of a machine and a process name space, since a path
// below /proc leads nowhere in another one.
#include <atoll/bootstrap/host_sharing.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/base/version.hpp>
#include <atoll/bootstrap/single.hpp>

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>

namespace atl::bootstrap {
namespace {

struct greeting {
  char version[32];
  char host[96];  // the boot of the machine and the process name space
  std::int32_t pid;
  std::int32_t memory;
};

void read_into(std::span<char> to, const char* path) {
  const descriptor file(open(path, O_RDONLY | O_CLOEXEC));
  const ssize_t got = file ? read(file.get(), to.data(), to.size() - 1) : 0;
  if (got > 0 && to[static_cast<std::size_t>(got) - 1] == '\n')
    to[static_cast<std::size_t>(got) - 1] = '\0';
}

greeting greet(const descriptor& memory) {
  greeting own{};
  std::strncpy(own.version, version_text, sizeof own.version - 1);
  read_into(std::span(own.host).first(48), "/proc/sys/kernel/random/boot_id");
  const std::size_t used = std::strlen(own.host);
  [[maybe_unused]] const auto got =
      readlink("/proc/self/ns/pid", own.host + used, sizeof own.host - used - 1);
  own.pid = getpid();
  own.memory = memory.get();
  return own;
}

greeting greeting_in(std::span<const std::byte> raw, const greeting& own) {
  greeting received;
  if (raw.size() != sizeof received)
    throw error("job", "its ranks use different versions of Atoll",
                "let all ranks load the same libatoll.so");
  std::memcpy(&received, raw.data(), sizeof received);
  received.version[sizeof received.version - 1] = received.host[sizeof received.host - 1] = '\0';
  if (std::memcmp(received.version, own.version, sizeof own.version) != 0)
    throw error("job", text("its ranks use Atoll ", own.version, " and ", received.version),
                "let all ranks load the same libatoll.so");
  return received;
}

descriptor open_memory_of(const greeting& leader) {
  const auto path = text("/proc/", leader.pid, "/fd/", leader.memory);
  descriptor shared(open(path.c_str(), O_RDWR | O_CLOEXEC));
  if (!shared)
    throw error("host memory", text(path, " cannot be opened: ", errno_text(errno)),
                "ranks of one host must run as one user and see each other in /proc");
  return shared;
}

}  // namespace

bool shared_host::is_only() const {
  return std::ranges::all_of(host_of_rank, [](std::uint32_t host) { return host == 0; });
}

/// The first rank of a host is known only afterwards, so every rank makes a file. The others drop
/// theirs when all have opened the first one's.
shared_host share_host(rank_id rank, const launcher_collectives& job) {
  shared_host shared;
  shared.memory = make_host_memory();
  const auto own = greet(shared.memory);
  const auto blobs = job.exchange(std::as_bytes(std::span(&own, 1)));
  std::map<std::string, std::uint32_t> numbers;
  std::vector<greeting> leaders;
  for (rank_id other = 0; other < blobs.size(); ++other) {
    const greeting received = greeting_in(blobs[other], own);
    const auto [host, is_new] =
        numbers.emplace(received.host, static_cast<std::uint32_t>(numbers.size()));
    if (is_new) leaders.push_back(received);
    shared.host_of_rank.push_back(host->second);
  }
  const auto& leader = leaders[shared.host_of_rank[rank]];
  descriptor leader_memory;
  if (leader.pid != getpid()) leader_memory = open_memory_of(leader);
  job.fence();
  if (leader_memory) shared.memory = std::move(leader_memory);
  return shared;
}

}  // namespace atl::bootstrap
