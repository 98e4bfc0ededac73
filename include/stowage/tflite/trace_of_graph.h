// SPDX-License-Identifier: Apache-2.0
// Computes the parts of a model's trace that do not depend on lifetime rules.
// Code that reads models under its own lifetime rules computes the records
// (lifetimes.h), and then calls these functions to add all other facts that
// reports show. For the rules of this library, use model_trace.h,
// tflm/micro_trace.h and harness/cpu_trace.h.
#ifndef STOWAGE_TFLITE_TRACE_OF_GRAPH_H_
#define STOWAGE_TFLITE_TRACE_OF_GRAPH_H_

#include <cstddef>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/labels.h"
#include "stowage/tflite/element_type.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"

namespace stowage {

// Returns the number of operators that read each tensor of a graph.
// O(references).
std::vector<size_t> CountConsumers(const SubgraphSpec& graph);

// Makes a trace from the records of a graph. Sizes are rounded up to
// `tensor_alignment`. The trace also has the users of the records, if there are
// any, and the number and the bytes of the folded tensors
// (TensorSpec::is_folded). Error messages refer to the graph as `place`.
// Errors: InvalidArgument if the alignment is not a power of two;
// InvalidArgument, naming the tensor, if a rounded size or the total size of
// all folded tensors exceeds 2^64 - 1.
absl::StatusOr<ModelTrace> TraceOfRecords(absl::string_view place,
                                          const SubgraphSpec& graph,
                                          const ArenaRecords& records,
                                          size_t tensor_alignment);

// Returns the facts that a model states about a tensor. Extents that the
// signature leaves open are "?", and a scalar has the shape "1".
TensorInfo DescribeTensor(const TensorSpec& tensor);
// Returns the same facts for a tensor with this name, type, shape and
// signature.
TensorInfo DescribeTensor(const std::string& name, ElementType type,
                          const Shape& shape, const Shape& signature);

// Returns the name of a temporary of the operator named `op` in traces.
std::string TemporaryName(absl::string_view op);

// Sets the producer and the consumers of each info. `infos` has an element for
// each element of `tensors`, which must be roots (Lifetime::root). The producer
// is the first task that writes the root or a tensor in its memory. The
// consumers are all tasks that read the root or a tensor in its memory. A task
// both writes and reads its temporaries. O(references of nodes to tensors).
void ConnectTasks(const ArenaGraph& graph, absl::Span<const Lifetime> lifetimes,
                  absl::Span<const size_t> tensors,
                  std::vector<TensorInfo>* infos);

// Returns the name of the operator of each task, for a graph in which each
// operator is one task.
std::vector<std::string> OperatorNames(const SubgraphSpec& graph);

}  // namespace stowage

#endif  // STOWAGE_TFLITE_TRACE_OF_GRAPH_H_
