// SPDX-License-Identifier: BSD-3-Clause
//
// ATOLL_JOB: its own text is understood, anything else is not.
#include <atoll/bootstrap/job_address.hpp>

#include <gtest/gtest.h>

namespace atl::bootstrap {
namespace {

TEST(job_address, its_text_gives_it_back) {
  for (int i = 0; i < 20; ++i) {
    const auto job = job_address::random();
    const auto back = job_address::parse(job.text());
    ASSERT_TRUE(back);
    EXPECT_EQ(back->id, job.id);
    EXPECT_EQ(back->key, job.key);
  }
}

TEST(job_address, two_jobs_have_different_names_and_keys) {
  const auto first = job_address::random();
  const auto other = job_address::random();
  EXPECT_NE(first.id, other.id);
  EXPECT_NE(first.key, other.key);
}

TEST(job_address, other_texts_are_refused) {
  const auto good = job_address::random().text();
  EXPECT_FALSE(job_address::parse(""));
  EXPECT_FALSE(job_address::parse(good + "0"));
  EXPECT_FALSE(job_address::parse(good.substr(1)));
  for (std::size_t i = 0; i < good.size(); ++i) {
    auto bad = good;
    bad[i] = '-';
    EXPECT_FALSE(job_address::parse(bad)) << bad;
    bad[i] = '\0';
    EXPECT_FALSE(job_address::parse(bad)) << i;
  }
}

TEST(job_address, its_socket_is_an_abstract_name) {
  const auto socket = socket_address_of(job_address::random());
  EXPECT_EQ(socket.address.sun_path[0], '\0');
  EXPECT_EQ(std::string_view(socket.address.sun_path + 1, 6), "atoll-");
  EXPECT_EQ(socket.length, offsetof(sockaddr_un, sun_path) + 1 + 6 + 16);
}

}  // namespace
}  // namespace atl::bootstrap
