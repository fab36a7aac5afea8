// SPDX-License-Identifier: BSD-3-Clause
//
// A source of panels. It has two slots, so a panel can arrive while the one before is multiplied.
#pragma once

#include <apps/matmul/blocks.hpp>
#include <apps/trial/journal.hpp>

#include <memory>

namespace matmul {

class panel_source {
 public:
  virtual ~panel_source() = default;
  /// Starts to bring a panel into a slot, whose old panel must not be used any more.
  virtual void start(const panel& next, std::size_t slot) = 0;
  /// Waits for the panel of a slot and returns it.
  virtual operands wait(std::size_t slot) = 0;
  /// Whether the next panel is started before this one is multiplied.
  virtual bool looks_ahead() const = 0;
};

/// Panels by collective calls of a row and a column.
std::unique_ptr<panel_source> make_broadcasts(blocks& local, std::size_t n, std::size_t width,
                                              bool is_blocking);
/// Panels by gets of the rank that needs them. In place: mapped memory is read where it lies.
std::unique_ptr<panel_source> make_gets(blocks& local, std::size_t n, std::size_t width,
                                        bool is_in_place);

/// c += A B over these panels.
void multiply(blocks& local, const std::vector<panel>& panels, panel_source& source,
              trial::journal& times);

}  // namespace matmul
