// SPDX-License-Identifier: Apache-2.0
// What a trace says of its tensors beyond their records, in the cells of a CSV
// file: names, and tasks with the names of their operators.
//
//   producer   3:CONV_2D         consumers   4:ADD|7:MUL|9
#ifndef STOWAGE_SRC_IO_TENSOR_COLUMNS_H_
#define STOWAGE_SRC_IO_TENSOR_COLUMNS_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "stowage/trace.h"
#include "stowage/usage_record.h"

namespace stowage {

// Tasks below this have operators with names, in a file of so many records:
// they are listed by task, and a file of a few bytes must not ask for the
// memory of a list of 2^64.
size_t NamedTaskLimit(size_t records);

// Reads the cells of a file, row by row. Errors are InvalidArgument, without
// the place.
class TensorColumnReader {
 public:
  // The cells of a row; null where the file has no such column.
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

  absl::StatusOr<TensorInfo> Read(const Cells& cells, size_t line);

  // The operators of all rows by task, without empty names at the end. On an
  // error `line` is the line of the cell.
  absl::StatusOr<std::vector<std::string>> Operators(size_t records,
                                                     size_t* line) const;

 private:
  struct NamedTask {
    std::string name;
    size_t line = 0;
  };

  absl::StatusOr<TaskId> ReadTask(absl::string_view text, size_t line);

  absl::flat_hash_map<TaskId, NamedTask> operators_;
};

// The cells of tasks with the names of their operators, which Read reads again.
// Operators are by task, as far as they are known.
std::string FormatTaskCell(absl::Span<const TaskId> tasks,
                           absl::Span<const std::string> operators);

}  // namespace stowage

#endif  // STOWAGE_SRC_IO_TENSOR_COLUMNS_H_
