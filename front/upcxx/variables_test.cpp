// SPDX-License-Identifier: BSD-3-Clause
//
// The variables of UPC++: the values they take, and what becomes of them. No job is needed.
#include <atoll/base/error.hpp>
#include <front/upcxx/variables.hpp>

#include <gtest/gtest.h>

namespace atl::upcxx_front {
namespace {

constexpr std::uint64_t machine = std::uint64_t{16} << 30;
using strings = std::vector<std::string>;

strings settings_of(const char* variable) {
  const strings variables{variable};
  return asked_by_variables::read(variables, machine).settings;
}

TEST(upcxx_variables, the_size_of_the_heap_becomes_a_limit) {
  EXPECT_EQ(settings_of("UPCXX_SHARED_HEAP_SIZE=64 MB"), strings{"ATOLL_SEGMENT_LIMIT=67108864"});
  EXPECT_EQ(settings_of("UPCXX_SHARED_HEAP_SIZE=128.0MB"),
            strings{"ATOLL_SEGMENT_LIMIT=134217728"});
  EXPECT_EQ(settings_of("UPCXX_SHARED_HEAP_SIZE=2g"), strings{"ATOLL_SEGMENT_LIMIT=2147483648"});
  EXPECT_EQ(settings_of("UPCXX_SHARED_HEAP_SIZE=0.5TB"),
            strings{"ATOLL_SEGMENT_LIMIT=549755813888"});
  EXPECT_EQ(settings_of("UPCXX_SHARED_HEAP_SIZE=32"), strings{"ATOLL_SEGMENT_LIMIT=33554432"});
  EXPECT_EQ(settings_of("UPCXX_SEGMENT_MB=32"), strings{"ATOLL_SEGMENT_LIMIT=33554432"});
  EXPECT_EQ(settings_of("UPCXX_SHARED_HEAP_SIZE=50%"), strings{"ATOLL_MEMORY_LIMIT=8589934592"});
  EXPECT_EQ(settings_of("UPCXX_SHARED_HEAP_SIZE=Max"), strings{});
  EXPECT_EQ(settings_of("UPCXX_SHARED_HEAP_SIZE="), strings{});
}

TEST(upcxx_variables, what_is_no_size_is_refused_with_the_name) {
  for (const char* value :
       {"much", "-1GB", "0", "0.0000001", "1PB", "1 GBs", "120%", "1e30G", "nan", "inf"}) {
    const strings variables{std::string("UPCXX_SHARED_HEAP_SIZE=") + value};
    try {
      asked_by_variables::read(variables, machine);
      ADD_FAILURE() << "taken: " << value;
    } catch (const error& refused) {
      EXPECT_NE(std::string_view(refused.what()).find("UPCXX_SHARED_HEAP_SIZE"),
                std::string_view::npos);
    }
  }
}

TEST(upcxx_variables, ranks_and_talking_are_numbers_and_yes_or_no) {
  const strings variables{"GASNET_PSHM_NODES=4", "UPCXX_VERBOSE=Yes", "OTHER=x"};
  const asked_by_variables asked = asked_by_variables::read(variables, machine);
  EXPECT_EQ(asked.ranks, 4u);
  EXPECT_TRUE(asked.verbose);
  for (const char* bad : {"GASNET_PSHM_NODES=many", "GASNET_PSHM_NODES=-1", "UPCXX_VERBOSE=2x",
                          "GASNET_PSHM_NODES=100000"}) {
    const strings wrong{bad};
    EXPECT_THROW(asked_by_variables::read(wrong, machine), error) << bad;
  }
}

TEST(upcxx_variables, what_has_no_effect_is_told_in_one_line) {
  const strings set{"UPCXX_WARN_EMPTY_RMA=0", "UPCXX_INSTALL=/usr", "UPCXX_CCS_AUTOVERIFY=1",
                    "UPCXX_OVERSUBSCRIBED=1", "UPCXX_MY_OWN=1"};
  const std::string warning = warning_of(asked_by_variables::read(set, machine));
  EXPECT_NE(warning.find("UPCXX_WARN_EMPTY_RMA ("), std::string::npos) << warning;
  EXPECT_NE(warning.find("; UPCXX_CCS_AUTOVERIFY ("), std::string::npos) << warning;
  EXPECT_EQ(warning.find("INSTALL"), std::string::npos) << warning;
  EXPECT_EQ(warning.find("OVERSUBSCRIBED"), std::string::npos) << warning;
  EXPECT_EQ(warning.find("MY_OWN"), std::string::npos) << warning;
  EXPECT_TRUE(warning_of(asked_by_variables::read({}, machine)).empty());
}

}  // namespace
}  // namespace atl::upcxx_front
