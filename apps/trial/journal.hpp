// SPDX-License-Identifier: BSD-3-Clause
//
// The times at which a rank worked, and on what, for a picture of the schedule (gantt.hpp). The
// app numbers its kinds of work. One thread.
#pragma once

#include <atoll/base/clock.hpp>

#include <cstdint>
#include <vector>

namespace trial {

/// A kind of work: its place in `schedule::kinds`.
using work_kind = std::uint8_t;

/// The tile or the panel that is worked on: both numbers, the first alone, or none.
struct part_name {
  static constexpr std::uint32_t unnamed = UINT32_MAX;
  std::uint32_t row = unnamed;
  std::uint32_t column = unnamed;
};

struct span {
  std::int64_t begin_ns;
  std::int64_t end_ns;
  work_kind kind;
  part_name part;
};

class journal {
 public:
  void open() {
    is_open_ = true;
    spans_.clear();
  }
  void close() { is_open_ = false; }
  const std::vector<span>& spans() const { return spans_; }

  template <class Work>
  void record(work_kind kind, part_name part, Work work) {
    const std::int64_t begin_ns = is_open_ ? atl::now_ns() : 0;
    work();
    if (is_open_) spans_.push_back({begin_ns, atl::now_ns(), kind, part});
  }

 private:
  bool is_open_ = false;
  std::vector<span> spans_;
};

}  // namespace trial
