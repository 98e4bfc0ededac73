// SPDX-License-Identifier: Apache-2.0
// Reads constraints on the order of operators that a model has in addition to
// the constraints that follow from its tensors.
#ifndef STOWAGE_SRC_TFLITE_CONTROL_EDGES_H_
#define STOWAGE_SRC_TFLITE_CONTROL_EDGES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/tflite/model.h"

namespace stowage {

// The name of the metadata that contains the edges.
inline constexpr absl::string_view kControlEdgesName =
    "model_control_dependencies";

// Returns the edges of each subgraph. Does not check that the operators of the
// edges exist. The format is version 1 of the format of TensorFlow Lite: a
// sequence of numbers that are encoded in groups of seven bits, lowest group
// first. The numbers are the version, the number of subgraphs and, for each
// subgraph, the number of edges and the two ends of each edge. The lowest bit
// of an end is its sign. Errors: InvalidArgument for bytes in any other format.
// O(bytes).
absl::StatusOr<std::vector<std::vector<ControlEdge>>> ParseControlEdges(
    absl::Span<const uint8_t> data);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_CONTROL_EDGES_H_
