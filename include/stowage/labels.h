// SPDX-License-Identifier: Apache-2.0
// Defines the labels of a problem: names, types and shapes of tensors, and
// names of operators. Reports show the labels beside the numbers, but no plan
// depends on them. For the records and all constraints, see problem.h.
//
//   spec.labels.operators = {"CONV_2D", "ADD"};  // ProblemSpec
//
// The texts come from a model or a file and are not trusted: they may contain
// any bytes, and need not be valid UTF-8.
#ifndef STOWAGE_LABELS_H_
#define STOWAGE_LABELS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "stowage/base/optional.h"

namespace stowage {

struct ProgramSource;  // programs/program_file.h

// Facts about a tensor that are not in its record.
struct TensorInfo {
  std::string name;   // the name in the model, or empty if it is unknown
  std::string type;   // the type of the elements, such as "int8"
  std::string shape;  // the extents, such as "1x224x224x3"
  optional<size_t> producer;  // the task that writes the tensor
  // The tasks that read the tensor, in rising order.
  std::vector<size_t> consumers = {};
};

struct Labels {
  // One entry for every record; empty if nothing is known.
  std::vector<TensorInfo> tensors;
  // The name of the operator of each task, such as "CONV_2D". The list may be
  // empty or shorter than the number of tasks if some names are unknown.
  std::vector<std::string> operators;
  // The names of the groups of the constraints, indexed by the number of the
  // group. Reports identify a group without a name by its number.
  std::vector<std::string> groups;
  // The number of operators of the model that read each record. The list has an
  // entry for every record, or is empty.
  std::vector<size_t> readers;
  // The rules that derived the records from a model: "plain", "cpu" or "micro"
  // (tflite/lifetimes.h). Empty if the records do not come from a model.
  std::string lifetimes;
  // The program from which the problem was made; its points are the tasks of
  // the problem. Null if the problem was not made from a program.
  std::shared_ptr<const ProgramSource> program;
};

}  // namespace stowage

#endif  // STOWAGE_LABELS_H_
