// SPDX-License-Identifier: BSD-3-Clause
//
// Encoding and decoding of the messages between the launcher's processes. Each message lists its
// fields once, in a function that serves for writing and for taking, so the two cannot disagree.
#include <atoll/bootstrap/fields.hpp>
#include <tools/hosts/protocol.hpp>
#include <tools/run/rendezvous.hpp>

#include <algorithm>
#include <utility>

namespace atl::tools::protocol {
namespace {

/// Writes the fields that a message lists.
class put_fields : public bootstrap::field_writer {
 public:
  template <class Integer>
  void number(Integer& value) {
    put(value);
  }
  template <class Choice>
  void choice(Choice& value) {
    put(static_cast<std::uint8_t>(value));
  }
  void sized_bytes(bytes& value) {
    put(static_cast<std::uint32_t>(value.size()));
    put_bytes(value);
  }
  void text(std::string& value) {
    value.resize(std::min(value.size(), text_bytes_max));
    put_text(value, text_bytes_max);
  }
  void long_text(std::string& value) {
    put(static_cast<std::uint32_t>(value.size()));
    put_bytes(std::as_bytes(std::span(value)));
  }
  void remaining(bytes& value) { put_bytes(value); }
  template <class Entry, class Each>
  void list(std::vector<Entry>& entries, Each each) {
    put(static_cast<std::uint32_t>(entries.size()));
    for (auto& entry : entries) each(entry);
  }
  bytes take() { return std::move(made_); }
};

/// Reads the fields that a message lists from a body.
class take_fields {
 public:
  explicit take_fields(std::span<const std::byte> body) : in_(body) {}

  template <class Integer>
  void number(Integer& value) {
    value = in_.take<Integer>();
  }
  template <class Choice>
  void choice(Choice& value) {
    value = static_cast<Choice>(in_.take<std::uint8_t>());
  }
  void sized_bytes(bytes& value) {
    const auto raw = in_.take_bytes(in_.take<std::uint32_t>());
    value.assign(raw.begin(), raw.end());
  }
  void text(std::string& value) { value = in_.take_text(text_bytes_max); }
  void long_text(std::string& value) {
    const auto raw = in_.take_bytes(in_.take<std::uint32_t>());
    value.assign(reinterpret_cast<const char*>(raw.data()), raw.size());
  }
  void remaining(bytes& value) {
    const auto raw = in_.take_bytes(in_.left());
    value.assign(raw.begin(), raw.end());
  }
  template <class Entry, class Each>
  void list(std::vector<Entry>& entries, Each each) {
    const std::size_t count = in_.take<std::uint32_t>();
    if (count > list_max || count > in_.left()) wrong_ = true;
    if (wrong_) return;
    for (std::size_t i = 0; i < count && in_.good(); ++i) each(entries.emplace_back());
  }
  bool is_whole() const { return !wrong_ && in_.is_whole(); }

