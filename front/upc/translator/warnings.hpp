// SPDX-License-Identifier: BSD-3-Clause
//
// The warnings that the translator gives beside its errors, and the options that switch them:
// -Wupc-race, -Wno-upc-race, -Werror, -Werror=upc-race, -Wno-error=upc-race, -Wextra, -w. The names
// follow those of C compilers.
#pragma once

#include <map>
#include <string>

namespace atl::upc {

class warnings {
 public:
  // Reads an option that begins with -W or is -w; options of other warnings mean nothing here.
  void read(const std::string& option);

  [[nodiscard]] bool is_on(const std::string& name) const;
  [[nodiscard]] bool is_error(const std::string& name) const;

 private:
  std::map<std::string, bool> enabled_{
      {"incompatible-pointer-types", true},  // pointers-to-shared to elements of another type
      {"main", true},                        // parameters of main that it is not called with
      {"return-type", true},                 // a return without a value where one is promised
      {"upc-barrier", true},                 // upc_notify and upc_wait that do not alternate
      {"upc-cast", true},                    // 'shared' in a cast where it means nothing
      {"upc-forall", true},        // ways out of a upc_forall, and collective operations in one
      {"upc-names", true},         // names that nearly are those of UPC
      {"upc-race", true},          // two threads that access an element without synchronisation
      {"upc-remote-loop", false},  // loops that access remote elements one by one
      {"upc-sizeof", true},        // sizeof(void), which only GNU C has
  };
  std::map<std::string, bool> error_;
  bool all_are_errors_ = false;
  bool none_are_on_ = false;
};

}  // namespace atl::upc
