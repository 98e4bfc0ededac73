// SPDX-License-Identifier: Apache-2.0
// Computes the lower bound on plans of offsets that is proved by the log of a
// search, in order to check a certificate. Searches that write such logs
// (strategies/optimal/exact/search_log.h) use their own arithmetic, which a
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
  // The distinct indices of the records of the proof.
  std::vector<size_t> records;
  // The log claims that `records` do not fit in this number of bytes.
  size_t capacity = 0;
  // The unit of the levels in the text, in bytes.
  size_t unit = 1;
  // The text after the line "log".
  string_view text;
  // Returns the rest of the text. Null if `text` is the whole text.
  ReadText read = nullptr;
};

// Returns a number of bytes that is a lower bound on the size of every plan of
// the records. The result is the least multiple of d above the capacity, where
// d is the greatest common divisor of the sizes, the fixed offsets and the
// alignments above 1 of the records. Requires a problem of offsets. Uses at
// most O(n^2) memory for any text. Errors, with messages that do not name their
// subject:
//   InvalidArgument    the text is not a proof (the message names the line)
//   ResourceExhausted  more than 4096 records
//   any error of `read`
StatusOr<size_t> BoundOfSearchLog(const Problem& problem, const SearchLog& log);

}  // namespace stowage::certificate

#endif  // STOWAGE_SRC_PROOF_SEARCH_LOG_H_
