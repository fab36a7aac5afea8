// SPDX-License-Identifier: BSD-3-Clause
//
// The output of the supervisor: its own lines, and with --tag those of the ranks, each passed on
// whole with its rank before it. One pipe per rank and stream; a line waits in its pipe's buffer
// until its end has come. Lines then wait in one queue per real stream, which is written only when
// the kernel says that it takes something, so a reader that pauses holds back the ranks (their
// pipes fill) and never the supervisor, which may have ranks to end.
#pragma once

#include <atoll/base/rank.hpp>
#include <atoll/base/system/descriptor.hpp>
#include <tools/run/event_loop.hpp>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace atl::tools {

class job_output {
 public:
  job_output(event_loop& loop, rank_id ranks);
  ~job_output();

  /// A pipe for one stream (1 or 2) of a rank, whose lines get tags; returns the end for the rank
  /// to write to. Throws `atl::error` when there are no descriptors left.
  descriptor open_pipe(rank_id rank, int stream);

  /// Takes output of a rank on another host; it is written as it is, or line by line with tags.
  void accept(rank_id rank, int stream, std::string_view text, bool tagged);

  /// The bytes that wait for the readers; and whether the reader of standard output has gone.
  std::size_t backlog_bytes() const;
  bool reader_is_gone() const { return writers_[0].gone; }

  /// A whole line of the launcher itself, to standard error in its turn.
  void say(std::string_view line);

  /// All ranks are gone: reads what is left in the pipes and writes everything out, for as long as
  /// the reader takes and `give_up()` is false.
  void finish(const std::function<bool()>& give_up);

 private:
  struct source {
    descriptor pipe;
    event_loop::token token = 0;
    rank_id rank = 0;
    int stream = 1;
    std::string line;  // what has come of the current line
  };
  struct stream_writer {
    int number = 1;
    event_loop::token token = 0;  // while it waits for the reader
    std::string queue;
    bool gone = false;  // its reader has closed
  };

  stream_writer& writer_of(int stream) { return writers_[stream == 1 ? 0 : 1]; }
  bool read_some(source& from);
  void take(source& from, std::string_view text);
  void pass_line(source& from, std::string_view suffix);
  void write_out(stream_writer& to);
  void wait_for_reader(stream_writer& to);
  void reader_gone(stream_writer& to);
  void pause_or_resume();
  void close(source& ended);

  event_loop& loop_;
  int digits_;
  std::vector<std::unique_ptr<source>> sources_;
  std::map<std::pair<rank_id, int>, source> remote_;  // lines that have begun
  std::array<stream_writer, 2> writers_{};
  bool paused_ = false;
};

}  // namespace atl::tools
