// SPDX-License-Identifier: BSD-3-Clause
//
// This process's connection to its PMI-1 launcher: one request and its answer at a time, from one
// thread. It lives as long as the process, because the launcher takes the end of the connection for
// the end of the process. The descriptor is a second number of the one that PMI_FD names, so that
// it stays ours when an MPI library closes that one.
#pragma once

#include <atoll/base/system/descriptor.hpp>
#include <atoll/bootstrap/pmi1_wire.hpp>

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace atl::bootstrap {

class pmi1_session {
 public:
  /// The session of this process, opened by the first call. Throws `atl::error`.
  static pmi1_session& of_process();

  pmi1_session(const pmi1_session&) = delete;
  pmi1_session& operator=(const pmi1_session&) = delete;

  /// Runs at the end of the process: calls finish() if its ranks have left, else it has failed.
  ~pmi1_session();

  rank_id rank() const { return rank_; }
  rank_id size() const { return size_; }

  /// All-gather through the launcher's table of values. Throws `atl::error`.
  std::vector<blob> exchange(std::span<const std::byte> contribution);
  void fence();

  /// A rank has joined, or left: only a process whose ranks have left ends well.
  void enter() { is_inside_ = true; }
  void leave() { is_inside_ = false; }

  /// Asks the launcher to end all processes with this exit code, when it has had a moment to read
  /// what this process has printed, since it drops the rest.
  void abort(int code) noexcept;

  /// Tells the launcher that this process will end well, unless MPI has told it already.
  void finish() noexcept;

 private:
  pmi1_session();
  [[noreturn]] void refuse_success() noexcept;
  void open();
  void open_port(std::string_view address);
  void begin();
  std::string ask(const std::string& request, std::string_view answer);
  std::string read_line();
  std::string get(const std::string& key);
  void put(const std::string& key, std::string_view value);

  descriptor socket_;
  pid_t owner_;  // the process that joined; a forked child is no rank
  std::string received_;
  rank_id rank_ = 0;
  rank_id size_ = 1;
  std::string space_;  // the name of the launcher's table
  std::size_t value_bytes_max_ = 0;
  std::uint64_t exchanges_ = 0;
  bool is_inside_ = false;
  int exit_status_ = 0;
};

}  // namespace atl::bootstrap
