// SPDX-License-Identifier: BSD-3-Clause
//
// JSON to rules and back. The parser of the library throws nothing here; what is wrong is found by
// looking, so that the message can say which rule and which word.
#include <atoll/coll/tuned/table.hpp>

#include <atoll/base/error.hpp>
#include <atoll/base/text.hpp>
#include <atoll/coll/tuned/network.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <set>

namespace atl::coll {

namespace {

using json = nlohmann::ordered_json;

constexpr const char* format = "atoll tuned collectives";
constexpr std::uint64_t small_number_max = 1024;
constexpr const char* remedy = "make it again with atoll tune, or set ATOLL_COLL_TABLE=off";

bool is_mover(std::string_view word) noexcept { return word == "put" || word == "get"; }

/// Reads the words of one object, and then knows whether there are others.
class table_reader {
 public:
  table_reader(const json& object, std::string name, std::string place)
      : object_(object), name_(std::move(name)), place_(std::move(place)) {
    if (!object.is_object()) fail("is no object");
  }

  [[noreturn]] void fail(const std::string& cause) const {
    throw error(name_, place_ + " " + cause, remedy);
  }

  std::string word(const char* key) {
    const json* const found = find(key);
    if (found == nullptr || !found->is_string()) fail(text("has no text \"", key, "\""));
    return found->get<std::string>();
  }
  std::uint64_t number(const char* key) {
    const json* const found = find(key);
    if (found == nullptr || !found->is_number_unsigned()) fail(text("has no number \"", key, "\""));
    return found->get<std::uint64_t>();
  }
  /// Empty where it is not given.
  std::string word_if_given(const char* key) { return object_.contains(key) ? word(key) : ""; }
  std::optional<std::uint64_t> number_if_given(const char* key) {
    if (!object_.contains(key)) return {};
    return number(key);
  }
  /// 0 where it is not given.
  unsigned small_number_if_given(const char* key) {
    const std::uint64_t value = number_if_given(key).value_or(0);
    if (value > small_number_max) fail(text("has a ", key, " of ", value));
    return static_cast<unsigned>(value);
  }
  std::optional<bool> flag_if_given(const char* key) {
    const json* const found = find(key);
    if (found == nullptr) return {};
    if (!found->is_boolean()) fail(text("has \"", key, "\", which is neither true nor false"));
    return found->get<bool>();
  }
  /// [least, most]
  tuned_range range_if_given(const char* key) {
    const json* const found = find(key);
    if (found == nullptr) return {};
    const bool is_pair = found->is_array() && found->size() == 2 &&
                         (*found)[0].is_number_unsigned() && (*found)[1].is_number_unsigned();
    if (!is_pair) fail(text("has \"", key, "\", which is no pair of numbers"));
    const tuned_range range{(*found)[0].get<std::uint64_t>(), (*found)[1].get<std::uint64_t>()};
    if (range.min > range.max) fail(text("has \"", key, "\" with its ends exchanged"));
    return range;
  }
  void nothing_else() const {
    if (taken_ == object_.size()) return;
    fail("has a word that this version does not know");
  }
  const json* find(const char* key) {
    const auto found = object_.find(key);
    if (found == object_.end()) return nullptr;
    ++taken_;
    return &*found;
  }

