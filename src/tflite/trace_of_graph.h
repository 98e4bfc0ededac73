// SPDX-License-Identifier: Apache-2.0
// Makes the parts of a trace of a model that do not depend on lifetime rules.
#ifndef STOWAGE_SRC_TFLITE_TRACE_OF_GRAPH_H_
#define STOWAGE_SRC_TFLITE_TRACE_OF_GRAPH_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"
#include "stowage/trace.h"

namespace stowage {

// Returns how many operators read each tensor of a graph. O(references).
std::vector<size_t> CountConsumers(const SubgraphSpec& graph);

// Returns the trace of the records of a graph, with sizes rounded up, the users
// of records that have any, and the number of tensors that were folded. `place`
// stands for the graph in messages. Errors: InvalidArgument for an alignment
// that is not a power of two, and, naming the tensor, if a size or a sum passes
// 2^64 - 1.
absl::StatusOr<ModelTrace> TraceOfRecords(absl::string_view place,
                                          const SubgraphSpec& graph,
                                          const ArenaRecords& records,
                                          size_t tensor_alignment);

// Returns what a model says of a tensor itself. Extents that its signature
// leaves open are "?", and a scalar has the shape "1".
TensorInfo DescribeTensor(const TensorSpec& tensor);
// Does the same for a tensor whose shape and type are known from elsewhere.
TensorInfo DescribeTensor(const std::string& name, ElementType type,
                          const Shape& shape, const Shape& signature);

// Returns the name of a temporary of the operator with the name `op`.
std::string TemporaryName(absl::string_view op);

// Fills in the producer and the consumers of the infos, one for each of
// `tensors`, which are roots of `lifetimes`: the first task that writes any
// tensor that shares its memory, and all that read one. A task both writes and
// reads its temporaries. O(references of nodes to tensors).
void ConnectTasks(const ArenaGraph& graph, absl::Span<const Lifetime> lifetimes,
                  absl::Span<const size_t> tensors,
                  std::vector<TensorInfo>* infos);

// Returns the names of operators by task, for graphs in which each operator is
// one task.
std::vector<std::string> OperatorNames(const SubgraphSpec& graph);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_TRACE_OF_GRAPH_H_
