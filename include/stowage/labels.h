// SPDX-License-Identifier: Apache-2.0
// Defines the labels of a problem, which reports show beside the numbers:
// names, types and shapes of tensors, and the names of operators. No plan
// depends on labels. The records and all requests are in problem.h.
//
//   spec.labels.operators = {"CONV_2D", "ADD"};  // ProblemSpec
//
// The texts come from a model or a file. They need not be UTF-8 and may be
// hostile.
#ifndef STOWAGE_LABELS_H_
#define STOWAGE_LABELS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "stowage/base/optional.h"

namespace stowage {

struct ProgramSource;  // programs/program_file.h

// Facts about a tensor beyond its record.
struct TensorInfo {
  std::string name;   // the name in the model, or empty if it is unknown
  std::string type;   // the type of the elements, such as "int8"
  std::string shape;  // the extents, such as "1x224x224x3"
  optional<size_t> producer;  // the task that writes the tensor
  // The tasks that read the tensor, in rising order.
  std::vector<size_t> consumers = {};
};

struct Labels {
  // Has an entry for every record, or is empty if nothing is known.
  std::vector<TensorInfo> tensors;
  // The name of the operator of each task, such as "CONV_2D". If not all names
  // are known, the list is empty or shorter than the number of tasks.
  std::vector<std::string> operators;
  // The names of the groups of the constraints, by number. A group without a
  // name is called by its number.
  std::vector<std::string> groups;
  // For each record, the number of operators of the model that read the record.
  // The list has an entry for every record, or is empty.
  std::vector<size_t> readers;
  // The rules that derived the records from a model: "plain", "cpu" or "micro"
  // (tflite/lifetimes.h). The text is empty if the records do not come from a
  // model.
  std::string lifetimes;
  // The program from which the problem was made, or null if the problem was not
  // made from a program. The tasks are the points of the program.
  std::shared_ptr<const ProgramSource> program;
};

}  // namespace stowage

#endif  // STOWAGE_LABELS_H_
