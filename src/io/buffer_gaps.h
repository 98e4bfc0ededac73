// SPDX-License-Identifier: Apache-2.0
// Reads the gaps of a buffer in a MiniMalloc file. A gap is a part of the
// lifetime of the buffer during which the buffer holds only some of its bytes,
// or none.
#ifndef STOWAGE_SRC_IO_BUFFER_GAPS_H_
#define STOWAGE_SRC_IO_BUFFER_GAPS_H_

#include <cstddef>
#include <vector>

#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/usage_record.h"

namespace stowage {

// A range of the bytes of a buffer, and the tasks during which the buffer holds
// exactly that range.
struct BufferPart {
  TensorUsageRecord<size_t> record;
  size_t at = 0;  // the first byte, counted from the start of the buffer
};

// Returns the parts of a buffer in chronological order. `gaps` lists intervals
// of the lifetime of the buffer, separated by spaces. For example, the buffer
// holds nothing during the interval "7-9", and only the bytes [2, 13) during
// "12-14@2:13". The second number of an interval is one past its last task, or
// the last task itself if `is_inclusive` is true. If `gaps` is empty, the
// buffer has one part. The task numbers in the file may be negative; adding
// `shift` to them gives the task numbers of `buffer`. Error: InvalidArgument,
// with a message that does not contain the name of the column.
StatusOr<std::vector<BufferPart>> PartsOfBuffer(
    const TensorUsageRecord<size_t>& buffer, string_view gaps,
    bool is_inclusive, size_t shift = 0);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_BUFFER_GAPS_H_
