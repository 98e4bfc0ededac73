// SPDX-License-Identifier: Apache-2.0
// Reads and writes the plan in a model: the metadata "OfflineMemoryAllocation"
// of TensorFlow Lite Micro, which has an offset for every tensor. To plan a
// model and to check a plan, use offline_check.h; to read a plan on the device,
// use micro/offline.h.
//
//   absl::StatusOr<absl::optional<OfflinePlan>> plan =
//       ReadOfflinePlan(bytes, "net.tflite");
//   absl::StatusOr<std::string> file =
//       AddOfflinePlan(bytes, "net.tflite", **plan);
//
// The metadata is an array of little-endian 32-bit words: version 0, the number
// of subgraphs, the number of tensors, and an offset for each tensor (including
// constants) of each subgraph.
#ifndef STOWAGE_TFLM_OFFLINE_PLAN_H_
#define STOWAGE_TFLM_OFFLINE_PLAN_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"

namespace stowage {

inline constexpr absl::string_view kOfflinePlanName = "OfflineMemoryAllocation";

// The offset of a tensor that the device places when it loads the model.
// Entries of constants are ignored, and are written with this value.
inline constexpr int32_t kPlacedOnDevice = -1;

// The plan in a model: an offset for every tensor.
struct OfflinePlan {
  // The number of subgraphs in the metadata, or 0 if an older writer stored the
  // index of the only subgraph instead.
  size_t subgraphs = 1;
  // Offsets in bytes from the start of the arena. The offsets in a file may
  // have any values.
  std::vector<int32_t> offsets;
};

// Returns a phrase about a plan that is accepted although it has the index of a
// subgraph in place of the number of subgraphs. Returns an empty string for any
// other plan.
std::string OfflinePlanNote(const OfflinePlan& plan);

// Returns the plan of a model, or nullopt if it has none. Error messages refer
// to the file as `name`. The offsets are not checked. If the model has one
// subgraph, the plan may have 0 in place of the number of subgraphs, because
// older writers stored the index of the subgraph there and devices ignore this
// number.
//
// Error: InvalidArgument if the file is not a model, or if the metadata entry
// cannot be read: it is truncated, has more or fewer words than it declares,
// has a version other than 0, occurs more than once, or is for a different
// number of tensors or subgraphs than the model has. O(bytes).
absl::StatusOr<absl::optional<OfflinePlan>> ReadOfflinePlan(
    absl::string_view model, absl::string_view name);

// Returns the bytes of a file that contains `model` with the given plan. If
// `model` already has a plan, the given plan replaces it. The file consists of
// new metadata followed by the unchanged bytes of `model`, so weights keep
// their bytes and alignment, and tables keep the fields that this library does
// not know. If a zip archive follows the model, programs that locate an archive
// by its end can still read the archive.
//
// Error messages refer to the file as `name`. Error: InvalidArgument if `model`
// is not a model, if its root has unknown fields, if it has buffers outside the
// flatbuffer, if the plan does not have one offset for each tensor, if the new
// file would be too large for the format, or if a device could not read the
// plan. O(bytes).
absl::StatusOr<std::string> AddOfflinePlan(absl::string_view model,
                                           absl::string_view name,
                                           const OfflinePlan& plan);

// Returns the bytes of a file that contains `model` without its plan. If the
// plan was added to a file without a plan by one or more calls of
// AddOfflinePlan, the result is the original file, byte for byte. Otherwise the
// result is new metadata followed by the unchanged bytes of `model`. A model
// without a plan is returned unchanged. Errors: those of AddOfflinePlan.
// O(bytes).
absl::StatusOr<std::string> StripOfflinePlan(absl::string_view model,
                                             absl::string_view name);

}  // namespace stowage

#endif  // STOWAGE_TFLM_OFFLINE_PLAN_H_
