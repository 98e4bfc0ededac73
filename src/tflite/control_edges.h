// SPDX-License-Identifier: Apache-2.0
// Reads the order of operators that a model requires in addition to the order
// that its tensors require.
#ifndef STOWAGE_SRC_TFLITE_CONTROL_EDGES_H_
#define STOWAGE_SRC_TFLITE_CONTROL_EDGES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/tflite/model.h"

namespace stowage {

// The name of the metadata that holds the edges.
inline constexpr absl::string_view kControlEdgesName =
    "model_control_dependencies";

// Returns the edges of each subgraph. Does not check whether the operators that
// the edges name exist. The format is version 1 of the format of TensorFlow
// Lite. It is a sequence of numbers in groups of seven bits, the lowest first:
// the version, the number of subgraphs, and for each subgraph the number of
// edges and the two ends of each edge. The lowest bit of an end is its sign.
// Error: InvalidArgument for bytes in any other format. O(bytes).
absl::StatusOr<std::vector<std::vector<ControlEdge>>> ParseControlEdges(
    absl::Span<const uint8_t> data);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_CONTROL_EDGES_H_
