// SPDX-License-Identifier: BSD-3-Clause
//
// Where panels come from. There are two slots, so a panel can come while the one before is
// multiplied.
#pragma once

#include <apps/matmul/blocks.hpp>
#include <apps/trial/journal.hpp>

#include <memory>

namespace matmul {

class panel_source {
 public:
  virtual ~panel_source() = default;
  /// Starts to bring a panel into a slot; the one that was there is no longer used.
  virtual void start(const panel& next, std::size_t slot) = 0;
  /// The panel of a slot, once it has come.
  virtual operands wait(std::size_t slot) = 0;
  /// Whether the next panel is started before this one is multiplied.
  virtual bool looks_ahead() const = 0;
};

/// By collective calls of a row and a column.
std::unique_ptr<panel_source> make_broadcasts(blocks& local, std::size_t n, std::size_t width,
                                              bool is_blocking);
/// By gets of the rank that needs them. In place: memory that is mapped is read where it lies.
std::unique_ptr<panel_source> make_gets(blocks& local, std::size_t n, std::size_t width,
                                        bool is_in_place);

/// The work that a picture shows: products in violet, and in orange what it takes to start panels
/// and to wait for them.
inline constexpr auto multiplying = trial::work_kind::violet;
inline constexpr auto moving = trial::work_kind::orange;

/// c += A B over these panels.
void multiply(blocks& local, const std::vector<panel>& panels, panel_source& source,
              trial::journal& times);

}  // namespace matmul
