// SPDX-License-Identifier: Apache-2.0
// The order of operators that a model asks for beside that of its tensors.
#ifndef STOWAGE_SRC_TFLITE_CONTROL_EDGES_H_
#define STOWAGE_SRC_TFLITE_CONTROL_EDGES_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "stowage/tflite/model.h"

namespace stowage {

// The metadata that has it.
inline constexpr absl::string_view kControlEdgesName =
    "model_control_dependencies";

// The edges of each subgraph; their ends are not checked. The format is that of
// TensorFlow Lite, version 1: numbers in groups of seven bits, the lowest
// first; the version, the number of subgraphs, and for each the number of edges
// and the ends of these, with the sign in the lowest bit. Error:
// InvalidArgument for anything else. O(bytes).
absl::StatusOr<std::vector<std::vector<ControlEdge>>> ParseControlEdges(
    absl::Span<const uint8_t> data);

}  // namespace stowage

#endif  // STOWAGE_SRC_TFLITE_CONTROL_EDGES_H_
