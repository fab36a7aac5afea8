// SPDX-License-Identifier: BSD-3-Clause
//
// Which bootstrap a process gets, and the job of one. (A rank under a launcher is tested with the
// launcher, in tests/fault/launcher.)
#include <atoll/base/error.hpp>
#include <atoll/bootstrap/bootstrap.hpp>
#include <atoll/bootstrap/foreign.hpp>

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>

namespace atl::bootstrap {
namespace {

std::map<std::string, std::string, std::less<>> variables;

std::string_view look_up(const char* name) {
  const auto found = variables.find(std::string_view(name));
  return found == variables.end() ? std::string_view() : found->second;
}

std::string foreign_name(std::map<std::string, std::string, std::less<>> environment) {
  variables = std::move(environment);
  const auto found = find_foreign_launcher(look_up);
  return found ? found->variable : "";
}

settings settings_of(std::vector<const char*> environment) {
  environment.push_back(nullptr);
  return settings::read(environment.data());
}

TEST(foreign_launcher, several_processes_are_recognised) {
  EXPECT_EQ(foreign_name({{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "2"}}),
            "OMPI_COMM_WORLD_RANK");
  EXPECT_EQ(foreign_name({{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}}), "PMI_RANK");
  EXPECT_EQ(foreign_name({{"SLURM_PROCID", "1"}, {"SLURM_STEP_NUM_TASKS", "2"}}), "SLURM_PROCID");
  EXPECT_EQ(foreign_name({{"PMIX_RANK", "0"}}), "PMIX_RANK");
}

TEST(foreign_launcher, one_process_or_a_batch_script_is_none) {
  EXPECT_EQ(foreign_name({}), "");
  EXPECT_EQ(foreign_name({{"PMI_RANK", "0"}, {"PMI_SIZE", "1"}}), "");
  EXPECT_EQ(foreign_name({{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "8"}}), "");
  EXPECT_EQ(foreign_name(
                {{"OMPI_COMM_WORLD_RANK", "0"}, {"OMPI_COMM_WORLD_SIZE", "1"}, {"PMIX_RANK", "0"}}),
            "");
}

TEST(factory, without_a_launcher_there_is_one_rank) {
  const auto job = make(settings_of({}));
  EXPECT_EQ(job->rank(), 0u);
  EXPECT_EQ(job->size(), 1u);
  const blob contribution{std::byte{1}, std::byte{2}};
  const blob_table blobs = job->exchange(contribution);
  EXPECT_EQ(blobs.size(), 1u);
  EXPECT_TRUE(std::ranges::equal(blobs[0], contribution));
  job->fence();
  job->goodbye();
}

TEST(factory, the_host_memory_of_one_rank_is_one_file_behind_every_descriptor) {
  const auto job = make(settings_of({}));
  const auto first = job->host_memory();
  const auto other = job->host_memory();
  EXPECT_NE(first.get(), other.get());
  ASSERT_EQ(ftruncate(first.get(), 12288), 0);
  struct stat status{};
  ASSERT_EQ(fstat(other.get(), &status), 0);
  EXPECT_EQ(status.st_size, 12288);
  EXPECT_EQ(fcntl(first.get(), F_GETFD), FD_CLOEXEC);
}

TEST(factory, half_an_identity_is_refused_by_the_name_of_the_variable) {
  const auto object_of = [](std::vector<const char*> environment) {
    try {
      make(settings_of(std::move(environment)));
    } catch (const error& refused) {
      return refused.object();
    }
    return std::string("nothing");
  };
  EXPECT_EQ(object_of({"ATOLL_RANK=1", "ATOLL_SIZE=2"}), "ATOLL_RANK");
  EXPECT_EQ(object_of({"ATOLL_SIZE=2"}), "ATOLL_SIZE");
  EXPECT_EQ(object_of({"ATOLL_JOB=nonsense"}), "ATOLL_JOB");
  const auto good = "ATOLL_JOB=local/" + std::string(16, '1') + "/" + std::string(64, '2');
  EXPECT_EQ(object_of({good.c_str()}), "ATOLL_JOB");
  EXPECT_EQ(object_of({good.c_str(), "ATOLL_RANK=0", "ATOLL_SIZE=1"}), "job");
}

}  // namespace
}  // namespace atl::bootstrap
