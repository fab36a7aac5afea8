// SPDX-License-Identifier: BSD-3-Clause
//
// Rewording of Clang's messages, which speak of address spaces and of names that the normaliser has
// added, in terms of UPC. The types in them are in those terms already (type_words.hpp).
#include <front/upc/translator/checks.hpp>

#include <regex>

namespace atl::upc {
namespace {

struct phrase {
  std::regex form;
  const char* words;
};

const std::vector<phrase>& phrases() {
  static const std::vector<phrase> list = [] {
    std::vector<phrase> made;
    for (const auto& [form, words] : {
             std::pair<const char*, const char*>{
                 "automatic variable qualified with an.*address space",
                 "an automatic variable cannot be shared; declare it static, or outside of "
                 "functions"},
             {"field may not be qualified with an address space",
              "a member of a structure cannot be shared; declare the whole structure shared"},
             {"parameter may not be qualified with an address space",
              "a parameter cannot be shared; pass a pointer-to-shared"},
             {"function type may not be qualified with an address space",
              "a function cannot be shared"},
             {"compound literal in function scope may not be qualified with an address space",
              "a compound literal in a function cannot be shared"},
             {"(variable|atomic type|.*) may not be qualified with an address space",
              "$1 cannot be shared"},
             {"changes address space of nested pointer",
              "makes a pointer-to-shared of a private pointer, or the reverse, behind a pointer"},
             {"(assigning|passing|returning) ('[^']*shared[^']*'.*) changes address space of "
              "pointer",
              "$1 $2: a pointer-to-shared becomes a private pointer only by a cast"},
             {"(assigning|passing|returning|initializing|converting|casting|sending) (.*) changes "
              "address space of pointer",
              "$1 $2: pointers-to-shared and private pointers are not converted into each other"},
             {"arithmetic operation with operands of type *\\((.*)\\) which are pointers to "
              "non-overlapping address spaces",
              "arithmetic on a pointer-to-shared and a private pointer ($1)"},
             {"comparison between *\\((.*)\\) which are pointers to non-overlapping address spaces",
              "comparing a pointer-to-shared and a private pointer ($1)"},
             {"conditional operator with the second and third operands of type *\\((.*)\\) which "
              "are pointers to "
              "non-overlapping address spaces",
              "the results of '?:' are a pointer-to-shared and a private pointer ($1)"},
             {"__attribute__\\(\\(address_space\\(1\\)\\)\\)", "shared"},
             {" *__attribute__\\(\\(btf_type_tag\\(\"upc:[^\"]*\"\\)\\)\\)", ""},
             {"'(address_space|btf_type_tag)' attribute", "'shared'"},
             {"enumerator value for '__upc_layout_[0-9]+_value' is not an integer constant",
              "the block size is not an integer constant"},
             {"enumerator value.*", "the block size is not a number that can stand here"},
             {"('__upc_layout_[0-9]+_value'|'enum __upc_layout_[0-9]+')", "the block size"},
             {"non-overlapping address spaces", "shared and private data"},
             {"address spaces?", "sharing"},
             {"; did you mean '__[^']*'\\?", ""},
             {"__upc_layout_[0-9]+(_value)?", "the block size"},
             {"\\(\\(long\\)(__upc_threads|THREADS)\\)", "THREADS"},
             {"__upc_threads", "THREADS"},
             {"\\(?\\+?__upc_mythread\\)?", "MYTHREAD"},
             {"__upc_", "upc_"},
         }) {
      made.push_back({std::regex(form), words});
    }
    return made;
  }();
  return list;
}

// Replaces the number that stands for THREADS, and its multiples, by what they mean.
std::string with_threads(const std::string& message) {
  static const std::regex number("\\b[0-9]{7,18}\\b");
  std::string result;
  auto copied = message.begin();
  for (std::sregex_iterator found(message.begin(), message.end(), number), end; found != end;
       ++found) {
    const std::uint64_t value = std::stoull(found->str());
    if (value % threads_stand_in != 0) continue;
    const std::uint64_t factor = value / threads_stand_in;
    result.append(copied, (*found)[0].first);
    result += factor == 1 ? "THREADS" : std::to_string(factor) + "*THREADS";
    copied = (*found)[0].second;
  }
  return result.append(copied, message.end());
}

bool contains(const std::string& message, const char* words) {
  return message.find(words) != std::string::npos;
}

}  // namespace

std::string message_in_words(std::string message, const std::string& keyword) {
  if (keyword == "MYTHREAD" || keyword == "THREADS") {
    if (contains(message, "is not assignable"))
      return keyword + " is a value, not a variable: it cannot be assigned";
    if (contains(message, "cannot take the address"))
      return keyword + " is a value, not a variable: it has no address";
  }
  if (keyword == "upc_barrier" || keyword == "upc_notify" || keyword == "upc_wait") {
    if (contains(message, "to parameter of incompatible type 'int'")) {
      return "the value of " + keyword + " must be an integer" +
             std::regex_replace(message, std::regex("passing (.*) to parameter.*"), ", not $1");
    }
  }
  if (keyword.rfind("shared", 0) == 0 && contains(message, "integer constant expression")) {
    return "the block size is not an integer constant";
  }
  static const std::regex undeclared("use of undeclared identifier '([A-Za-z_0-9]+)'.*");
  if (std::smatch found; std::regex_match(message, found, undeclared)) {
    const known_name exact = find_known_name(found[1], true),
                     near = find_known_name(found[1], false);
    const std::string plain = "use of undeclared identifier '" + found[1].str() + "'";
    if (!exact.name.empty()) return plain + "; #include <" + exact.header + ">";
    if (!near.name.empty()) return plain + "; did you mean '" + near.name + "'?";
  }
  for (const phrase& each : phrases()) message = std::regex_replace(message, each.form, each.words);
  return with_threads(message);
}

}  // namespace atl::upc
