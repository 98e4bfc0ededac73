// SPDX-License-Identifier: Apache-2.0
// Whether what was written has been read again.
#ifndef STOWAGE_FUZZ_SAME_TRACE_H_
#define STOWAGE_FUZZ_SAME_TRACE_H_

#include <algorithm>

#include "stowage/trace.h"

namespace stowage {

inline bool IsSame(const Trace& a, const Trace& b) {
  return a.ids == b.ids && a.alignments == b.alignments && a.fixed == b.fixed &&
         a.offsets == b.offsets && a.objects == b.objects &&
         std::equal(a.records.begin(), a.records.end(), b.records.begin(),
                    b.records.end(), [](const auto& x, const auto& y) {
                      return x.tensor_size == y.tensor_size &&
                             x.first_task == y.first_task &&
                             x.last_task == y.last_task;
                    });
}

}  // namespace stowage

#endif  // STOWAGE_FUZZ_SAME_TRACE_H_
