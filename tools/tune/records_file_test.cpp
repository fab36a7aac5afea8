// SPDX-License-Identifier: BSD-3-Clause
//
// Tests that one command at a time measures into a file of records, and that one which is refused
// leaves files and folders as they were.
#include <tools/tune/records_file.hpp>

#include <gtest/gtest.h>
#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <tools/tune/request.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>

namespace atl::tools {
namespace {

namespace fs = std::filesystem;

class tune_records_file : public testing::Test {
 protected:
  tune_records_file() : folder_(testing::TempDir() + text("atoll_records_", ::getpid())) {
    fs::create_directories(folder_);
  }
  ~tune_records_file() override { fs::remove_all(folder_); }

  std::string place(const char* name) const { return (folder_ / name).string(); }
  static std::string content(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string refusal(const std::string& path) {
    try {
      const records_file second(path);
    } catch (const error& refused) {
      return std::string(refused.cause());
    }
    return "not refused";
  }

  fs::path folder_;
};

TEST_F(tune_records_file, is_of_one_command_at_a_time) {
  std::ofstream(place("records")) << "{\"machine\":1}\n";
  std::optional<records_file> first(place("records"));
  EXPECT_EQ(refusal(place("records")), "another atoll tune measures into it");
  first.reset();
  EXPECT_EQ(refusal(place("records")), "not refused");
  EXPECT_EQ(content(place("records")), "{\"machine\":1}\n");
}

TEST_F(tune_records_file, is_removed_where_it_stays_empty) {
  {
    const records_file unused(place("records"));
    EXPECT_TRUE(fs::exists(place("records")));
    EXPECT_NE(refusal(place("records")), "not refused");
    EXPECT_TRUE(fs::exists(place("records"))) << "by the command that was refused";
  }
  EXPECT_FALSE(fs::exists(place("records")));
  std::ofstream(place("empty")).flush();
  EXPECT_EQ(refusal(place("empty")), "not refused");
  EXPECT_TRUE(fs::exists(place("empty"))) << "it was there before";
}

TEST_F(tune_records_file, survives_a_request_that_is_refused) {
  std::ofstream(place("records")) << "{\"machine\":1}\n";
  tune_request request;
  request.fresh = true;
  request.records = place("records");
  request.output = "/dev/null";
  EXPECT_THROW(open_files(request), error);
  EXPECT_EQ(content(place("records")), "{\"machine\":1}\n");
  request.output = place("table");
  open_files(request);
  EXPECT_EQ(content(place("records")), "");
}

TEST_F(tune_records_file, makes_folders_only_for_a_request_that_is_not_refused) {
  tune_request request;
  request.output = place("new/folder/table");
  fs::create_directory(place("thesis"));
  request.records = place("thesis");
  EXPECT_THROW(open_files(request), error);
  request.output = place("folder");
  fs::create_directory(request.output);
  request.records = place("new/folder/records");
  EXPECT_THROW(open_files(request), error);
  EXPECT_FALSE(fs::exists(place("new")));
  request.output = place("new/folder/table");
  open_files(request);
  EXPECT_TRUE(fs::exists(place("new/folder")));
}

}  // namespace
}  // namespace atl::tools
