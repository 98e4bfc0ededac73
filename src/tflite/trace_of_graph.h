// SPDX-License-Identifier: Apache-2.0
// What the traces of a model have in common, whatever the rules.
#ifndef STOWAGE_SRC_TFLITE_TRACE_OF_GRAPH_H_
#define STOWAGE_SRC_TFLITE_TRACE_OF_GRAPH_H_

#include <cstddef>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "stowage/tflite/lifetimes.h"
#include "stowage/tflite/model.h"
#include "stowage/tflite/model_trace.h"

namespace stowage {

// The operators that read each tensor of a graph: how many. O(references).
std::vector<size_t> CountConsumers(const SubgraphSpec& graph);

// The trace of records that some rules made of a graph, sizes rounded up, with
// their users if they have any, and the count of what was folded. `place`
// stands for the graph in messages. Errors: InvalidArgument for an alignment
// that is not a power of two, and, naming the tensor, where a size or a sum
// passes 2^64 - 1.
absl::StatusOr<ModelTrace> TraceOfRecords(absl::string_view place,
                                          const SubgraphSpec& graph,
                                          const ArenaRecords& records,
                                          size_t tensor_alignment);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_TRACE_OF_GRAPH_H_
