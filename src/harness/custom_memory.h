// SPDX-License-Identifier: Apache-2.0
// Checks the memory that the caller of an interpreter provides for tensors.
#ifndef STOWAGE_SRC_HARNESS_CUSTOM_MEMORY_H_
#define STOWAGE_SRC_HARNESS_CUSTOM_MEMORY_H_

#include <cstddef>
#include <cstdint>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "src/harness/running_graph.h"

namespace stowage::harness {

// Checks that the caller may provide `memory` for a tensor. The size is checked
// later, by CheckCustomMemory, because shapes may still change. Error:
// InvalidArgument.
absl::Status CheckCustomPlace(const RunningGraph& graph, size_t tensor,
                              absl::Span<uint8_t> memory, bool check_alignment);

// Checks that each custom memory is large enough for its tensor and for the
// spare bytes that delegates may read after the tensor. Error: InvalidArgument.
absl::Status CheckCustomMemory(const RunningGraph& graph);

}  // namespace stowage::harness

#endif  // STOWAGE_SRC_HARNESS_CUSTOM_MEMORY_H_
