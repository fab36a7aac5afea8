// SPDX-License-Identifier: BSD-3-Clause
//
// The file of records while `atoll tune` measures into it. Its jobs append to the file, so a second
// command with the same file would take the records of the first for further measurements, made
// while both disturb each other. Therefore the command holds a lock on it, until it ends or is
// killed. Where the file system has no locks, it goes on without.
#pragma once

#include <atoll/base/system/descriptor.hpp>

#include <string>
#include <vector>

namespace atl::tools {

class records_file {
 public:
  /// Opens the file for appending, makes it where there is none, and locks it. Throws `atl::error`
  /// where it cannot be written, or another command has it.
  explicit records_file(std::string path);
  records_file(records_file&&) = default;
  records_file& operator=(records_file&&) = delete;
  ~records_file();  // an empty file that it made is removed

  /// Forgets all records.
  void clear();

 private:
  std::string path_;
  descriptor file_;
  bool is_new_ = false;
};

/// Makes the folders of files, and removes them again unless it is told to keep them.
class new_folders {
 public:
  new_folders() = default;
  new_folders(const new_folders&) = delete;
  new_folders& operator=(const new_folders&) = delete;
  ~new_folders();

  /// Makes what lacks; where that fails, the file cannot be written, as its writer will tell.
  void make_for(const std::string& file);
  void keep() { made_.clear(); }

 private:
  std::vector<std::string> made_;
};

}  // namespace atl::tools
