// SPDX-License-Identifier: BSD-3-Clause
//
// Moves chunks. With two buffers, chunk k + 2 is not started before chunk k + 1 is complete: its
// buffer is then free at this rank, and a variant that writes into a partner's buffer makes sure in
// complete() that the partner has come as far.
#include <apps/spin/chunked.hpp>
#include <atoll/base/clock.hpp>

#include <algorithm>

namespace spin {

chunked::chunked(const exchange_shape& shape, std::size_t buffers)
    : exchange(shape),
      buffers_(buffers),
      per_chunk_(blocks_each(shape, buffers)),
      streams_(shape.partners) {}

chunked::chunk chunked::chunk_of(std::size_t number) const noexcept {
  const std::size_t first = number * per_chunk_;
  const std::size_t blocks = std::min(per_chunk_, shape_.blocks - first);
  const std::size_t buffer = number % buffers_;
  return {.number = number,
          .source = vector_ + first * shape_.block_elements,
          .elements = blocks * shape_.block_elements,
          .buffer = buffer,
          .offset = buffer * per_chunk_ * shape_.block_elements};
}

block_streams chunked::wait_for(std::size_t block) {
  if (shape_.partners == 0) return {};
  const chunk now = chunk_of(block / per_chunk_);
  if (block % per_chunk_ == 0) {
    const std::int64_t start_ns = atl::now_ns();
    if (buffers_ == 1 || now.number == 0) start(now);
    complete(now);
    moved_bytes_ += now.elements * sizeof(double) * shape_.partners;
    waited_ns_ += atl::now_ns() - start_ns;
    if (buffers_ == 2 && now.number + 1 < chunks()) start(chunk_of(now.number + 1));
  }
  const std::size_t inside = now.offset + block % per_chunk_ * shape_.block_elements;
  for (std::size_t i = 0; i < streams_.size(); ++i) streams_[i] = arrive_[i] + inside;
  return {streams_.data(), streams_.size()};
}

void chunked::release(std::size_t block) {
  if (shape_.partners == 0) return;
  const std::size_t next = block + 1;
  if (next % per_chunk_ == 0 || next == shape_.blocks) used(chunk_of(block / per_chunk_));
}

}  // namespace spin
