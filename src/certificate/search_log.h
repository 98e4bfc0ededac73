// SPDX-License-Identifier: Apache-2.0
// The lower bound of offsets that the log of a search proves, for the check of
// a certificate. Searches write such logs (strategies/optimal/search_log.h) and
// have their own arithmetic, which a check must not trust.
#ifndef STOWAGE_SRC_CERTIFICATE_SEARCH_LOG_H_
#define STOWAGE_SRC_CERTIFICATE_SEARCH_LOG_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/certificate.h"
#include "stowage/problem.h"

namespace stowage::certificate {

struct SearchLog {
  std::vector<size_t> records;  // by index, each once
  size_t capacity = 0;          // bytes: said not to suffice for `records`
  size_t unit = 1;              // bytes, of the levels in the text
  absl::string_view text;       // what follows the line "log"
  ReadText read = nullptr;      // what follows the text; null for nothing
};

// Bytes: no plan of the records is smaller. The capacity, rounded up to the
// next multiple of the greatest common divisor of their sizes, alignments and
// fixed offsets. Requires a problem of offsets. Errors, none with a subject:
//   InvalidArgument    the text is no proof, naming the line
//   ResourceExhausted  more than 4096 records
//   those of reading
// Memory: O(n^2) at worst, whatever the text.
absl::StatusOr<size_t> BoundOfSearchLog(const Problem& problem,
                                        const SearchLog& log);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_CERTIFICATE_SEARCH_LOG_H_
