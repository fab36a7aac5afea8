// SPDX-License-Identifier: BSD-3-Clause
//
// This variant cannot deadlock: before a rank waits for a partner's block it has sent its own block
// of that number, and for that it waits only for sends whose receives are posted.
#include <apps/spin/mpi/opt.hpp>
#include <atoll/base/clock.hpp>

#include <algorithm>

namespace spin {
namespace {

void wait_for_all(std::vector<MPI_Request>& requests) {
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

}  // namespace

opt::opt(const exchange_shape& shape, int rank)
    : exchange(shape),
      rank_(rank),
      receives_(shape.buffers, requests(shape.partners, MPI_REQUEST_NULL)),
      sends_(receives_),
      streams_(shape.partners) {
  for (unsigned bit = 0; bit < shape.partners; ++bit) rings_.emplace_back(shape.buffer_elements());
}

void opt::receive(std::size_t block) {
  const std::size_t place = place_of(block);
  for (unsigned bit = 0; bit < shape_.partners; ++bit) {
    MPI_Irecv(rings_[bit].data() + place * shape_.block_elements,
              static_cast<int>(shape_.block_elements), MPI_DOUBLE, rank_ ^ 1 << bit, 0,
              MPI_COMM_WORLD, &receives_[place][bit]);
  }
}

void opt::send(std::size_t block) {
  for (unsigned bit = 0; bit < shape_.partners; ++bit) {
    MPI_Isend(vector_ + block * shape_.block_elements, static_cast<int>(shape_.block_elements),
              MPI_DOUBLE, rank_ ^ 1 << bit, 0, MPI_COMM_WORLD, &sends_[place_of(block)][bit]);
    moved_bytes_ += shape_.block_bytes();
  }
  sent_ = block + 1;
}

void opt::send_ready() {
  while (sent_ < offered_) {
    requests& previous = sends_[place_of(sent_)];
    int complete = 0;
    MPI_Testall(static_cast<int>(previous.size()), previous.data(), &complete, MPI_STATUSES_IGNORE);
    if (complete == 0) return;
    send(sent_);
  }
}

void opt::begin(const double* vector) {
  vector_ = vector;
  offered_ = 0;
  sent_ = 0;
  for (std::size_t block = 0; block < std::min(shape_.buffers, shape_.blocks); ++block)
    receive(block);
}

void opt::offer(std::size_t blocks) {
  offered_ = blocks;
  send_ready();
}

block_streams opt::wait_for(std::size_t block) {
  const std::int64_t start_ns = atl::now_ns();
  while (sent_ <= block) {  // all have been offered
    wait_for_all(sends_[place_of(sent_)]);
    send(sent_);
  }
  send_ready();
  wait_for_all(receives_[place_of(block)]);
  waited_ns_ += atl::now_ns() - start_ns;
  for (std::size_t i = 0; i < streams_.size(); ++i)
    streams_[i] = rings_[i].data() + place_of(block) * shape_.block_elements;
  return {streams_.data(), streams_.size()};
}

void opt::release(std::size_t block) {
  if (block + shape_.buffers < shape_.blocks) receive(block + shape_.buffers);
}

void opt::finish() {
  for (requests& each : sends_) wait_for_all(each);
  offered_ = 0;
}

// Receives the messages that have been sent.
void opt::settle() {
  for (std::size_t block = 0; block < offered_; ++block) {
    wait_for(block);
    release(block);
  }
  finish();
}

}  // namespace spin
