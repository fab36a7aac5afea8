// SPDX-License-Identifier: BSD-3-Clause
//
// Files are replaced as a whole, links are followed, and what is no file stays what it is.
#include <atoll/base/system/replace_file.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace atl {
namespace {

namespace fs = std::filesystem;

class replace_file_test : public testing::Test {
 protected:
  replace_file_test() : folder_(testing::TempDir() + text("atoll_replace_", ::getpid())) {
    fs::create_directories(folder_);
  }
  ~replace_file_test() override { fs::remove_all(folder_); }

  std::string place(const char* name) const { return (folder_ / name).string(); }
  std::size_t files() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), {}));
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string refusal(const std::string& path) {
    try {
      replace_file(path, "new");
    } catch (const error& refused) {
      EXPECT_EQ(refused.object(), path);
      EXPECT_THROW(check_replaceable(path), error);
      return refused.cause();
    }
    return "not refused";
  }

  fs::path folder_;
};

TEST_F(replace_file_test, refuses_a_file_whose_whole_path_is_too_long) {
  const fs::path start = fs::current_path();
  ASSERT_EQ(::chdir(folder_.c_str()), 0);
  const std::string level(250, 'f');
  for (std::size_t bytes = 0; bytes < PATH_MAX; bytes += level.size()) {
    ASSERT_EQ(::mkdir(level.c_str(), 0700), 0);
    ASSERT_EQ(::chdir(level.c_str()), 0);
  }
  std::ofstream("table") << "old";
  EXPECT_NE(refusal("table"), "not refused");
  EXPECT_EQ(content("table"), "old");
  fs::current_path(start);
}

TEST_F(replace_file_test, makes_a_file_and_replaces_it) {
  replace_file(place("table"), "first");
  EXPECT_EQ(content(place("table")), "first");
  ::chmod(place("table").c_str(), 0640);
  check_replaceable(place("table"));
  EXPECT_EQ(content(place("table")), "first");
  replace_file(place("table"), "second");
  EXPECT_EQ(content(place("table")), "second");
  struct stat found{};
  ASSERT_EQ(::stat(place("table").c_str(), &found), 0);
  EXPECT_EQ(found.st_mode & 0777, 0640u);
  EXPECT_EQ(files(), 1u);
}

TEST_F(replace_file_test, follows_links) {
  replace_file(place("table"), "first");
  fs::create_symlink("table", place("link"));
  replace_file(place("link"), "second");
  EXPECT_TRUE(fs::is_symlink(place("link")));
  EXPECT_EQ(content(place("table")), "second");
  fs::remove(place("table"));
  EXPECT_EQ(refusal(place("link")), "it is a link to a file that does not exist");
  EXPECT_TRUE(fs::is_symlink(place("link")));
}

TEST_F(replace_file_test, leaves_what_is_no_file) {
  const std::string cause = "it is a folder, a device or a pipe, and cannot become a file";
  ASSERT_EQ(::mkfifo(place("pipe").c_str(), 0600), 0);
  EXPECT_EQ(refusal(place("pipe")), cause);
  EXPECT_TRUE(fs::is_fifo(place("pipe")));
  EXPECT_EQ(refusal(folder_), cause);
  EXPECT_EQ(refusal("/dev/null"), cause);
  EXPECT_EQ(files(), 1u);
}

TEST_F(replace_file_test, leaves_the_old_content_where_it_fails) {
  replace_file(place("table"), "first");
  EXPECT_EQ(refusal(place("nowhere/table")), "it cannot be written (No such file or directory)");
  const auto old_action = std::signal(SIGXFSZ, SIG_IGN);
  rlimit limit{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
  const rlimit none{.rlim_cur = 0, .rlim_max = limit.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  std::string refused_path;
  try {
    replace_file(place("table"), "second");
  } catch (const error& refused) {
    refused_path = refused.object();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  std::signal(SIGXFSZ, old_action);
  EXPECT_EQ(refused_path, place("table"));
  EXPECT_EQ(content(place("table")), "first");
  EXPECT_EQ(files(), 1u);
}

}  // namespace
}  // namespace atl
