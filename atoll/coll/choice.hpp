// SPDX-License-Identifier: BSD-3-Clause
//
// How a program opens the collectives, and what it may ask of one call. The engine that runs the
// calls (engine/engine.hpp) is not a part of the public interface.
#pragma once

#include <cstddef>
#include <cstdint>

namespace atl {
class runtime;
}

namespace atl::coll {

class engine;
struct algorithm;

/// The side that moves a large message where memory is mapped, the kernel copies or a network
/// lends: the sender puts it, which is usual, or the receiver gets it.
enum class moved_by : std::uint8_t { usual, put, get };

/// The options of one call, the same on all members.
struct choice {
  const algorithm* use = nullptr;    // null: what settings and recommendation say; for tests
  unsigned radix = 0;                // 0: the algorithm's own
  unsigned depth = 0;                // pieces or blocks that may arrive at a time; 0: as usual
  std::size_t piece_bytes = 0;       // where data are cut; 0: where it is usual
  std::size_t eager_bytes = 0;       // a larger message waits for its receiver; 0: as usual
  unsigned leaders = 0;              // per host, of a hierarchical algorithm; 0: one
  moved_by mover = moved_by::usual;  // large messages
  bool begins_together = false;      // no data moves before all members have called
  bool ends_together = false;        // complete when it is complete for all members
  bool fenced() const noexcept { return begins_together || ends_together; }
};

/// The engine of a runtime. The first call makes it, collectively: on all ranks at the same place.
engine& open(runtime& owner);

}  // namespace atl::coll
