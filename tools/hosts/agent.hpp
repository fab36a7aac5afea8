// SPDX-License-Identifier: BSD-3-Clause
//
// The warden's superior in a job on several hosts: turns what the warden tells into frames for the
// daemon above it, and the daemon's frames into orders. It also carries the ranks' output, which is
// read only as fast as the user's streams take it: at most a window of bytes is under way.
#pragma once

#include <tools/hosts/link.hpp>
#include <tools/run/superior.hpp>

#include <memory>
#include <vector>

namespace atl::tools {

class agent final : public superior {
 public:
  /// `uplink` leads to the daemon, which is `node`.
  agent(descriptor uplink, std::uint32_t node) : uplink_(std::move(uplink)), node_(node) {}
  ~agent() override;

  void attach(event_loop& loop, orders take) override;
  void joined(rank_id rank, const meeting::record& state, std::string_view version) override;
  void entered(rank_id rank, const meeting::record& state) override;
  void left(rank_id rank) override;
  void ended(rank_id rank) override;
  void asked_to_end(rank_id rank) override;
  void failed(const failure& first) override;
  void tell(const std::string& line) override;
  descriptor open_output(rank_id rank, int stream) override;
  descriptor open_input() override;
  void finish() override;

 private:
  struct source {
    descriptor pipe;
    event_loop::token token = 0;
    rank_id rank = 0;
    int stream = 1;
  };

  void say(words::word what, const bytes& body = {});
  void obey(const words::frame& order);
  void obey_input(const words::frame& order);
  void feed();
  void close_input();
  bool read_some(source& from);
  void taken(std::uint32_t count);
  void pause_or_resume();
  void close(source& what);

  descriptor uplink_;
  std::uint32_t node_;
  event_loop* loop_ = nullptr;
  orders take_;
  std::shared_ptr<link> link_;
  std::vector<std::unique_ptr<source>> sources_;
  std::size_t under_way_ = 0;
  bool paused_ = false;
  descriptor input_;
  event_loop::token input_token_ = 0;  // while rank 0 does not take more
  bytes fodder_;
  bool input_ends_ = false;
};

}  // namespace atl::tools
