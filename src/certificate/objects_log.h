// SPDX-License-Identifier: Apache-2.0
// The lower bound of shared objects that the log of a search proves, for the
// check of a certificate; that of offsets is in search_log.h. Searches write
// such logs (strategies/optimal/class_log.h) and have their own arithmetic,
// which a check must not trust.
#ifndef STOWAGE_SRC_CERTIFICATE_OBJECTS_LOG_H_
#define STOWAGE_SRC_CERTIFICATE_OBJECTS_LOG_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/certificate.h"
#include "stowage/profile.h"

namespace stowage::certificate {

struct ObjectsLog {
  std::vector<size_t> listed;  // records, by index, each once
  size_t capacity = 0;         // bytes: said not to suffice for them
  absl::string_view text;      // what follows the line "log"
  ReadText read = nullptr;     // what follows the text; null for nothing
};

// Bytes: no set of shared objects for `records` is smaller. The capacity,
// rounded up to the next multiple of the greatest common divisor of the listed
// sizes. Errors, none with a subject:
//   InvalidArgument    the text is no proof, naming the line; or a listed
//   record
//                      has no bytes
//   ResourceExhausted  the listed records times their sizes are more than 2^24
//   those of reading
// O(n * sizes) for a line of the text, O(log n) for most. Memory: the same at
// worst, whatever the text.
absl::StatusOr<size_t> BoundOfObjectsLog(absl::Span<const ByteRecord> records,
                                         const ObjectsLog& log);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_CERTIFICATE_OBJECTS_LOG_H_
