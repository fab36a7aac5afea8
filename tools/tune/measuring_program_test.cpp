// SPDX-License-Identifier: BSD-3-Clause
//
// Tests what the command takes for an answer of the measuring program: silence and code 0, or a
// reason and code 1. A program that does not start or crashes has not said that a table is good.
#include <tools/tune/measuring_program.hpp>

#include <gtest/gtest.h>
#include <tools/run/program.hpp>

#include <filesystem>
#include <fstream>
#include <string>

#include <unistd.h>

namespace atl::tools {
namespace {

// The answer of a program that runs these commands of the shell, or why there is none.
std::string answer_of(const std::string& commands) {
  const std::string program =
      testing::TempDir() + "atoll_measuring_program_" + std::to_string(::getpid());
  std::ofstream(program) << "#!/bin/sh\n" << commands << "\n";
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  std::string answer;
  try {
    answer = "answer: " + refusal_by(program, "table.json");
  } catch (const launch_refusal& refused) {
    answer = refused.message;
  }
  std::filesystem::remove(program);
  return answer;
}

TEST(measuring_program, answers_by_its_output_and_its_code) {
  EXPECT_EQ(answer_of("exit 0"), "answer: ");
  EXPECT_EQ(answer_of("printf '%s' \"$1 $2 is bad\"; exit 1"),
            "answer: --check-table table.json is bad");
}

TEST(measuring_program, gives_no_answer_when_it_fails) {
  const auto expect = [](const std::string& commands, const std::string& cause) {
    const std::string answer = answer_of(commands);
    EXPECT_NE(answer.find("does not tell whether jobs take the table: it " + cause),
              std::string::npos)
        << answer;
    EXPECT_NE(answer.find("install Atoll as a whole"), std::string::npos) << answer;
  };
  expect("kill -SEGV $$", "was killed by SIGSEGV");
  expect("exit 1", "exited with code 1");
  expect("echo bad; exit 3", "exited with code 3");
  expect("echo bad", "exited with code 0");
  try {
    refusal_by("/nowhere/atoll_tune_measure", "table.json");
    FAIL() << "a program that is not there has answered";
  } catch (const launch_refusal& refused) {
    EXPECT_NE(refused.message.find("it exited with code 127"), std::string::npos)
        << refused.message;
  }
}

}  // namespace
}  // namespace atl::tools
