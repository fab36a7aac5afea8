// SPDX-License-Identifier: BSD-3-Clause
//
// Exchanges move the planes of a redistribution between the members of a team. A use is: begin(),
// send() of each plane in order, finish(). All members make their exchanges together, in one order.
#pragma once

#include <apps/fft3d/kinds.hpp>
#include <apps/fft3d/layout.hpp>
#include <apps/trial/arena.hpp>
#include <apps/trial/flags.hpp>

#include <memory>

namespace fft3d {

/// One end of a redistribution: its members and the array of this rank that it fills.
struct destination {
  atl::team& members;
  redistribution movement;
  complex* array;  // in the arena
};

/// Memory for messages, of one exchange at a time: each takes what it needs when it is made, and
/// uses the beginning.
struct message_buffers {
  std::vector<complex> outgoing;
  std::vector<complex> incoming;
};

class exchange {
 public:
  virtual ~exchange() = default;
  /// Called before the first send() of a use. Arrays of peers may be written once the exchange back
  /// has finished.
  virtual void begin() = 0;
  /// The plane may be changed when this returns.
  virtual void send(std::size_t plane, const complex* values) = 0;
  /// Returns when the array holds what all members have sent.
  virtual void finish() = 0;
};

/// Packs pieces by receiver into one blocking all-to-all.
std::unique_ptr<exchange> make_blocking(const destination& to, message_buffers& buffers);
/// Packs them into about eight all-to-alls, each started as soon as its planes are sent.
std::unique_ptr<exchange> make_slabs(const destination& to, overlap timing,
                                     message_buffers& buffers);
/// Puts pieces to their places, and after the last one a signal to each member. It needs a second
/// exchange in the other direction: the two alternate among the same members, and each sends from
/// the array that the other fills.
std::unique_ptr<exchange> make_puts(trial::arena& memory, const destination& to, overlap timing,
                                    message_buffers& buffers);

/// Bytes of the arena that make_puts() takes.
std::size_t bytes_of_puts(std::size_t ranks);

}  // namespace fft3d
