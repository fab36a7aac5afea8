// SPDX-License-Identifier: BSD-3-Clause
//
// Encoding and decoding of the launcher's words. Each message lists its fields once, in a function
// that serves for writing and for taking, so the two cannot disagree.
#include <atoll/bootstrap/fields.hpp>
#include <tools/hosts/words.hpp>

#include <algorithm>
#include <utility>

namespace atl::tools::words {
namespace {

/// Writes the fields that a message lists.
class put_fields : public bootstrap::field_writer {
 public:
  template <class Integer>
  void number(Integer& value) {
    put(value);
  }
  void text(std::string& value) {
    value.resize(std::min(value.size(), text_bytes_max));
    put_text(value, text_bytes_max);
  }
  void long_text(std::string& value) {
    put(static_cast<std::uint32_t>(value.size()));
    put_bytes(std::as_bytes(std::span(value)));
  }
  void rest(bytes& value) { put_bytes(value); }
  template <class Entry, class Each>
  void list(std::vector<Entry>& entries, Each each) {
    put(static_cast<std::uint32_t>(entries.size()));
    for (auto& entry : entries) each(entry);
  }
  bytes take() { return std::move(made_); }
};

/// Takes them off a body.
class take_fields {
 public:
  explicit take_fields(std::span<const std::byte> body) : in_(body) {}

  template <class Integer>
  void number(Integer& value) {
    value = in_.take<Integer>();
  }
  void text(std::string& value) { value = in_.take_text(text_bytes_max); }
  void long_text(std::string& value) {
    const auto raw = in_.take_bytes(in_.take<std::uint32_t>());
    value.assign(reinterpret_cast<const char*>(raw.data()), raw.size());
  }
  void rest(bytes& value) {
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
  bool whole() const { return !wrong_ && in_.whole(); }

 private:
  bootstrap::field_cursor in_;
  bool wrong_ = false;
};

template <class Fields>
void fields_of(Fields& in, joined& m) {
  in.number(m.rank);
  in.number(m.pid);
  in.text(m.version);
}

template <class Fields>
void fields_of(Fields& in, entered& m) {
  in.number(m.rank);
  in.number(m.collective);
  in.rest(m.blob);
}

template <class Fields>
void fields_of(Fields& in, of_rank& m) {
  in.number(m.rank);
}

template <class Fields>
void fields_of(Fields& in, failed& m) {
  in.number(m.code);
  in.number(m.signal);
  in.number(m.left);
  in.number(m.others_speak);
  in.text(m.why);
}

template <class Fields>
void fields_of(Fields& in, line& m) {
  in.text(m.text);
}

template <class Fields>
void fields_of(Fields& in, output& m) {
  in.number(m.rank);
  in.number(m.stream);
  in.rest(m.data);
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

template <class Message>
bool makes_sense(const Message&) {
  return true;
}

}  // namespace

bytes body_of(const joined& message) { return write(message); }
bytes body_of(const entered& message) { return write(message); }
bytes body_of(const of_rank& message) { return write(message); }
bytes body_of(const failed& message) { return write(message); }
bytes body_of(const line& message) { return write(message); }
bytes body_of(const output& message) { return write(message); }
bytes body_of(const amount& message) { return write(message); }
bytes body_of(const signal& message) { return write(message); }
bytes body_of(const end& message) { return write(message); }
bytes body_of(const plan& message) { return write(message); }

template <class Message>
std::optional<Message> decode(std::span<const std::byte> body) {
  take_fields in(body);
  Message message;
  fields_of(in, message);
  if (!in.whole() || !makes_sense(message)) return std::nullopt;
  return message;
}

template std::optional<joined> decode(std::span<const std::byte>);
template std::optional<entered> decode(std::span<const std::byte>);
template std::optional<of_rank> decode(std::span<const std::byte>);
template std::optional<failed> decode(std::span<const std::byte>);
template std::optional<line> decode(std::span<const std::byte>);
template std::optional<output> decode(std::span<const std::byte>);
template std::optional<amount> decode(std::span<const std::byte>);
template std::optional<signal> decode(std::span<const std::byte>);
template std::optional<end> decode(std::span<const std::byte>);
template std::optional<plan> decode(std::span<const std::byte>);

bytes encode(word what, std::uint32_t node, std::span<const std::byte> body) {
  put_fields out;
  out.reserve(header_bytes + body.size());
  out.put(static_cast<std::uint32_t>(body.size()));
  out.put(static_cast<std::uint16_t>(what));
  out.put(std::uint16_t{0});
  out.put(node);
  out.put_bytes(body);
  return out.take();
}

void stream::append(std::span<const std::byte> received) {
  if (consumed_ > 0) {
    buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(consumed_));
    consumed_ = 0;
  }
  buffer_.insert(buffer_.end(), received.begin(), received.end());
}

stream::result stream::next(frame& found) {
  const auto left = std::span<const std::byte>(buffer_).subspan(consumed_);
  if (left.size() < header_bytes) return result::more;
  bootstrap::field_cursor in(left);
  const std::size_t body_bytes = in.take<std::uint32_t>();
  const auto what = in.take<std::uint16_t>();
  const auto zero = in.take<std::uint16_t>();
  found.node = in.take<std::uint32_t>();
  const bool known = what >= static_cast<std::uint16_t>(word::hello) &&
                     what <= static_cast<std::uint16_t>(word::over);
  if (!known || zero != 0 || body_bytes > body_bytes_max_) return result::bad;
  if (left.size() < header_bytes + body_bytes) return result::more;
  found.what = static_cast<word>(what);
  found.body = left.subspan(header_bytes, body_bytes);
  consumed_ += header_bytes + body_bytes;
  return result::frame;
}

}  // namespace atl::tools::words
