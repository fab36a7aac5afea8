// SPDX-License-Identifier: BSD-3-Clause
//
// The name beside the file holds the process and a count, so that two commands, or two threads of
// one, do not write to the same place.
#include <atoll/base/system/replace_file.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/system/descriptor.hpp>
#include <atoll/base/text.hpp>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <thread>
#include <utility>

namespace atl {

namespace {

namespace fs = std::filesystem;

constexpr mode_t usual_mode = 0666;  // less the mask of the process

[[noreturn]] void refuse(const std::string& path, int number) {
  throw error(path, text("it cannot be written (", errno_text(number), ")"),
              "name a file that can be");
}

/// The file behind all links, and its rights.
struct replaced_file {
  std::string given;  // the path that the caller named
  std::string path;
  mode_t mode = usual_mode;
  bool exists = false;
};

replaced_file find(const std::string& path) {
  struct stat found{};
  if (::stat(path.c_str(), &found) == 0) {
    if (!S_ISREG(found.st_mode)) {
      throw error(path, "it is a folder, a device or a pipe, and cannot become a file",
                  "name a file");
    }
    std::error_code failed;
    const fs::path behind_links = fs::canonical(path, failed);
    if (failed) refuse(path, failed.value());
    return {.given = path, .path = behind_links, .mode = found.st_mode & 07777, .exists = true};
  }
  if (errno != ENOENT) refuse(path, errno);
  std::error_code failed;
  if (fs::is_symlink(fs::symlink_status(path, failed))) {
    throw error(path, "it is a link to a file that does not exist",
                "make that file, or name another");
  }
  return {.given = path, .path = path};
}

std::string name_beside(const std::string& path) {
  static std::atomic<unsigned> count = 0;
  return text(path, ".", ::getpid(), ".", count++);
}

/// A file that goes with this object, unless it gets another name.
class file_beside {
 public:
  explicit file_beside(const replaced_file& replaced)
      : given_(replaced.given),
        path_(name_beside(replaced.path)),
        file_(::open(path_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, usual_mode)) {
    if (file_.get() < 0) refuse(given_, errno);
    if (replaced.exists && ::fchmod(file_.get(), replaced.mode) != 0) fail(errno);
  }
  file_beside(const file_beside&) = delete;
  file_beside& operator=(const file_beside&) = delete;
  ~file_beside() {
    if (!path_.empty()) ::unlink(path_.c_str());
  }

  void write(std::string_view content) {
    while (!content.empty()) {
      const ssize_t written = ::write(file_.get(), content.data(), content.size());
      if (written < 0 && errno != EINTR) fail(errno);
      if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
    }
    if (::close(file_.release()) != 0) fail(errno);
  }
  void rename_to(const std::string& path) {
    if (std::rename(path_.c_str(), path.c_str()) != 0) fail(errno);
    path_.clear();
  }

 private:
  [[noreturn]] void fail(int number) {
    ::unlink(std::exchange(path_, {}).c_str());
    refuse(given_, number);
  }

  std::string given_;
  std::string path_;
  descriptor file_;
};

}  // namespace

void replace_file(const std::string& path, std::string_view content) {
  const replaced_file replaced = find(path);
  file_beside beside(replaced);
  beside.write(content);
  beside.rename_to(replaced.path);
}

void check_replaceable(const std::string& path) { file_beside(find(path)); }

descriptor lock_folder_of(const std::string& path) {
  using namespace std::chrono_literals;
  constexpr int tries = 1000;
  const fs::path parent = fs::path(find(path).path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  descriptor opened(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!opened) refuse(path, errno);
  for (int i = 0; i < tries; ++i) {
    if (::flock(opened.get(), LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK) return opened;
    std::this_thread::sleep_for(10ms);
  }
  throw error(path, "another process has locked the folder of this file",
              "end that process, or name a file in another folder");
}

}  // namespace atl
