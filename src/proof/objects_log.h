// SPDX-License-Identifier: Apache-2.0
// Computes the lower bound on shared objects that is proved by the log of a
// search, in order to check a certificate. For offsets, use search_log.h.
// Searches that write such logs (strategies/optimal/objects/class_log.h) use
// their own arithmetic, which a check must not trust.
#ifndef STOWAGE_SRC_PROOF_OBJECTS_LOG_H_
#define STOWAGE_SRC_PROOF_OBJECTS_LOG_H_

#include <cstddef>
#include <vector>

#include "stowage/base/span.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/certificate.h"
#include "stowage/profile.h"

namespace stowage::certificate {

struct ObjectsLog {
  // The distinct indices of the listed records.
  std::vector<size_t> listed;
  // The log claims that the records do not fit in this number of bytes.
  size_t capacity = 0;
  // The text after the line "log".
  string_view text;
  // Returns the rest of the text. Null if `text` is the whole text.
  ReadText read = nullptr;
};

// Returns a number of bytes that is a lower bound on the total size of the
// shared objects of `records`. The result is the least multiple of d above the
// capacity, where d is the greatest common divisor of the listed sizes. A line
// of the text takes O(n * sizes) in the worst case, and most lines take O(log
// n). Uses at most O(n * sizes) memory for any text. Errors, with messages that
// do not name their subject:
//   InvalidArgument    the text is not a proof (the message names the line), or
//                      a listed record has no bytes
//   ResourceExhausted  the number of listed records times the number of their
//                      distinct sizes is more than 2^24
//   any error of `read`
StatusOr<size_t> BoundOfObjectsLog(Span<const ByteRecord> records,
                                   const ObjectsLog& log);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_OBJECTS_LOG_H_
