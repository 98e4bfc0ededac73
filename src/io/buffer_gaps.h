// SPDX-License-Identifier: Apache-2.0
// The gaps of a MiniMalloc buffer, in which it does not hold all of its bytes.
#ifndef STOWAGE_SRC_IO_BUFFER_GAPS_H_
#define STOWAGE_SRC_IO_BUFFER_GAPS_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/usage_record.h"

namespace stowage {

// Some bytes of a buffer while it holds these and no others.
struct BufferPart {
  TensorUsageRecord<size_t> record;
  size_t at = 0;  // of the first byte, from the start of the buffer
};

// The parts of a buffer, by time. `gaps` are intervals of its lifetime, with
// blanks between them: "7-9" holds nothing, "12-14@2:13" the bytes [2, 13)
// alone. The second number of an interval is one past its last task, or that
// task if `is_inclusive`. Without gaps the buffer is one part. Error:
// InvalidArgument, without the column.
absl::StatusOr<std::vector<BufferPart>> PartsOfBuffer(
    const TensorUsageRecord<size_t>& buffer, absl::string_view gaps,
    bool is_inclusive);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_BUFFER_GAPS_H_
