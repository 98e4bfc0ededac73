// SPDX-License-Identifier: Apache-2.0
#include "stowage/tflm/micro_arena.h"

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "stowage/tflite/model.h"
#include "stowage/tflm/micro_device.h"
#include "stowage/tflm/micro_trace.h"

namespace stowage {
namespace {

// The size of an arena that is used only to compute sizes. Only the first bytes
// of the arena exist in memory; the other bytes are neither read nor written.
constexpr size_t kImaginedBytes = (size_t{1} << 32) - 2 * kMicroAlignment;

}  // namespace

absl::string_view MicroCategoryName(MicroCategory category) {
  switch (category) {
    case MicroCategory::kEvalTensors:
      return "eval tensors";
    case MicroCategory::kPersistentTensors:
      return "persistent tensors";
    case MicroCategory::kPersistentQuantization:
      return "persistent quantization";
    case MicroCategory::kPersistentBuffers:
      return "persistent buffers";
    case MicroCategory::kVariables:
      return "variables";
    case MicroCategory::kNodes:
      return "nodes";
    case MicroCategory::kAllocators:
      return "allocators";
    case MicroCategory::kOptions:
      return "options";
    case MicroCategory::kScratchHandles:
      return "scratch handles";
    case MicroCategory::kSubgraphs:
      return "subgraphs";
  }
  return "";
}

absl::StatusOr<MicroArena> PredictMicroArena(const Model& model,
                                             const MicroArenaOptions& options) {
  const absl::StatusOr<std::vector<MicroBuffer>> buffers =
      MicroBuffersOf(model, options.word, options.offsets);
  if (!buffers.ok()) return buffers.status();
  alignas(kMicroAlignment) uint8_t start[kMicroAlignment] = {};
  MicroDevice device(start, kImaginedBytes, options);
  const auto places = device.Allocate(
      model, *buffers, [&](void* /*workspace*/, size_t /*bytes*/) {
        return absl::StatusOr<size_t>(options.head_bytes);
      });
  if (!places.ok()) {
    return absl::Status(
        places.status().code(),
        absl::StrCat(model.name(), ": ", places.status().message()));
  }
  return device.report();
}

}  // namespace stowage
