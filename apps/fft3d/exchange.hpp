// SPDX-License-Identifier: BSD-3-Clause
//
// How the planes of a redistribution come to the members of a team. A use is: begin(), send() of
// each plane in order, finish(). Made by all members together, in the same order as all others.
#pragma once

#include <apps/fft3d/layout.hpp>
#include <apps/trial/arena.hpp>
#include <apps/trial/flags.hpp>

#include <memory>

namespace fft3d {

/// One end of a redistribution: its members and this rank's array that fills.
struct destination {
  atl::team& members;
  redistribution numbers;
  complex* array;  // in the arena
};

/// When numbers travel: while planes are computed, or after all of them have been.
enum class overlap : std::uint8_t { early, late };

class exchange {
 public:
  virtual ~exchange() = default;
  /// Before the first send() of a use. Arrays of peers may be written from the end of the way back
  /// on.
  virtual void begin() = 0;
  /// The plane may be changed when this returns.
  virtual void send(std::size_t plane, const complex* values) = 0;
  /// Returns when the array holds what all members have sent.
  virtual void finish() = 0;
};

/// Packs pieces by receiver into one blocking all-to-all.
std::unique_ptr<exchange> make_blocking(const destination& to);
/// Packs them into some eight all-to-alls, each started as soon as its planes are there.
std::unique_ptr<exchange> make_slabs(const destination& to, overlap timing);
/// Puts pieces to where they belong, and a signal to each member behind the last. Needs one that
/// goes back: the two take turns among the same members, each sends what the other fills.
std::unique_ptr<exchange> make_puts(trial::arena& memory, const destination& to, overlap timing);

/// Bytes of the arena that make_puts() takes.
std::size_t bytes_of_puts(std::size_t ranks);

}  // namespace fft3d
