// SPDX-License-Identifier: BSD-3-Clause
//
// Work beside messages that progress moves forward: split-phase barriers of teams, and the
// attachments of layers above the core (the engine of collectives). An attachment that has become
// busy lists itself with layer_access::attachments().activate; progress then advances it until it
// is no longer busy, one thread at a time, so an idle program pays nothing for it.
//
// Threads: activate from any; advance by one thread at a time; both may run at once, so `busy` is
// atomic in the derived class.
#pragma once

#include <atomic>

namespace atl {

class attachment {
 public:
  attachment() = default;
  attachment(const attachment&) = delete;
  attachment& operator=(const attachment&) = delete;
  virtual ~attachment() = default;

  /// Moves what is under way, without waiting; true when something has ended.
  virtual bool advance() noexcept = 0;

  /// Whether anything is under way.
  virtual bool busy() const noexcept = 0;

 private:
  friend class attachment_list;
  std::atomic<bool> listed_ = false;
};

}  // namespace atl
