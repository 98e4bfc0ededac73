// SPDX-License-Identifier: Apache-2.0
#include "src/harness/kernels/tile.h"

#include <algorithm>

#include "src/harness/kernels/support.h"

namespace stowage::harness {

absl::StatusOr<void*> NewTile(OperatorContext& context, int64_t depth,
                              bool is_float) {
  if (depth > int64_t{1} << 48) {
    return absl::ResourceExhaustedError(
        absl::StrCat("its filters have ", depth,
                     " elements each: expected no more than memory holds"));
  }
  const size_t row =
      is_float ? kFloatRows * sizeof(float) : kIntegerRows * sizeof(int16_t);
  return context.NewPersistentBytes(static_cast<size_t>(depth) * row);
}

}  // namespace stowage::harness
