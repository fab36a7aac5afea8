// SPDX-License-Identifier: BSD-3-Clause
//
// Thread modes that object files were compiled for. GASNet-EX catches a mixture when linking, by
// one library per mode; here every file notes its mode before main() (gasnetex_mode.h), and the
// start checks that they agree. The notes are constant-initialized, because constructors of files
// that write them may run before those of this library.
#pragma once

#include <string>

namespace atl::gex {

/// The first file seen of each mode; null where none was.
class mode_notes {
 public:
  void note(int mode, const char* file) noexcept;

  /// Some file was compiled for debugging (GASNET_DEBUG).
  void note_debugging() noexcept { for_debugging_ = true; }
  bool any_for_debugging() const noexcept { return for_debugging_; }

  /// Empty when all files agree, else a sentence that names two that do not.
  std::string disagreement() const;

 private:
  static constexpr int modes = 4;  // from 1; see gasnetex_identity.h
  const char* file_of_[modes] = {};
  bool for_debugging_ = false;
};

/// The notes of this process.
extern constinit mode_notes noted_modes;

/// "SEQ", "PARSYNC", "PAR".
const char* mode_name(int mode) noexcept;

}  // namespace atl::gex
