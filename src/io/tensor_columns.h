// SPDX-License-Identifier: Apache-2.0
// Reads and writes the cells of a CSV file that describe the tensor of a
// record: names, and tasks with the names of their operators.
//
//   producer   3:CONV_2D         consumers   4:ADD|7:MUL|9
#ifndef STOWAGE_SRC_IO_TENSOR_COLUMNS_H_
#define STOWAGE_SRC_IO_TENSOR_COLUMNS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "src/base/containers.h"
#include "stowage/base/optional.h"
#include "stowage/base/span.h"
#include "stowage/base/status.h"
#include "stowage/base/statusor.h"
#include "stowage/base/string_view.h"
#include "stowage/labels.h"
#include "stowage/usage_record.h"

namespace stowage {

// Returns the limit below which tasks may have operator names, for a file with
// `records` records. Names are kept in a list that is indexed by task, so
// without a limit a file of a few bytes could require a list of 2^64 entries.
size_t NamedTaskLimit(size_t records);

// Reads the cells of a file row by row. Errors are InvalidArgument; their
// messages do not contain the position.
class TensorColumnReader {
 public:
  // The cells of a row. A cell is null if the file has no such column.
  struct Cells {
    const std::string* name = nullptr;
    const std::string* type = nullptr;
    const std::string* shape = nullptr;
    const std::string* producer = nullptr;
    const std::string* consumers = nullptr;

    bool empty() const {
      return name == nullptr && type == nullptr && shape == nullptr &&
             producer == nullptr && consumers == nullptr;
    }
  };

  StatusOr<TensorInfo> Read(const Cells& cells, size_t line);

  // Returns the names of the operators in all rows, indexed by task, without
  // empty names at the end. After an error, `*line` is the line of the cell
  // that caused it.
  StatusOr<std::vector<std::string>> Operators(size_t records,
                                               size_t* line) const;

 private:
  struct NamedTask {
    std::string name;
    size_t line = 0;
  };

  StatusOr<TaskId> ReadTask(string_view text, size_t line);

  flat_hash_map<TaskId, NamedTask> operators_;
};

// Returns the cell for these tasks and the names of their operators, in the
// format that TensorColumnReader reads. `operators` is indexed by task and may
// be shorter than the number of tasks.
std::string FormatTaskCell(Span<const TaskId> tasks,
                           Span<const std::string> operators);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_TENSOR_COLUMNS_H_
