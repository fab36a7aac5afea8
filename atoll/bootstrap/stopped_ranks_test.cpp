// SPDX-License-Identifier: BSD-3-Clause
//
// The list of stopped ranks, seen by the launcher that writes it and by a rank that maps its file.
#include <atoll/base/error.hpp>
#include <atoll/bootstrap/single.hpp>
#include <atoll/bootstrap/stopped_ranks.hpp>

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <csignal>
#include <exception>
#include <string>
#include <utility>

namespace atl::bootstrap {
namespace {

TEST(stopped_ranks, a_rank_sees_what_the_launcher_notes) {
  stopped_ranks launcher(5);
  const stopped_ranks rank(duplicate(launcher.file()), 5);
  EXPECT_TRUE(rank.is_empty());
  launcher.note(4, rank_fate::stopped);
  launcher.note(4, rank_fate::stopped);
  launcher.note(0, rank_fate::stopped);
  EXPECT_TRUE(rank.has(4) && rank.has(0));
  EXPECT_FALSE(rank.has(1) || rank.has(5));
  launcher.note(4, rank_fate::runs);
  EXPECT_FALSE(rank.is_empty());
  launcher.note(0, rank_fate::runs);
  EXPECT_TRUE(rank.is_empty());
}

TEST(stopped_ranks, a_rank_cannot_write_to_the_file) {
  const stopped_ranks launcher(3);
  EXPECT_EQ(mmap(nullptr, 1, PROT_READ | PROT_WRITE, MAP_SHARED, launcher.file().get(), 0),
            MAP_FAILED);
}

/// The message of a refusal, with the limit lowered while `make` runs. The refusal is read when the
/// limit is back: the undefined-behaviour sanitizer looks at an object through a pipe.
template <class Make>
std::string refusal_under(int resource, rlim_t limit, Make make) {
  rlimit usual{};
  getrlimit(static_cast<__rlimit_resource>(resource), &usual);
  const rlimit low{.rlim_cur = limit, .rlim_max = usual.rlim_max};
  setrlimit(static_cast<__rlimit_resource>(resource), &low);
  std::exception_ptr refusal;
  try {
    make();
  } catch (...) {
    refusal = std::current_exception();
  }
  setrlimit(static_cast<__rlimit_resource>(resource), &usual);
  if (refusal == nullptr) {
    return "accepted";
  }
  try {
    std::rethrow_exception(refusal);
  } catch (const error& refused) {
    return refused.what();
  }
}

TEST(stopped_ranks, a_lack_of_descriptors_names_the_limit_of_open_files) {
  const std::string message = refusal_under(RLIMIT_NOFILE, 0, [] { stopped_ranks(3); });
  EXPECT_NE(message.find("memfd_create failed"), std::string::npos) << message;
  EXPECT_NE(message.find("ulimit -n"), std::string::npos) << message;
}

TEST(stopped_ranks, a_file_that_may_not_grow_names_the_limit_of_file_sizes) {
  auto* const usual = std::signal(SIGXFSZ, SIG_IGN);
  const std::string message = refusal_under(RLIMIT_FSIZE, 1, [] { stopped_ranks(3); });
  std::signal(SIGXFSZ, usual);
  EXPECT_NE(message.find("ftruncate failed"), std::string::npos) << message;
  EXPECT_NE(message.find("ulimit -f"), std::string::npos) << message;
}

TEST(stopped_ranks, a_file_of_another_job_names_the_versions) {
  const stopped_ranks launcher(3);
  try {
    const stopped_ranks rank(duplicate(launcher.file()), 4);
    FAIL() << "accepted";
  } catch (const error& refused) {
    EXPECT_NE(refused.remedy().find("of the same version"), std::string::npos);
  }
}

TEST(stopped_ranks, a_file_that_cannot_be_mapped_names_the_limit_of_address_space) {
  const stopped_ranks launcher(3);
  const std::string path = "/proc/self/fd/" + std::to_string(launcher.file().get());
  descriptor unreadable(::open(path.c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_TRUE(unreadable);
  try {
    const stopped_ranks rank(std::move(unreadable), 3);
    FAIL() << "accepted";
  } catch (const error& refused) {
    EXPECT_NE(std::string(refused.what()).find("mmap failed"), std::string::npos);
    EXPECT_NE(refused.remedy().find("ulimit -v"), std::string::npos);
  }
}

}  // namespace
}  // namespace atl::bootstrap
