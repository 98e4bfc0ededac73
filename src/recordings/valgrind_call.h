// SPDX-License-Identifier: Apache-2.0
// Parses the output of `valgrind --trace-malloc=yes` for a call of malloc or a
// related function:
//
//   --27844-- malloc(1000) = 0x4A43040
//   --27844-- memalign(al 64, size 4096) = 0x4A435C0
//   --27844-- free(0x4A43470)
//
// The text of a call is written when the call begins, and its result is written
// when the call returns. There may be other output between the text and the
// result (source: coregrind/m_replacemalloc/vg_replace_malloc.c of valgrind).
#ifndef STOWAGE_SRC_RECORDINGS_VALGRIND_CALL_H_
#define STOWAGE_SRC_RECORDINGS_VALGRIND_CALL_H_

#include <cstddef>
#include <cstdint>

#include "stowage/base/optional.h"
#include "stowage/base/string_view.h"

namespace stowage::recordings {

struct ValgrindCall {
  enum class Kind {
    kAlloc,
    // An allocation for which some versions of valgrind do not write the
    // address.
    kSilentAlloc,
    kRealloc,
    // A realloc for which some versions of valgrind write the result twice.
    kReallocTwice,
    kFree,
    kOther,  // neither allocates nor frees
  };
  Kind kind = Kind::kOther;
  uint64_t address = 0;    // the block that is freed or gets another size
  uint64_t size = 0;       // bytes
  uint64_t alignment = 1;  // a power of two
  // True if the call has no result, because its arguments are out of range.
  bool fails = false;
};

// The beginning of a line of valgrind output.
struct ValgrindMark {
  uint64_t process = 0;
  bool is_debug = false;  // "--PID--" rather than "==PID=="
};

// Removes a mark and the space after it from the beginning of a line. The mark
// may contain the time that --time-stamp=yes adds.
optional<ValgrindMark> TakeValgrindMark(string_view* line);

// Removes the text of a possible call (a name, followed by arguments in
// parentheses) from the beginning of a text. Returns the removed text, or an
// empty text if there is no call.
string_view TakeValgrindCallText(string_view* text);

// Returns whether the text of a call begins with the name of a function that
// allocates or frees.
bool IsValgrindAllocator(string_view call_text);

// Parses the text of a call. Returns nullopt if the arguments do not match the
// function.
optional<ValgrindCall> ParseValgrindCall(string_view call_text);

// Removes a result, such as " = 0x4A43040", from the beginning of a text.
optional<uint64_t> TakeValgrindResult(string_view* text);

}  // namespace stowage::recordings

#endif  // STOWAGE_SRC_RECORDINGS_VALGRIND_CALL_H_
