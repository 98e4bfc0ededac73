// SPDX-License-Identifier: Apache-2.0
// Computes the lower bound of offsets that the log of a search proves, for the
// check of a certificate. Searches that write such logs
// (strategies/optimal/exact/search_log.h) have their own arithmetic, which a
// check must not trust.
#ifndef STOWAGE_SRC_PROOF_SEARCH_LOG_H_
#define STOWAGE_SRC_PROOF_SEARCH_LOG_H_

#include <cstddef>
#include <vector>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/certificate.h"
#include "stowage/problem.h"

namespace stowage::certificate {

struct SearchLog {
  // The indices of the records, each once.
  std::vector<size_t> records;
  // The log claims that `records` do not fit this number of bytes.
  size_t capacity = 0;
  // The text states levels in multiples of this number of bytes.
  size_t unit = 1;
  // The text after the line "log".
  string_view text;
  // Returns the rest of the text. The function is null if the text has no rest.
  ReadText read = nullptr;
};

// Returns a number of bytes such that no plan of the records is smaller. The
// result is the least multiple of d above the capacity, where d is the greatest
// common divisor of the sizes, the fixed offsets and the alignments above 1 of
// the records. Requires a problem of offsets. Uses at most O(n^2) memory,
// whatever the text is. Errors, with messages that name no subject:
//   InvalidArgument    the text is not a proof (names the line)
//   ResourceExhausted  more than 4096 records
//   any error of `read`
StatusOr<size_t> BoundOfSearchLog(const Problem& problem, const SearchLog& log);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_SEARCH_LOG_H_