 private:
  bootstrap::field_cursor in_;
  bool wrong_ = false;
};

template <class Fields>
void fields_of(Fields& in, rank_event& m) {
  in.choice(m.type);
  in.number(m.rank);
  in.number(m.number);
  in.text(m.version);
  in.sized_bytes(m.blob);
}

template <class Fields>
void fields_of(Fields& in, events& m) {
  in.list(m.list, [&](rank_event& each) { fields_of(in, each); });
}

template <class Fields>
void fields_of(Fields& in, failed& m) {
  in.number(m.code);
  in.number(m.interrupted_by);
  in.number(m.others_speak);
  in.number(m.also_ended);
  in.text(m.reason);
  in.number(m.rank);
  in.number(m.rank_code);
}

template <class Fields>
void fields_of(Fields& in, nodes& m) {
  in.list(m.list, [&](std::uint32_t& each) { in.number(each); });
}

template <class Fields>
void fields_of(Fields& in, fate_notices& m) {
  in.list(m.list, [&](fate_notice& each) {
    in.number(each.rank);
    in.choice(each.fate);
  });
}

template <class Fields>
void fields_of(Fields& in, output_line& m) {
  in.text(m.text);
}

template <class Fields>
void fields_of(Fields& in, output& m) {
  in.number(m.rank);
  in.number(m.stream);
  in.remaining(m.data);
}

template <class Fields>
void fields_of(Fields& in, amount& m) {
  in.number(m.bytes_count);
}

template <class Fields>
void fields_of(Fields& in, signal& m) {
  in.number(m.number);
}

template <class Fields>
void fields_of(Fields& in, end& m) {
  in.number(m.grace_ms);
}

template <class Fields>
void fields_of(Fields& in, plan& m) {
  in.list(m.hosts, [&](host& each) {
    in.text(each.name);
    in.number(each.first);
    in.number(each.count);
  });
  in.number(m.size);
  in.number(m.radix);
  in.number(m.start_timeout_ms);
  in.number(m.link_timeout_ms);
  for (auto* each : {&m.rsh, &m.atoll_path, &m.interface, &m.directory, &m.bind, &m.wrap})
    in.long_text(*each);
  in.number(m.same_addresses);
  in.number(m.verbose);
  in.list(m.wrap_ranks, [&](rank_id& each) { in.number(each); });
  for (auto* each : {&m.command, &m.set_variables, &m.unset_variables})
    in.list(*each, [&](std::string& word) { in.long_text(word); });
}

template <class Message>
bytes write(Message message) {
  put_fields out;
  fields_of(out, message);
  return out.take();
}

/// Checks the fields of a plan against each other, so that the users of the plan need not.
bool makes_sense(const plan& job) {
  if (job.hosts.size() > hosts_max || job.size > ranks_max) return false;
  rank_id next = 0;
  for (const auto& each : job.hosts) {
    if (each.first != next || each.count == 0 || each.count > job.size - next) return false;
    next += each.count;
  }
  return next == job.size && job.size > 0 && job.radix > 0 && !job.command.empty();
}

/// Checks the numbers of an event, so that its reader need not; only the reader knows the ranks.
bool makes_sense(const rank_event& event) {
  using type = rank_event::kind;
  const auto last_collective = static_cast<std::uint32_t>(rendezvous::collective::stop);
  if (event.type == type::entered) return event.number >= 1 && event.number <= last_collective;
  if (event.type == type::stopped || event.type == type::ended) return event.number <= 255;
  return event.type >= type::joined && event.type <= type::depends;
}

bool makes_sense(const events& message) {
  return std::ranges::all_of(message.list,
                             [](const rank_event& each) { return makes_sense(each); });
}

bool makes_sense(const fate_notices& message) {
  return std::ranges::all_of(message.list, [](const fate_notice& each) {
    return each.fate <= bootstrap::rank_fate::failed;
  });
}

template <class Message>
bool makes_sense(const Message&) {
  return true;
}

}  // namespace

bytes body_of(const events& message) { return write(message); }
bytes body_of(const failed& message) { return write(message); }
bytes body_of(const nodes& message) { return write(message); }
bytes body_of(const output_line& message) { return write(message); }
bytes body_of(const output& message) { return write(message); }
bytes body_of(const amount& message) { return write(message); }
bytes body_of(const fate_notices& message) { return write(message); }
bytes body_of(const signal& message) { return write(message); }
bytes body_of(const end& message) { return write(message); }
bytes body_of(const plan& message) { return write(message); }

template <class Message>
std::optional<Message> decode(std::span<const std::byte> body) {
  take_fields in(body);
  Message message;
  fields_of(in, message);
  if (!in.is_whole() || !makes_sense(message)) return std::nullopt;
  return message;
}

template std::optional<events> decode(std::span<const std::byte>);
template std::optional<failed> decode(std::span<const std::byte>);
template std::optional<nodes> decode(std::span<const std::byte>);
template std::optional<output_line> decode(std::span<const std::byte>);
template std::optional<output> decode(std::span<const std::byte>);
template std::optional<amount> decode(std::span<const std::byte>);
template std::optional<fate_notices> decode(std::span<const std::byte>);
template std::optional<signal> decode(std::span<const std::byte>);
template std::optional<end> decode(std::span<const std::byte>);
template std::optional<plan> decode(std::span<const std::byte>);

bytes encode(kind type, std::uint32_t node, std::span<const std::byte> body) {
  bootstrap::frames::frame_writer out(type);
  out.reserve(bootstrap::frames::header_bytes + sizeof node + body.size());
  out.put(node);
  out.put_bytes(body);
  return std::move(out).finish();
}

stream::result stream::next(frame& found) {
  const auto outcome = frames_.next(found.kind, found.body);
  if (outcome != stream::result::frame) return outcome;
  bootstrap::field_cursor in(found.body);
  found.node = in.take<std::uint32_t>();
  if (!in.good()) return stream::result::bad;
  found.body = found.body.subspan(sizeof found.node);
  return outcome;
}

}  // namespace atl::tools::protocol