 private:
  const json& object_;
  std::string name_;
  std::string place_;
  std::size_t taken_ = 0;
};

tuned_rule rule_of(const json& object, const std::string& name, std::size_t number,
                   std::uint64_t version) {
  table_reader given(object, name, text("rule ", number));
  tuned_rule rule;
  rule.collective = given.word("collective");
  rule.ranks = given.range_if_given("ranks");
  rule.ranks_per_host = given.range_if_given("ranks_per_host");
  rule.one_host = given.flag_if_given("one_host");
  rule.oversubscribed = given.flag_if_given("oversubscribed");
  rule.bytes = given.range_if_given("bytes");
  rule.element_bytes = given.number_if_given("element_bytes");
  rule.commutative = given.flag_if_given("commutative");
  rule.blocking = given.flag_if_given("blocking");
  if (version >= 4) rule.strict = given.flag_if_given("strict");
  if (version >= 4 && object.contains("network")) rule.network = given.word("network");
  if (version >= 5) rule.network_ns = given.number_if_given("network_ns").value_or(0);
  rule.algorithm = given.word("algorithm");
  rule.radix = given.small_number_if_given("radix");
  if (version >= 2) rule.piece_bytes = given.number_if_given("piece_bytes").value_or(0);
  if (version >= 3) {
    rule.depth = given.small_number_if_given("depth");
    rule.eager_bytes = given.number_if_given("eager_bytes").value_or(0);
    rule.leaders = given.small_number_if_given("leaders");
  }
  if (version >= 4) rule.mover = given.word_if_given("by");
  if (!rule.mover.empty() && !is_mover(rule.mover))
    given.fail("has a \"by\" that is neither put nor get");
  given.nothing_else();
  return rule;
}

void write(json& to, const char* key, const tuned_range& range) {
  const tuned_range any;
  if (range.min != any.min || range.max != any.max) to[key] = {range.min, range.max};
}

template <class Value>
void write(json& to, const char* key, const std::optional<Value>& value) {
  if (value) to[key] = *value;
}

json json_of(const tuned_rule& rule) {
  json object{{"collective", rule.collective}};
  write(object, "ranks", rule.ranks);
  write(object, "ranks_per_host", rule.ranks_per_host);
  write(object, "one_host", rule.one_host);
  write(object, "oversubscribed", rule.oversubscribed);
  write(object, "bytes", rule.bytes);
  write(object, "element_bytes", rule.element_bytes);
  write(object, "commutative", rule.commutative);
  write(object, "blocking", rule.blocking);
  write(object, "strict", rule.strict);
  if (!rule.network.empty()) object["network"] = rule.network;
  if (rule.network_ns != 0) object["network_ns"] = rule.network_ns;
  object["algorithm"] = rule.algorithm;
  if (rule.radix != 0) object["radix"] = rule.radix;
  if (rule.piece_bytes != 0) object["piece_bytes"] = rule.piece_bytes;
  if (rule.depth != 0) object["depth"] = rule.depth;
  if (rule.eager_bytes != 0) object["eager_bytes"] = rule.eager_bytes;
  if (rule.leaders != 0) object["leaders"] = rule.leaders;
  if (!rule.mover.empty()) object["by"] = rule.mover;
  return object;
}

// A value of a parameter, which may be given once: until then it is 0.
template <class Number>
bool read_positive(std::string_view digits, Number& value) {
  if (value != 0) return false;
  const char* const end = digits.data() + digits.size();
  const auto [last, failure] = std::from_chars(digits.data(), end, value);
  return failure == std::errc{} && last == end && value != 0;
}

constexpr std::string_view depth_word = "depth=", eager_word = "eager=", leaders_word = "leaders=",
                           by_word = "by=";

// One of the parts that follow a slash each.
std::string_view read_parameter(std::string_view part, tuned_rule& rule) {
  const auto value_after = [&](std::string_view word) { return part.substr(word.size()); };
  if (part.starts_with(depth_word)) {
    return read_positive(value_after(depth_word), rule.depth) ? "" : "depth";
  }
  if (part.starts_with(eager_word)) {
    return read_positive(value_after(eager_word), rule.eager_bytes) ? "" : "eager limit";
  }
  if (part.starts_with(leaders_word)) {
    return read_positive(value_after(leaders_word), rule.leaders) ? "" : "number of leaders";
  }
  if (part.starts_with(by_word)) {
    const bool is_right = rule.mover.empty() && is_mover(value_after(by_word));
    if (is_right) rule.mover = value_after(by_word);
    return is_right ? "" : "mover of large messages";
  }
  if (part.find('=') != std::string_view::npos) return "parameter";
  return read_positive(part, rule.piece_bytes) ? "" : "piece";
}

// The library takes the last of several values of one word; here that is refused.
json parse_unique(std::string_view content, const std::string& name) {
  std::vector<std::set<std::string>> words;  // of the objects that are open
  const auto look = [&](int, json::parse_event_t event, json& parsed) {
    if (event == json::parse_event_t::object_start) words.emplace_back();
    if (event == json::parse_event_t::object_end) words.pop_back();
    if (event == json::parse_event_t::key && !words.back().insert(parsed).second) {
      const std::string word = parsed;
      throw error(name, text("it has \"", word.substr(0, 40), "\" twice in one place"), remedy);
    }
    return true;
  };
  return json::parse(content, look, false);
}

bool agrees(const std::optional<bool>& wanted, bool value) noexcept {
  return !wanted.has_value() || *wanted == value;
}

}  // namespace

// Hosts may differ in whether ranks share cores, and then their members would choose differently.
bool fits(const tuned_rule& rule, const tuned_shape& shape) noexcept {
  return rule.bytes.holds(shape.bytes) && rule.ranks.holds(shape.ranks) &&
         rule.ranks_per_host.holds(shape.ranks_per_host) && agrees(rule.blocking, shape.blocking) &&
         agrees(rule.strict, shape.strict) && agrees(rule.one_host, shape.one_host) &&
         agrees(rule.commutative, shape.commutative) &&
         (!rule.oversubscribed ||
          (shape.one_host && *rule.oversubscribed == shape.oversubscribed)) &&
         (!rule.element_bytes || *rule.element_bytes == shape.element_bytes);
}

bool is_for_network(const tuned_rule& rule, std::string_view network,
                    std::uint64_t network_ns) noexcept {
  if (!rule.network.empty() && rule.network != network) return false;
  return rule.network_ns == 0 ||
         is_same_network(static_cast<double>(rule.network_ns), static_cast<double>(network_ns));
}

tuned_table parse_tuned_table(std::string_view content, const std::string& name) {
  const json document = parse_unique(content, name);
  if (document.is_discarded()) throw error(name, "it is no JSON, or only a part of it", remedy);
  table_reader given(document, name, "the table");
  if (given.word("format") != format) given.fail("is none of tuned collectives");
  const std::uint64_t version = given.number("version");
  if (version < 1 || version > tuned_table::version) {
    given.fail(text("has version ", version, ", and this Atoll reads 1 to ", tuned_table::version));
  }
  tuned_table table;
  table.machine = given.word("machine");
  if (version >= 6) table.algorithms = given.word_if_given("algorithms");
  const json* const rules = given.find("rules");
  if (rules == nullptr || !rules->is_array()) given.fail("has no list \"rules\"");
  if (rules->size() > tuned_table::rules_max) given.fail("has too many rules");
  given.nothing_else();
  for (const json& each : *rules) {
    table.rules.push_back(rule_of(each, name, table.rules.size() + 1, version));
  }
  return table;
}

tuned_table read_tuned_table(const std::string& path) {
  std::error_code failed;
  const std::filesystem::file_status found = std::filesystem::status(path, failed);
  if (std::filesystem::exists(found) && !std::filesystem::is_regular_file(found))
    throw error(path, "the table of collectives is no file", remedy);
  errno = 0;
  std::ifstream file(path, std::ios::binary);
  if (!file) {
    throw error(path, text("the table of collectives cannot be read (", errno_text(errno), ")"),
                remedy);
  }
  std::string content(tuned_table::file_bytes_max + 1, '\0');
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  if (file.bad()) throw error(path, text("it cannot be read (", errno_text(errno), ")"), remedy);
  content.resize(static_cast<std::size_t>(file.gcount()));
  if (content.size() > tuned_table::file_bytes_max) throw error(path, "it is too large", remedy);
  return parse_tuned_table(content, path);
}

std::string text_of(const tuned_table& table) {
  json head{{"format", format}, {"version", tuned_table::version}, {"machine", table.machine}};
  if (!table.algorithms.empty()) head["algorithms"] = table.algorithms;
  std::string content = head.dump(1);
  content.resize(content.size() - 2);  // "\n}": the rules follow, a line each
  content += ",\n \"rules\": [";
  const char* separator = "\n  ";
  for (const tuned_rule& each : table.rules) {
    content += separator + json_of(each).dump();
    separator = ",\n  ";
  }
  return content + "\n ]\n}\n";
}

std::string algorithm_text(const tuned_rule& rule) {
  std::string words = rule.algorithm;
  if (rule.radix != 0) words += text(":", rule.radix);
  if (rule.piece_bytes != 0) words += text("/", rule.piece_bytes);
  if (rule.depth != 0) words += text("/", depth_word, rule.depth);
  if (rule.eager_bytes != 0) words += text("/", eager_word, rule.eager_bytes);
  if (rule.leaders != 0) words += text("/", leaders_word, rule.leaders);
  if (!rule.mover.empty()) words += text("/", by_word, rule.mover);
  return words;
}

std::string_view read_algorithm(std::string_view words, tuned_rule& rule) {
  const auto end = std::min(words.find('/'), words.size());
  const auto colon = std::min(words.find(':'), end);
  rule.algorithm = words.substr(0, colon);
  rule.radix = rule.depth = rule.leaders = 0;
  rule.piece_bytes = rule.eager_bytes = 0;
  rule.mover.clear();
  if (colon != end && !read_positive(words.substr(colon + 1, end - colon - 1), rule.radix)) {
    return "radix";
  }
  std::string_view rest = words.substr(end);
  while (!rest.empty()) {
    rest.remove_prefix(1);  // the slash
    const std::string_view part = rest.substr(0, rest.find('/'));
    const std::string_view wrong = read_parameter(part, rule);
    if (!wrong.empty()) return wrong;
    rest.remove_prefix(part.size());
  }
  return {};
}

std::string network_text(std::string_view network, std::uint64_t network_ns) {
  if (network_ns == 0) return std::string(network);
  const double us = static_cast<double>(network_ns) / 1000;
  const bool is_long = us >= 999.5;  // "%.3g" would write 1e+03
  char time[32];
  std::snprintf(time, sizeof time, is_long ? "%.3g ms" : "%.3g us", is_long ? us / 1000 : us);
  return text(network, " (a message takes about ", time, ")");
}

std::string ranks_text(const tuned_table& table) {
  std::vector<tuned_range> ranges;
  for (const tuned_rule& each : table.rules) ranges.push_back(each.ranks);
  std::ranges::sort(ranges, {}, &tuned_range::min);
  std::vector<tuned_range> united;
  for (const tuned_range& each : ranges) {
    const bool follows = !united.empty() && each.min <= united.back().max + 1;
    if (united.empty() || (united.back().max != tuned_range{}.max && !follows)) {
      united.push_back(each);
    } else {
      united.back().max = std::max(united.back().max, each.max);
    }
  }
  std::string words;
  for (std::size_t i = 0; i < united.size(); ++i) {
    const tuned_range& each = united[i];
    words += i == 0 ? "" : i + 1 == united.size() ? " and " : ", ";
    if (each.max == tuned_range{}.max) {
      words += each.min <= 1 ? "all" : text(each.min, " and more");
    } else {
      words += each.min == each.max ? text(each.min) : text(each.min, " to ", each.max);
    }
  }
  return words;
}

// FNV-1a over the rules alone: the same choices on another host are the same table.
std::uint64_t digest_of(const tuned_table& table) {
  std::uint64_t digest = 0xcbf29ce484222325;
  for (const tuned_rule& each : table.rules) {
    for (const char letter : json_of(each).dump()) {
      digest = (digest ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
    }
  }
  return digest;
}

}  // namespace atl::coll
