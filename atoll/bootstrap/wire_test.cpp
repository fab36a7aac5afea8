// SPDX-License-Identifier: BSD-3-Clause
//
// The launcher's messages: what goes in comes out, and whatever is cut, padded or made up is
// refused.
#include <atoll/bootstrap/blob_table.hpp>
#include <atoll/bootstrap/wire.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace atl::bootstrap::wire {
namespace {

std::span<const std::byte> body_of(const bytes& frame) {
  return std::span(frame).subspan(header_bytes);
}

bytes some_bytes(std::size_t count) {
  bytes made(count);
  for (std::size_t i = 0; i < count; ++i) made[i] = static_cast<std::byte>(i * 7 + count);
  return made;
}

hello sample_hello() {
  hello message{.rank = 3, .size = 70000, .version = "0.1.0"};
  for (std::size_t i = 0; i < message.key.size(); ++i) message.key[i] = static_cast<std::byte>(i);
  return message;
}

TEST(wire, a_hello_comes_back_as_it_was) {
  const auto sent = sample_hello();
  const auto got = decode_hello(body_of(encode(sent)));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->rank, sent.rank);
  EXPECT_EQ(got->size, sent.size);
  EXPECT_EQ(got->key, sent.key);
  EXPECT_EQ(got->version, sent.version);
  EXPECT_EQ(got->protocol, protocol);
}

TEST(wire, a_hello_of_another_protocol_still_tells_its_number) {
  auto message = sample_hello();
  message.protocol = 77;
  auto frame = encode(message);
  frame.resize(frame.size() + 5);  // and it may be of any length
  const auto got = decode_hello(body_of(frame));
  ASSERT_TRUE(got);
  EXPECT_EQ(got->protocol, 77);
}

TEST(wire, all_other_messages_come_back_as_they_were) {
  const auto greeted = decode_welcome(body_of(encode(welcome{.size = 12, .round = 2})));
  ASSERT_TRUE(greeted);
  EXPECT_EQ(greeted->size, 12u);
  EXPECT_EQ(greeted->round, 2u);
  const auto turned_away = decode_refused(body_of(encode(refused{.cause = "a", .remedy = "b c"})));
  ASSERT_TRUE(turned_away);
  EXPECT_EQ(turned_away->cause, "a");
  EXPECT_EQ(turned_away->remedy, "b c");
  EXPECT_EQ(decode_stop(body_of(encode(stop{.code = -2})))->code, -2);
  const auto last = decode_end_job(body_of(encode(end_job{.code = -5, .message = "why"})));
  ASSERT_TRUE(last);
  EXPECT_EQ(last->code, -5);
  EXPECT_EQ(last->message, "why");
}

TEST(wire, a_welcome_tells_where_each_host_begins) {
  const auto firsts_of = [](std::vector<rank_id> firsts) {
    return decode_welcome(body_of(encode(welcome{.size = 9, .host_firsts = std::move(firsts)})));
  };
  EXPECT_EQ(firsts_of({0, 2, 8})->host_firsts, (std::vector<rank_id>{0, 2, 8}));
  EXPECT_FALSE(firsts_of({1, 2}));
  EXPECT_FALSE(firsts_of({0, 3, 3}));
  EXPECT_FALSE(firsts_of({0, 9}));
}

TEST(wire, blobs_of_any_size_come_back_in_order) {
  const std::vector<bytes> sent{some_bytes(0), some_bytes(1), some_bytes(blob_bytes_max)};
  const auto frame = encode_blobs(sent);
  const auto table = blob_table::of_block(body_of(frame), 3);
  ASSERT_TRUE(table);
  for (rank_id rank = 0; rank < 3; ++rank)
    EXPECT_TRUE(std::ranges::equal(table->at(rank), sent[rank])) << rank;
}

TEST(wire, long_texts_are_cut_and_not_refused) {
  const auto frame = encode(end_job{.message = std::string(3 * text_bytes_max, 'x')});
  EXPECT_EQ(decode_end_job(body_of(frame))->message.size(), text_bytes_max);
}

TEST(wire, every_shorter_or_longer_body_is_refused) {
  const auto frames = {encode(sample_hello()), encode(welcome{.size = 1}),
                       encode(refused{.cause = "cause", .remedy = "remedy"}),
                       encode(end_job{.code = 1, .message = "message"}), encode(stop{.code = 1})};
  const auto decodes = [](std::span<const std::byte> body, kind type) {
    switch (type) {
      case kind::hello:
        return decode_hello(body).has_value();
      case kind::welcome:
        return decode_welcome(body).has_value();
      case kind::refused:
        return decode_refused(body).has_value();
      case kind::stop:
        return decode_stop(body).has_value();
      default:
        return decode_end_job(body).has_value();
    }
  };
  for (auto frame : frames) {
    const auto type =
        decode_header(std::span(frame).first<header_bytes>(), rank_body_bytes_max)->type;
    EXPECT_TRUE(decodes(body_of(frame), type));
    for (std::size_t cut = 0; cut < body_of(frame).size(); ++cut)
      EXPECT_FALSE(decodes(body_of(frame).first(cut), type));
    frame.push_back(std::byte{0});
    EXPECT_FALSE(decodes(body_of(frame), type));
  }
}

TEST(wire, a_header_with_an_unknown_kind_or_too_long_a_body_is_refused) {
  auto frame = encode(kind::fence);
  const auto head = [&] { return decode_header(std::span(frame).first<header_bytes>(), 100); };
  ASSERT_TRUE(head());
  frame[0] = std::byte{100};
  EXPECT_TRUE(head());
  frame[0] = std::byte{101};
  EXPECT_FALSE(head());
  frame[0] = std::byte{0};
  for (const int unknown : {0, static_cast<int>(last_kind) + 1, 255}) {
    frame[4] = static_cast<std::byte>(unknown);
    EXPECT_FALSE(head());
  }
}

TEST(wire, a_stream_is_cut_into_frames_wherever_it_is_torn) {
  bytes stream;
  for (const auto& frame : {encode(sample_hello()), encode(kind::fence),
                            encode_exchange(some_bytes(300)), encode(kind::goodbye)})
    stream.insert(stream.end(), frame.begin(), frame.end());
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    message_reader reader(rank_body_bytes_max);
    std::vector<kind> seen;
    for (std::size_t offset = 0; offset < stream.size();) {
      const auto count = std::min<std::size_t>(stream.size() - offset, 1 + random() % 90);
      reader.append(std::span(stream).subspan(offset, count));
      offset += count;
      kind type{};
      std::span<const std::byte> body;
      while (reader.next(type, body) == message_reader::result::frame) seen.push_back(type);
    }
    EXPECT_EQ(seen, (std::vector{kind::hello, kind::fence, kind::exchange, kind::goodbye}));
  }
}

TEST(wire, keys_are_the_same_only_if_every_byte_is) {
  const auto key = sample_hello().key;
  EXPECT_TRUE(same_key(key, key));
  for (std::size_t i = 0; i < key.size(); ++i) {
    auto other = key;
    other[i] ^= std::byte{0x80};
    EXPECT_FALSE(same_key(key, other));
  }
}

}  // namespace
}  // namespace atl::bootstrap::wire
