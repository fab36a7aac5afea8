// SPDX-License-Identifier: BSD-3-Clause
//
// The first contact with a rank when libfabric takes its address later, or never. This process's
// libfabric refuses insertions when the test says so.
#include <atoll/transport/ofi/context.hpp>
#include <tests/conformance/transport_suite.hpp>

#include <dlfcn.h>

#include <cerrno>
#include <memory>
#include <utility>
#include <vector>

namespace {

fi_ops_fabric fabric_ops;
fi_ops_domain domain_ops;
fi_ops_av table_ops;
int (*real_domain)(fid_fabric*, fi_info*, fid_domain**, void*);
int (*real_av_open)(fid_domain*, fi_av_attr*, fid_av**, void*);
int (*real_insert)(fid_av*, const void*, std::size_t, fi_addr_t*, std::uint64_t, void*);

int refusal = 0;     // the code of insertions; 0: they are done
int insertions = 0;  // that were done

int insert(fid_av* table, const void* address, std::size_t count, fi_addr_t* names,
           std::uint64_t flags, void* context) {
  if (refusal == 0) ++insertions;
  if (refusal == 0) return real_insert(table, address, count, names, flags, context);
  if ((flags & FI_SYNC_ERR) != 0) *static_cast<int*>(context) = refusal;
  return 0;
}

int av_open(fid_domain* domain, fi_av_attr* wanted, fid_av** made, void* context) {
  const int code = real_av_open(domain, wanted, made, context);
  if (code != 0) return code;
  table_ops = *(*made)->ops;
  real_insert = std::exchange(table_ops.insert, insert);
  (*made)->ops = &table_ops;
  return 0;
}

int open_domain(fid_fabric* fabric, fi_info* info, fid_domain** made, void* context) {
  const int code = real_domain(fabric, info, made, context);
  if (code != 0) return code;
  domain_ops = *(*made)->ops;
  real_av_open = std::exchange(domain_ops.av_open, av_open);
  (*made)->ops = &domain_ops;
  return 0;
}

}  // namespace

extern "C" int fi_fabric(fi_fabric_attr* wanted, fid_fabric** made, void* context) {
  const auto real = reinterpret_cast<decltype(&fi_fabric)>(::dlsym(RTLD_NEXT, "fi_fabric"));
  const int code = real == nullptr ? -ENOSYS : real(wanted, made, context);
  if (code != 0) return code;
  fabric_ops = *(*made)->ops;
  real_domain = std::exchange(fabric_ops.domain, open_domain);
  (*made)->ops = &fabric_ops;
  return 0;
}

namespace atl::transport {
// Only their receiver is used here.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(transport_suite);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(transport_queue_suite);
}  // namespace atl::transport

namespace atl::transport::ofi {
namespace {

class first_contact : public testing::Test {
 protected:
  first_contact() {
    insertions = 0;
    std::vector<std::vector<std::byte>> cards;
    for (rank_id rank = 0; rank < receivers.size(); ++rank) {
      const network_request wanted{.self = rank,
                                   .ranks = static_cast<rank_id>(receivers.size()),
                                   .threaded = false,
                                   .one_machine = true,
                                   .to = receivers[rank],
                                   .configuration = configuration};
      ranks.push_back(
          std::make_unique<context>(wanted, network_name{.provider = "net", .interface = ""}));
      cards.push_back(ranks.back()->publish());
    }
    cards[3].clear();  // it does not have the network
    for (rank_id rank = 0; rank < 3; ++rank)
      ranks[rank]->connect({std::vector<std::span<const std::byte>>(cards.begin(), cards.end())});
    receivers[0].goes_on = true;
  }
  ~first_contact() override { refusal = 0; }

  void poll() {
    for (rank_id rank = 0; rank < 3; ++rank) ranks[rank]->poll(false);
  }

  settings configuration = settings::read(nullptr);
  std::vector<recording_receiver> receivers = std::vector<recording_receiver>(4);
  std::vector<std::unique_ptr<context>> ranks;
};

TEST_F(first_contact, one_address_is_inserted_at_the_start) { EXPECT_EQ(insertions, 3); }

TEST_F(first_contact, an_address_that_libfabric_takes_later_is_inserted_later) {
  refusal = EAGAIN;
  EXPECT_EQ(ranks[0]->send({.target = 1, .handler = 1}), post::done);
  std::uint64_t source = 5;
  const transfer request{
      .target = 1, .local = reinterpret_cast<std::byte*>(&source), .bytes = sizeof source};
  EXPECT_EQ(ranks[0]->put(request), post::retry);
  for (int i = 0; i < 100; ++i) poll();
  EXPECT_TRUE(receivers[0].lost_ranks.empty());
  EXPECT_TRUE(receivers[1].seen.empty());
  refusal = 0;
  for (int i = 0; i < 1'000'000 && receivers[1].seen.empty(); ++i) poll();
  EXPECT_EQ(receivers[1].seen.size(), 1u);
  EXPECT_TRUE(receivers[0].lost_ranks.empty());
}

TEST_F(first_contact, a_refusal_is_told_with_its_cause_and_the_settings) {
  refusal = ENOMEM;
  ranks[0]->send({.target = 1, .handler = 1});
  EXPECT_EQ(receivers[0].lost_ranks, std::vector<rank_id>{1});
  EXPECT_EQ(receivers[0].last_cause,
            "net: fi_av_insert refuses its address: Cannot allocate memory; give all ranks the "
            "same ATOLL_OFI_PROVIDER and ATOLL_OFI_INTERFACE");
}

TEST_F(first_contact, a_rank_without_the_network_is_lost_without_an_insertion) {
  const int before = insertions;
  ranks[0]->send({.target = 3, .handler = 1});
  EXPECT_EQ(receivers[0].lost_ranks, std::vector<rank_id>{3});
  EXPECT_EQ(receivers[0].last_cause, "net: it does not have this network");
  EXPECT_EQ(insertions, before);
}

}  // namespace
}  // namespace atl::transport::ofi
