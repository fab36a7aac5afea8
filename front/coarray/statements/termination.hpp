// SPDX-License-Identifier: BSD-3-Clause
//
// The ways in which an image ends. Normal termination (END PROGRAM, STOP) waits until all other
// images end too, and serves them meanwhile: they can still read and write the coarrays of this
// image. Error termination (ERROR STOP) ends all images.
//
// The compiler's library has buffers of its own for output. So a caller of these functions has them
// written out before, and the process ends by exit(), which closes the files.
#pragma once

#include <cstddef>
#include <string_view>

namespace atl::coarray {

/// Makes the end of the process by exit() with code 0 a normal termination.
void end_at_exit() noexcept;

/// The end of the main program: returns when all images have come to their end.
void finalize() noexcept;

/// STOP with a code or a text. A null text is STOP alone, which prints nothing.
[[noreturn]] void stop(int code, bool quiet) noexcept;
[[noreturn]] void stop(const char* text, std::size_t bytes, bool quiet) noexcept;

/// ERROR STOP with a code or a text.
[[noreturn]] void error_stop(int code, bool quiet) noexcept;
[[noreturn]] void error_stop(const char* text, std::size_t bytes, bool quiet) noexcept;

/// FAIL IMAGE. The others go on; in a job of one image it is the end, with code 0.
[[noreturn]] void fail_image() noexcept;

}  // namespace atl::coarray
