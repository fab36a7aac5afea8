// SPDX-License-Identifier: BSD-3-Clause
//
// The way from the ranks of one host to the supervisor of a job on several hosts: events become
// messages for the daemon of this host, and the daemon's messages become orders for the port. It
// also carries the ranks' output, which is read only as fast as the user's streams take it: at most
// a window of bytes is under way.
#pragma once

#include <tools/hosts/event_batch.hpp>
#include <tools/hosts/link.hpp>
#include <tools/run/rank_port.hpp>

#include <memory>
#include <vector>

namespace atl::tools {

class upstream_link final : public rank_events {
 public:
  /// `uplink` leads to the daemon, which is `node`; `ranks` is the number of ranks on this host.
  upstream_link(event_loop& loop, descriptor uplink, std::uint32_t node, rank_id ranks);
  ~upstream_link() override;

  /// Follows orders until all ranks have ended, and reports that they have.
  void run(rank_port& ranks);

  rank_streams streams();

  void happened(rank_event event) override;
  void failed(const failure& found) override;
  void report_line(const std::string& line) override;

 private:
  struct source {
    descriptor pipe;
    event_loop::token token = 0;
    rank_id rank = 0;
    int stream = 1;
  };

  void send(protocol::kind type, const bytes& body = {});
  void send_events();
  int wait_ms() const;
  void obey(const protocol::frame& order);
  void obey_input(const protocol::frame& order);
  descriptor open_output(rank_id rank, int stream);
  descriptor open_input();
  void feed();
  void close_input();
  bool read_some(source& from);
  void taken(std::uint32_t count);
  void pause_or_resume();
  void close(source& ended);
  void finish();

  event_loop& loop_;
  std::uint32_t node_;
  rank_port* port_ = nullptr;
  std::shared_ptr<link> link_;
  event_batch events_;
  std::vector<std::unique_ptr<source>> sources_;
  std::size_t under_way_ = 0;
  bool paused_ = false;
  descriptor input_;
  event_loop::token input_token_ = 0;  // while rank 0 does not take more
  bytes pending_input_;
  bool input_ends_ = false;
};

}  // namespace atl::tools
