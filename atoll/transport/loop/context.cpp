// SPDX-License-Identifier: BSD-3-Clause
//
// Delivery inside of send(). The blocks lie in private memory that the kernel provides page by page
// as it is touched, so an unused loop costs nothing.
#include <atoll/transport/loop/context.hpp>

#include <atoll/base/error.hpp>

#include <sys/mman.h>

#include <cerrno>
#include <cstring>

namespace atl::transport::loop {

namespace {

constexpr std::size_t pools_bytes = 2 * sizeof(pool_memory);

}  // namespace

pool_memory* context::map_pools() {
  void* mapped = ::mmap(nullptr, pools_bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED) {
    throw error("message buffers", "mmap: " + errno_text(errno),
                "raise the address space limit (ulimit -v)");
  }
  return static_cast<pool_memory*>(mapped);  // zeros are an all-free pool
}

void context::unmap::operator()(pool_memory* pools) const noexcept { ::munmap(pools, pools_bytes); }

context::context(rank_id self, bool threaded, receiver& to)
    : self_(self),
      to_(to),
      memory_(map_pools()),
      pools_{pool_owner(memory_[0], threaded), pool_owner(memory_[1], threaded)} {}

post context::send(const message& out) noexcept {
  if (out.kind != category::medium) {
    deliver(out, reinterpret_cast<void*>(out.address));
    return post::done;
  }
  const staging buffer = prepare(out.via, out.bytes);
  if (buffer.data == nullptr) return post::retry;
  if (out.bytes != 0) std::memcpy(buffer.data, out.payload, out.bytes);
  return commit(buffer, out);
}

staging context::prepare(channel via, std::size_t bytes) noexcept {
  pool_owner& pool = pools_[static_cast<std::size_t>(via)];
  const std::uint32_t block = pool.claim(bytes);
  if (block == pool_owner::no_block) return {};
  return {.data = pool.memory().block(block),
          .bytes = pool_memory::room(block),
          .block = block,
          .via = via};
}

post context::commit(const staging& buffer, const message& out) noexcept {
  deliver(out, buffer.data);
  cancel(buffer);
  return post::done;
}

void context::cancel(const staging& buffer) noexcept {
  pools_[static_cast<std::size_t>(buffer.via)].memory().free(buffer.block);
}

void context::deliver(const message& out, void* payload) noexcept {
  to_.deliver({.source = self_,
               .via = out.via,
               .kind = out.kind,
               .handler = out.handler,
               .nargs = out.nargs,
               .endpoint = out.endpoint,
               .crossing = out.crossing,
               .taken_out = true,
               .args = out.args,
               .payload = payload,
               .bytes = out.bytes});
}

}  // namespace atl::transport::loop
