// SPDX-License-Identifier: Apache-2.0
// Records in the order in which they begin, for planners that group what
// touches in time.
#ifndef STOWAGE_CORE_RECORDS_BY_BEGIN_H_
#define STOWAGE_CORE_RECORDS_BY_BEGIN_H_

#include <cstdint>
#include <vector>

#include "absl/types/optional.h"
#include "src/core/work_limit.h"
#include "stowage/problem.h"

namespace stowage {

// All records with bytes, by first step, ties by index. Nothing if the signal
// is set before it is done. O(n).
absl::optional<std::vector<uint32_t>> RecordsByBegin(const Problem& problem,
                                                     const StopSignal& stop);

}  // namespace stowage

#endif  // STOWAGE_CORE_RECORDS_BY_BEGIN_H_
