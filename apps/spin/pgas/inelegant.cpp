// SPDX-License-Identifier: BSD-3-Clause
//
// The inelegant variants synchronize by barriers: one when all have filled their buffers, and one
// when all have read. With two buffers one barrier serves both: when all have completed the puts of
// a chunk, all are done with the one before, whose buffer is filled next.
#include <apps/spin/pgas/global_vector.hpp>
#include <apps/spin/pgas/inelegant.hpp>
#include <apps/spin/pgas/mailbox.hpp>

namespace spin {

through_buffer::through_buffer(atl::runtime& job, shared_area& area, const exchange_shape& shape)
    : chunked(shape, 1), job_(job), area_(area), buffer_(area.take<double>(elements(shape, 1))) {
  for (unsigned bit = 0; bit < shape.partners; ++bit) {
    copies_.emplace_back(elements(shape, 1));
    arrive_.push_back(copies_.back().data());
  }
}

void through_buffer::complete(const chunk& moved) {
  job_.world().barrier();
  for (unsigned bit = 0; bit < shape_.partners; ++bit)
    read(copies_[bit].data(), partner_of(job_.rank(), bit), moved.elements);
}

void through_buffer::used(const chunk&) { job_.world().barrier(); }

void inelegant1::start(const chunk& moved) {
  for (std::size_t i = 0; i < moved.elements; ++i) buffer_[i] = moved.source[i];
}

void inelegant1::read(double* to, atl::rank_id partner, std::size_t elements) {
  const double* const remote = area_.peer_address(partner, buffer_);
  const double* const local = mapped(job_.primordial(), partner, remote, elements);
  const global_pointer source(job_.primordial(), partner, remote, local);
  for (std::size_t i = 0; i < elements; ++i) to[i] = source[i];
}

void inelegant2::start(const chunk& moved) {
  atl::put(job_.primordial(), job_.rank(), buffer_, moved.source, moved.elements * sizeof(double));
}

void inelegant2::read(double* to, atl::rank_id partner, std::size_t elements) {
  atl::get(job_.primordial(), to, partner, area_.peer_address(partner, buffer_),
           elements * sizeof(double));
}

inelegant3::inelegant3(atl::runtime& job, shared_area& area, const exchange_shape& shape)
    : chunked(shape, 2), job_(job), events_(shape.partners) {
  for (unsigned bit = 0; bit < shape.partners; ++bit) {
    double* const buffer = area.take<double>(elements(shape, 2));
    arrive_.push_back(buffer);
    remote_.push_back(area.peer_address(partner_of(job.rank(), bit), buffer));
  }
}

void inelegant3::start(const chunk& moved) {
  for (unsigned bit = 0; bit < shape_.partners; ++bit) {
    atl::put_nb(job_.primordial(), partner_of(job_.rank(), bit), remote_[bit] + moved.offset,
                moved.source, moved.elements * sizeof(double), events_[bit]);
  }
}

void inelegant3::complete(const chunk&) {
  for (atl::event& each : events_) job_.wait(each);
  job_.world().barrier();
}

void inelegant3::finish() {
  if (shape_.partners != 0) job_.world().barrier();  // all have read their buffers
}

}  // namespace spin
