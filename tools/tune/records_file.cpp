// SPDX-License-Identifier: BSD-3-Clause
//
// Opens, locks and makes files of records and their folders.
#include <tools/tune/records_file.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <ranges>
#include <utility>

namespace atl::tools {

namespace {

namespace fs = std::filesystem;

constexpr mode_t usual_mode = 0666;  // less the mask of the process

// Whether the path still names the open file: another command may have removed it meanwhile.
bool is_at(const std::string& path, const descriptor& file) {
  struct stat named{}, opened{};
  return ::stat(path.c_str(), &named) == 0 && ::fstat(file.get(), &opened) == 0 &&
         named.st_dev == opened.st_dev && named.st_ino == opened.st_ino;
}

}  // namespace

records_file::records_file(std::string path) : path_(std::move(path)) {
  do {
    std::error_code ignored;
    is_new_ = !fs::exists(path_, ignored);
    file_ = descriptor(::open(path_.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, usual_mode));
    if (!file_) {
      throw error(path_, text("the records cannot be written (", errno_text(errno), ")"),
                  "name a file that can be, by --records");
    }
    if (::flock(file_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
      throw error(path_, "another atoll tune measures into it",
                  "wait for its end, or name another file by --records");
    }
  } while (!is_at(path_, file_));
}

records_file::~records_file() {
  struct stat found{};
  const bool is_empty = file_ && ::fstat(file_.get(), &found) == 0 && found.st_size == 0;
  if (is_new_ && is_empty && is_at(path_, file_)) ::unlink(path_.c_str());
}

void records_file::clear() {
  if (::ftruncate(file_.get(), 0) != 0) {
    throw error(path_, text("the records cannot be removed (", errno_text(errno), ")"),
                "name another file by --records");
  }
}

void new_folders::make_for(const std::string& file) {
  std::vector<std::string> lacking;
  std::error_code failed;
  fs::path folder = fs::path(file).parent_path();
  while (!folder.empty() && !fs::exists(folder, failed)) {
    lacking.push_back(folder.string());
    folder = folder.parent_path();
  }
  for (const std::string& each : lacking | std::views::reverse) {
    if (fs::create_directory(each, failed)) made_.push_back(each);
  }
}

new_folders::~new_folders() {
  std::error_code failed;
  for (const std::string& each : made_ | std::views::reverse) fs::remove(each, failed);
}

}  // namespace atl::tools
